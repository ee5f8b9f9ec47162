"""Help, rules and settings, shown over any screen; and ingredient chips, which all screens draw.

Each program passes its own help to its pages.
"""
