"""The start menu: everything around a table, before somebody sits down.

`app` is the program, `state` what it remembers, `on_key` what a key does.
"""
