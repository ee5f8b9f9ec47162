"""What calls for a player's attention in plain mode: their turn, and its last seconds."""

from typing import Literal, TypeAlias

from msgspec import Struct

from coffeerush.client.model import Model
from coffeerush.client.turn import HURRY_SECONDS, seconds_left
from coffeerush.ui.words.events import bot_finishes

Call: TypeAlias = Literal["", "turn", "time"]
"""What the bell rings for, if anything: a turn has begun, or its last seconds have."""


class Attention(Struct, frozen=True):
    """What a player has to attend to."""

    turn: bool = False
    """Whether it is their turn."""
    time: bool = False
    """Whether its last seconds have begun."""


def attention(model: Model, age: float) -> Attention:
    """Return the matters for the player's attention; the table has this `age`, in seconds."""
    turn, left = model.my_turn and not bot_finishes(model), seconds_left(model, age)
    return Attention(turn, turn and left is not None and left <= HURRY_SECONDS)


def call(before: Attention, after: Attention) -> Call:
    """Return the call that has become due; of a short turn's start, its prompt has the time."""
    if after.turn and not before.turn:
        return "turn"
    return "time" if after.time and not before.time else ""
