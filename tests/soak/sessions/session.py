"""One session from a seed: people at a table over a bad wire, and checks once it is good."""

import asyncio
import random
from collections.abc import Iterator
from random import Random
from typing import Any, Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import public
from coffeerush.client.model import Model
from coffeerush.host.table.config import TableConfig
from coffeerush.rules import standard_deck
from coffeerush.table_rules import TableRules
from protocol import (
    LOG_LENGTH,
    Event,
    GameEvent,
    GameStarted,
    GetView,
    Snapshot,
    Sync,
    decode_answer,
    encode,
)

from .clock import SimulatedLoop, StandstillError, elapse
from .guest import Guest
from .wire import Host, Line

DECK: Final = standard_deck()
STORM_SECONDS: Final = (8.0, 30.0)
LONG_STORM_SECONDS: Final = (90.0, 120.0)
LONG: Final = 0.04
"""The share of sessions in which people are away so long that they lose their places."""
CALM_SECONDS: Final = 9.0
"""An upper bound on the time to notice silence, find the host and rejoin."""
STALL_SECONDS: Final = 4.0
CUT_SECONDS: Final = (0.3, 12.0)
LONG_CUT_SECONDS: Final = 75.0
DOWN_SECONDS: Final = (0.1, 6.0)


class Seen(Struct):
    """The results of a session."""

    faults: list[str]
    games: int = 0
    restarts: int = 0
    visits: int = 0
    intents: int = 0
    compared: int = 0
    """The number of Views compared with the host's."""
    repeated: int = 0
    """The number of retries."""


def play(seed: int) -> Seen:
    random.seed(seed)  # the wait between two tries at the door
    try:
        with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
            return runner.run(_Session(Random(seed)).run())
    except StandstillError as error:
        return Seen([str(error)])


