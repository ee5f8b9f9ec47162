"""Areas of a canvas, and kinds of layout by terminal size."""

from typing import Final, Literal

from msgspec import Struct

Kind = Literal["wide", "normal", "narrow", "tiny"]

WIDE: Final = (120, 36)
NORMAL: Final = (80, 24)
NARROW: Final = (40, 12)


class Area(Struct, frozen=True):
    """A rectangle on the canvas."""

    x: int
    y: int
    columns: int
    rows: int


def overlap(one: Area, other: Area) -> bool:
    """Return whether two areas have a cell in common."""
    return (
        one.x < other.x + other.columns
        and other.x < one.x + one.columns
        and one.y < other.y + other.rows
        and other.y < one.y + one.rows
    )


def kind_of(columns: int, rows: int) -> Kind:
    """Return the kind of layout for a terminal size."""
    if columns >= WIDE[0] and rows >= WIDE[1]:
        return "wide"
    if columns >= NORMAL[0] and rows >= NORMAL[1]:
        return "normal"
    if columns >= NARROW[0] and rows >= NARROW[1]:
        return "narrow"
    return "tiny"


def is_tiny(size: tuple[int, int]) -> bool:
    """Return whether a terminal is too small to draw on; the only thing to do then is leave."""
    return kind_of(*size) == "tiny"
