"""Game records on disk: written ahead of each answer, read back, listed, exported.

Imports rules. Only `writing` touches files that are being written.
"""
