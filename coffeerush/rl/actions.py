"""Actions: the legal intents as numbers, by their position in a fixed list."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from coffeerush.rules import ALL_INTENTS, State, legal_intents
from coffeerush.rules.legal import Intents
from protocol import Undo, View

ACTIONS: Final[Intents] = tuple(one for one in ALL_INTENTS if not isinstance(one, Undo))
"""The intent of each action. There is no Undo: without it, every turn ends."""
_NUMBERS: Final = {intent: action for action, intent in enumerate(ACTIONS)}
_BY_ID: Final = {id(intent): action for action, intent in enumerate(ALL_INTENTS)}
"""The same by identity, which is faster, for the objects that `legal_intents` returns."""


def action_mask(view: View, out: NDArray[np.int8]) -> None:
    """Write 1 for each legal action of the View's owner, else 0.

    Args:
        view: of a seat; a spectator has no legal actions.
        out: shape `(len(ACTIONS),)`.
    """
    out[:] = 0
    for option in view.own.options if view.own else ():
        if not isinstance(option.intent, Undo):
            out[_NUMBERS[option.intent]] = 1


def legal_actions(state: State) -> list[int]:
    """Return the legal actions of the active seat; none when the game is over."""
    legal = [_BY_ID[id(intent)] for intent in legal_intents(state)]
    if state.previous is not None:
        legal.pop()  # Undo is last
    return legal
