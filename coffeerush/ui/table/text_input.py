"""Text fields at the table, and input that is not meant: held keys, pasted text, early keys."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Wish
from coffeerush.ui.pages.pages import mark_wish, paste_page
from coffeerush.ui.terminal.canvas import is_tiny
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, edited, pasted
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import letter_named
from protocol import (
    CHAT_CHARACTERS,
    NAME_CELLS,
    NO_ID,
    Chat,
    EndTurn,
    LetIn,
    PlaceMeeple,
    Remove,
    RemoveSpectator,
    Rename,
    SetPause,
    Start,
    clean_chat,
    clean_name,
)

from .state import TYPING, Ui, closed


def is_typing(ui: Ui) -> bool:
    """Return whether characters go to a text field."""
    return ui.mode in TYPING or ui.editing


def type_key(ui: Ui, key: str) -> tuple[Ui, tuple[Wish, ...]]:
    """Apply a key to the text field; Enter sends it, Esc closes it."""
    done = replace(closed(ui), asked="")  # a note that came meanwhile was not visible yet
    if key == ESCAPE:
        return done, ()
    if key == ENTER and ui.mode == "letter":
        return _lettered(done, ui.draft.text)
    if key == ENTER:
        return done, _said(ui)
    return replace(ui, draft=edited(ui.draft, key, longest(ui))), ()


def paste(ui: Ui, text: str, now: float) -> Ui:
    """Insert pasted text into the open text field, or refuse it with a note."""
    if is_tiny(ui.size):
        return ui
    if ui.editing:
        return paste_page(ui, text)
    if ui.mode in TYPING:
        return replace(ui, draft=pasted(ui.draft, text, longest(ui)))
    note = _("Pasted text is ignored here; press “t” to write to everybody.")
    note_at = float("inf")  # it has no age
    return replace(ui, pasted_at=now, note=note, note_at=note_at, asked="", refused=False)


def longest(ui: Ui) -> int:
    """Return the number of characters that the open text field takes."""
    return {"name": NAME_CELLS, "letter": 1}.get(ui.mode, CHAT_CHARACTERS)


def _lettered(ui: Ui, typed: str) -> tuple[Ui, tuple[Wish, ...]]:
    """Choose a letter, or without one that of the name again; remember it for other tables."""
    letter = letter_named(typed)
    if typed and letter is None:
        return replace(ui, note=_("Choose one of the letters A to Z.")), ()
    settings = replace(ui.settings, letter=letter)
    return replace(ui, settings=settings), (mark_wish(settings),)


def with_mark(before: Ui, after: Ui) -> tuple[Ui, tuple[Wish, ...]]:
    """Ask for the letter and the colour if the settings have others now."""
    mark = mark_wish(after.settings)
    return after, (mark,) if mark != mark_wish(before.settings) else ()


def _said(ui: Ui) -> tuple[Wish, ...]:
    if ui.mode == "chat":
        text = clean_chat(ui.draft.text)
        return (Chat(NO_ID, text),) if text else ()
    if ui.mode == "pause":
        return (SetPause(NO_ID, True, clean_chat(ui.draft.text)),)
    name = clean_name(ui.draft.text)
    return (Rename(NO_ID, name),) if name else ()


# Unintended input: held keys, pasted text, keys pressed before the turn began. Pure
#
# A keyboard repeats a held key after up to a second, then many times a second, and a terminal does
# not tell repeats from presses. So if a key may be held, an irreversible action is delayed until it
# is clear whether another repeat follows (debounce).


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
