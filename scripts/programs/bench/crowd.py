"""A load generator: people at many tables, each of which has a move a second.

It knows the protocol and nothing else of the host. It works by a timetable and waits for nothing:
the time of a move begins when it is due, and moves at other tables begin meanwhile, however long
it takes.
"""

import multiprocessing
import resource
from collections.abc import Sequence
from itertools import cycle
from multiprocessing.connection import Connection
from os import urandom
from random import Random
from time import perf_counter, process_time, sleep

import zmq
from msgspec import Struct

from protocol import (
    PROTOCOL_VERSION,
    TOPIC_BYTES,
    Accepted,
    Answer,
    Current,
    GetView,
    Hello,
    Intent,
    Ready,
    Refused,
    Submit,
    TableNumber,
    Undo,
    Update,
    decode_answer,
    decode_publication,
)

from .people import TICK, Person

SEATS = 4
MOVES_A_SECOND = 1.0
"""At each table: as fast as people."""
TABLES_A_PROCESS = 100
LOST_SECONDS = 10.0
"""What has not come by then is lost."""
_PAUSE_SECONDS = 0.0003
"""Between two looks at what has come."""
_SOCKETS = 3
"""Of a person: two, and a pair inside libzmq."""


class Crowd:
    """People at tables of a host, in processes of their own.

    Args:
        port: the host's.
        tables: their numbers.
    """

    def __init__(self, port: int, tables: Sequence[TableNumber]) -> None:
        context = multiprocessing.get_context("spawn")
        self._links: list[Connection] = []
        self._processes = []
        for first in range(0, len(tables), TABLES_A_PROCESS):
            ours, theirs = context.Pipe()
            mine = tables[first : first + TABLES_A_PROCESS]
            process = context.Process(target=_run, args=(theirs, port, mine), daemon=True)
            process.start()
            self._links.append(ours)
            self._processes.append(process)
            ours.recv()  # seated

    def play(self, plays: bool) -> None:
        """Make moves from now on, or only show that everybody is still here."""
        for link in self._links:
            link.send(plays)

    def finish(self) -> "Played":
        """Stop, and return what happened."""
        for link in self._links:
            link.send(None)
        played = Played()
        for link in self._links:
            played.add(link.recv())
        return played

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()
            process.join()


class Played(Struct):
    """The moves of a crowd."""

    took: list[float] = []
    """Of each move the seconds from when it was due until its answer was there, and all four
    players had the update."""
    lost: int = 0
    """Answers and updates that never came."""
    late: int = 0
    """Moves that were refused since a bot had made them: the players had been silent for long."""
    busy: float = 0.0
    """The share of its time for which the busiest process computed."""

    def add(self, other: "Played") -> None:
        """Add those of another process."""
        self.took += other.took
        self.lost += other.lost
        self.late += other.late
        self.busy = max(self.busy, other.busy)


