"""Everything that a person sees, reads or types.

Arrows point down: menu and replay stand on the table and plain mode, those on pages, these on
terminal and advice, all on words.
"""
