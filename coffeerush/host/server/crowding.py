"""Which connections have to go where there are too many. Only thinks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

EXCUSED: Final = 40
"""What a full table of one source has; a machine may well have many people."""


class Connection(NamedTuple):
    """A connection."""

    source: str
    """As `coffeerush.joining.sources.source_of` says it."""
    is_member: bool
    """Whether somebody with a key has it."""


def too_many(places: Sequence[Connection], spare: int) -> Iterator[int]:
    """Yield the numbers of so many, each the newest of the source that crowds the most.

    Strangers who come from many addresses do not crowd out who sits at the table with others of
    the same one: up to `EXCUSED` members of a source do not count.

    Args:
        places: oldest first.
        spare: how many.
    """
    members = Counter(one.source for one in places if one.is_member)
    crowd = Counter(one.source for one in places)
    for source, count in members.items():
        crowd[source] -= min(count, EXCUSED)
    newest: dict[str, list[int]] = {}
    for number, one in enumerate(places):
        newest.setdefault(one.source, []).append(number)
    for _each in range(spare):
        source, _most = crowd.most_common(1)[0]
        crowd[source] -= 1
        yield newest[source].pop()
