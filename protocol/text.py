"""Text that people type and others read: names and chat lines, cleaned before anybody sees them."""

import unicodedata
from typing import Annotated, Final

from msgspec import Meta

NAME_CELLS: Final = 24
"""The widest name, in terminal cells: a wide character counts two."""
CHAT_CHARACTERS: Final = 80

Name = Annotated[str, Meta(min_length=1, max_length=NAME_CELLS)]
ChatText = Annotated[str, Meta(min_length=1, max_length=CHAT_CHARACTERS)]

_VARIATION_SELECTORS = frozenset(
    [chr(c) for c in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))]
)
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | _VARIATION_SELECTORS


def _visible(character: str) -> bool:
    """Tell whether a character draws something or is an ordinary space."""
    return character not in _INVISIBLE and unicodedata.category(character)[0] not in "C"


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clean_line(text: str) -> str:
    """Return `text` in NFC on one line, without control, format, zero-width or selector characters."""
    spaced = "".join(" " if c.isspace() else c for c in unicodedata.normalize("NFC", text))
    return " ".join("".join(c for c in spaced if _visible(c)).split())


def clean_name(text: str) -> str:
    """Return `text` as a name of at most `NAME_CELLS` cells; empty where nothing visible is left."""
    kept, width = "", 0
    for character in clean_line(text):
        width += _cells(character)
        if width > NAME_CELLS or len(kept) >= NAME_CELLS:
            break
        kept += character
    return kept.strip()


def clean_chat(text: str) -> str:
    """Return `text` as one chat line of at most `CHAT_CHARACTERS`; empty where nothing is left."""
    return clean_line(text)[:CHAT_CHARACTERS].strip()
