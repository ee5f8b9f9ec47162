"""Build a release: the files that somebody downloads to play."""
