"""Pictures of real screens, for the documentation."""
