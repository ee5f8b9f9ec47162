"""Multisets of the eight ingredients, packed into one int: eight bits each, coffee lowest.

`+` adds two multisets, `-` takes a part away, and a cup matches an order if they are `==`. No
count can reach 256, since the game has 102 tokens.
"""

from typing import Final, cast

from protocol import Counts

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
