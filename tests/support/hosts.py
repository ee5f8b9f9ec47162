"""Fake hosts and doors on loopback, with scripted replies."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from itertools import count
from typing import NamedTuple

import zmq
import zmq.asyncio
from msgspec.structs import replace

from coffeerush.client.connection import Way
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair, new_keys
from protocol import (
    Answer,
    Banner,
    DoorAnswer,
    Enrolled,
    Hello,
    Request,
    Snapshot,
    decode_request,
    encode,
    encode_line,
)
from tests.support.tables import ANN, table_for

KEYS = new_keys()
KEY = KEYS.public.decode()
BANNER = Banner("coffeerush", 6, 6, "Café", 1001, 1002, KEY)
LETS_IN = Enrolled()
_held = socket.socket()


def way_to(host: str, port: int, code: str = "") -> Way:
    """Return Ann's way to a door."""
    return Way(Address(host, port), "Ann", code, KEYS)


@cache
def closed_port() -> int:
    """Return a port on which nothing listens, and which no other test gets while this one runs."""
    _held.bind(("127.0.0.1", 0))
    port: int = _held.getsockname()[1]
    return port


@asynccontextmanager
async def a_door(
    *lines: bytes, heard: list[bytes] | None = None, stays: bool = False
) -> AsyncIterator[Way]:
    """Run a door that sends these lines at once.

    Args:
        lines: what it sends.
        heard: receives the client's first line.
        stays: whether it then stays open and silent; else it reads one line and closes.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for line in lines:
            writer.write(line)
        if stays:
            await reader.read()
        elif lines:
            line = await reader.readline()
            if heard is not None:
                heard.append(line)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield way_to(*server.sockets[0].getsockname()[:2])


class FakeHost(NamedTuple):
    """A host with scripted replies."""

    way: Way
    door: asyncio.Server
    updates: zmq.asyncio.Socket
    ports: tuple[int, ...]
    """The ports of its sockets."""
    heard: list[Request]
    """All requests received, oldest first."""
    news: asyncio.Event
    """Set with each request."""

    async def hear(self, kind: type[Request]) -> None:
        """Wait until a request of a type has been received."""
        while not any(isinstance(one, kind) for one in self.heard):
            self.news.clear()
            await self.news.wait()


@asynccontextmanager
async def a_host(
    reply: Callable[[Hello], Answer],
    closes_first: int = 0,
    host: KeyPair | None = None,
    port: int = 0,
    says: DoorAnswer = LETS_IN,
    ports: tuple[int, ...] = (0, 0),
    visited: asyncio.Event | None = None,
) -> AsyncIterator[FakeHost]:
    """Run a host that answers a hello with `reply`, and nothing else.

    Args:
        reply: makes the answer to a hello.
        closes_first: how many door connections are closed at once, before it works.
        host: its keys.
        port: the port of its door.
        says: the door's answer on all later connections.
        ports: the ports of its sockets; 0 for any free one.
        visited: set once its door has answered.
    """
    host, context = host or new_keys(), zmq.asyncio.Context()
    requests, updates = context.socket(zmq.ROUTER), context.socket(zmq.PUB)
    for each in (requests, updates):
        each.linger, each.curve_server, each.curve_secretkey = 0, True, host.secret
    heard, news = list[Request](), asyncio.Event()
    ports = tuple(map(_bound, (requests, updates), ports))
    banner = Banner("coffeerush", 6, 6, "Café", ports[0], ports[1], host.public.decode())
    visits = count()

    async def admit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if next(visits) >= closes_first:
            writer.write(encode_line(banner) + encode_line(says))
            await reader.readline()
            if visited:
                visited.set()
        writer.close()

    async def answer() -> None:
        while True:
            sender, _empty, body = await requests.recv_multipart()
            heard.append(request := decode_request(body))
            news.set()
            if isinstance(request, Hello):
                await requests.send_multipart([sender, b"", encode(reply(request))])

    door = await asyncio.start_server(admit, "127.0.0.1", port)
    answering = asyncio.create_task(answer())
    try:
        async with door:
            yield FakeHost(
                way_to(*door.sockets[0].getsockname()[:2]), door, updates, ports, heard, news
            )
    finally:
        answering.cancel()
        context.destroy(0)


def _bound(socket: zmq.asyncio.Socket, port: int) -> int:
    socket.bind(f"tcp://127.0.0.1:{port or '*'}")
    return int(socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])


def welcome(hello: Hello) -> Snapshot:
    """Answer a hello as a table does."""
    return replace(table_for(2).hello(ANN), id=hello.id)
