"""The board as lookup tables: adjacent cells, token amounts, and which cells can be entered."""

from typing import Final

from protocol import BOARD, BOARD_SIDE, CORNERS, SPECIALTY_CELLS, Upgrade

CELLS: Final = range(BOARD_SIDE * BOARD_SIDE)


def _near(cell: int, diagonal: bool) -> tuple[int, ...]:
    row, column = divmod(cell, BOARD_SIDE)
    found = []
    for other in CELLS:
        rows, columns = abs(other // BOARD_SIDE - row), abs(other % BOARD_SIDE - column)
        if (max(rows, columns) if diagonal else rows + columns) == 1:
            found.append(other)
    return tuple(found)


NEAR: Final = tuple(tuple(_near(cell, diagonal) for cell in CELLS) for diagonal in (False, True))
"""`NEAR[diagonal][cell]`: the cells one step away (R-MOVE-1, R-UPG-3)."""
NEAR_MASK: Final = tuple(
    tuple(sum(1 << other for other in near) for near in by_cell) for by_cell in NEAR
)


def _doublings(upgrades: int, cell: int) -> int:
    corner = upgrades >> Upgrade.DOUBLE_CORNERS & 1 and cell in CORNERS  # R-UPG-4
    special = upgrades >> Upgrade.DOUBLE_SPECIALTIES & 1 and cell in SPECIALTY_CELLS  # R-UPG-5
    return bool(corner) + bool(special)


_AMOUNT: Final = tuple(
    tuple(1 << _doublings(upgrades, cell) for cell in CELLS) for upgrades in range(16)
)


def amount(upgrades: int, cell: int, standing: int) -> int:
    """Return the number of tokens that entering `cell` yields, ignoring the limits of the supply.

    Args:
        upgrades: bit mask of the active upgrades, by `Upgrade` value.
        cell: the cell entered.
        standing: bit mask of the cells with a meeple other than the one that moves.
    """
    # R-MOVE-3, R-UPG-6: every upgrade that applies doubles; R-UPG-2 applies if a meeple is there
    return _AMOUNT[upgrades][cell] << (upgrades & standing >> cell & 1)


def ingredient(cell: int) -> int:
    """Return the ingredient of `cell`, as an index into `Counts`."""
    return _KIND[cell]


_KIND: Final = tuple(int(kind) for kind in BOARD)  # R-COMP-1


def can_enter(cell: int, standing: int, left: int, diagonal: int) -> bool:
    """Return whether a player who enters `cell` can still end on a cell without another meeple.

    Args:
        cell: the cell entered.
        standing: bit mask of the cells with a meeple other than the one that moves.
        left: steps left afterwards, rush tokens included.
        diagonal: 1 with the diagonal upgrade, else 0.
    """
    # R-MOVE-4. There are at most three other meeples, so two steps always reach a free cell.
    if not standing >> cell & 1 or left >= 2:
        return True
    near = NEAR_MASK[diagonal][cell]
    return left == 1 and near & standing != near
