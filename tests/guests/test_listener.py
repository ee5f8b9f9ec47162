"""Connections at a listening socket of the gateway: who is accepted, cut, and forgotten."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from coffeerush.guests.listener import ACCEPTED_A_ROUND, READ_BYTES, Listener
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


def at(
    act: Callable[[Porch], Coroutine[Any, Any, None]],
    capacity: int = 10_000,
    context: ssl.SSLContext | None = None,
    protocol: Callable[[], asyncio.Protocol] = asyncio.Protocol,
) -> None:
    """Run a test at a listener that asyncio serves."""

    async def main() -> None:
        with ExitStack() as stack:
            porch = Porch(stack, capacity)
            loop = asyncio.get_running_loop()
            server = await loop.create_server(protocol, sock=porch.listener, ssl=context)
            await act(porch)
            stack.close()
            await porch.until(lambda: not len(porch.places))
            server.close()

    asyncio.run(main())


def test_an_address_has_some_of_the_places_and_gives_them_back() -> None:
    async def act(porch: Porch) -> None:
        mine = [porch.connect("127.0.0.2") for _ in range(VISITORS_PER_SOURCE)]
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)
        assert await porch.ended(porch.connect("127.0.0.2"))
        assert "too many: 1; 1 from 127.0.0.2" in porch.incidents.take()
        mine[0].close()
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE - 1)
        porch.connect("127.0.0.2")
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)

    at(act)


def test_of_a_crowd_from_many_addresses_a_newcomer_is_not_cut() -> None:
    async def act(porch: Porch) -> None:
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

    at(act)


def test_who_connects_often_leaves_room_for_others() -> None:
    async def act(porch: Porch) -> None:
        for _ in range(3):
            porch.connect("127.0.0.2")
        assert await porch.ended(porch.connect("127.0.0.2"))
        porch.connect("127.0.0.3")
        await porch.until(lambda: len(porch.places) == 4)

    at(act, capacity=12)


def test_connections_that_never_begin_the_handshake_of_tls_have_places_too(tmp_path: Path) -> None:
    context = certificate_of(*map(str, made_certificate(tmp_path)))

    async def act(porch: Porch) -> None:
        for _ in range(VISITORS_PER_SOURCE):
            porch.connect("127.0.0.2")
        await porch.until(lambda: len(porch.places) == VISITORS_PER_SOURCE)
        assert await porch.ended(porch.connect("127.0.0.2"))
        for number in range(MAX_VISITORS):
            porch.connect(f"127.0.1.{1 + number}")
        await porch.until(lambda: len(porch.places) == MAX_VISITORS)

    at(act, context=context)


def test_a_burst_is_read_a_little_at_a_time() -> None:
    read: list[int] = []

    class Reader(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            read.append(len(data))

    async def act(porch: Porch) -> None:
        porch.connect("127.0.0.2").sendall(bytes(10 * READ_BYTES))
        await porch.until(lambda: sum(read) == 10 * READ_BYTES)
        assert max(read) <= READ_BYTES

    at(act, protocol=Reader)
