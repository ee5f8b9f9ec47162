"""Keymaps: bindings of keys to actions, with key caps for the footer and texts for the help."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

from coffeerush.ui.words.i18n import _

from .keyboard import ALIASES

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
        self.by_action: Final = {one.action: one for one in bindings}
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
            (tuple(cap for cap, _key in one.shown), one.text) for one in self.bindings if one.text
        )


def caps_of(binding: Binding[A]) -> list[tuple[str, str]]:
    """Return the translated key caps of a binding, each with the key that a click on it presses."""
    return [(_(cap), key) for cap, key in binding.shown]
