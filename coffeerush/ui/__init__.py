"""Everything that a person sees, reads or types."""
