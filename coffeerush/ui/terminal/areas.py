"""Areas of a canvas, and the kinds of layout that a terminal's size allows."""

from typing import Final, Literal

from msgspec import Struct

Kind = Literal["wide", "normal", "narrow", "tiny"]

WIDE: Final = (120, 36)
NORMAL: Final = (80, 24)
NARROW: Final = (40, 12)


class Area(Struct, frozen=True):
    """A part of the canvas."""

    x: int
    y: int
    columns: int
    rows: int


def kind_of(columns: int, rows: int) -> Kind:
    """Return the layout that fits a terminal."""
    if columns >= WIDE[0] and rows >= WIDE[1]:
        return "wide"
    if columns >= NORMAL[0] and rows >= NORMAL[1]:
        return "normal"
    if columns >= NARROW[0] and rows >= NARROW[1]:
        return "narrow"
    return "tiny"


def is_tiny(size: tuple[int, int]) -> bool:
    """Tell whether a terminal is too small to draw on: keys do nothing there but leave."""
    return kind_of(*size) == "tiny"
