"""Help, rules and settings, shown over any screen."""
