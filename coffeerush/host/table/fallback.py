"""What a seat does when its bot does nothing that is legal, or does not come to an end."""

from random import Random
from typing import Final

from coffeerush.rules import State, legal_intents
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
)

_TOWARDS_THE_END: Final = (
    *(EndTurn, ReturnRest, PlaceMeeple, Pour, Serve, Step, ActivateUpgrade, EmptyCup),
)
"""What ends a turn soonest comes first; in the setup nothing can be returned, so pouring does."""


def random_fallback(state: State, chance: Random) -> Intent:
    """Return a random legal intent that is no Undo; the game must not be over."""
    legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
    return legal[int(chance.random() * len(legal))]


def ending_fallback(state: State) -> Intent:
    """Return the legal intent that brings the turn nearest to its end; the game is not over."""
    legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
    return min(legal, key=lambda one: _TOWARDS_THE_END.index(type(one)))
