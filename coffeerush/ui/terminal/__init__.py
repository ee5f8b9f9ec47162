"""A full-screen terminal for any program of ours: canvas, keys, lists, footer, frame diff.

Knows no table. A terminal is touched in `fullscreen`, `output`, `diff` and `capabilities` alone.
"""
