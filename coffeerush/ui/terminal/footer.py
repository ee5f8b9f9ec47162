"""The footer, the last line of every screen: the keys that do something now."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from .canvas import Canvas, Offer, Target, width
from .keymap import A, Keymap, caps_of

GAP: Final = 2


class Item(NamedTuple):
    """A binding in the footer."""

    caps: list[tuple[str, str]]
    """Its key caps, each with the key that a click on it presses; "" for none."""
    label: str

    @property
    def width(self) -> int:
        """The cells that it takes."""
        return sum(width(cap) + 1 for cap, _key in self.caps) + width(self.label)


def footer_items(keymap: Keymap[A], offers: Mapping[A, str], columns: int) -> list[Item]:
    """Return the offered bindings in the order of the keymap; if not all fit, the heaviest."""
    shown = [one for one in keymap.bindings if offers.get(one.action)]
    items = {one.action: Item(caps_of(one), offers[one.action]) for one in shown}
    kept: set[A] = set()
    room = columns - 2 + GAP
    for one in sorted(shown, key=lambda one: -one.weight):
        taken = items[one.action].width + GAP
        if taken <= room:
            room -= taken
            kept.add(one.action)
    return [items[one.action] for one in shown if one.action in kept]


def draw_keys(canvas: Canvas, y: int, keymap: Keymap[A], offers: Mapping[A, str]) -> None:
    """Draw the footer; a click on a key, or on its label, presses it."""
    canvas.offers = [
        Offer(key, cap, offers[binding.action])
        for binding in sorted(keymap.bindings, key=lambda one: -one.weight)
        if offers.get(binding.action)
        for cap, key in caps_of(binding)
        if key
    ]
    x = 1
    for item in footer_items(keymap, offers, canvas.columns):
        for cap, key in item.caps:
            end = canvas.put(x, y, cap, "class:key")
            if len(item.caps) == 1:
                end = canvas.put(end + 1, y, item.label, "class:keylabel")
            if key:
                canvas.zone(x, y, end - x, 1, Target("key", key))
            x = end + 1
        if len(item.caps) > 1:
            x = canvas.put(x, y, item.label, "class:keylabel") + 1
        x += GAP - 1
