"""Key names of prompt_toolkit, other keyboard layouts, input methods, and paste detection."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from unicodedata import lookup, name, normalize

ENTER: Final = "c-m"
ESCAPE: Final = "escape"
BACKSPACE: Final = "c-h"
ERASE: Final = "c-u"
"""Ctrl-U erases a text field, as in a shell."""
TAB: Final = "c-i"
INTERRUPT: Final = "c-c"

DIRECTIONS: Final = {
    "up": (-1, 0),
    "k": (-1, 0),
    "down": (1, 0),
    "j": (1, 0),
    "left": (0, -1),
    "h": (0, -1),
    "right": (0, 1),
    "l": (0, 1),
    "y": (-1, -1),
    "o": (-1, 1),
    "b": (1, -1),
    "n": (1, 1),
}
"""Rows and columns of each direction key."""

_LATIN: Final = "qwertyuiopasdfghjklzxcvbnm"
_SAME_PLACE: Final = {
    "ru": "йцукенгшщзфывапролдячсмить",
    "ko": "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ",
}
"""The letters on the same physical keys in other layouts: ЙЦУКЕН and 2-beolsik."""
ALIASES: Final = {
    **{
        other: latin
        for letters in _SAME_PLACE.values()
        for other, latin in zip(letters, _LATIN, strict=True)
    },
    **{
        other.upper(): latin.upper() for other, latin in zip(_SAME_PLACE["ru"], _LATIN, strict=True)
    },
}
"""The Latin letter for each letter of another layout."""

_FIRST: Final = {normalize("NFKD", letter): letter for letter in _SAME_PLACE["ko"]}
_LAST: Final = {
    lookup(name(first).replace("CHOSEONG", "JONGSEONG")): letter
    for first, letter in _FIRST.items()
    if "CHOSEONG" in name(first)
}
_LETTERS: Final = _FIRST | _LAST
"""The key of each part of a Hangul syllable: initial, vowel, final."""
DOUBLE_SECONDS: Final = 0.35
"""A click that follows the same click within this time completes a double click."""

_NEW_LINE: Final = "c-j"
"""The line end in pasted text, if it is not the same as Enter."""


def decomposed(key: str) -> tuple[str, ...]:
    """Return the keys that an input method composed to one character: `ㄴ` and `ㅕ` for `녀`."""
    if "！" <= key <= "～":
        return (normalize("NFKC", key),)
    letters = [_LETTERS.get(one, "") for one in normalize("NFD", key)]
    return tuple(letters) if len(letters) > 1 and all(letters) else (key,)


def split_paste(keys: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Split keys that arrived at once into pasted text and the keys pressed after it, in order.

    People type slower than that, except for a held key or over a slow connection, so digits,
    arrows, Space and Enter count as pressed. So does a final line end, which sends the text field
    it is pasted into. Text between other keys, such as arrows, was pasted apart from them.
    """
    keys = [ENTER if key == _NEW_LINE else key for key in keys]
    if ESCAPE in keys[:-1]:
        # Alt and a letter, or an unknown escape sequence
        yield "", tuple(keys[: keys.index(ESCAPE)])
        return
    for is_text, group in groupby(keys, _is_text):
        run = tuple(group)
        yield _split(run) if is_text else ("", run)


def _is_text(key: str) -> bool:
    """Return whether a key may be a part of pasted text."""
    return len(key) == 1 or key in (ENTER, TAB)


def _split(keys: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    written = {key for key in keys if len(key) == 1}
    solid = {key for key in written if not key.isspace()}
    letters = {key for key in solid if not key.isdigit()}
    ends = ENTER in keys
    if len(keys) == 2 and ("ㄱ" <= keys[0] <= "ㅣ" or "가" <= keys[0] <= "힣"):
        # an input method for Hangul holds a letter back until the next key arrives
        return "", keys
    if not (letters and len(written) > 1) and not (solid and ends):
        return "", keys
    last = (ENTER,) if keys[-1] == ENTER else ()
    characters = (" " if key in (ENTER, TAB) else key for key in keys[: len(keys) - len(last)])
    return "".join(characters), last
