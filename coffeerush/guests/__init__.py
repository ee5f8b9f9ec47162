"""Guests with nothing installed: one process shows the table to each of them, over ssh or the web.

For each guest it is one ordinary client of the table, so a host trusts it no more than any other.
"""
