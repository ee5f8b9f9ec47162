"""From a scene to the cells of a canvas; pure.

Nothing that takes input imports it.
"""
