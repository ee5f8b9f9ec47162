"""A game on disk: written before the answer, read back, listed, exported."""
