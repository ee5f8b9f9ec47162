"""Keys: what terminals call them, what they are bound to, and what they do in a text field."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Final, Generic, TypeAlias, TypeVar
from unicodedata import lookup, name, normalize

from msgspec import Struct

from coffeerush.ui.words.i18n import _

from . import glyphs
from .canvas import CARET, Parts, cell_width, clusters, cut, width

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
    "ㅆ": "T",
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
    letters = [_LETTERS.get(letter, "") for letter in normalize("NFD", key)]
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


# Keymaps: bindings of keys to actions, with key caps for the footer and texts for the help


A = TypeVar("A", bound=Enum)
HelpRows: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""Key caps, and what the keys do; untranslated."""


class Binding(Struct, Generic[A], frozen=True):
    """Keys that share an entry in the footer and the help."""

    action: A
    """The action that stands for all of them in a footer."""
    keys: Mapping[str, A]
    """The action of each key, by its name in prompt_toolkit."""
    shown: tuple[tuple[str, str], ...]
    """(key cap, untranslated; the key that a click on it presses, or "")."""
    text: str = ""
    """Their effect, for the help; untranslated."""
    weight: int = 0
    """Priority in a footer with too little room; the highest stay."""
    bare: bool = False
    """Whether its cap may stand without a label in such a footer."""


def bound(
    action: A,
    keys: Iterable[str],
    cap: str,
    text: str = "",
    weight: int = 0,
    click: str | None = None,
    bare: bool = False,
) -> Binding[A]:
    """Return a binding of one action with one cap; a click presses `click`, or the first key."""
    names = tuple(keys)
    pressed = next(iter(names), "") if click is None else click
    return Binding(action, dict.fromkeys(names, action), ((cap, pressed),), text, weight, bare)


class Keymap(Generic[A]):
    """The bindings of a program, in the order of its footer and help."""

    def __init__(self, *bindings: Binding[A]) -> None:
        self.bindings: Final = bindings
        self._actions: Final[dict[str, list[A]]] = {}
        for binding in bindings:
            for key, action in binding.keys.items():
                self._actions.setdefault(key, []).append(action)

    @property
    def keys(self) -> tuple[str, ...]:
        """Every bound key."""
        return tuple(self._actions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of bound keys that are not characters."""
        return tuple(key for key in self._actions if len(key) > 1)

    def resolve(self, key: str) -> str:
        """Map a key of another keyboard layout, or with caps lock, to the bound one."""
        latin = ALIASES.get(key, key)
        return latin if latin in self._actions else latin.lower()

    def actions_of(self, key: str) -> list[A]:
        """Return the actions bound to a key; some have two, of which one is offered at a time."""
        return self._actions.get(key, [])

    def help_rows(self) -> HelpRows:
        """Return the rows of the help: each binding that has a text."""
        return tuple(
            (tuple(cap for cap, _key in binding.shown), binding.text)
            for binding in self.bindings
            if binding.text
        )


def caps_of(binding: Binding[A]) -> list[tuple[str, str]]:
    """Return the translated key caps of a binding, each with the key that a click on it presses."""
    return [(_(cap), key) for cap, key in binding.shown]


# Text fields: a text with a cursor, editing keys, paste, and drawing


class Draft(Struct, frozen=True):
    """A text being typed, split at the cursor."""

    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return self.before + self.after


def edited(draft: Draft, key: str, longest: int) -> Draft:
    """Apply a key to a text of at most `longest` characters; ignore keys that do not edit."""
    if len(key) == 1 and key.isprintable():
        return pasted(draft, key, longest)
    return _EDITS[key](draft) if key in _EDITS else draft


def pasted(draft: Draft, text: str, longest: int) -> Draft:
    """Insert as much of a text at the cursor as fits."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    printable = "".join(char for char in spaced if char.isprintable())
    before = draft.before + printable[: max(longest - len(draft.text), 0)]
    return _parted(before + draft.after, len(before))


def drawn(draft: Draft, cells: int, style: str = "") -> Parts:
    """Return the text with its cursor in at most `cells`; ellipses mark what does not fit."""
    room = cells - 1
    before = _tail(draft.before, room - min(width(draft.after), room // 3))
    after = cut(draft.after, room - width(before))
    return [(style, before), (f"{style} {CARET}", glyphs.CARET), (style, after)]


def _tail(text: str, cells: int) -> str:
    """Return the end of a text within `cells`, with an ellipsis if its start is cut off."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    while width(text) > cells - 1:
        text = _right(_start(Draft(text))).after
    return glyphs.CUT + text


def _parted(text: str, at: int) -> Draft:
    """Put the cursor at an index, or at the next one where it can be."""
    at = next((stop for stop in _stops(text) if stop >= at), len(text))
    return Draft(text[:at], text[at:])


def _stops(text: str) -> list[int]:
    """Return the indices where a cursor can be: not within a flag or before combining ones."""
    found, at = [0], 0
    for cluster in clusters(text):
        found += [at] if cell_width(cluster) else []
        at += len(cluster)
    return [*found, at]


def _left(draft: Draft) -> Draft:
    text, end = draft.text, len(draft.before)
    return _parted(text, max((stop for stop in _stops(text) if stop < end), default=0))


def _right(draft: Draft) -> Draft:
    return _parted(draft.text, len(draft.before) + 1)


def _start(draft: Draft) -> Draft:
    return Draft("", draft.text)


def _end(draft: Draft) -> Draft:
    return Draft(draft.text)


def _word_back(draft: Draft) -> Draft:
    start = draft.before.rstrip(" ").rfind(" ") + 1
    return Draft(draft.before[:start], draft.after)


_EDITS: Final[dict[str, Callable[[Draft], Draft]]] = {
    "left": _left,
    "right": _right,
    "home": _start,
    "c-a": _start,
    "end": _end,
    "c-e": _end,
    BACKSPACE: lambda draft: Draft(_left(draft).before, draft.after),
    "delete": lambda draft: Draft(draft.before, _right(draft).after),
    ERASE: lambda _draft: Draft(),
    "c-w": _word_back,
    "c-k": lambda draft: Draft(draft.before),
}
EDITING: Final = frozenset(_EDITS)
"""The keys that move the cursor or delete."""
