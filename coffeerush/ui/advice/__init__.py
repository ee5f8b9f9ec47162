"""Help with a turn: suggested pours, a hint, the first-game guide.

It sees only a View, like any player.
"""
