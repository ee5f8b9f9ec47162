"""Sentences for the output at hand: the characters that it has, and the width of a terminal."""

import codecs
from collections.abc import Iterator
from typing import Final

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import width

_ASCII: Final = {**glyphs.ASCII, ord(glyphs.CUT): "..."}
"""Unlike on the full screen, a replacement may be longer than its original."""
_OPENING: Final = dict.fromkeys(map(ord, "¿¡"))
"""Marks at the beginning of Spanish sentences, which can do without."""


def wrapped(line: str, columns: int) -> Iterator[str]:
    """Break a line between words, as a terminal would break it within one; long words stay whole.

    `columns` is the width of the terminal; 0 if there is none, which breaks no line.
    """
    begun = ""
    for word in line.split(" "):
        longer = f"{begun} {word}" if begun else word
        if begun and 0 < columns < width(longer):
            yield begun
            longer = word
        begun = longer
    yield begun


def plain_text(text: str, encoding: str, ascii_only: bool) -> str:
    """Replace the signs that an output may lack; letters that it lacks are up to its encoder.

    `ascii_only` replaces them even if the encoding has them.
    """
    if text.isascii():
        return text
    if ascii_only or codecs.lookup(encoding).name != "utf-8":
        text = text.translate(_ASCII)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_OPENING)
    return text
