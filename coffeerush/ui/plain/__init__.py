"""Plain mode, the game in sentences: a typed line in, sentences out.

For screen readers, pipes, and terminals without full-screen support.
"""
