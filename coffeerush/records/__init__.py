"""A game on disk: written before the answer, read back, listed, exported.

Imports rules. `writing` alone touches files that are being written.
"""
