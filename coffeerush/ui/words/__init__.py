"""Data in, sentences out, in the person's language; and the lookup of translations."""
