"""Data in, sentences out, in the person's language; the only room that translates the game."""
