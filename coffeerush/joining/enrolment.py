"""Enrol with a host over TCP: connect to a door, run the handshake, have a key admitted.

ZeroMQ never says why a connection fails; this handshake does, in one sentence.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from coffeerush.errors import LinkError
from protocol import MAX_DOOR_BYTES, Banner

from .admission import is_same_machine
from .door import (
    BrokenOff as BrokenOff,
    ClientConversation,
    NobodyHosts as NobodyHosts,
    StandsStill as StandsStill,
    Unreachable as Unreachable,
    WrongCode as WrongCode,
)
from .hosts import Address, CodeNeeded as CodeNeeded, Known, pin, pinned

if TYPE_CHECKING:
    from coffeerush.local.keys import KeyPair

MAX_ADDRESSES: Final = 8
CONNECT_SECONDS: Final = 4.0
BANNER_SECONDS: Final = 3.0
"""The timeout from the connection to the host's banner."""
EXCHANGE_SECONDS: Final = 5.0
"""The timeout of the whole handshake."""


class Way(NamedTuple):
    """How to join a table: address and credentials."""

    address: Address
    name: str
    """The person's name there."""
    code: str = ""
    """The user's input, parsed by `coffeerush.joining.code`: a code, `OPEN`, or empty."""
    keys: "KeyPair | None" = None
    """The client's keys; None for those kept for this name at that host."""
    host_key: str = ""
    """When reconnecting: the key that the host must have."""
    watches: bool = False
    """Whether to take the keys for watching, so that a player with this name keeps the seat."""
    files_keys: bool = True
    """Whether the keys are those kept for this name at that host, to be kept for its successor."""


class Enrolment(NamedTuple):
    """The result of the handshake: where a table's sockets are, and the keys of both sides."""

    host: str
    """The numeric address that answered."""
    banner: Banner
    keys: "KeyPair"
    """Those of this client, which the host has admitted."""
    is_here: bool
    """Whether the host is on this machine: it then admits keys without a code."""


class _Lines:
    """Send and receive door lines over a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        names = [writer.get_extra_info(name) for name in ("peername", "sockname")]
        if None in names:  # closed already
            raise ConnectionResetError
        self.peer, self._own = map(_numeric, names)

    def is_here(self) -> bool:
        """Return whether the host is on this machine."""
        return is_same_machine(self.peer, self._own)

    def send(self, line: bytes) -> None:
        """Send a line."""
        self._writer.write(line)

    async def receive(self) -> bytes:
        """Return the next line; `?` if it is too long."""
        try:
            line = await self._reader.readline()
        except ValueError:
            return b"?"
        if not line:
            raise ConnectionResetError
        return line


async def enrol(way: Way) -> Enrolment:
    """Run the handshake with the host at an address, and have a key admitted.

    Raises:
        BrokenOff: a host is there, but the handshake was not completed.
        NobodyHosts: no host is listening.
        Unreachable: nobody answers there now.
        CodeNeeded: the host asks for its code.
        WrongCode: the host has another code.
        LinkError: what answers is not a compatible host, or refuses this client.
    """
    address = way.address
    reader, writer = await _connect(address)
    try:
        async with asyncio.timeout(EXCHANGE_SECONDS):
            return await _handshake(way, _Lines(reader, writer))
    except TimeoutError:
        raise BrokenOff(
            "The host at {address} stopped answering before you were let in; try again.",
            address=address,
        ) from None
    except OSError:
        # the door closes connections when it is busy and when its host stops
        raise BrokenOff(
            "{address} closed the connection before you were let in; try again.", address=address
        ) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def first_of(
    ways: Sequence[Way], enrolling: Callable[[Way], Awaitable[Enrolment]]
) -> tuple[Way, Enrolment]:
    """Enrol by several ways to one host at once; return the first that succeeds.

    Raises:
        Unreachable: nobody answers at any of them now.
        LinkError: nobody lets this client in at any of them, and none is unreachable.
    """

    async def tried(way: Way) -> tuple[Way, Enrolment]:
        return way, await enrolling(way)

    tries = [asyncio.ensure_future(tried(way)) for way in ways]
    errors: list[LinkError] = []
    try:
        for each in asyncio.as_completed(tries):
            try:
                return await each
            except LinkError as error:
                errors.append(error)
    finally:
        for task in tries:
            task.cancel()
        await asyncio.gather(*tries, return_exceptions=True)
    raise min(errors, key=lambda error: not isinstance(error, Unreachable))


def remember_move(way: Way, before: str) -> None:
    """Pin the host to which a table has gone, and keep the keys for it; raises `LinkError`.

    So anyone who comes back to it later is the same person. `way` has the key of that host and
    those of this client; `before` is the key of the old host.
    """
    pin(way.address, way.host_key)
    if way.files_keys and way.keys and before != way.host_key:
        from coffeerush.local.keys import move_keys

        move_keys(way.keys, way.host_key, way.name, watches=way.watches)


async def _handshake(way: Way, lines: _Lines) -> Enrolment:
    address = way.address
    is_here = lines.is_here()
    known = known_before(way, is_here)
    conversation = ClientConversation(address, known)
    banner = conversation.hear_banner(await _first_line(address, lines))
    # in threads: this takes long enough to make a screen stutter
    keys = way.keys
    if keys is None:
        keys = await asyncio.to_thread(_keys_for, banner, way)
    reply = await asyncio.to_thread(conversation.enrol, keys.public.decode())
    while reply:
        lines.send(reply)
        reply = await asyncio.to_thread(conversation.hear, await lines.receive())
    if conversation.proved and not known.here:
        pin(address, banner.key)
    if banner.hall and way.name and way.files_keys and not way.host_key:
        await asyncio.to_thread(_file_for_hall, keys, banner, way)
    return Enrolment(lines.peer, banner, keys, is_here)


def known_before(way: Way, here: bool) -> Known:
    """Return the facts known of a host; its pinned key is read only if it will be used."""
    known = Known(way.code, session=way.host_key, here=here)
    if known.here or known.session or known.secret:
        return known
    return known._replace(pinned=pinned(way.address))


async def _first_line(address: Address, lines: _Lines) -> bytes:
    try:
        async with asyncio.timeout(BANNER_SECONDS):
            return await lines.receive()
    except TimeoutError:  # the kernel accepts connections even while the host is suspended
        raise StandsStill(
            "{address} accepts connections but does not answer: it is another program, "
            "or a host that is paused; check the port, and wake the host's computer if "
            "it is asleep.",
            address=address,
        ) from None


def _keys_for(banner: Banner, way: Way) -> "KeyPair":
    # imported late, in a thread: loading ZeroMQ would delay the first frame
    from coffeerush.local.keys import keys_for

    return keys_for(banner.key, way.name, watches=way.watches, hall=banner.hall)


def _file_for_hall(keys: "KeyPair", banner: Banner, way: Way) -> None:
    """Keep the keys for other hosts of these tables: they may move while this client is away."""
    from coffeerush.local.keys import move_keys

    with contextlib.suppress(LinkError):  # only matters when they come back later
        move_keys(keys, banner.hall, way.name, watches=way.watches)


def _numeric(name: tuple[Any, ...]) -> str:
    """Format a socket's address for ZeroMQ; a link-local IPv6 address keeps its scope."""
    host, _port, *more = name
    return f"{host}%{more[1]}" if more and more[1] else str(host)


