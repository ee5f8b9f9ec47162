"""Help with a turn: suggested pours, a hint, the first-game guide."""
