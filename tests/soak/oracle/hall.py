"""Marked games at all tables of a hall at once, and somebody who goes from table to table."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, Self

import zmq

from coffeerush.records.writing import load_head
from protocol import HALL, topic
from tests.soak.lan.guests import Guest
from tests.soak.oracle.leaks import Heard, finished
from tests.soak.oracle.marked import MarkedGame
from tests.soak.oracle.reader import read
from tests.soak.oracle.taps import Taps
from tests.support.hosts_and_clients import Deadline, Fields, Host, hosting

PLAYERS = 2
"""At each table."""
TOUR = ("view", "sync", "tables")
"""What the wanderer asks at each table."""
_HELLO = b"\xa5hello"


class TableGame(MarkedGame):
    """A marked game at one of several tables, whose guests also replay requests of the others."""

    def __init__(self, hall: "MarkedHall", number: int) -> None:
        super().__init__(hall.host, hall.state, PLAYERS, hall.taps, hall.chance)
        self.number = number
        self._hall = hall

    def __enter__(self) -> Self:
        self._stack.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def guest(self, name: str) -> Guest:
        made = Guest(self.host.port, name, self._fronts, table=self.number)
        return self._stack.enter_context(made)

    def gather(self) -> None:
        """Let two players and a spectator join, and begin."""
        for number in range(1, PLAYERS + 1):
            self.players.append(self.guest(f"Marked Player {number}"))
        self.watchers.append(self.guest("Marked Watcher"))
        for guest in self.players:
            guest.come()
        self.watchers[0].come("spectator")
        for guest in self.everybody:
            guest.hear()  # without a subscription, the deal would be missed
        for guest in self.players:
            guest.request("ready", ready=True)

    def captured(self, guest: Guest) -> Iterator[bytes]:
        """Yield requests from all tables; a hello of another one would lead there."""
        latest = (one.sent[-1] for one in self._hall.everybody if one is not guest and one.sent)
        yield from (body for body in latest if _HELLO not in body[:16])


class Wanderer(Guest):
    """Subscribes to all tables, and watches one after the other; remembers what came from each."""

    def __init__(self, port: int, tables: Sequence[int]) -> None:
        self._published_by: dict[int, list[bytes]] = defaultdict(list)
        self._answered_at: dict[int, list[bytes]] = defaultdict(list)
        super().__init__(port, "Wanderer")
        for number in (HALL, *tables):
            self.sub.setsockopt(zmq.SUBSCRIBE, topic(number))

    def visit(self, number: int) -> bool:
        """Watch a table, and ask there; return whether it was not too fast for that."""
        self.hear_rest()
        self.at = number
        came = self._ask(
            number, "hello", protocol=6, name=self.name, role="spectator", table=number
        )
        for kind in TOUR if came["type"] == "snapshot" else ():
            self._ask(number, kind)
        return bool(came["type"] == "snapshot")

    def _ask(self, number: int, kind: str, **fields: object) -> Fields:
        answer = self.request(kind, **fields)
        self._answered_at[number].append(self.raw[-1])
        return answer

    def _published(self, frames: list[bytes]) -> Fields:
        heard = super()._published(frames)
        self._published_by[int.from_bytes(frames[0][:4])].append(self.raw[-1])
        return heard

    def hear_out(self, number: int, seq: int) -> None:
        """Hear what a table has published, until something from `seq` or later has come."""
        self.hear_rest()
        deadline = Deadline()
        while _latest_of(self._published_by[number]) < seq:
            deadline.left()
            self.hear()

    def heard_of(self, number: int) -> Heard:
        """Return what came from a table, or as the hall's."""
        return Heard(self.name, None, self._published_by[number], self._answered_at[number])


def _latest_of(publications: Sequence[bytes]) -> int:
    """Return the sequence number of the latest publication of a table; 0 for none."""
    return int(read(publications[-1], "Publication")["seq"]) if publications else 0


class MarkedHall:
    """A host with several tables, a marked game at each, and a wanderer; make it with `open`."""

    def __init__(self, host: Host, state: Path, tables: int, taps: Taps, chance: Random) -> None:
        self.host = host
        self.state = state
        self.taps = taps
        self.chance = chance
        self.games = [TableGame(self, number) for number in range(1, tables + 1)]
        self.wanderer = Wanderer(host.port, range(1, tables + 1))
        self.visits = 0

    @classmethod
    @contextmanager
    def open(cls, state: Path, tables: int, chance: Random) -> Iterator[Self]:
        """Host a hall without an owner."""
        options = {"tables": tables, "seats": PLAYERS, "seed": chance.getrandbits(32)}
        with hosting(state, **options) as host, Taps(most=0) as taps, ExitStack() as stack:
            hall = cls(host, state, tables, taps, chance)
            stack.enter_context(hall.wanderer)
            for game in hall.games:
                stack.enter_context(game)
            yield hall

    @property
    def everybody(self) -> list[Guest]:
        """All guests but the wanderer."""
        return [guest for game in self.games for guest in game.everybody]

    def play(self) -> None:
        """Play all games to the end, a move at each table in turn."""
        for game in self.games:
            game.gather()
        going = {game.number: game.moves_to_the_end() for game in self.games}
        while going:
            for number in [*going]:
                if next(going[number], "over") == "over":
                    del going[number]
            self.visits += self.wanderer.visit(self.chance.choice(self.games).number)
        for game in self.games:
            self.wanderer.hear_out(game.number, _latest_of(game.watchers[0].publications))

    def records(self) -> dict[int, Path]:
        """Return the records of the finished games, by table."""
        found = finished(self.state / "records")
        return {load_head(path).number: path for path in found}
