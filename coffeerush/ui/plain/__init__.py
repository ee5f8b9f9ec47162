"""The game in sentences: a typed line in, sentences out."""
