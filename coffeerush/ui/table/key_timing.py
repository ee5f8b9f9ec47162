"""What was not meant: held keys, pasted text, keys of before the turn; with the time handed in.

A keyboard repeats a held key after up to a second, and then many times a second; the terminal does
not tell that from fingers. What cannot be taken back therefore waits for what comes next.
"""

from typing import Final

from coffeerush.client.model import Wish
from coffeerush.ui.terminal.keyboard import ENTER, INTERRUPT
from protocol import EndTurn, PlaceMeeple, Start

from .state import Ui

TURN_PAUSE_SECONDS: Final = 0.3
"""Enter is ignored that long after a turn begins: it was meant for something else."""
HELD_SECONDS: Final = 0.12
"""A key that follows the same key this quickly is held."""
REPEAT_SECONDS: Final = 2.0
"""How long a keyboard may wait before it repeats a held key for the first time."""
PASTE_SECONDS: Final = 0.3
"""How long the rest of a pasted text may take to come."""

_DEEDS_ONCE: Final = (ENTER, "q", INTERRUPT)
"""Keys that do nothing while they are held."""
_FINAL: Final = (EndTurn, PlaceMeeple, Start)


def is_final(before: Ui, done: tuple[Ui, tuple[Wish, ...]]) -> bool:
    """Tell whether something is done that cannot be taken back."""
    ui, wishes = done
    return any(isinstance(wish, _FINAL) for wish in wishes) or ui.leaving > before.leaving


def is_again(ui: Ui, key: str, seconds: float) -> bool:
    """Tell whether a key is the one before it, and came within so many seconds of it."""
    return key == ui.key and ui.now - ui.key_at < seconds


def is_held(ui: Ui, key: str) -> bool:
    """Tell whether a key is held that does nothing then."""
    return key in _DEEDS_ONCE and is_again(ui, key, HELD_SECONDS)


def is_early(ui: Ui, key: str) -> bool:
    """Tell whether a key was pressed for what was there before the turn, or is pasted text."""
    since = ui.now - ui.turn_at
    early = since < TURN_PAUSE_SECONDS if key == ENTER else since <= 0
    return early or ui.now - ui.pasted_at < PASTE_SECONDS
