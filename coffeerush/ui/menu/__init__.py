"""The start menu: everything around a table, before one is sat at."""
