"""The board and the distances on it, and multisets of ingredients packed into one integer."""

from typing import Final, cast

from protocol import BOARD, BOARD_SIDE, CORNERS, SPECIALTY_CELLS, Counts, Upgrade

CELLS: Final = range(BOARD_SIDE * BOARD_SIDE)


def _near(cell: int, diagonal: bool) -> tuple[int, ...]:
    row, column = divmod(cell, BOARD_SIDE)
    near = []
    for other in CELLS:
        rows, columns = abs(other // BOARD_SIDE - row), abs(other % BOARD_SIDE - column)
        if (max(rows, columns) if diagonal else rows + columns) == 1:
            near.append(other)
    return tuple(near)


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


# Multisets of the eight ingredients, packed into one int: eight bits each, coffee lowest
#
# `+` adds two multisets, `-` takes a part away, and a cup matches an order if they are `==`. No
# count can reach 256, since the game has 102 tokens.


BITS: Final = 8
ONE: Final = tuple(1 << BITS * kind for kind in range(8))
"""For each kind, the multiset that holds one token of it."""
_TOP: Final = 0x8080808080808080


def pack(counts: Counts) -> int:
    """Return the packed form of `counts`."""
    return int.from_bytes(bytes(counts), "little")


def unpack(packed: int) -> Counts:
    """Return the eight counts of a packed multiset."""
    return cast(Counts, tuple(packed.to_bytes(8, "little")))


def count(packed: int, kind: int) -> int:
    """Return the number of tokens of `kind`."""
    return packed >> BITS * kind & 255


def size(packed: int) -> int:
    """Return the total number of tokens."""
    return packed % 255  # 256 % 255 == 1, so this sums the counts; 102 tokens stay below 255


def within(part: int, whole: int) -> bool:
    """Return whether `part` is contained in `whole`."""
    # The top bit of each count is set first, and survives unless that count had to borrow.
    return ((whole | _TOP) - part) & _TOP == _TOP


def common(one: int, other: int) -> int:
    """Return the intersection of two multisets."""
    # As in `within`: where the top bit survives, the count of `other` is the smaller one.
    smaller = ((((one | _TOP) - other) & _TOP) >> BITS - 1) * 255
    return other & smaller | one & ~smaller


def kinds(packed: int) -> list[int]:
    """Return the kind of each token, in ascending order."""
    return [kind for kind, n in enumerate(unpack(packed)) for _ in range(n)]