class _Session:
    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.faults: list[str] = []

    async def run(self) -> Seen:
        """Play over the bad wire, then repair it, and check everything."""
        asyncio.get_running_loop().set_exception_handler(self._broken)
        self._set_up()
        world = [self.host.run(), self.host.play_bots(), *(each.run() for each in self.guests)]
        storm = [self._restarts(), *(self._cuts(each.line) for each in self.guests)]
        tasks, storms = (list(map(asyncio.create_task, some)) for some in (world, storm))
        self.is_long = self.chance.random() < LONG
        seconds = LONG_STORM_SECONDS if self.is_long else STORM_SECONDS
        await elapse(self.chance.uniform(*seconds))
        for task in storms:
            task.cancel()
        await self._calm()
        seen = Seen(self.faults, repeated=self._repeated())
        self._compare(seen)
        await self._go_on()
        for task in tasks:
            task.cancel()
        for found in await asyncio.gather(*tasks, *storms, return_exceptions=True):
            if isinstance(found, Exception):
                self.faults.append(repr(found))
        self._count(seen)
        return seen

    def _set_up(self) -> None:
        chance = self.chance
        people = chance.randint(1, 3)
        seats = chance.randint(max(2, people), 4)
        bots = ("random",) * chance.randint(0 if people > 1 else 1, seats - people)
        owner = "a" * 40 if chance.random() < 0.8 else ""
        self.host = Host(
            TableConfig(
                *("Café", seats, DECK),
                rules=TableRules(
                    starters=chance.random() < 0.3, turn_seconds=chance.choice([0, 0, 0, 6])
                ),
                owner=owner,
                bots=("random",),
            ),
            bots,
            Random(chance.random()),
        )
        lines = [self._line() for _each in range(people + chance.randint(0, 1))]
        self.guests = [
            Guest(
                *(self.host, line, "abcd"[number] * 40),
                *("player" if number < people else "spectator", Random(chance.random())),
            )
            for number, line in enumerate(lines)
        ]

    def _line(self) -> Line:
        chance = self.chance
        loss = chance.choice([0.0, 0.1, 0.2, 0.3])
        doubled = chance.choice([0.0, 0.1])
        delay = chance.choice([0.01, 0.3, 0.3, 0.6])
        return Line(Random(chance.random()), loss, doubled, delay)

    # Faults

    async def _restarts(self) -> None:
        """Kill the host, and restart it."""
        for _each in range(self.chance.choice([0, 0, 1, 2])):
            await elapse(self.chance.uniform(1.0, 15.0))
            self.host.kill()
            try:
                await elapse(self.chance.uniform(*DOWN_SECONDS))
            finally:
                self.host.start()

    async def _cuts(self, line: Line) -> None:
        """Unplug a cable now and then."""
        for _each in range(self.chance.choice([0, 0, 1, 2])):
            await elapse(self.chance.uniform(0.5, 15.0))
            line.is_cut = True
            long = self.is_long and self.chance.random() < 0.5
            await elapse(LONG_CUT_SECONDS if long else self.chance.uniform(*CUT_SECONDS))
            line.is_cut = False

    def _broken(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(f"{context.get('message')}: {context.get('exception')!r}")

    # Checks

    async def _calm(self) -> None:
        """Wait until everybody is back and idle."""
        for each in self.guests:
            each.acts = False
            each.line.heal()
        self.host.bots_play = False
        await elapse(CALM_SECONDS)

    def _here(self) -> Iterator[tuple[Guest, Model]]:
        for each in self.guests:
            if each.link is not None and each.link.model.status != "over":
                yield each, each.link.model

    def _compare(self, seen: Seen) -> None:
        """Compare each client's state with what the host sends now."""
        for guest, model in self._here():
            outcome = self.host.table.handle(_now(), guest.key, Sync(self.chance.randbytes(16)))
            self.host.publish(outcome.updates)
            truth = decode_answer(encode(outcome.answer))
            if not isinstance(truth, Snapshot):
                self.faults.append(f"{_where(model)}, and the host does not know it: {truth}")
                continue
            seen.compared += 1
            wrong = [what for what, *pair in _pairs(model, truth) if pair[0] != pair[1]]
            if wrong:
                self.faults.append(f"{_where(model)}: {', '.join(wrong)} is not the host's")
            self._look(guest, model)

    def _look(self, guest: Guest, model: Model) -> None:
        """Check the screen of an idle client."""
        if guest.show is None:
            return
        guest.show.draw()
        if guest.show.seen is not model and not guest.show.leaving:
            self.faults.append(f"{_where(model)}: it is not shown")
        if guest.show.waits():
            self.faults.append(f"{_where(model)}: something typed is never done")

    async def _go_on(self) -> None:
        """Check that the game does not hang: bots play, and everybody present acts."""
        before = self._position()
        self.host.bots_play = True
        deadline = _now() + STALL_SECONDS
        while self._plays() and self._position() == before and _now() < deadline:
            for each in self.guests:
                each.go_on()
            await elapse(0.2)
        if self._plays() and self._position() == before:
            self.faults.append(f"the game is stuck at {before}")

    def _position(self) -> tuple[int, int]:
        tick = self.host.table.tick(_now())[-1]
        return tick.game, tick.rev

    def _plays(self) -> bool:
        return self.host.latest is not None and self.host.latest.stage == "game"

    def _repeated(self) -> int:
        return sum(each.link.outbox.repeated for each in self.guests if each.link)

    def _count(self, seen: Seen) -> None:
        seen.games, seen.intents = self._position()
        seen.restarts = self.host.starts - 1
        for each in self.guests:
            seen.visits += each.visits
            self.faults += each.faults


def _pairs(model: Model, truth: Snapshot) -> Iterator[tuple[str, object, object]]:
    """Yield the state of a client, and what the host would send it."""
    yield "status", model.status, "here"
    waits = tuple(one for one in model.pending if not isinstance(one, GetView))  # keepalives
    yield "pending", waits, ()
    yield "epoch", model.epoch, truth.epoch
    yield "position", (model.game, model.rev), (truth.game, truth.rev)
    yield "seat", (model.seat, model.owner), (truth.seat, truth.owner)
    yield "view", model.view, truth.view
    yield "table", _timeless(model), replace(truth.table, clock=None)
    # for a client that has come during a game, its start stood in place of the oldest event
    told = _told(truth.log[len(truth.log) == LOG_LENGTH :])
    yield "log", _told(model.log)[-len(told) :] if told else [], told


def _told(log: tuple[Event, ...]) -> list[Event]:
    """Return the public events of the current game.

    A stand-in bot's actions are public to everybody, including the person it stands in for.
    """
    events: list[Event] = []
    for one in log:
        if isinstance(one, GameStarted):
            events = []
        elif isinstance(one, get_args(GameEvent)):
            events.append(public(one))
    return events


def _timeless(model: Model) -> object:
    return model.table and replace(model.table, clock=None)


def _where(model: Model) -> str:
    asked = ", ".join(type(one).__name__ for one in model.pending)
    position = f"{model.epoch.hex()[-2:]}/{model.game}/{model.rev}"
    return f"{model.name}, {model.status} at {position}, asks [{asked}]"


def _now() -> float:
    return asyncio.get_running_loop().time()
