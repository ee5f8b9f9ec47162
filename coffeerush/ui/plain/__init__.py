"""The game in sentences: a typed line in, sentences out.

For screen readers, pipes, and terminals that can do nothing else.
"""
