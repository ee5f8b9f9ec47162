"""Help, rules and settings, shown over any screen.

Each program hands its own help to its pages.
"""
