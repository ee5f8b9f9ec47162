"""The client's side of the door: finds out who answers at an address, and enrols a key there.

ZeroMQ never says why a connection fails; this exchange of lines does, in one sentence each.
"""

import asyncio
import contextlib
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple

from coffeerush.client.address import Address
from coffeerush.client.pins import pin, pinned
from coffeerush.client.trust import (
    CodeNeeded as CodeNeeded,
    Known,
    WrongCode as WrongCode,
    check_banner,
    check_proof,
)
from coffeerush.client.words import refusal_line
from coffeerush.codeproof import CodeProof
from coffeerush.errors import LinkError
from coffeerush.i18n import N_
from protocol import (
    MAX_DOOR_BYTES,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Banner,
    Challenge,
    DoorRefused,
    Enrol,
    Enrolled,
    Proof,
    RefusalCode,
    WireError,
    decode_banner,
    decode_door_answer,
    encode_line,
)

if TYPE_CHECKING:
    from coffeerush.keyfile import KeyPair

CONNECT_SECONDS: Final = 4.0
BANNER_SECONDS: Final = 3.0
"""From the connection until the host has said who it is."""
EXCHANGE_SECONDS: Final = 5.0
"""Until it has let in."""
_FOREIGN: Final = N_("What answers at {address} is not a Coffee Rush host; check the port.")
_SAYS_NOTHING: Final = N_(
    "What answers at {address} says nothing: it is another program, or a host that stands still; "
    "check the port, and wake the host's computer if it sleeps."
)
_FELL_SILENT: Final = N_("The host at {address} fell silent before letting you in; try again.")


class Unreachable(LinkError):
    """Nobody answers at the moment; trying again later makes sense."""


class BrokenOff(Unreachable):
    """Somebody is there, but what was begun did not come to its end: a bad link may be why."""


class Way(NamedTuple):
    """How to get to a table."""

    address: Address
    name: str
    """What one is called there."""
    code: str = ""
    """What a person gave as `coffeerush.joincode` reads it: a code, `OPEN`, or nothing."""
    keys: "KeyPair | None" = None
    """Who one is there; None for whoever had this name at that host before."""
    host_key: str = ""
    """The key of the host that one was at, where one comes back: no other will do."""


class Table(NamedTuple):
    """Where the sockets of a table are, and the keys of both sides."""

    host: str
    """The numeric address that answered."""
    banner: Banner
    keys: "KeyPair"
    """Those of this client, which the host lets in."""


async def enrol(way: Way) -> Table:
    """Ask who answers at an address, and have the host let in a key.

    Raises:
        BrokenOff: somebody is there, but the exchange was not finished.
        Unreachable: nobody answers there now.
        CodeNeeded: the host asks for its code.
        WrongCode: it has another one.
        LinkError: somebody answers with whom this client cannot play.
    """
    address = way.address
    reader, writer = await _connect(address)
    visit = _Visit(address, reader, writer)
    try:
        async with asyncio.timeout(EXCHANGE_SECONDS):
            return await visit.be_let_in(way)
    except TimeoutError:
        # perhaps a host that stands still for a while: its system took the connection
        raise BrokenOff(_FELL_SILENT if visit.said else _SAYS_NOTHING, address=address) from None
    except OSError:
        # the door closes early when too many knock, and when its host stops
        raise BrokenOff(
            "{address} closed the door before letting you in; try again.", address=address
        ) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


class _Visit:
    """One exchange at a door.

    Args:
        address: of the door.
        reader: what the host says.
        writer: what is said to it.
    """

    def __init__(
        self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._address = address
        self._reader = reader
        self._writer = writer
        self.said = b""
        """All lines so far, of both sides."""

    async def be_let_in(self, way: Way) -> Table:
        """Say and hear all that it takes."""
        async with asyncio.timeout(BANNER_SECONDS):
            banner = await self._hear_banner()
        here = self._is_here()
        known = Known(way.code, "" if here else pinned(self._address), way.host_key)
        check_banner(self._address, banner, known, here)
        keys = way.keys
        if keys is None:
            keys = await asyncio.to_thread(_keys_for, banner.key, way.name)
        proved = await self._enrol(keys.public.decode(), banner.key, known.secret)
        if not here:
            check_proof(self._address, known, proved)
            if proved:
                pin(self._address, banner.key)
        return Table(self._writer.get_extra_info("peername")[0], banner, keys)

    def _is_here(self) -> bool:
        """Tell whether the host is on this very machine, with nobody in between."""
        peer, own = (self._writer.get_extra_info(name)[0] for name in ("peername", "sockname"))
        return peer == own or ip_address(peer).is_loopback

    async def _enrol(self, key: str, host_key: str, code: str) -> bool:
        """Have a key let in, and tell whether the host proved to know the code."""
        if not code:
            self._say(Enrol(key))
            await self._hear_enrolled()
            return False
        # in a thread: it takes long enough to be seen on a screen
        proof = await asyncio.to_thread(CodeProof, "client", code, key, host_key)
        self._say(Enrol(key, proof.share))
        answer = await self._hear()
        if isinstance(answer, Enrolled):
            return False
        try:
            proofs = await asyncio.to_thread(proof.proofs, answer.share, self.said)
        except ValueError:
            return False
        self._say(Proof(proofs.client))
        return proofs.host_fits((await self._hear_enrolled()).proof)

    def _say(self, message: Enrol | Proof) -> None:
        line = encode_line(message)
        self._writer.write(line)
        self.said += line

    async def _hear_enrolled(self) -> Enrolled:
        answer = await self._hear()
        if not isinstance(answer, Enrolled):
            raise LinkError(_FOREIGN, address=self._address)
        return answer

    async def _hear(self) -> Challenge | Enrolled:
        """Return the host's next line, if it is not that it does not let in."""
        try:
            answer = decode_door_answer(await self._line())
        except (ValueError, WireError):
            raise LinkError(_FOREIGN, address=self._address) from None
        if isinstance(answer, DoorRefused):
            raise _REFUSED.get(answer.refusal.code, LinkError)(refusal_line(answer.refusal))
        return answer

    async def _hear_banner(self) -> Banner:
        """Return the host's first line, if it is one of ours that we can talk with."""
        try:
            banner = decode_banner(await self._line())
        except (ValueError, WireError):
            raise LinkError(_FOREIGN, address=self._address) from None
        _check_version(self._address, banner)
        return banner

    async def _line(self) -> bytes:
        line = await self._reader.readline()
        if not line:
            raise ConnectionResetError
        self.said += line
        return line


_REFUSED: Final[dict[RefusalCode, type[LinkError]]] = {
    "door_busy": Unreachable,
    "code_needed": CodeNeeded,
    "wrong_code": WrongCode,
}


def _keys_for(host_key: str, name: str) -> "KeyPair":
    # only here, in a thread: the first frame of a screen does not wait for ZeroMQ
    from coffeerush.client.keys import keys_for

    return keys_for(host_key, name)


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


def _check_version(address: Address, banner: Banner) -> None:
    """Look at whether the host is one of ours that we can talk with."""
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
