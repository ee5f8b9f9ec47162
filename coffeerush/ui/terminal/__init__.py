"""A full-screen terminal for any program of ours: canvas, keys, lists, footer, frame diff."""
