"""Multisets of the eight ingredients, packed into one int: eight bits a kind, coffee lowest.

Adding two multisets is `+`, taking a part away is `-`, and a cup matches an order when they are
`==`. No count can reach 256, since the game has 102 tokens.
"""

from typing import Final, cast

from protocol import Counts

BITS: Final = 8
ONE: Final = tuple(1 << BITS * kind for kind in range(8))
"""The multiset of one token of each kind."""
_TOP: Final = 0x8080808080808080


def pack(counts: Counts) -> int:
    """Return the packed form of `counts`."""
    return int.from_bytes(bytes(counts), "little")


def unpack(packed: int) -> Counts:
    """Return the eight counts of a packed multiset."""
    return cast(Counts, tuple(packed.to_bytes(8, "little")))


def count(packed: int, kind: int) -> int:
    """Return how many tokens of `kind` there are."""
    return packed >> BITS * kind & 255


def size(packed: int) -> int:
    """Return how many tokens there are."""
    return packed % 255  # 256 leaves 1, so each count leaves itself; 102 tokens stay below 255


def within(part: int, whole: int) -> bool:
    """Tell whether `part` is contained in `whole`."""
    # The top bit, set in each count of the whole, survives where nothing had to be borrowed.
    return ((whole | _TOP) - part) & _TOP == _TOP


def common(one: int, other: int) -> int:
    """Return what two multisets have in common."""
    return sum(min(count(one, kind), count(other, kind)) * ONE[kind] for kind in range(8))


def kinds(packed: int) -> list[int]:
    """Return the kinds present, one entry a token, in order of the kinds."""
    return [kind for kind, n in enumerate(unpack(packed)) for _ in range(n)]
