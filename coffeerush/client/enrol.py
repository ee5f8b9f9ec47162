"""The client's side of the door: finds out who answers at an address, and enrols a key there.

ZeroMQ never says why a connection fails; this exchange of lines does, in one sentence each.
"""

import asyncio
import contextlib
import socket
from typing import Final, NamedTuple

from coffeerush.client.address import Address
from coffeerush.client.words import refusal_line
from coffeerush.errors import LinkError
from coffeerush.i18n import N_
from protocol import (
    MAX_DOOR_BYTES,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Banner,
    DoorRefused,
    Enrol,
    WireError,
    decode_banner,
    decode_door_answer,
    encode_line,
)

CONNECT_SECONDS: Final = 4.0
LINE_SECONDS: Final = 3.0
_FOREIGN: Final = N_("What answers at {address} is not a Coffee Rush host; check the port.")


class Unreachable(LinkError):
    """Nobody answers at the moment; trying again later makes sense."""


class BrokenOff(Unreachable):
    """Somebody is there, but what was begun did not come to its end: a bad link may be why."""


class Table(NamedTuple):
    """Where the sockets of a table are, and the key that its host proves."""

    host: str
    """The numeric address that answered."""
    banner: Banner


async def enrol(address: Address, public_key: str) -> Table:
    """Ask who answers at `address`, and have the host let in `public_key` (Z85).

    Raises:
        BrokenOff: somebody is there, but the exchange was not finished.
        Unreachable: nobody answers there now.
        LinkError: somebody answers with whom this client cannot play.
    """
    reader, writer = await _connect(address)
    try:
        async with asyncio.timeout(LINE_SECONDS):
            banner = await _banner(reader, address)
            writer.write(encode_line(Enrol(public_key)))
            await writer.drain()
            answer = decode_door_answer(await reader.readline())
        host = writer.get_extra_info("peername")[0]
    except TimeoutError:
        # perhaps a host that stands still for a while: its system took the connection
        raise BrokenOff(_FOREIGN, address=address) from None
    except (OSError, ValueError, WireError):
        # the door closes early when too many knock, and when its host stops
        raise BrokenOff(
            "{address} closed the door before letting you in; try again.", address=address
        ) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if isinstance(answer, DoorRefused):
        busy = answer.refusal.code == "door_busy"
        raise (Unreachable if busy else LinkError)(refusal_line(answer.refusal))
    return Table(host, banner)


async def _connect(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await asyncio.open_connection(*address, limit=MAX_DOOR_BYTES)
    except ConnectionRefusedError:
        raise Unreachable(
            "Nothing is hosting at {address}; ask for the address and port that the host shows, "
            "and whether the table is open.",
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


async def _banner(reader: asyncio.StreamReader, address: Address) -> Banner:
    """Return the host's first line, if it is one of ours that we can talk with."""
    try:
        line = await reader.readline()
        if not line:
            raise ConnectionResetError
        banner = decode_banner(line)
    except (ValueError, WireError):
        raise LinkError(_FOREIGN, address=address) from None
    if banner.game != PROTOCOL_NAME:
        raise LinkError(_FOREIGN, address=address)
    if banner.oldest > PROTOCOL_VERSION:
        raise LinkError(
            "The host at {address} is newer than this program: it speaks protocol {host}, this one "
            "{own}; update this one.",
            address=address,
            host=banner.oldest,
            own=PROTOCOL_VERSION,
        )
    if banner.newest < PROTOCOL_OLDEST:
        raise LinkError(
            "The host at {address} is older than this program: it speaks protocol {host}, this one "
            "{own}; the host must be updated.",
            address=address,
            host=banner.newest,
            own=PROTOCOL_OLDEST,
        )
    return banner
