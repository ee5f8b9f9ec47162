"""Data in, sentences out, in the person's language; and where a translation is looked up.

Names, events, refusals, errors and the words of plain mode's commands.
"""
