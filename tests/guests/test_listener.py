"""Connections at a listening socket of the gateway: who is accepted, cut, and forgotten."""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from coffeerush.guests.listener import (
    ACCEPTED_A_ROUND,
    READ_BYTES,
    STRANGERS_READ_A_ROUND,
    Listener,
)
from coffeerush.guests.places import MAX_VISITORS, VISITORS_PER_SOURCE, Arrivals, Places
from coffeerush.host.children import certificate_of
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.sockets import listening
from tests.support.hosts_and_clients import SECONDS
from tests.support.web_guests import made_certificate


class Seen(Arrivals):
    """Counts the connections that have been accepted or refused."""

    count = 0

    def may_come(self, now: float, source: str) -> bool:
        self.count += 1
        return super().may_come(now, source)


class Porch:
    """A listener whose connections say nothing, and addresses that connect to it."""

    def __init__(self, stack: ExitStack, capacity: int) -> None:
        self.places = Places()
        self.incidents = Incidents()
        self._arrivals = Seen(60, 60, capacity)
        self.listener = Listener(
            listening("127.0.0.1", 0), self.places, self._arrivals, self.incidents
        )
        self._stack = stack
        self._address = self.listener.getsockname()

    @property
    def seen(self) -> int:
        """How many connections have been accepted or refused."""
        return self._arrivals.count

    def connect(self, source: str) -> socket.socket:
        """Connect from an address."""
        made = socket.create_connection(self._address, SECONDS, source_address=(source, 0))
        made.setblocking(False)
        return self._stack.enter_context(made)

    async def until(self, wanted: Callable[[], object]) -> None:
        """Wait until something is true."""
        async with asyncio.timeout(SECONDS):
            while not wanted():
                await asyncio.sleep(0.005)  # nothing tells when a connection is accepted

    async def ended(self, connected: socket.socket) -> bool:
        """Wait until the other side has ended a connection."""
        async with asyncio.timeout(SECONDS):
            try:
                return not await asyncio.get_running_loop().sock_recv(connected, 1)
            except OSError:
                return True


@asynccontextmanager
async def at(
    capacity: int = 10_000,
    context: ssl.SSLContext | None = None,
    protocol: Callable[[], asyncio.BaseProtocol] = asyncio.Protocol,
) -> AsyncIterator[Porch]:
    """Serve a listener by asyncio."""
    with ExitStack() as stack:
        porch = Porch(stack, capacity)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(protocol, sock=porch.listener, ssl=context)
        yield porch
        stack.close()
        await porch.until(lambda: not len(porch.places))
        server.close()


async def test_an_address_has_some_of_the_places_and_gives_them_back() -> None:
    async with at() as porch:
        mine = [porch.connect("127.0.0.2") for _ in range(VISITORS_PER_SOURCE)]
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)
        assert await porch.ended(porch.connect("127.0.0.2"))
        assert "too many: 1; 1 from 127.0.0.2" in porch.incidents.take()
        mine[0].close()
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE - 1)
        porch.connect("127.0.0.2")
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)


async def test_of_a_crowd_from_many_addresses_a_newcomer_is_not_cut() -> None:
    async with at() as porch:
        crowd = [f"127.0.1.{1 + number}" for number in range(MAX_VISITORS + ACCEPTED_A_ROUND)]
        for each in crowd * 2:
            porch.connect(each)
        await porch.until(lambda: porch.seen == 2 * len(crowd))
        newcomer = porch.connect("127.0.0.9")
        for each in crowd:
            porch.connect(each)
        await porch.until(lambda: porch.seen == 3 * len(crowd) + 1)
        assert len(porch.places) == MAX_VISITORS
        with pytest.raises(BlockingIOError):
            newcomer.recv(1)


async def test_who_connects_often_leaves_room_for_others() -> None:
    async with at(capacity=12) as porch:
        for _ in range(3):
            porch.connect("127.0.0.2")
        assert await porch.ended(porch.connect("127.0.0.2"))
        porch.connect("127.0.0.3")
        await porch.until(lambda: len(porch.places) == 4)


async def test_connections_that_never_begin_the_handshake_of_tls_have_places_too(
    tmp_path: Path,
) -> None:
    context = certificate_of(*map(str, made_certificate(tmp_path)))
    async with at(context=context) as porch:
        for _ in range(VISITORS_PER_SOURCE):
            porch.connect("127.0.0.2")
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)
        assert await porch.ended(porch.connect("127.0.0.2"))
        for number in range(MAX_VISITORS):
            porch.connect(f"127.0.1.{1 + number}")
        await porch.until(lambda: len(porch.places) == MAX_VISITORS)


