"""The join code: three words that are drawn for a table, said across a room and typed by guests.

A code is written as its English words, lower case, with hyphens: `apple-tiger-moon`. That is what
both sides prove to know (`coffeerush.joining.code_proof`), and what a QR code holds. People see and
say it in their own language, and may type it in any: a word means the same in every language's
list.
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
"""Typed in a code's place by who knows that a table asks for none."""


def draw_code(chance: Random) -> str:
    """Return a new code; one of `len(WORDS) ** 3`, about two million."""
    english = [row[0] for row in WORDS]
    return "-".join(chance.choices(english, k=CODE_WORDS))


def spoken_code(code: str, spoken: str) -> str:
    """Return a code in the words of a language, with spaces between them.

    Args:
        code: as `draw_code` returns it.
        spoken: a language that the program speaks, as `coffeerush.ui.words.i18n` calls it; any
            other is English.
    """
    column = COLUMNS.index(spoken) if spoken in COLUMNS else 0
    return " ".join(WORDS[_ENGLISH[word]][column] for word in code.split("-"))


def parse_code(text: str) -> str:
    """Return the code that somebody typed, in any language; `OPEN` where they typed that.

    Case and accents do not matter, nor what stands between the words, if anything does.

    Raises:
        UsageError: it is no code; says which word is none.
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
    """Return what others type to come to a table; its code is empty where everybody may join."""
    return f"coffeerush join {address} {code or OPEN}"


def is_code(text: str) -> bool:
    """Tell whether a text is a code and nothing else, not even the name of a computer."""
    words = _words(text)
    return "." not in text and len(words) == CODE_WORDS and _KNOWN.keys() >= set(words)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", _plain(text))


def _apart(text: str) -> list[str]:
    """Return the words of a code that was typed without anything between them; else none."""
    one = "|".join(_KNOWN)
    found = re.fullmatch(f"({one})" * CODE_WORDS, text)
    return list(found.groups()) if found else []


def _meant(word: str) -> int:
    if word in _KNOWN:
        return _KNOWN[word]
    # letter by letter, also those of which a syllable of Korean is made
    known = {unicodedata.normalize("NFD", name): name for name in _KNOWN}
    near = get_close_matches(unicodedata.normalize("NFD", word), known, n=1)
    if near:
        plain = known[near[0]]
        meant = next(name for name in WORDS[_KNOWN[plain]] if _plain(name) == plain)
        raise UsageError(
            "“{word}” is no word of a code; did you mean “{near}”?", word=word[:40], near=meant
        )
    raise UsageError("“{word}” is no word of a code; look at the host's screen.", word=word[:40])


def _plain(text: str) -> str:
    """Return a text in lower case without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


_ENGLISH: Final = {row[0]: number for number, row in enumerate(WORDS)}
_KNOWN: Final = {_plain(word): number for number, row in enumerate(WORDS) for word in row}
