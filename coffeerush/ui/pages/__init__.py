"""Help, rules and settings, shown over any screen; and ingredient chips, which all screens draw."""
