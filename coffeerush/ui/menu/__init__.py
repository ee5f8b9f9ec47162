"""The start menu: everything before a person joins a table."""
