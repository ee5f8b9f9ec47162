"""A host and its guests, each on its own machine of a simulated LAN, checked against each other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import msgspec

from coffeerush.records.entries import Record
from coffeerush.records.writing import load_record
from coffeerush.rules import view_for
from tests.soak.lan.lan_guest import LAST, Account, Discovery, Sight, own_mark, public_mark
from tests.soak.lan.network import Network
from tests.soak.lan.reports import Reporter, Reports, StuckError
from tests.support.hosts_and_clients import Host

HOST: Final = "host"
GUESTS: Final = ("Ann", "Bob", "Cid", "Dee")
_PORT: Final = 47820
Moment: TypeAlias = tuple[bytes, int]
"""An epoch and a seq in it."""
_lines: Final = msgspec.json.Decoder(Discovery | Sight | Account)


class Guest(Reporter):
    """A guest's process, and its reports."""

    def __init__(
        self, network: Network, state: Path, code: str, name: str, seed: int, pause: float
    ) -> None:
        self.found: Discovery | None = None
        self.sights: list[Sight] = []
        words = ("tests.soak.lan.lan_guest", code, name, str(seed), str(pause))
        super().__init__(network, name, state, state / f"{name}.errors", words)

    @property
    def now(self) -> Sight | None:
        return self.sights[-1] if self.sights else None

    @property
    def moment(self) -> Moment:
        return (self.now.epoch, self.now.seq) if self.now else (b"", 0)

    def is_here(self) -> bool:
        return self.now is not None and self.now.status == "here"

    def note(self, line: bytes) -> None:
        told = _lines.decode(line)
        if isinstance(told, Account):
            if not self._stdin.closed:
                raise StuckError(f"{self.told()} gave up")
            self.account = told
        elif isinstance(told, Discovery):
            self.found = told
        else:
            self.sights.append(told)

    def stay_at_the_result(self) -> None:
        """Let it play no further game."""
        self.say(LAST)


class Lan(Reports):
    """A table of four on a network; everybody is at the table inside the `with`.

    `pause` is the mean time that a guest thinks about an intent, in seconds.
    """

    def __init__(self, network: Network, state: Path, seed: int, pause: float = 0.0) -> None:
        self.network = network
        self._state = state
        self.host = self._host(seats=len(GUESTS), seed=seed)
        code = self.host.ready["code"]
        self.guests = [Guest(network, state, code, name, seed, pause) for name in GUESTS]
        self._ends: set[str] = set()

    def __enter__(self) -> Self:
        try:
            assert self.host.port == _PORT, self.host.text()
            self.until(lambda: all(guest.is_here() for guest in self.guests))
        except BaseException:  # Ctrl-C too: after this, nobody calls `__exit__`
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        for guest in self.guests:
            guest.close()
        self.host.close()

    def _host(self, **options: Any) -> Host:
        state, inside = self._state / HOST, self.network.command(HOST)
        bind = self.network.address(HOST)
        return Host(state, inside, bind=bind, port=_PORT, stop="at_once", **options)

    def resume_host(self) -> None:
        """Kill the host, and resume its game from the record at the same address."""
        self.host.kill()
        self.host.close()
        self.host = self._host(resume=str(self.records()[-1]))
        assert self.host.port == _PORT, self.host.text()

    def records(self) -> list[Path]:
        """Return the records, newest last."""
        found = (self._state / HOST / "records").glob("*.record")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)

    # Waiting

    def reporters(self) -> Sequence[Guest]:
        return self.guests

    def is_at(self, revs: range) -> bool:
        """Return whether a game is in progress, and some guest knows that."""
        seen = [guest.now for guest in self.guests if guest.now]
        return any(one.stage == "game" and one.rev in revs for one in seen)

    def newest(self) -> Moment:
        """Return the newest position that any guest has."""
        return max((guest.moment for guest in self.guests), key=lambda moment: moment[1])

    def are_back(self, then: Moment, restarted: bool = False) -> bool:
        """Return whether all have a newer position than `then`, if `restarted` of another host."""
        epoch, seq = then
        return all(
            guest.is_here()
            and (guest.moment[0] != epoch or (guest.moment[1] > seq and not restarted))
            for guest in self.guests
        )

    def are_one(self) -> bool:
        """Return whether all have the result of the last game and the same position."""
        seen = [guest.now for guest in self.guests]
        return (
            all(one is not None and one.status == "here" and one.stage == "result" for one in seen)
            and not any(one.anybody_ready for one in seen if one)
            and len({(one.epoch, one.seq) for one in seen if one}) == 1
        )

    def finish(self, seconds: float) -> None:
        """Play to the end, let everybody report and leave."""
        for guest in self.guests:
            guest.stay_at_the_result()
        self.until(self.are_one, seconds)
        self._ends = {guest.now.everything for guest in self.guests if guest.now}
        for guest in self.guests:
            guest.leave()
        self.until(lambda: all(guest.account for guest in self.guests))

    # Results

    def game_seconds(self) -> float | None:
        """Return how long the last game took; None if everybody was cut off when it was played."""
        last = self.guests[0].sights[-1].game
        seen = [one for guest in self.guests for one in guest.sights if one.game == last]
        begun = [one.at for one in seen if one.stage == "game"]
        over = [one.at for one in seen if one.stage == "result"]
        return round(min(over) - min(begun), 2) if begun else None

    def found_after_seconds(self) -> float:
        """Return how long it took the last guest to find the table on the network."""
        return round(max(guest.found.seconds for guest in self.guests if guest.found), 2)

    def figures(self) -> dict[str, float]:
        """Return the counts, once everybody has left."""
        accounts = [guest.account for guest in self.guests if guest.account]
        answers = [count for one in accounts for count in one.accepted.values()]
        return {
            "found_after_seconds": self.found_after_seconds(),
            "games": len(self.records()),
            "intents": sum(one.asked for one in accounts),
            "acknowledged": len(answers),
            "answered_again": sum(answers) - len(answers),
            "refused": sum(len(one.refused) for one in accounts),
            "requests_repeated": sum(one.repeated for one in accounts),
            "connections_lost": sum(_losses(guest.sights) for guest in self.guests),
        }

    def faults(self) -> list[str]:
        records = [load_record(path) for path in self.records()]
        accounts = [(guest.account, guest.sights) for guest in self.guests if guest.account]
        found = [] if len(self._ends) == 1 else ["not all saw the same at the end"]
        return [*found, *faults(records, accounts)]


def _losses(sights: Sequence[Sight]) -> int:
    states = [one.status for one in sights]
    return sum(now == "lost" != was for was, now in pairwise(states))


Marks: TypeAlias = list[tuple[str, dict[str, str]]]
"""For each rev, the hashes of the public state and of each key's cups."""


def faults(
    records: Sequence[Record],
    guests: Sequence[tuple[Account, Sequence[Sight]]],
    *,
    are_over: bool = True,
) -> Iterator[str]:
    """Yield the mistakes found in what guests reported of all games of a table.

    Unless they should be over, games need no end.
    """
    if are_over:
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
