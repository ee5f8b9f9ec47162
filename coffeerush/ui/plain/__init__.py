"""Plain mode, the game in sentences, for screen readers, pipes and simple terminals."""