async def _connect(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            link = await connected(address)
            return await asyncio.open_connection(sock=link, limit=MAX_DOOR_BYTES)
    except ConnectionRefusedError:
        raise NobodyHosts(
            "No host is running at {address}; ask which address and port the host "
            "shows, and whether it is still running.",
            address=address,
        ) from None
    except socket.gaierror:
        raise Unreachable(
            "No computer on this network is called {address}; check the name, or use "
            "the IP address that the host shows.",
            address=address,
        ) from None
    except (OSError, UnicodeError):  # a TimeoutError is an OSError
        raise Unreachable(
            "No answer from {address}; the address may be wrong, a firewall may be in "
            "the way, or the Wi-Fi may isolate its devices from each other.",
            address=address,
        ) from None


async def connected(address: Address) -> socket.socket:
    """Connect to whichever resolved IP address answers first.

    Raises `ConnectionRefusedError` only if nobody answers and somebody refused, else `OSError`; a
    name that cannot be resolved raises `gaierror` or `UnicodeError`.
    """
    loop = asyncio.get_running_loop()
    resolved = await loop.getaddrinfo(*address, type=socket.SOCK_STREAM)
    tries = [
        loop.create_task(_try(family, kind, protocol, target))
        for family, kind, protocol, _name, target in resolved[:MAX_ADDRESSES]
    ]
    try:
        return await _first(tries)
    finally:
        for each in tries:
            each.cancel()
            each.add_done_callback(_close_late)


async def _first(tries: list[asyncio.Task[list[socket.socket]]]) -> socket.socket:
    errors: list[OSError] = []
    for each in asyncio.as_completed(tries):
        try:
            return (await each).pop()
        except OSError as error:
            errors.append(error)
    raise min(errors, key=lambda error: not isinstance(error, ConnectionRefusedError))


async def _try(family: int, kind: int, protocol: int, target: Any) -> list[socket.socket]:
    """Return a connection in a list; the winner is popped, all others are closed."""
    link = socket.socket(family, kind, protocol)
    try:
        link.setblocking(False)
        await asyncio.get_running_loop().sock_connect(link, target)
    except BaseException:  # also if cancelled: nobody else has the socket yet
        link.close()
        raise
    return [link]


def _close_late(trying: asyncio.Task[list[socket.socket]]) -> None:
    """Close a connection that lost the race."""
    if not trying.cancelled() and not trying.exception():
        for link in trying.result():
            link.close()
