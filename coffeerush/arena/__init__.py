"""Comparing bots: games in blocks, played in child processes, and their statistics.

Imports the rules, the bots and the records, but no host, client or user interface.
"""
