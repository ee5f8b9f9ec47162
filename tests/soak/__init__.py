"""Soak tests for `scripts/soak`; the test suite runs a short form of each part."""
