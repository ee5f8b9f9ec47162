"""Ways in which bots and simulated people choose among the options of a View."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeAlias

from coffeerush.bots import BOTS
from protocol import EndTurn, Intent, PlaceMeeple, Pour, ReturnRest, Serve, Step, Undo, View

Choice: TypeAlias = Callable[[View, Random], Intent | None]

_SOONEST: Final = (EndTurn, ReturnRest, Serve, PlaceMeeple, Pour, Step)


def regular(view: View, chance: Random) -> Intent:
    """Choose like the stand-in bot."""
    return BOTS["regular"]().choose(view, chance)


def anything(view: View, chance: Random) -> Intent:
    return chance.choice(options(view))


def short(view: View, chance: Random) -> Intent:
    """Choose the option that brings the turn closest to its end."""
    return soonest(options(view))


def illegal(view: View, chance: Random) -> Intent:
    return Undo()


def nothing(view: View, chance: Random) -> None:
    """Give no answer."""


def options(view: View) -> list[Intent]:
    return [option.intent for option in view.own.options] if view.own else []


def soonest(intents: Sequence[Intent]) -> Intent:
    """Return the intent that brings the turn closest to its end."""
    rated = [one for one in intents if isinstance(one, _SOONEST)]
    return min(rated, key=lambda one: _SOONEST.index(type(one)))
