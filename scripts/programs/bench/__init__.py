"""Benchmarks of `scripts/bench`."""
