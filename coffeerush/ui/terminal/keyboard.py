"""Keys by their names in prompt_toolkit, and the letters of other keyboard layouts."""

from collections.abc import Sequence
from typing import Final
from unicodedata import lookup, name, normalize

ENTER: Final = "c-m"
ESCAPE: Final = "escape"
BACKSPACE: Final = "c-h"
ERASE: Final = "c-u"
"""Takes back all of a line that is typed, as in a shell."""
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
    "u": (-1, 1),
    "b": (1, -1),
    "n": (1, 1),
}
"""Rows and columns of each direction key."""

_LATIN: Final = "qwertyuiopasdfghjklzxcvbnm"
_SAME_PLACE: Final = {
    "ru": "йцукенгшщзфывапролдячсмить",
    "ko": "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ",
}
"""The letters on the same keys of other layouts: ЙЦУКЕН and 2-beolsik."""
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
"""The Latin letter that is meant by a letter of another layout."""

_FIRST: Final = {normalize("NFKD", letter): letter for letter in _SAME_PLACE["ko"]}
_LAST: Final = {
    lookup(name(first).replace("CHOSEONG", "JONGSEONG")): letter
    for first, letter in _FIRST.items()
    if "CHOSEONG" in name(first)
}
_LETTERS: Final = _FIRST | _LAST
"""The letter of each part of a Hangul syllable that is a key: its beginning, vowel and end."""
DOUBLE_SECONDS: Final = 0.35
"""A click that follows the same click this quickly is the second half of a double click."""

_NEW_LINE: Final = "c-j"
"""What ends a line in a pasted text, where Enter does not."""


def spelled(key: str) -> tuple[str, ...]:
    """Return the keys that an input method has made one character of: `ㄴ` and `ㅕ` of `녀`."""
    if "！" <= key <= "～":
        return (normalize("NFKC", key),)
    letters = [_LETTERS.get(one, "") for one in normalize("NFD", key)]
    return tuple(letters) if len(letters) > 1 and all(letters) else (key,)


def is_hangul(key: str) -> bool:
    """Tell whether a key is a letter or a syllable of Hangul."""
    return "ㄱ" <= key <= "ㅣ" or "가" <= key <= "힣"


def sift(keys: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Part keys that came all at once into pasted text, and keys that were pressed.

    Fingers are slower, but for a held key and where a line stutters: digits and arrows go through.
    A line end goes through where it is the last key: in a line that is typed it sends it.
    """
    keys = [ENTER if key == _NEW_LINE else key for key in keys]
    if ESCAPE in keys[:-1]:
        # Alt and a letter, or a key that nobody here knows
        return "", tuple(keys[: keys.index(ESCAPE)])
    written = {key for key in keys if len(key) == 1}
    letters = {key for key in written if not (key.isdigit() or key.isspace())}
    ends = ENTER in keys
    if len(keys) == 2 and is_hangul(keys[0]):
        # an input method keeps a letter back until the next key comes
        return "", tuple(keys)
    if not (letters and len(written) > 1) and not (written and ends):
        return "", tuple(keys)
    last = (ENTER,) if keys[-1] == ENTER else ()
    characters = (" " if key in (ENTER, TAB) else key for key in keys[: len(keys) - len(last)])
    return "".join(key for key in characters if len(key) == 1), last
