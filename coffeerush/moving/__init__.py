"""The move of a table from one host to another. Pure."""
