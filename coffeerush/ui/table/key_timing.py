"""Unintended input: held keys, pasted text, keys pressed before the turn began. Pure.

A keyboard repeats a held key after up to a second, then many times a second, and a terminal does
not tell repeats from presses. So if a key may be held, an irreversible action is delayed until it
is clear whether another repeat follows (debounce).
"""

from typing import Final

from coffeerush.client.model import Wish
from coffeerush.ui.terminal.keys import ENTER, INTERRUPT
from protocol import EndTurn, LetIn, PlaceMeeple, Remove, RemoveSpectator, Start

from .state import Ui

TURN_PAUSE_SECONDS: Final = 0.3
"""For how long Enter is ignored after a turn begins: it was meant for something else."""
HELD_SECONDS: Final = 0.12
"""A key that follows the same key within this time is held."""
REPEAT_SECONDS: Final = 2.0
"""The longest delay before a keyboard repeats a held key."""
READ_SECONDS: Final = 0.7
"""How long a person needs to see that a key now means something else.

For as long, no key answers a guest who has begun to ask, or acts after a list has closed by itself.
"""
PASTE_SECONDS: Final = 0.3
"""The longest time that the rest of a pasted text may take to arrive."""

_ONCE_PER_PRESS: Final = (ENTER, "q", INTERRUPT, "d", "D", "r", "f4")
"""Keys that do nothing while they are held."""
_FINAL: Final = (EndTurn, PlaceMeeple, Start, Remove, RemoveSpectator, LetIn)


def is_final(before: Ui, done: tuple[Ui, tuple[Wish, ...]]) -> bool:
    """Return whether a result includes something that cannot be undone."""
    ui, wishes = done
    return any(isinstance(wish, _FINAL) for wish in wishes) or ui.leaving > before.leaving


def is_again(ui: Ui, key: str, seconds: float) -> bool:
    """Return whether a key repeats the previous one within `seconds`."""
    return key == ui.key and ui.now - ui.key_at < seconds


def is_held(ui: Ui, key: str) -> bool:
    """Return whether a key is held that does nothing while held."""
    return key in _ONCE_PER_PRESS and is_again(ui, key, HELD_SECONDS)


def is_early(ui: Ui, key: str) -> bool:
    """Return whether a key was meant for what an update has replaced, or is part of a paste."""
    pause = TURN_PAUSE_SECONDS if key == ENTER else 0
    early = ui.now - ui.turn_at < pause or ui.turn_at > ui.drawn_at
    lost = ui.now - ui.lost_at < READ_SECONDS
    return early or lost or ui.now - ui.pasted_at < PASTE_SECONDS
