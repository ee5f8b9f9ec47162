"""Where everything goes, from the size of the terminal alone."""

from typing import Final, Literal

from msgspec import Struct

from protocol import BOARD_SIDE

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


class Layout(Struct, frozen=True):
    """The areas of a game; `message` and `footer` are lines."""

    kind: Kind
    columns: int
    rows: int
    cell: tuple[int, int]
    """Columns and rows of a board cell, without its frame."""
    framed: bool
    board: Area
    side: Area
    """What is right of the board."""
    below: Area
    """What is under it, down to the message."""
    message: int
    footer: int


def kind_of(columns: int, rows: int) -> Kind:
    """Return the layout that fits a terminal."""
    if columns >= WIDE[0] and rows >= WIDE[1]:
        return "wide"
    if columns >= NORMAL[0] and rows >= NORMAL[1]:
        return "normal"
    if columns >= NARROW[0] and rows >= NARROW[1]:
        return "narrow"
    return "tiny"


_CELLS: Final[dict[Kind, tuple[int, int]]] = {
    "wide": (12, 3),
    "normal": (6, 2),
    "narrow": (5, 2),
    "tiny": (5, 2),
}


def layout_of(columns: int, rows: int) -> Layout:
    """Return where everything goes on a terminal of this size."""
    kind = kind_of(columns, rows)
    cell = _CELLS[kind]
    framed = kind in ("wide", "normal")
    wide = BOARD_SIDE * cell[0] + (BOARD_SIDE + 1) * framed
    high = BOARD_SIDE * cell[1] + (BOARD_SIDE + 1) * framed
    under = 1 + high
    return Layout(
        kind=kind,
        columns=columns,
        rows=rows,
        cell=cell,
        framed=framed,
        board=Area(0, 1, wide, high),
        side=Area(wide + 1, 1, columns - wide - 1, high),
        below=Area(0, under, columns, rows - 2 - under),
        message=rows - 2,
        footer=rows - 1,
    )


def window(total: int, rows: int, scroll: int, from_the_top: bool) -> tuple[int, int]:
    """Return which lines are shown, as (first, after the last)."""
    most = max(total - rows, 0)
    back = min(scroll, most)
    first = back if from_the_top else most - back
    return first, min(first + rows, total)
