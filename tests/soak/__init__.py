"""What `scripts/soak` puts hosts through; the tests run a short form of each part."""
