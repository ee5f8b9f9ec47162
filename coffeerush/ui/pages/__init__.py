"""Help, rules and settings, shown over any screen; forms, and ingredient chips, for all screens."""
