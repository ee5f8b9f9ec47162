"""Text fields: a text with a cursor, editing keys, paste, and drawing."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from . import glyphs
from .canvas import CARET, Parts, cell_width, clusters, cut, width
from .keyboard import BACKSPACE, ERASE


class Draft(Struct, frozen=True):
    """A text being typed, split at the cursor."""

    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return self.before + self.after


def edited(draft: Draft, key: str, longest: int) -> Draft:
    """Apply a key to a text of at most `longest` characters; ignore keys that do not edit."""
    if len(key) == 1 and key.isprintable():
        return pasted(draft, key, longest)
    return _EDITS[key](draft) if key in _EDITS else draft


def pasted(draft: Draft, text: str, longest: int) -> Draft:
    """Insert as much of a text at the cursor as fits."""
    spaced = "".join(" " if one.isspace() else one for one in text)
    printable = "".join(one for one in spaced if one.isprintable())
    before = draft.before + printable[: max(longest - len(draft.text), 0)]
    return _parted(before + draft.after, len(before))


def drawn(draft: Draft, cells: int, style: str = "") -> Parts:
    """Return the text with its cursor in at most `cells`; ellipses mark what does not fit."""
    room = cells - 1
    before = _tail(draft.before, room - min(width(draft.after), room // 3))
    after = cut(draft.after, room - width(before))
    return [(style, before), (f"{style} {CARET}", glyphs.CARET), (style, after)]


def _tail(text: str, cells: int) -> str:
    """Return the end of a text within `cells`, with an ellipsis if its start is cut off."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    while width(text) > cells - 1:
        text = _right(_start(Draft(text))).after
    return glyphs.CUT + text


def _parted(text: str, at: int) -> Draft:
    """Put the cursor at an index, or at the next one where it can be."""
    at = next((stop for stop in _stops(text) if stop >= at), len(text))
    return Draft(text[:at], text[at:])


def _stops(text: str) -> list[int]:
    """Return the indices where a cursor can be: not within a flag or before combining ones."""
    found, at = [0], 0
    for cluster in clusters(text):
        found += [at] if cell_width(cluster) else []
        at += len(cluster)
    return [*found, at]


def _left(draft: Draft) -> Draft:
    text, end = draft.text, len(draft.before)
    return _parted(text, max((stop for stop in _stops(text) if stop < end), default=0))


def _right(draft: Draft) -> Draft:
    return _parted(draft.text, len(draft.before) + 1)


def _start(draft: Draft) -> Draft:
    return Draft("", draft.text)


def _end(draft: Draft) -> Draft:
    return Draft(draft.text)


def _word_back(draft: Draft) -> Draft:
    start = draft.before.rstrip(" ").rfind(" ") + 1
    return Draft(draft.before[:start], draft.after)


_EDITS: Final[dict[str, Callable[[Draft], Draft]]] = {
    "left": _left,
    "right": _right,
    "home": _start,
    "c-a": _start,
    "end": _end,
    "c-e": _end,
    BACKSPACE: lambda draft: Draft(_left(draft).before, draft.after),
    "delete": lambda draft: Draft(draft.before, _right(draft).after),
    ERASE: lambda _draft: Draft(),
    "c-w": _word_back,
    "c-k": lambda draft: Draft(draft.before),
}
EDITING: Final = frozenset(_EDITS)
"""The keys that move the cursor or delete."""
