"""A finished game, stepped through forwards and backwards.

`frames` plays the record, `on_key` is where somebody is in it; drawn as a table is.
"""
