"""The parts of `scripts/soak`: each module is one, with `SECONDS` and `run`."""