def _run(link: Connection, port: int, numbers: Sequence[TableNumber]) -> None:
    """Sit down at the tables, and play at each of them while that is wanted."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    context.set(zmq.MAX_SOCKETS, _SOCKETS * SEATS * len(numbers) + _SOCKETS)
    played = Played()
    tables = [_Table(context, port, number, played) for number in numbers]
    for table in tables:
        table.sit_down()
    link.send("seated")
    pending: list[_Table] = []
    wanted: bool | None = False
    plays = False
    computed, began, due = process_time(), perf_counter(), perf_counter()
    for table in cycle(tables):
        due += 1 / MOVES_A_SECOND / len(tables)
        while (left := due - perf_counter()) > 0:
            pending = [begun for begun in pending if not begun.is_done()]
            sleep(min(left, _PAUSE_SECONDS))
        if link.poll() and (wanted := link.recv()) is None:
            break
        if plays != wanted:
            plays, computed, began, due = (
                bool(wanted),
                process_time(),
                perf_counter(),
                perf_counter(),
            )
        if table not in pending and table.begin(due if plays else None):
            pending.append(table)
    end = perf_counter() + LOST_SECONDS
    while pending and perf_counter() < end:
        pending = [begun for begun in pending if not begun.is_done()]
        sleep(_PAUSE_SECONDS)
    played.lost += len(pending)
    played.busy = (process_time() - computed) / (perf_counter() - began)
    link.send(played)


class _Table:
    """Four people at a table, who make a random move now and then."""

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", port: int, number: int, played: Played
    ) -> None:
        self._chance = Random(number)
        self._number = number
        self._played = played
        self._people = [Person(context, port) for _ in range(SEATS)]
        self._turn = 0
        self._at: Current | Accepted | None = None
        """The latest position, as its player sees it."""
        self._due = 0.0
        self._mover = 0
        self._rev = 0
        """That of the move that is due, once it was made."""
        self._waiting: list[Person] = []
        """Who does not have its update yet."""

    def sit_down(self) -> None:
        """Let everybody come and get ready."""
        for seat, person in enumerate(self._people):
            person.come(f"Player {seat}", "player", self._number)
        self._ready()

    def _ready(self) -> None:
        for person in self._people:
            person.send(Ready(urandom(16), True))
            person.send(GetView(urandom(16)))

    def begin(self, due: float | None) -> bool:
        """Send the move that is due, if one is; return whether to wait for it.

        Let two people show that they are here: each does so every two seconds, as clients do.
        """
        for person in self._people:
            self._take(person)
            if due is None:
                _drain(person)
        at = self._at
        self._at = None
        intents = _intents(at)
        if due is None or not intents or at is None:
            self._show(at)
            return False
        assert at.view is not None
        assert at.view.own is not None
        for person in self._people:
            _drain(person)
        self._due, self._rev, self._waiting = due, 0, [*self._people]
        move = Submit(urandom(16), at.game, at.rev, self._chance.choice(intents))
        self._mover = at.view.own.seat
        self._people[self._mover].send(move)
        return True

    def _show(self, at: Current | Accepted | None) -> None:
        if at is None or at.view is None or at.view.active is None:
            self._ready()
            return
        for _each in range(SEATS // 2):
            self._turn = (self._turn + 1) % SEATS
            self._people[self._turn].send(GetView(urandom(16)))
        self._people[at.view.active].send(GetView(urandom(16)))

    def _take(self, person: Person) -> Answer | None:
        """Read the answers that are there; return the last one to a move, if there is one."""
        moved: Answer | None = None
        while person.requests.poll(0):
            answer = decode_answer(person.receive())
            if isinstance(answer, Current | Accepted) and _is_newer(answer, self._at):
                self._at = answer
            if isinstance(answer, Refused) and answer.refusal.code == "say_hello":
                # on a busy machine they were silent for too long
                person.send(Hello(urandom(16), PROTOCOL_VERSION, "Late", "player", self._number))
            elif isinstance(answer, Accepted | Refused):
                moved = answer
        return moved

    def is_done(self) -> bool:
        """Return whether the move is over: answered, and seen by all; or refused."""
        if not self._rev:
            answer = self._take(self._people[self._mover])
            if isinstance(answer, Refused):
                self._played.late += 1
                self._show(self._at)
                return True
            if not isinstance(answer, Accepted):
                return False
            self._rev = answer.rev
        self._waiting = [person for person in self._waiting if not self._hears(person)]
        if self._waiting:
            return False
        self._played.took.append(perf_counter() - self._due)
        self._show(self._at)
        return True

    def _hears(self, person: Person) -> bool:
        """Read the publications that are there; return whether the move's update was among them."""
        while person.updates.poll(0):
            frame = person.updates.recv()
            if TICK in frame[:20]:
                continue
            news = decode_publication(frame[TOPIC_BYTES:])
            if isinstance(news, Update) and news.rev >= self._rev:
                self._played.lost += news.rev > self._rev
                return True
        return False


def _intents(at: Current | Accepted | None) -> list[Intent]:
    """Return what a player can do; [] if it is not their turn."""
    own = at.view.own if at and at.view else None
    options = own.options if own else ()
    return [option.intent for option in options if not isinstance(option.intent, Undo)]


def _is_newer(answer: Current | Accepted, at: Current | Accepted | None) -> bool:
    """Return whether a position is later than another one, or has options that it lacks."""
    if at is None or (answer.game, answer.rev) > (at.game, at.rev):
        return True
    return (answer.game, answer.rev) == (at.game, at.rev) and not _intents(at)


def _drain(person: Person) -> None:
    while person.updates.poll(0):
        person.updates.recv()
