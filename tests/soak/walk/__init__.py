"""Random walks over everything that people can do at a table, repeatable from a seed."""
