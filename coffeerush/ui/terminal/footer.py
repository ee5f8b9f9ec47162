"""The footer, the last line of every screen: the keys that do something now."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from .canvas import Canvas, Offer, Target, width
from .keymap import A, Binding, Keymap, caps_of

GAP: Final = 2
BARE_COLUMNS: Final = 60
"""Terminals with fewer columns drop labels that need not be: on others, keys keep their places."""


class Item(NamedTuple):
    """A binding in the footer."""

    caps: list[tuple[str, str]]
    """Its key caps, each with the key that a click on it presses; "" for none."""
    label: str
    lit: bool = False
    """Whether it stands out, because it has just become possible."""

    @property
    def width(self) -> int:
        """The cells that it takes."""
        return sum(width(cap) + 1 for cap, _key in self.caps) - (not self.label) + width(self.label)


def footer_items(
    keymap: Keymap[A], offers: Mapping[A, str], columns: int, lit: Collection[A] = ()
) -> tuple[list[Item], int]:
    """Return the offered bindings in the order of the keymap, and the gap between them.

    If not all fit, those without a weight are left out, the gap is narrowed, then the lightest are
    left out; on a narrow terminal, labels that need not be are dropped before.
    """
    shown = [one for one in keymap.bindings if offers.get(one.action)]
    items = {one.action: _item(one, offers[one.action], lit) for one in shown}
    if sum(item.width + GAP for item in items.values()) > columns - 2 + GAP:
        shown = [one for one in shown if one.weight]
        items = {one.action: items[one.action] for one in shown}
    for gap in (GAP, 1):
        if sum(item.width + gap for item in items.values()) <= columns - 2 + gap:
            return list(items.values()), gap
    if columns < BARE_COLUMNS:
        items |= {one.action: _item(one, "", lit) for one in shown if one.bare}
    kept: set[A] = set()
    room = columns - 2 + 1
    for one in sorted(shown, key=lambda one: -one.weight):
        taken = items[one.action].width + 1
        if taken <= room:
            room -= taken
            kept.add(one.action)
    found = [items[one.action] for one in shown if one.action in kept]
    return found, GAP if room >= len(found) - 1 else 1


def _item(binding: Binding[A], label: str, lit: Collection[A]) -> Item:
    return Item(caps_of(binding), label, binding.action in lit)


def offered(keymap: Keymap[A], offers: Mapping[A, str]) -> list[Offer]:
    """Return all keys that do something now, the weightiest first."""
    return [
        Offer(key, cap, offers[binding.action])
        for binding in sorted(keymap.bindings, key=lambda one: -one.weight)
        if offers.get(binding.action)
        for cap, key in caps_of(binding)
        if key
    ]


def draw_keys(
    canvas: Canvas, y: int, keymap: Keymap[A], offers: Mapping[A, str], lit: Collection[A] = ()
) -> None:
    """Draw the footer; a click on a key, or on its label, presses it."""
    canvas.offers = offered(keymap, offers)
    x = 1
    items, gap = footer_items(keymap, offers, canvas.columns, lit)
    for item in items:
        style = "class:ask" if item.lit else "class:keylabel"
        for cap, key in item.caps:
            end = canvas.put(x, y, cap, "class:warning" if item.lit else "class:key")
            if len(item.caps) == 1 and item.label:
                end = canvas.put(end + 1, y, item.label, style)
            if key:
                canvas.zone(x, y, end - x, 1, Target("key", key))
            x = end + 1
        if len(item.caps) > 1:
            x = canvas.put(x, y, item.label, style) + 1
        x += gap - 1
