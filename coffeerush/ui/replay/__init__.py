"""A finished game: its frames, and the full screen that goes through them both ways."""
