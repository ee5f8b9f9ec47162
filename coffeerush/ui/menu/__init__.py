"""The start menu: everything before a person joins a table.

`app` is the program, `state` its state, `on_key` what keys do.
"""
