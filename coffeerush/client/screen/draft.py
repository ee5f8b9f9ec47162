"""The line that is typed: chat, or another name."""

from msgspec.structs import replace

from coffeerush.client.model import Wish
from protocol import CHAT_CHARACTERS, NAME_CELLS, NO_ID, Chat, Rename, clean_chat, clean_name

from .keys import BACKSPACE, ENTER, ESCAPE
from .ui import Ui


def type_key(ui: Ui, key: str) -> tuple[Ui, tuple[Wish, ...]]:
    """Return what a key does to the line; keys that are no character do nothing to it."""
    closed = replace(ui, mode="table", draft="", note="", asked="")
    if key == ESCAPE:
        return closed, ()
    if key == ENTER:
        return closed, _said(ui)
    if key == BACKSPACE:
        return replace(ui, draft=ui.draft[:-1]), ()
    return (paste(ui, key) if len(key) == 1 and key.isprintable() else ui), ()


def paste(ui: Ui, text: str) -> Ui:
    """Return the state after a text is put in at the end of the line, if one is being typed."""
    if ui.mode not in ("chat", "name"):
        return ui
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
