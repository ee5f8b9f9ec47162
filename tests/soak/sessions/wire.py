"""A host in simulated time and the lossy wire to it: all that a `Link` needs, without sockets."""

import asyncio
from collections.abc import Callable, Set
from random import Random
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.joining.door import Removed
from coffeerush.joining.enrolment import BrokenOff, Enrolment, NobodyHosts, Unreachable, Way
from coffeerush.local.keys import KeyPair
from protocol import Banner, Moved, TableView, Tick, Update, decode_request, encode, topic
from tests.support.tables import MemoryJournals, hall_of

from .clock import elapse

TICK_SECONDS: Final = 1.0
RECONNECT_SECONDS: Final = (0.2, 3.0)
KEYS: Final = KeyPair(b"p" * 40, b"s" * 40)
BANNER: Final = Banner("coffeerush", 6, 6, "Café", 1001, 1002, "h" * 40)


class Line(Struct, eq=False):
    """The network between the host and one client."""

    chance: Random
    loss: float = 0.0
    """The share of messages lost, each way."""
    doubled: float = 0.0
    """The share that arrives twice."""
    delay: float = 0.01
    """The maximum delay of a message; random delays reorder messages."""
    is_cut: bool = False

    def carry(self, deliver: Callable[[], None]) -> None:
        """Deliver a message: late, twice or not at all."""
        times = 0 if self.is_cut or self.chance.random() < self.loss else 1
        times += times and self.chance.random() < self.doubled
        for _each in range(times):
            asyncio.get_running_loop().call_later(self.chance.uniform(0, self.delay), deliver)

    def heal(self) -> None:
        self.loss = self.doubled = 0.0
        self.is_cut = False
        self.delay = 0.02


class Host:
    """A table that is killed and resumed; its bots play at random."""

    def __init__(self, config: TableConfig, bots: tuple[str, ...], chance: Random) -> None:
        self.journals = MemoryJournals()
        self.chance = chance
        self.starts = 0
        self.alive = False
        self.bots_play = True
        self.latest: TableView | None = None
        """The latest publication."""
        self.sockets: list[SimulatedSockets] = []
        self._config = config
        self._bots = bots
        self._admitted: set[str] = set()
        self.start()

    def start(self) -> None:
        """Resume the game on record, or open another table."""
        self.starts += 1
        epoch = self.starts.to_bytes(8, "big")
        chance = Random(self.chance.random())
        record = self.journals.record() if self.journals.files else None
        if record is not None and record.end is None:
            self.table = Table.resume(record, self._config, self.journals, epoch, chance)
        else:
            self.table = Table(self._config, self.journals, epoch, chance, self._bots)
        self.hall = hall_of(self.table, most=1)
        self._admitted = set()
        self.alive = True
        self._look(RECONNECT_SECONDS)

    def kill(self) -> None:
        """Die, and lose all messages in transit."""
        self.alive = False
        self._look((0.0, 0.2))

    def _look(self, seconds: tuple[float, float]) -> None:
        for each in self.sockets:
            each.look_in(self.chance.uniform(*seconds))

    def admit(self, key: str) -> None:
        self._admitted.add(key)

    def lets_in(self, key: str) -> bool:
        """Return whether the sockets accept a key."""
        known = key in self._admitted or key in self.table.keys
        return self.alive and known and key not in self.table.removed

    async def run(self) -> None:
        while True:
            await elapse(TICK_SECONDS)
            if self.alive:
                self.publish(self.table.tick(_now()))

    async def play_bots(self) -> None:
        while True:
            await elapse(self.chance.uniform(0.02, 0.15))
            turn = self.table.bot_turn() if self.alive and self.bots_play else None
            if turn is not None and turn.view.own is not None:
                intent = self.chance.choice(turn.view.own.options).intent
                self.publish(self.table.bot_move(_now(), turn, intent))

    def hear(self, sockets: "SimulatedSockets", body: bytes) -> None:
        """Answer a request first, then publish its effects."""
        outcome = self.hall.handle(_now(), sockets.key, decode_request(body))
        sockets.take(sockets.on_answer, encode(outcome.answer))
        told = (one.message for one in outcome.published)
        self.publish(tuple(one for one in told if not isinstance(one, Moved)))
        for each in [one for one in self.sockets if one.key in self.table.removed]:
            each.look_in(0.0)

    def publish(self, publications: tuple[Update | Tick, ...]) -> None:
        """Publish something to everybody connected."""
        for one in publications:
            body = topic(self.table.number) + encode(one)
            if isinstance(one, Update):
                self.latest = one.table
            for sockets in self.sockets:
                if sockets.connected:
                    sockets.take(sockets.on_update, body)


class SimulatedSockets:
    """`Channels` over a `Line` instead of ZeroMQ."""

    def __init__(
        self,
        host: Host,
        line: Line,
        key: str,
        on_update: Callable[[bytes], None],
        on_answer: Callable[[bytes], None],
        on_change: Callable[[], None],
    ) -> None:
        self.connected = False
        self.key = key
        self.on_update = on_update
        self.on_answer = on_answer
        self._host = host
        self._line = line
        self._on_change = on_change
        self._queue: list[bytes] = []
        """Requests queued while disconnected: a DEALER delivers them to the next host."""
        self._closed = False

    async def __aenter__(self) -> Self:
        self._host.sockets.append(self)
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._closed = True
        self._host.sockets.remove(self)

    async def open(self, seconds: float) -> bool:
        await elapse(self._line.chance.uniform(0, 2 * self._line.delay))
        if self._line.is_cut:
            await elapse(seconds)
        self._look()
        return self.connected

    def look_in(self, seconds: float) -> None:
        """Find out whether the host is there, after this many seconds."""
        asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        was, self.connected = self.connected, self._reaches()
        if self.connected:
            for body in self._queue:
                self.send(body)
            self._queue.clear()
        if was != self.connected and not self._closed:
            self._on_change()

    def _reaches(self) -> bool:
        return not self._closed and not self._line.is_cut and self._host.lets_in(self.key)

    def check(self) -> None:
        """Do nothing: nothing here ends by itself."""

    def follow(self, numbers: Set[int]) -> None:
        """Do nothing: there is one table, and no hall with ticks of its own."""

    def renew(self) -> None:
        """Drop the queued requests."""
        self._queue.clear()

    def send(self, body: bytes) -> None:
        """Send a request to the current host, or queue it for the next one."""
        if not self.connected:
            self._queue.append(body)
            return
        start = self._host.starts

        def arrive() -> None:
            if self._host.starts == start and self._host.alive:
                self._host.hear(self, body)

        self._line.carry(arrive)

    def take(self, hear: Callable[[bytes], None], body: bytes) -> None:
        """Deliver something from the host to this client."""
        self._line.carry(lambda: None if self._closed or self._line.is_cut else hear(body))


async def enrol(host: Host, line: Line, key: str, way: Way) -> Enrolment:
    """Do the handshake at the door, as `coffeerush.joining.enrolment` does."""
    await elapse(line.chance.uniform(0, 4 * line.delay))
    address = way.address
    if line.is_cut:
        await elapse(4.0)
        raise Unreachable("No answer from {address}.", address=address)
    if not host.alive:
        raise NobodyHosts("Nothing is hosting at {address}.", address=address)
    if line.chance.random() < line.loss:
        raise BrokenOff("The host at {address} fell silent.", address=address)
    if key in host.table.removed:
        raise Removed("The owner has removed you from the table.")
    host.admit(key)
    return Enrolment("192.0.2.1", BANNER, KEYS, is_here=False)


def _now() -> float:
    return asyncio.get_running_loop().time()
