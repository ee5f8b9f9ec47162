"""The table on the full screen: key, click or update in, next state and requests out.

Everything but `app` is pure (sans-I/O).
"""
