"""Escape text for line-based output: plain mode, the plain start menu, bots.

Names, chat, drinks and refusals come from the host, which is not trusted. On the full screen the
canvas sanitizes them; in line-based output only this module does.
"""

from collections.abc import Iterable
from typing import TypeAlias

Lines: TypeAlias = tuple[str, ...]
"""Sentences, one per line."""


def as_text(lines: Iterable[str]) -> str:
    """Join lines, each ended by a newline; escape what could end a line or move the cursor."""
    return "".join(f"{''.join(map(_harmless, line))}\n" for line in lines)


def _harmless(character: str) -> str:
    """Replace whitespace by a blank, and drop what is not printable."""
    if character.isspace():
        return " "
    return character if character.isprintable() else ""
