"""The line that is typed: chat, or another name."""

from msgspec.structs import replace

from coffeerush.client.model import Wish
from coffeerush.ui.pages.pages import paste_page
from coffeerush.ui.terminal.areas import is_tiny
from coffeerush.ui.terminal.keyboard import BACKSPACE, ENTER, ERASE, ESCAPE
from coffeerush.ui.words.i18n import _
from protocol import CHAT_CHARACTERS, NAME_CELLS, NO_ID, Chat, Rename, clean_chat, clean_name

from .state import Ui, closed


def is_typing(ui: Ui) -> bool:
    """Tell whether characters go into a line."""
    return ui.mode in ("chat", "name") or ui.editing


def type_key(ui: Ui, key: str) -> tuple[Ui, tuple[Wish, ...]]:
    """Return what a key does to the line; keys that are no character do nothing to it."""
    done = replace(closed(ui), note="", asked="")
    if key == ESCAPE:
        return done, ()
    if key == ENTER:
        return done, _said(ui)
    if key == BACKSPACE:
        return replace(ui, draft=ui.draft[:-1]), ()
    if key == ERASE:
        return replace(ui, draft=""), ()
    return (_put(ui, key) if len(key) == 1 and key.isprintable() else ui), ()


def paste(ui: Ui, text: str, now: float) -> Ui:
    """Return the state after a text is put in at the end of the line, if one is being typed."""
    if is_tiny(ui.size):
        return ui
    if ui.editing:
        return paste_page(ui, text)
    if ui.mode in ("chat", "name"):
        return _put(ui, text)
    note = _("Pasted text is left out here; t writes to everybody.")
    return replace(ui, pasted_at=now, note=note, asked="", refused=False)


def _put(ui: Ui, text: str) -> Ui:
    longest = CHAT_CHARACTERS if ui.mode == "chat" else NAME_CELLS
    spaced = "".join(" " if one.isspace() else one for one in text)
    printable = "".join(one for one in spaced if one.isprintable())
    return replace(ui, draft=(ui.draft + printable)[:longest])


def _said(ui: Ui) -> tuple[Wish, ...]:
    if ui.mode == "chat":
        text = clean_chat(ui.draft)
        return (Chat(NO_ID, text),) if text else ()
    name = clean_name(ui.draft)
    return (Rename(NO_ID, name),) if name else ()
