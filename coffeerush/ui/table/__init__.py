"""The table on the full screen: key, click or update in, next state and wishes out.

All but `app` is pure. What a key does imports nothing that draws.
"""
