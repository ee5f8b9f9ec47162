"""Text fields at the table: chat, name, letter and reason of a pause. Pure."""

from msgspec.structs import replace

from coffeerush.client.model import Wish
from coffeerush.ui.pages.pages import mark_wish, paste_page
from coffeerush.ui.terminal.canvas import is_tiny
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, Draft, edited, pasted
from coffeerush.ui.words.command_words import addressed, said
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import letter_named
from protocol import (
    CHAT_CHARACTERS,
    NAME_CELLS,
    NO_ID,
    Chat,
    Rename,
    RenameTable,
    SetPause,
    clean_chat,
    clean_name,
)

from .state import TYPING, Ui, closed


def to_all() -> Draft:
    """Return the beginning of a line of chat for all tables of the host."""
    return Draft(f"/{said('all')} ")


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
    longest = {"name": NAME_CELLS, "table_name": NAME_CELLS, "letter": 1}
    return longest.get(ui.mode, CHAT_CHARACTERS)


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
        said, to_all = addressed(ui.draft.text)
        text = clean_chat(said)
        return (Chat(NO_ID, text, to_all),) if text else ()
    if ui.mode == "pause":
        return (SetPause(NO_ID, True, clean_chat(ui.draft.text)),)
    name = clean_name(ui.draft.text)
    if not name:
        return ()
    return (RenameTable(NO_ID, name) if ui.mode == "table_name" else Rename(NO_ID, name),)
