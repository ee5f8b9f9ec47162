"""Screenshots for the documentation."""
