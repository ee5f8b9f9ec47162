"""Latency of a move at one table while others at the same host are busy, and memory of a table."""

import multiprocessing
import tempfile
from contextlib import ExitStack
from multiprocessing.synchronize import Event
from os import urandom
from pathlib import Path
from random import Random
from time import perf_counter, sleep

import zmq

from coffeerush.host.children import HostProcess, spawn_host
from coffeerush.host.server.parent import HostOptions
from protocol import (
    PROTOCOL_VERSION,
    Current,
    GetView,
    Hello,
    Ready,
    Refused,
    Submit,
    Undo,
)

from .conditions import figures, memory, ratios, report
from .people import Person, Players

GAMES = 6
ONE, MANY = 1, 50
"""Tables."""
SEATS = 4
MOVES_A_SECOND = 1.0
"""At each busy table: as fast as people."""


def run() -> None:
    """Report the latency at one table, alone and beside `MANY - 1` busy ones.

    The two hosts take turns, and the busy tables rest while the other host is measured: so that
    whatever else the machine does slows both alike.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        hosts = {count: _host(stack, Path(folder, str(count)), count) for count in (ONE, MANY)}
        small = memory(hosts[MANY].pid)
        plays = multiprocessing.get_context("spawn").Event()
        _keep_busy(stack, hosts[MANY].port, plays)
        players: dict[int, Players] = {}
        took: dict[int, list[float]] = {ONE: [], MANY: []}
        for count, host in hosts.items():
            players[count] = Players(host.port)
            stack.callback(players[count].close)
            players[count].play_game()  # warm-up
        for _game in range(GAMES):
            for count in hosts:
                (plays.set if count == MANY else plays.clear)()
                took[count] += players[count].play_game()
        for count in hosts:
            case = {"tables": count, "players": count * SEATS, "spectators": 1}
            base = ratios(took[count], took[ONE])
            report("move seen by all", **case, **figures(took[count]), **base)
        grown = (memory(hosts[MANY].pid) - small) / (MANY - 1)
        report("memory of a table", tables=MANY, megabytes=round(grown, 2))


def _host(stack: ExitStack, folder: Path, tables: int) -> HostProcess:
    options = HostOptions(
        tables=tables, seats=SEATS, port=0, bind="127.0.0.1", seed=1, record=str(folder)
    )
    return stack.enter_context(spawn_host(options))


def _keep_busy(stack: ExitStack, port: int, plays: Event) -> None:
    """Let others play at all tables but the first, in a process of their own; wait for them."""
    context = multiprocessing.get_context("spawn")
    seated = context.Event()
    crowd = context.Process(target=_play, args=(port, plays, seated), daemon=True)
    crowd.start()
    stack.callback(crowd.join)
    stack.callback(crowd.kill)
    seated.wait()


def _play(port: int, plays: Event, seated: Event) -> None:
    """Sit down at the tables, and play at each of them while that is wanted."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    tables = [_BusyTable(context, port, number) for number in range(ONE + 1, MANY + 1)]
    for table in tables:
        table.sit_down()
    seated.set()
    while True:
        for table in tables:
            began = perf_counter()
            table.step(plays.is_set())
            sleep(max(0.0, 1 / MOVES_A_SECOND / len(tables) - (perf_counter() - began)))


class _BusyTable:
    """Four people at a table, who make a random move now and then."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", port: int, number: int) -> None:
        self._chance = Random(number)
        self._number = number
        self._people = [Person(context, port) for _ in range(SEATS)]
        self._turn = 0

    def sit_down(self) -> None:
        """Let everybody come and get ready."""
        for seat, person in enumerate(self._people):
            person.come(f"Player {seat}", "player", self._number)
        self._ready()

    def _ready(self) -> None:
        for person in self._people:
            person.ask(Ready(urandom(16), True))

    def step(self, plays: bool) -> None:
        """Make a move if wanted; in turn, let everybody show that they are still here."""
        for person in self._people:
            while person.updates.poll(0):
                person.updates.recv()
        self._turn = (self._turn + 1) % SEATS
        current = self._current(self._people[self._turn])
        if current.view is None or not plays:
            return
        if current.view.active is None:
            self._ready()
            return
        active = self._people[current.view.active]
        current = self._current(active)
        own = current.view.own if current.view else None
        intents = [one.intent for one in own.options] if own else []
        if intents := [intent for intent in intents if not isinstance(intent, Undo)]:
            intent = self._chance.choice(intents)
            active.ask(Submit(urandom(16), current.game, current.rev, intent))

    def _current(self, person: Person) -> Current:
        answer = person.ask(GetView(urandom(16)))
        if isinstance(answer, Refused):  # on a busy machine they were silent for too long
            person.ask(Hello(urandom(16), PROTOCOL_VERSION, "Late", "player", self._number))
            answer = person.ask(GetView(urandom(16)))
        assert isinstance(answer, Current), answer
        return answer
