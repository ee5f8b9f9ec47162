"""Lines as they are written where nothing is drawn: plain mode, the plain start menu, bots.

Names, chat, drinks and refusals come from whoever hosts a table. On the full screen its canvas
keeps them on their line; here nothing else stands between them and the terminal.
"""

from collections.abc import Iterable
from typing import TypeAlias

Lines: TypeAlias = tuple[str, ...]
"""Sentences, one a line."""


def as_text(lines: Iterable[str]) -> str:
    """Return lines as text, each ended; what is in one neither ends it nor moves the cursor."""
    return "".join(f"{''.join(map(_harmless, line))}\n" for line in lines)


def _harmless(character: str) -> str:
    """Return what may be written of a character: blanks are all alike, controls nothing."""
    if character.isspace():
        return " "
    return character if character.isprintable() else ""
