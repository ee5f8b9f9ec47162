"""The join code: how it is made, read, and shown as a QR code."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from random import Random
from typing import Final, TypeAlias

from coffeerush.errors import UsageError

from .code_words import COLUMNS, RETIRED, VARIANTS, WORDS

CODE_WORDS: Final = 3
OPEN: Final = "open"
"""Typed instead of a code by somebody who knows that the table has none."""
_COMMAND: Final = re.compile(
    r"(?:.*\bcoffeerush\s+(?:join|watch)\s+(\S+)|(\S*[.:]\S+))(?:\s+(.*))?", re.DOTALL
)
"""The address in a command or, with a dot or a colon in it, at the beginning; then the code."""
_SIMILARITY: Final = 0.75
"""How similar a word must be to be suggested, from 0 to 1."""


def draw_code(chance: Random) -> str:
    """Draw a new code, one of `len(WORDS) ** 3`: about two million."""
    english = [row[0] for row in WORDS]
    return "-".join(chance.choices(english, k=CODE_WORDS))


def can_be_drawn(code: str) -> bool:
    """Return whether `draw_code` could return a code."""
    words = code.split("-")
    return len(words) == CODE_WORDS and {row[0] for row in WORDS}.issuperset(words)


def spoken_code(code: str, spoken: str) -> str:
    """Translate a code into the words of a language, separated by spaces.

    Args:
        code: as `draw_code` returns it.
        spoken: a locale of `coffeerush.ui.words.i18n`; any other means English.
    """
    column = COLUMNS.index(spoken) if spoken in COLUMNS else 0
    shown = {row[0]: row[column] for row in WORDS}
    return " ".join(shown[word] for word in code.split("-"))


def parse_code(text: str, spoken: str = COLUMNS[0]) -> str:
    """Parse a code typed in any language; return `OPEN` if that was typed.

    Case, accents and separators do not matter; the separators may be missing. An address before
    the code is ignored.

    Args:
        text: what was typed, or a command as `join_command` returns it.
        spoken: the language in which a similar word is suggested first.

    Raises:
        UsageError: it is not a code; says which word is wrong.
    """
    words = _words(text)
    if len(words) > CODE_WORDS:
        words = _words(parted(text)[1])
    if words == [OPEN]:
        return OPEN
    if len(words) != CODE_WORDS:
        words = _apart("".join(words))
    if len(words) != CODE_WORDS:
        raise UsageError(
            "A code is three words, such as {example}; the host's screen shows it.",
            example="apple tiger moon",
        )
    for word in words:
        if word not in _KNOWN:
            raise _unknown(word, words, spoken)
    return "-".join(_KNOWN[word] for word in words)


def join_command(address: str, code: str, spoken: str = COLUMNS[0]) -> str:
    """Return the command with which others join a table.

    Args:
        address: the host's.
        code: as `draw_code` returns it; empty for an open table.
        spoken: the language of the words, as for `spoken_code`. No shell needs quotes for them.
    """
    words = "-".join(spoken_code(code, spoken).split()) if code else OPEN
    return f"coffeerush join {address} {words}"


def parted(text: str) -> tuple[str, str]:
    """Part what `join_command` returns, or only its arguments, into address and code as typed.

    The address is empty if there is none that can be nothing else.
    """
    match = _COMMAND.fullmatch(text.strip())
    return (match[1] or match[2], match[3] or "") if match else ("", text)


def is_code(text: str) -> bool:
    """Return whether a text is a code and cannot be a host name."""
    words = _words(text)
    return "." not in text and len(words) == CODE_WORDS and _KNOWN.keys() >= set(words)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", _plain(text))


def _apart(text: str) -> list[str]:
    """Split a code that was typed without separators; return [] if it is not one."""
    word = "|".join(_KNOWN)
    match = re.fullmatch(f"({word})" * CODE_WORDS, text)
    return list(match.groups()) if match else []


def _unknown(word: str, words: Collection[str], spoken: str) -> UsageError:
    """Return the error for an unknown word, with a suggestion if a known one is similar.

    It is in the person's language, else in one that the rest of the code was typed in.
    """
    own = spoken if spoken in COLUMNS else COLUMNS[0]
    rest = {other for other in words if other in _KNOWN}
    typed = [language for language in COLUMNS if rest and rest <= _LISTS[language].keys()]
    for language in (own, *typed):
        if near := _similar(word, _LISTS[language]):
            return UsageError(
                "“{word}” is not a code word; did you mean “{near}”?", word=word[:40], near=near
            )
    return UsageError("“{word}” is not a code word; check the host's screen.", word=word[:40])


def _similar(word: str, known: Mapping[str, str]) -> str:
    """Return the most similar of some words, as it is written; empty if none is similar enough."""
    # compare letter by letter, which in Korean means the jamo of a syllable
    apart = {unicodedata.normalize("NFD", plain): name for plain, name in known.items()}
    near = get_close_matches(unicodedata.normalize("NFD", word), apart, 1, _SIMILARITY)
    return apart[near[0]] if near else ""


def _plain(text: str) -> str:
    """Fold case and remove accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


_NAMES: Final = [
    (language, name, row[0])
    for row in WORDS
    for language, shown in zip(COLUMNS, row, strict=True)
    for name in (shown, *VARIANTS[language].get(shown, "").split())
]
_LISTS: Final = {
    language: {_plain(name): name for spoken, name, _english in _NAMES if spoken == language}
    for language in COLUMNS
}
"""Of each language all words and variants, as they are written."""
_KNOWN: Final = {_plain(name): english for _language, name, english in _NAMES} | {
    _plain(name): english for name, english in RETIRED.items()
}


# Render QR codes as text; a terminal shows two modules in one cell, or one in two cells


Modules: TypeAlias = tuple[tuple[bool, ...], ...]
"""Whether each module is dark, row by row."""

QUIET: Final = 4
"""The quiet zone of the standard, in modules."""
MIN_QUIET: Final = 2
"""The smallest quiet zone that phones still read."""
_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


@lru_cache(maxsize=8)
def qr_modules(text: str, quiet: int = QUIET) -> Modules:
    """Return the smallest QR code of a text, with a quiet zone of `quiet` modules."""
    # imported late: most screens show no code, and the library takes longer to load than to run
    from segno import make

    rows = [[bool(module) for module in row] for row in make(text, error="l", micro=False).matrix]
    blank = [False] * (len(rows) + 2 * quiet)
    side = [False] * quiet
    framed = [*[blank] * quiet, *([*side, *row, *side] for row in rows), *[blank] * quiet]
    return tuple(map(tuple, framed))


def half_blocks(modules: Modules) -> list[str]:
    """Render modules as rows of half blocks: the foreground is dark, the background light."""
    even = modules if len(modules) % 2 == 0 else (*modules, (False,) * len(modules[0]))
    pairs = zip(even[::2], even[1::2], strict=True)
    return ["".join(_HALVES[pair] for pair in zip(*rows, strict=True)) for rows in pairs]
