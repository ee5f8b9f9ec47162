"""The user interface: full screen, plain mode, menu, replay, and the words in them.

Imports go one way: menu and replay use table and plain mode, these use pages, pages use
terminal and advice, and everything uses words.
"""
