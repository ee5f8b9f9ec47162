"""A full-screen terminal for all our programs: canvas, keys, lists, footer, frame diff.

It knows nothing of tables. Only `fullscreen`, `output`, `diff` and `capabilities` deal with a
real terminal.
"""
