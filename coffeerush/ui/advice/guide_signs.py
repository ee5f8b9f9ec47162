"""What a guided game shows so far: each sign from when it is explained, or begins to matter."""

from typing import Final, Literal, TypeAlias, get_args

from coffeerush.ui.words.events import turns_of
from protocol import SLOTS, Phase, Seat, Upgrade, View

from .guide_lessons import Lesson, Progress

Sign: TypeAlias = Literal[
    "served", "rush", "penalties", "deck", "slots", "specialty", "upgrades", "cells", "supply"
]
"""`cells` are the specialty cells, and `specialty` is the mark of such an order."""
SIGNS: Final[frozenset[Sign]] = frozenset(get_args(Sign))
_LESSONS: Final[dict[Lesson, tuple[Sign, ...]]] = {
    "slots": ("slots",),
    "specialty": ("specialty", "rush"),
    "expiring": ("penalties", "rush"),
    "penalty": ("penalties", "rush"),
    "end": ("penalties", "deck"),
    "upgrade": ("upgrades",),
}
"""The signs that each lesson explains."""
SCARCE: Final = 3
"""With so few tokens of a kind left, one walk can use up its supply."""


def signs_of(progress: Progress, view: View, seat: Seat) -> frozenset[Sign]:
    """Return the signs that a player of a game that is on has met in it."""
    me = view.players[seat]
    matters: dict[Sign, bool] = {
        "served": me.completed > 0 or any(me.upgrades),
        "rush": me.rush > 0,
        "penalties": me.penalties > 0 or bool(me.orders[SLOTS - 1]),
        "deck": view.closed,
        "slots": view.phase is Phase.SERVING or turns_of(seat, view) > 0,
        "upgrades": any(me.upgrades),
        "cells": bool(me.upgrades[Upgrade.DOUBLE_SPECIALTIES]),
        "supply": min(view.supply) <= SCARCE,
    }
    explained = (sign for told in progress.told for sign in _LESSONS.get(told.lesson, ()))
    return frozenset(sign for sign in matters if matters[sign]).union(explained)
