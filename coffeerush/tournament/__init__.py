"""Tournaments: who plays with whom in each round, and the standings. Sans-I/O.

Each round has tables of three and four by the standings, so that equals meet; see `Tournament`.
"""
