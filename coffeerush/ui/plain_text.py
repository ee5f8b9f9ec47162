"""Sentences for outputs without some characters: ASCII replaces quotation marks and signs."""

import codecs
from typing import Final

from coffeerush.ui.terminal import glyphs

_ASCII: Final = {**glyphs.ASCII, ord(glyphs.CUT): "..."}
"""Unlike on the full screen, a replacement may be longer than its original."""
_OPENING: Final = dict.fromkeys(map(ord, "¿¡"))
"""Marks at the beginning of Spanish sentences, which can do without."""


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
