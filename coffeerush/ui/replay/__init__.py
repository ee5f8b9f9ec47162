"""The replay: step through a finished game, forwards and backwards.

`frames` computes the frames of a record, `on_key` moves in it; drawing is shared with the table.
"""