class Plain(asyncio.Protocol):
    """Notes each read: the time at which the loop's round began, who is read, and the bytes."""

    reads: list[tuple[int, "Plain", int]]
    rounds: int
    open: int

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        Plain.open += 1

    def connection_lost(self, exc: Exception | None) -> None:
        Plain.open -= 1

    def data_received(self, data: bytes) -> None:
        self.reads.append((self.rounds, self, len(data)))


class Buffered(asyncio.BufferedProtocol):
    """Notes how much is read, as asyncio reads where TLS is spoken."""

    reads: list[int]

    def get_buffer(self, sizehint: int) -> bytearray:
        return bytearray(10 * READ_BYTES)

    def buffer_updated(self, nbytes: int) -> None:
        self.reads.append(nbytes)


async def test_a_burst_is_read_a_little_at_a_time() -> None:
    async with at(protocol=Plain) as porch:
        Plain.reads, Plain.rounds, Plain.open = [], 0, 0
        porch.connect("127.0.0.2").sendall(bytes(10 * READ_BYTES))
        await porch.until(lambda: sum(size for *_, size in Plain.reads) == 10 * READ_BYTES)
        assert max(size for *_, size in Plain.reads) <= READ_BYTES
    async with at(protocol=Buffered) as porch:
        Buffered.reads = []
        porch.connect("127.0.0.2").sendall(bytes(10 * READ_BYTES))
        await porch.until(lambda: sum(Buffered.reads) == 10 * READ_BYTES)
        assert max(Buffered.reads) <= READ_BYTES


STRANGERS, BURST = 8, 10 * READ_BYTES


async def bursts(porch: Porch) -> None:
    """Let some strangers send at the same time, until all is read; count the loop's rounds."""
    Plain.reads, Plain.rounds, Plain.open = [], 0, 0

    async def count() -> None:
        while True:
            Plain.rounds += 1
            await asyncio.sleep(0)  # until the next round

    counting = asyncio.create_task(count())
    strangers = [porch.connect(f"127.0.1.{1 + number}") for number in range(STRANGERS)]
    await porch.until(lambda: Plain.open == STRANGERS)
    for stranger in strangers:
        stranger.sendall(bytes(BURST))
    await porch.until(lambda: sum(size for *_, size in Plain.reads) == BURST * STRANGERS)
    counting.cancel()
    for stranger in strangers:
        stranger.close()
    await porch.until(lambda: not Plain.open)


async def test_a_few_strangers_are_read_in_a_round_and_all_in_turn() -> None:
    async with at(protocol=Plain) as porch:
        await bursts(porch)
        assert max(Counter(at for at, *_ in Plain.reads).values()) == STRANGERS_READ_A_ROUND
        counted = Counter[Plain]()
        for _at, reader, size in Plain.reads:
            counted[reader] += size
            if counted[reader] == BURST:
                break
        assert len(counted) == STRANGERS
        assert min(counted.values()) >= BURST - 3 * READ_BYTES


async def test_who_is_no_stranger_does_not_wait_for_a_turn() -> None:
    class Member(Plain):
        def data_received(self, data: bytes) -> None:
            made = self.transport.get_extra_info("socket")
            porches[0].listener.place_of(made.fileno()).give_back()
            super().data_received(data)

    porches: list[Porch] = []
    async with at(protocol=Member) as porch:
        porches.append(porch)
        await bursts(porch)
        assert max(Counter(at for at, *_ in Plain.reads).values()) > STRANGERS_READ_A_ROUND


async def test_who_waits_for_a_turn_and_stops_does_not_keep_others_waiting() -> None:
    class Lazy(Plain):
        """Is read once, and then not until the end, unless it is the last."""

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            assert isinstance(self.transport, asyncio.ReadTransport)
            if len(paused) < STRANGERS - 1:
                paused.append(self.transport)
                self.transport.pause_reading()

    paused: list[asyncio.ReadTransport] = []
    async with at(protocol=Lazy) as porch:
        Plain.reads, Plain.rounds, Plain.open = [], 0, 0
        for number in range(STRANGERS):
            porch.connect(f"127.0.1.{1 + number}").sendall(bytes(BURST))

        def read_of(reader: Plain) -> int:
            return sum(size for _at, one, size in Plain.reads if one is reader)

        await porch.until(lambda: BURST in map(read_of, {one for _, one, _ in Plain.reads}))
        for transport in paused:
            transport.resume_reading()
