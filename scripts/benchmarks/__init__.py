"""What `scripts/bench` measures."""
