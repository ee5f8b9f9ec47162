"""Choose which connections to cut when there are too many. Sans-I/O."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

EXEMPT_MEMBERS: Final = 40
"""Connections of a full table whose people all share one source, such as a shared machine."""


class Connection(NamedTuple):
    """A connection."""

    source: str
    """As returned by `coffeerush.joining.sources.source_of`."""
    is_member: bool
    """Whether its key was admitted."""


def connections_to_cut(connections: Sequence[Connection], excess: int) -> Iterator[int]:
    """Yield `excess` indices, each the newest connection of the source with the most.

    Up to `EXEMPT_MEMBERS` members of a source do not count, so that strangers from many addresses
    cannot crowd out people at the table who share one.

    Args:
        connections: oldest first.
        excess: how many to cut.
    """
    members = Counter(one.source for one in connections if one.is_member)
    crowd = Counter(one.source for one in connections)
    for source, count in members.items():
        crowd[source] -= min(count, EXEMPT_MEMBERS)
    newest: dict[str, list[int]] = {}
    for number, one in enumerate(connections):
        newest.setdefault(one.source, []).append(number)
    for _each in range(excess):
        source, _most = crowd.most_common(1)[0]
        crowd[source] -= 1
        yield newest[source].pop()
