"""The join code: three random words, said across a room and typed by guests.

The canonical form is the English words, lower case, with hyphens: `apple-tiger-moon`. Both sides
prove that they know it (`coffeerush.joining.code_proof`), and a QR code holds it. People see the
code in their own language and may type it in any: each word has a translation in every list.
"""

import re
import unicodedata
from difflib import get_close_matches
from random import Random
from typing import Final

from coffeerush.errors import UsageError

from .code_words import COLUMNS, WORDS

CODE_WORDS: Final = 3
OPEN: Final = "open"
"""Typed instead of a code by somebody who knows that the table has none."""


def draw_code(chance: Random) -> str:
    """Draw a new code, one of `len(WORDS) ** 3`: about two million."""
    english = [row[0] for row in WORDS]
    return "-".join(chance.choices(english, k=CODE_WORDS))


def spoken_code(code: str, spoken: str) -> str:
    """Translate a code into the words of a language, separated by spaces.

    Args:
        code: as `draw_code` returns it.
        spoken: a locale of `coffeerush.ui.words.i18n`; any other means English.
    """
    column = COLUMNS.index(spoken) if spoken in COLUMNS else 0
    return " ".join(WORDS[_ENGLISH[word]][column] for word in code.split("-"))


def parse_code(text: str) -> str:
    """Parse a code typed in any language; return `OPEN` if that was typed.

    Case, accents and separators do not matter; the separators may be missing.

    Raises:
        UsageError: it is not a code; says which word is wrong.
    """
    words = _words(text)
    if words == [OPEN]:
        return OPEN
    if len(words) != CODE_WORDS:
        words = _apart("".join(words))
    if len(words) != CODE_WORDS:
        raise UsageError(
            "A code is three words, such as {example}; the host's screen shows it.",
            example="apple tiger moon",
        )
    return "-".join(WORDS[_meant(word)][0] for word in words)


def join_command(address: str, code: str) -> str:
    """Return the command with which others join a table; `code` is empty for an open table."""
    return f"coffeerush join {address} {code or OPEN}"


def is_code(text: str) -> bool:
    """Tell whether a text is a code and cannot be a host name."""
    words = _words(text)
    return "." not in text and len(words) == CODE_WORDS and _KNOWN.keys() >= set(words)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", _plain(text))


def _apart(text: str) -> list[str]:
    """Split a code that was typed without separators; return [] if it is not one."""
    one = "|".join(_KNOWN)
    found = re.fullmatch(f"({one})" * CODE_WORDS, text)
    return list(found.groups()) if found else []


def _meant(word: str) -> int:
    if word in _KNOWN:
        return _KNOWN[word]
    # compare letter by letter, which in Korean means the jamo of a syllable
    known = {unicodedata.normalize("NFD", name): name for name in _KNOWN}
    near = get_close_matches(unicodedata.normalize("NFD", word), known, n=1)
    if near:
        plain = known[near[0]]
        meant = next(name for name in WORDS[_KNOWN[plain]] if _plain(name) == plain)
        raise UsageError(
            "“{word}” is not a code word; did you mean “{near}”?", word=word[:40], near=meant
        )
    raise UsageError("“{word}” is not a code word; check the host's screen.", word=word[:40])


def _plain(text: str) -> str:
    """Fold case and remove accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


_ENGLISH: Final = {row[0]: number for number, row in enumerate(WORDS)}
_KNOWN: Final = {_plain(word): number for number, row in enumerate(WORDS) for word in row}
