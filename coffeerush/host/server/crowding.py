"""Choose which connections to cut when there are too many. Sans-I/O."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

EXEMPT: Final = 40
"""Connections of a full table whose people all share one source, such as a shared machine."""


def connections_to_cut(sources: Sequence[str], known: Container[str], excess: int) -> Iterator[int]:
    """Yield `excess` indices, each the newest connection of the source with the most.

    Up to `EXEMPT` of a known source do not count, so that strangers from many addresses cannot
    crowd out people at the table, nor keep them from coming back.

    Args:
        sources: of the connections, oldest first; as `coffeerush.joining.sources.source_of` does.
        known: the sources of members.
        excess: how many to cut.
    """
    newest: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        newest.setdefault(source, []).append(number)
    for _each in range(excess):
        source = max(newest, key=lambda one: len(newest[one]) - EXEMPT * (one in known))
        yield newest[source].pop()
        if not newest[source]:
            del newest[source]
