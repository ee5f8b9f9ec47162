"""The turn clock, which a client counts down by itself, and when it calls for attention."""

from math import ceil
from typing import Final

from .model import Model

HURRY_SECONDS: Final = 10
"""With so much time left, a clock looks and sounds different."""
BELL_AFTER_SECONDS: Final = 1.0
"""The bell rings at a turn's start only if nothing was typed for this long."""


def seconds_left(model: Model, age: float) -> int | None:
    """Return the seconds left of the turn; None without a turn clock.

    `age` is how old the table is, in seconds: so much less time is left, unless the game is paused.
    """
    table = model.table
    if table is None or table.clock is None:
        return None
    return table.clock if table.pause is not None else max(ceil(table.clock - age), 0)
