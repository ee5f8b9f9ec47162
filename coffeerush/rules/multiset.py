"""Multisets of the eight ingredients, packed into one int: eight bits a kind, coffee lowest.

Adding two multisets is `+`, taking a part away is `-`, and a cup matches an order when they are
`==`. No count can reach 256, since the game has 102 tokens.
"""

from typing import Final, cast

from protocol import Counts

BITS: Final = 8
ONE: Final = tuple(1 << BITS * kind for kind in range(8))
"""The multiset of one token of each kind."""


def pack(counts: Counts) -> int:
    """Return the packed form of `counts`."""
    return int.from_bytes(bytes(counts), "little")


def unpack(packed: int) -> Counts:
    """Return the eight counts of a packed multiset."""
    return cast(Counts, tuple(packed.to_bytes(8, "little")))


def count(packed: int, kind: int) -> int:
    """Return how many tokens of `kind` there are."""
    return packed >> BITS * kind & 255


def kinds(packed: int) -> list[int]:
    """Return the kinds present, one entry a token, in order of the kinds."""
    return [kind for kind, n in enumerate(unpack(packed)) for _ in range(n)]
