"""Pseudo-languages: every word twice as long, or in letters two cells wide."""

import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from coffeerush.ui.words import events, i18n

_TOKENS = dict(
    zip(("Co", "Mi", "St", "Ic", "Ch", "Ca", "Te", "Wa"), "가나다라마바사아", strict=True)
)
_PIECES = re.compile(r"(\{[^}]*\})")


class Stretched(gettext.NullTranslations):
    """Makes each English text twice as wide; token labels keep their two cells."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self.letter = letter

    def gettext(self, message: str) -> str:
        parts = _PIECES.split(message)
        return "".join(
            part if place % 2 else re.sub(r"[^\W\d]", self.letter, part)
            for place, part in zip(count(), parts, strict=False)
        )

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return _TOKENS[message] if context == "token" else self.gettext(message)


@contextmanager
def speaking(letter: str) -> Iterator[None]:
    """Use a language with every letter replaced; "" is English."""
    before = i18n._process.texts
    if letter:
        i18n._process.texts = Stretched(letter)
        events._digest.cache_clear()  # which knows languages by their codes alone
    try:
        yield
    finally:
        i18n._process.texts = before
        events._digest.cache_clear()
