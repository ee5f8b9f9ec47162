"""Game records on disk: written ahead of each answer, read back, listed, exported."""
