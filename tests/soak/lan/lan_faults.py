"""Check the reports of LAN guests against the records of their games."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from coffeerush.records.entries import Record
from coffeerush.rules import view_for

from .lan_guest import Account, Sight, own_mark, public_mark

Marks: TypeAlias = list[tuple[str, dict[str, str]]]
"""For each rev, the hashes of the public state and of each key's cups."""


def faults(
    records: Sequence[Record], guests: Sequence[tuple[Account, Sequence[Sight]]]
) -> Iterator[str]:
    """Yield the mistakes found in what guests reported of all games of a table."""
    yield from (f"game {one.head.game} has no end" for one in records if one.end is None)
    ids = Counter(move.id.hex() for one in records for move in one.moves if move.id)
    yield from (f"{id_} is on record {count} times" for id_, count in ids.items() if count > 1)
    right = {record.head.game: _marks(record) for record in records}
    for account, sights in guests:
        yield from _told_wrongly(account, records)
        yield from _seen_wrongly(account.key, sights, right)


def _told_wrongly(account: Account, records: Sequence[Record]) -> Iterator[str]:
    """Yield answers to a guest that contradict the record."""
    kept = {move.id.hex() for one in records for move in one.moves if move.key == account.key}
    yield from (f"{id_} was accepted and is lost" for id_ in account.accepted.keys() - kept)
    yield from (f"{id_} was refused and is kept" for id_ in kept.intersection(account.refused))


def _seen_wrongly(key: str, sights: Sequence[Sight], right: dict[int, Marks]) -> Iterator[str]:
    """Yield states of a guest that differ from the record."""
    for one in sights:
        if not one.public:
            continue
        public, own = right[one.game][one.rev]
        if one.public != public:
            yield f"{key} saw another game {one.game} at {one.rev}"
        if one.own and one.own != own.get(key):
            yield f"{key} saw other cups of its own in game {one.game} at {one.rev}"


def _marks(record: Record) -> Marks:
    return [
        (
            public_mark(view_for(state, None)),
            {
                seated.key: own_mark(view_for(state, seat))
                for seat, seated in enumerate(record.head.seats)
            },
        )
        for state in record.states()
    ]
