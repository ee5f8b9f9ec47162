"""Help with a turn, from a View: suggested pours, a hint, the first-game guide, a review."""
