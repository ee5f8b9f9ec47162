"""Data in, sentences out, in the person's language; and the lookup of translations.

Names, events, refusals, errors, and the command words of plain mode.
"""
