"""How a bot, or whoever is in a hurry, chooses among the options of a View."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeAlias

from coffeerush.bots import BOTS
from protocol import EndTurn, Intent, PlaceMeeple, Pour, ReturnRest, Serve, Step, Undo, View

Choice: TypeAlias = Callable[[View, Random], Intent | None]

_SOONEST: Final = (EndTurn, ReturnRest, Serve, PlaceMeeple, Pour, Step)


def greedy(view: View, chance: Random) -> Intent:
    """Choose as the bot that stands in for people."""
    return BOTS["greedy"]().choose(view, chance)


def anything(view: View, chance: Random) -> Intent:
    """Choose any option."""
    return chance.choice(options(view))


def short(view: View, chance: Random) -> Intent:
    """Choose what brings the turn nearest to its end."""
    return soonest(options(view))


def illegal(view: View, chance: Random) -> Intent:
    """Choose what no bot may do."""
    return Undo()


def nothing(view: View, chance: Random) -> None:
    """Have no answer."""


def options(view: View) -> list[Intent]:
    """Return the legal intents of the reader."""
    return [option.intent for option in view.own.options] if view.own else []


def soonest(intents: Sequence[Intent]) -> Intent:
    """Return the intent that brings the turn nearest to its end."""
    rated = [one for one in intents if isinstance(one, _SOONEST)]
    return min(rated, key=lambda one: _SOONEST.index(type(one)))
