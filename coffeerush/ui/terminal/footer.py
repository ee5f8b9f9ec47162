"""The last line of every screen: the keys that do something now."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from coffeerush.ui.table.keymap import BINDINGS, Action, Binding
from coffeerush.ui.words.i18n import _

from .canvas import Canvas, Target, width
from .keyboard import BACKSPACE

GAP: Final = 2
NO_CAPS: Final[Mapping[Action, str]] = MappingProxyType({})
_CLICKED: Final = {
    **dict.fromkeys((Action.MOVE, Action.DIAGONAL, Action.POUR), ""),
    Action.UNDO: BACKSPACE,  # u may be a step
}
"""What a click on a label presses, where that is not the first key of its binding."""


class Item(NamedTuple):
    """A key of the footer."""

    cap: str
    label: str
    key: str
    """What a click on it presses; empty where it stands for several."""


def footer_items(
    offers: Mapping[Action, str], columns: int, caps: Mapping[Action, str] = NO_CAPS
) -> list[Item]:
    """Return what can be done now, in the order of the table of keys, as much as fits.

    What there is no room for is in the help; the heavier a binding, the longer it stays.

    Args:
        offers: the label of each action; without one it is left out.
        columns: of the terminal.
        caps: the keys of actions that have others now than in the table.
    """
    shown = [one for one in BINDINGS if offers.get(one.action)]
    items = {one.action: _item(one, offers[one.action], caps) for one in shown}
    kept: set[Action] = set()
    room = columns - 2
    for one in sorted(shown, key=lambda one: -one.weight):
        item = items[one.action]
        taken = width(item.cap) + 1 + width(item.label) + GAP
        if taken <= room + GAP:
            room -= taken
            kept.add(one.action)
    return [items[one.action] for one in shown if one.action in kept]


def _item(binding: Binding, label: str, caps: Mapping[Action, str]) -> Item:
    key = _CLICKED.get(binding.action, next(iter(binding.keys), ""))
    return Item(caps.get(binding.action) or _(binding.cap), label, key)


def draw_keys(
    canvas: Canvas, y: int, offers: Mapping[Action, str], caps: Mapping[Action, str] = NO_CAPS
) -> None:
    """Draw what can be done now in a line; a click on a label is its key."""
    x = 1
    for cap, label, key in footer_items(offers, canvas.columns, caps):
        end = canvas.put(x, y, cap, "class:key")
        end = canvas.put(end + 1, y, label, "class:keylabel")
        if key:
            canvas.zone(x, y, end - x, 1, Target("key", key))
        x = end + GAP
