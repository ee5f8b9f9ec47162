"""The layout of a game, computed from the size of the terminal."""

from typing import Final

from msgspec import Struct

from coffeerush.ui.terminal.canvas import Area, Kind, kind_of
from protocol import BOARD_SIDE


class Layout(Struct, frozen=True):
    """The areas of a game between the header and the message line."""

    kind: Kind
    cell: tuple[int, int]
    """Columns and rows of a board cell, without its frame."""
    framed: bool
    board: Area
    side: Area
    """The area right of the board."""
    belt: Area
    """The belt of orders; without rows if the orders are right of the board."""
    cards: int
    """The line with the hand and the supply."""
    below: Area
    """The area from there down to the message line."""

    @property
    def named(self) -> bool:
        """Whether cells have room for the names of ingredients, but for the end of the longest."""
        return self.framed and self.cell[0] >= NAMED_CELL

    @property
    def counted(self) -> bool:
        """Whether cells have room for what a step to them gains and costs."""
        return self.cell[0] >= COUNTED_CELL


NAMED_CELL: Final = 8
COUNTED_CELL: Final = 11
"""The columns of a cell from which on this is so."""
BIG: Final = 160
"""Columns from which on a wide terminal has a bigger board, and the recipes of rivals' orders."""
_BOARD_SHARE: Final = 0.42
_BIG_BOARD_SHARE: Final = 0.46
"""The share of a wide terminal's columns that the board may take."""


def _cell_of(kind: Kind, columns: int, rows: int) -> tuple[int, int]:
    """Return the columns and rows of a cell, which grow with the terminal."""
    match kind:
        case "wide" if columns >= BIG:
            room = int(columns * _BIG_BOARD_SHARE)
            return _within(16, room // BOARD_SIDE - 1, 26), _within(3, 3 + (rows - 36) // 5, 7)
        case "wide":
            room = int(columns * _BOARD_SHARE)
            return _within(12, room // BOARD_SIDE - 1, 20), _within(3, 3 + (rows - 36) // 8, 6)
        case "normal":
            return _within(6, 6 + (columns - 80) // 8, 12), _within(2, 2 + (rows - 24) // 6, 4)
    return _within(5, 5 + (columns - 40) // 13, 8), 2 + (rows >= 18)


def _within(least: int, wanted: int, most: int) -> int:
    return max(least, min(wanted, most))


def layout_of(columns: int, rows: int) -> Layout:
    """Return the layout for a terminal size."""
    kind = kind_of(columns, rows)
    cell = _cell_of(kind, columns, rows)
    framed = kind in ("wide", "normal")
    wide = BOARD_SIDE * cell[0] + (BOARD_SIDE + 1) * framed
    high = BOARD_SIDE * cell[1] + (BOARD_SIDE + 1) * framed
    belt_rows = _within(8, 8 + (rows - 36) // 4, 14) if kind == "wide" else 0
    cards = 1 + high + belt_rows
    return Layout(
        kind=kind,
        cell=cell,
        framed=framed,
        board=Area(0, 1, wide, high),
        side=Area(wide + 1, 1, columns - wide - 1, high),
        belt=Area(0, 1 + high, columns, belt_rows),
        cards=cards,
        below=Area(0, cards + 1, columns, rows - 3 - cards),
    )
