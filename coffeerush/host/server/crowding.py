"""Choose which connections to cut when there are too many. Sans-I/O."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from itertools import repeat
from typing import Final, TypeAlias

from msgspec import Struct

EXEMPT: Final = 40
"""Connections from one source that count as those of its people before their first message."""


class Tier(IntEnum):
    """What a key is to the table; who has more of it is cut later."""

    NONE = 0
    WAS_HERE = 1
    WATCHES = 2
    HAS_A_SEAT = 3
    """Also the owner."""


class Tiers(Struct, frozen=True):
    """The tier of all keys."""

    seated: Set[str] = frozenset()
    """The keys with a seat, and the owner's."""
    here: Set[str] = frozenset()
    """The keys of everybody at the table."""
    known: Set[str] = frozenset()
    """The keys of everybody who is or was at the table."""

    def of(self, key: str) -> Tier:
        """Return the tier of a key."""
        if key in self.seated:
            return Tier.HAS_A_SEAT
        if key in self.here:
            return Tier.WATCHES
        return Tier.WAS_HERE if key in self.known else Tier.NONE


Rank: TypeAlias = tuple[Tier, bool]
"""The tier of a connection, and whether it has sent a message; the lowest are cut first."""
_STRANGER: Final = (Tier.NONE, False)


def ranks_of(
    connections: Iterable[tuple[str, str]], tiers: Tiers, places: Mapping[str, str]
) -> Iterator[Rank]:
    """Yield the rank of each connection, so that nobody without a seat crowds out the players.

    Before its first message, a connection has the tier of the people who were last heard from
    its source, and comes after theirs.

    Args:
        connections: the source and the key of each, oldest first; the key is empty before the first
            message, the source as `coffeerush.joining.sources.source_of` returns it.
        tiers: the tier of each key.
        places: the source of the last message of each key.
    """
    homes: dict[str, Tier] = {}
    for key, source in places.items():
        homes[source] = max(tiers.of(key), homes.get(source, Tier.NONE))
    nameless = Counter[str]()
    for source, key in connections:
        if key:
            yield tiers.of(key), True
            continue
        nameless[source] += 1
        is_exempt = nameless[source] <= EXEMPT
        yield homes.get(source, Tier.NONE) if is_exempt else Tier.NONE, False


def connections_to_cut(sources: Sequence[str], ranks: Sequence[Rank], excess: int) -> Iterator[int]:
    """Yield the numbers of `excess` connections of the lowest ranks.

    Of equal rank, each is the newest connection of the source with the most. Of sources with as
    many, the newest one is cut, but before the first message the oldest: it has had its time.

    Args:
        sources: of the connections, oldest first.
        ranks: of the connections; empty if none has sent a message.
        excess: how many to cut.
    """
    order = []
    crowds = Counter[tuple[Rank, str]]()
    first: dict[tuple[Rank, str], int] = {}
    for number, (source, rank) in enumerate(zip(sources, ranks or repeat(_STRANGER), strict=False)):
        crowd = rank, source
        crowds[crowd] += 1
        _tier, has_spoken = rank
        age = -number if has_spoken else first.setdefault(crowd, number)
        order.append((rank, -crowds[crowd], age, number))
    yield from (number for *_rank, number in sorted(order)[: max(excess, 0)])
