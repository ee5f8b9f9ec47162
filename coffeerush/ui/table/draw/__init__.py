"""Drawing: from a scene to the cells of a canvas; pure.

Apart from `app`, the table imports only `choices_end` and `everybody` from here.
"""
