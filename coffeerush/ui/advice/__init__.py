"""Help with a turn: suggested pours, a hint, the first-game guide.

Looks at Views, like any player; imports bots, client and words.
"""
