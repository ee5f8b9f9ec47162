"""Keymaps: which key asks for what, how keys are shown in a footer and explained in a help page."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

from coffeerush.ui.words.i18n import _

from .keyboard import ALIASES

A = TypeVar("A", bound=Enum)
HelpRows: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""Keys as they are shown, and what they do; to be translated."""


class Binding(Struct, Generic[A], frozen=True):
    """Keys that belong together."""

    action: A
    """What stands for all of them in a footer."""
    keys: Mapping[str, A]
    """What each key asks for, by its name in prompt_toolkit."""
    shown: tuple[tuple[str, str], ...]
    """(the key as it is shown, the key that a click on it presses, or ""); words are translated."""
    text: str = ""
    """What they do, for the help; to be translated."""
    weight: int = 0
    """Which stay in a footer where there is little room: the heaviest."""


def bound(
    action: A,
    keys: Iterable[str],
    cap: str,
    text: str = "",
    weight: int = 0,
    click: str | None = None,
) -> Binding[A]:
    """Return a binding of one action, shown as one key; a click presses the first, or `click`."""
    names = tuple(keys)
    pressed = next(iter(names), "") if click is None else click
    return Binding(action, dict.fromkeys(names, action), ((cap, pressed),), text, weight)


class Keymap(Generic[A]):
    """The keys of one program, in the order of its footer and its help."""

    def __init__(self, *bindings: Binding[A]) -> None:
        self.bindings: Final = bindings
        self.by_action: Final = {one.action: one for one in bindings}
        self._actions: Final[dict[str, list[A]]] = {}
        for binding in bindings:
            for key, action in binding.keys.items():
                self._actions.setdefault(key, []).append(action)

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that asks for something."""
        return tuple(self._actions)

    @property
    def names(self) -> tuple[str, ...]:
        """The keys that are no characters."""
        return tuple(key for key in self._actions if len(key) > 1)

    def meant(self, key: str) -> str:
        """Return the key that a key press means, under any layout or caps lock."""
        latin = ALIASES.get(key, key)
        return latin if latin in self._actions else latin.lower()

    def actions_of(self, key: str) -> list[A]:
        """Return what a key may ask for: one that means two things has two."""
        return self._actions.get(key, [])

    def help_rows(self) -> HelpRows:
        """Return each binding that has a text."""
        return tuple(
            (tuple(cap for cap, _key in one.shown), one.text) for one in self.bindings if one.text
        )


def caps_of(binding: Binding[A]) -> list[tuple[str, str]]:
    """Return the keys of a binding as a footer shows them, each with what a click presses."""
    return [(_(cap), key) for cap, key in binding.shown]
