"""The client's side of the door: finds out who answers at an address, and enrols a key there.

ZeroMQ never says why a connection fails; this exchange of lines does, in one sentence each.
"""

import asyncio
import contextlib
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from protocol import MAX_DOOR_BYTES, Banner

from .address import Address
from .door_client import (
    BrokenOff as BrokenOff,
    ClientConversation,
    NobodyHosts as NobodyHosts,
    StandsStill as StandsStill,
    Unreachable as Unreachable,
    WrongCode as WrongCode,
)
from .known_hosts import pin, pinned
from .trust import CodeNeeded as CodeNeeded, Known

MAX_NUMBERS: Final = 8


async def connected(address: Address) -> socket.socket:
    """Return a connection to the number of an address that answers first.

    Raises:
        gaierror: the name has no number.
        ConnectionRefusedError: nobody listens at one of them, and none lets in.
        OSError: none of them can be reached.
        UnicodeError: it cannot be a name.
    """
    loop = asyncio.get_running_loop()
    numbers = await loop.getaddrinfo(*address, type=socket.SOCK_STREAM)
    tries = [
        loop.create_task(_try(family, kind, protocol, number))
        for family, kind, protocol, _name, number in numbers[:MAX_NUMBERS]
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


async def _try(family: int, kind: int, protocol: int, number: Any) -> list[socket.socket]:
    """Return a connection in a list, which whoever needs it takes out of it."""
    link = socket.socket(family, kind, protocol)
    try:
        link.setblocking(False)
        await asyncio.get_running_loop().sock_connect(link, number)
    except BaseException:
        link.close()
        raise
    return [link]


def _close_late(trying: asyncio.Task[list[socket.socket]]) -> None:
    """Close a connection that another one was faster than."""
    if not trying.cancelled() and not trying.exception():
        for link in trying.result():
            link.close()


if TYPE_CHECKING:
    from coffeerush.local.keys import KeyPair

CONNECT_SECONDS: Final = 4.0
BANNER_SECONDS: Final = 3.0
"""From the connection until the host has said who it is."""
EXCHANGE_SECONDS: Final = 5.0
"""Until it has let in."""


class Way(NamedTuple):
    """How to get to a table."""

    address: Address
    name: str
    """What one is called there."""
    code: str = ""
    """What a person gave as `coffeerush.joining.code` reads it: a code, `OPEN`, or nothing."""
    keys: "KeyPair | None" = None
    """Who one is there; None for whoever had this name at that host before."""
    host_key: str = ""
    """The key of the host that one was at, where one comes back: no other will do."""


class Enrolment(NamedTuple):
    """Where the sockets of a table are, and the keys of both sides."""

    host: str
    """The numeric address that answered."""
    banner: Banner
    keys: "KeyPair"
    """Those of this client, which the host lets in."""


class _Lines:
    """The lines of a door."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        names = [writer.get_extra_info(name) for name in ("peername", "sockname")]
        if None in names:  # it was closed before it could be looked at
            raise ConnectionResetError
        self.peer, self._own = map(_numeric, names)

    def is_here(self) -> bool:
        """Tell whether the host is on this very machine."""
        return self.peer == self._own or ip_address(self.peer).is_loopback

    def say(self, line: bytes) -> None:
        """Say a line."""
        self._writer.write(line)

    async def hear(self) -> bytes:
        """Return the next line; what is too long for one is cut."""
        try:
            line = await self._reader.readline()
        except ValueError:
            return b"?"
        if not line:
            raise ConnectionResetError
        return line


async def enrol(way: Way) -> Enrolment:
    """Ask who answers at an address, and have the host let in a key.

    Raises:
        BrokenOff: somebody is there, but the exchange was not finished.
        NobodyHosts: nobody is.
        Unreachable: nobody answers there now.
        CodeNeeded: the host asks for its code.
        WrongCode: it has another one.
        LinkError: somebody answers with whom this client cannot play.
    """
    address = way.address
    reader, writer = await _connect(address)
    try:
        async with asyncio.timeout(EXCHANGE_SECONDS):
            return await _be_let_in(way, _Lines(reader, writer))
    except TimeoutError:
        raise BrokenOff(
            "The host at {address} fell silent before letting you in; try again.", address=address
        ) from None
    except OSError:
        # the door closes early when too many knock, and when its host stops
        raise BrokenOff(
            "{address} closed the door before letting you in; try again.", address=address
        ) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _be_let_in(way: Way, lines: _Lines) -> Enrolment:
    """Say and hear all that it takes."""
    address = way.address
    known = known_before(way, lines.is_here())
    knock = ClientConversation(address, known)
    banner = knock.hear_banner(await _first_line(address, lines))
    # in threads: it takes long enough to be seen on a screen
    keys = way.keys
    if keys is None:
        keys = await asyncio.to_thread(_keys_for, banner.key, way.name)
    say = await asyncio.to_thread(knock.enrol, keys.public.decode())
    while say:
        lines.say(say)
        say = await asyncio.to_thread(knock.hear, await lines.hear())
    if knock.proved and not known.here:
        pin(address, banner.key)
    return Enrolment(lines.peer, banner, keys)


def known_before(way: Way, here: bool) -> Known:
    """Return what is known of a host; who proved a code there before only where that counts.

    Args:
        way: to the host.
        here: whether it is on this very machine.

    Raises:
        LinkError: it counts, and cannot be read.
    """
    known = Known(way.code, session=way.host_key, here=here)
    if known.here or known.session or known.secret:
        return known
    return known._replace(pinned=pinned(way.address))


async def _first_line(address: Address, lines: _Lines) -> bytes:
    try:
        async with asyncio.timeout(BANNER_SECONDS):
            return await lines.hear()
    except TimeoutError:  # the system of a host that stands still takes connections all the same
        raise StandsStill(
            "What answers at {address} says nothing: it is another program, or a host that stands "
            "still; check the port, and wake the host's computer if it sleeps.",
            address=address,
        ) from None


def _keys_for(host_key: str, name: str) -> "KeyPair":
    # only here, in a thread: the first frame of a screen does not wait for ZeroMQ
    from coffeerush.local.keys import keys_for

    return keys_for(host_key, name)


def _numeric(name: tuple[Any, ...]) -> str:
    """Return the address of a socket as ZeroMQ takes it; one of IPv6 may hold on one link only."""
    host, _port, *more = name
    return f"{host}%{more[1]}" if more and more[1] else str(host)


async def _connect(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            link = await connected(address)
            return await asyncio.open_connection(sock=link, limit=MAX_DOOR_BYTES)
    except ConnectionRefusedError:
        raise NobodyHosts(
            "Nothing is hosting at {address}; ask for the address and port that the host shows, "
            "and whether it still runs.",
            address=address,
        ) from None
    except socket.gaierror:
        raise Unreachable(
            "Nobody in this network is called {address}; check the name, or use the numbers that "
            "the host shows.",
            address=address,
        ) from None
    except (OSError, UnicodeError):  # a TimeoutError is an OSError
        raise Unreachable(
            "No answer from {address}; the address may be wrong, a firewall may be in between, or "
            "the Wi-Fi may keep its devices apart.",
            address=address,
        ) from None
