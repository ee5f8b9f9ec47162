"""Data in, sentences out, in the person's language; the only room that translates the game.

Names, events, refusals, errors and the words of plain mode's commands.
"""
