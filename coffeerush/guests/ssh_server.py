"""The ssh server for guests: a session shows the table, and nothing else is on offer.

Any key is accepted and none is needed: the join code is asked for inside the session. There is no
shell, no command, no file transfer, and no forwarding of any kind.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import asyncssh

from coffeerush.errors import HostError
from coffeerush.joining.admission import origin
from coffeerush.local.files import (
    claim,
    make_directory,
    make_private,
    new_draft,
    open_regular,
    sync,
    write,
)
from coffeerush.rates import TokenBucket

from .gateway import Gateway
from .listener import BACKLOG, Listener
from .places import Arrivals
from .ssh_session import Caller, GuestSession

CLOSE_SECONDS: Final = 1.0
"""For how long a connection stays open after its session."""
LOGIN_SECONDS: Final = 15.0
"""The time from the connection to the session."""
SILENT_SECONDS: Final = 3.0
"""The time for its first line, which a client sends at once."""
ARRIVALS: Final = (60.0, 30, 4000)
"""The limits of `Arrivals`: with 200 sources, 13 connections a second. A handshake takes 5 ms."""
BYTES_PER_SECOND: Final = 8192
"""What a connection may send; ssh itself sends 5 kB a second while somebody types."""
BYTES_AT_ONCE: Final = 65536
WINDOW_BYTES: Final = 32768
MAX_NAME: Final = 64
"""Characters of a user name that are looked at."""
_KEY_NAME: Final = "guests-ssh.key"
_KEY_BYTES: Final = 4096
_KEY_EXCHANGES: Final = (
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "mlkem768x25519-sha256",
)
"""Those that take little time, so that handshakes are no means of attack.

The client's order decides. But Dropbear's client guesses its first one, and asyncssh takes the
guess for right only if ours is the same.
"""
_CIPHERS: Final = ("aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr", "aes128-ctr")
"""Those that take little time; ChaCha, the first choice of many clients, takes more in Python."""
_log: Final = logging.getLogger(__name__)


def host_key(directory: Path) -> asyncssh.SSHKey:
    """Return the server's key, kept in an owner-only file; raises `HostError`."""
    path = directory / _KEY_NAME
    try:
        return asyncssh.import_private_key(_kept_key(path))
    except OSError as error:
        raise HostError(
            "Your key cannot be saved: {reason}; set COFFEERUSH_STATE to a writable directory.",
            reason=error,
        ) from None
    except ValueError:
        raise HostError(
            "{path} does not hold a host's key; move that file out of the way, and a "
            "new one will be created.",
            path=path,
        ) from None


def _kept_key(path: Path) -> bytes:
    """Return the contents of the file of the key, which is created if it is missing."""
    if not path.exists():
        make_directory(path.parent)
        with new_draft(path.parent) as (new, draft):
            write(new, asyncssh.generate_private_key("ssh-ed25519").export_private_key())
            sync(new)
            claim(draft, path)
    with os.fdopen(open_regular(path), "rb") as file:
        if make_private(file.fileno()):
            _log.warning(
                "Other users of this machine could read or change %s; it is private now. If one of"
                " them may have done so, move it away: a new key is created, and guests' ssh warns"
                " them of it.",
                path,
            )
        return file.read(_KEY_BYTES)


class SshDoor:
    """Listens for guests until `close`."""

    def __init__(self, gateway: Gateway, key: asyncssh.SSHKey) -> None:
        self._gateway = gateway
        self._key = key
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self.connections: set[_Server] = set()
        """Those that are open."""
        self.fingerprint: str = key.get_fingerprint()

    async def open(self, listening: socket.socket) -> int:
        """Accept connections at a socket, and return its port."""
        arrivals = Arrivals(*ARRIVALS)
        self.listener = Listener(listening, self._gateway.places, arrivals, self._gateway.incidents)
        known = {each.decode() for each in asyncssh.kex.get_kex_algs()}
        self._acceptor = await asyncssh.listen(
            sock=self.listener,
            backlog=BACKLOG,
            config=[],
            server_factory=lambda: _Server(self, self._gateway),
            server_host_keys=[self._key],
            server_version="CoffeeRush",
            kex_algs=[each for each in _KEY_EXCHANGES if each in known],
            encryption_algs=_CIPHERS,
            compression_algs=None,
            gss_host=None,
            password_auth=False,
            host_based_auth=False,
            agent_forwarding=False,
            x11_forwarding=False,
            line_editor=False,
            encoding=None,
            window=WINDOW_BYTES,
            login_timeout=LOGIN_SECONDS,
            keepalive_interval=10,
            keepalive_count_max=3,
        )
        port: int = self.listener.getsockname()[1]
        return port

    async def close(self) -> None:
        """Stop listening, and end all sessions."""
        if self._acceptor:
            self._acceptor.close()
        await asyncio.gather(*(each.end() for each in [*self.connections]))
        open_still = [
            asyncio.ensure_future(each.connection.wait_closed()) for each in self.connections
        ]
        if open_still:
            await asyncio.wait(open_still, timeout=CLOSE_SECONDS)
        for each in [*self.connections]:
            each.connection.abort()


class _Server(asyncssh.SSHServer):
    """One connection."""

    def __init__(self, door: SshDoor, gateway: Gateway) -> None:
        self._door = door
        self._gateway = gateway
        self._session: GuestSession | None = None
        self.key = ""
        self.user = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.address = origin(conn.get_extra_info("peername")[0])
        self._place = self._door.listener.place_of(conn.get_extra_info("socket").fileno())
        self._acknowledge()
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_AT_ONCE, _now())
        self._hear, conn.data_received = conn.data_received, self._count  # type: ignore[method-assign]  # asyncssh does not limit what it stores
        self._door.connections.add(self)
        self._late = _later(SILENT_SECONDS, self._check_spoken)
        self._place.set_cut(conn.abort)  # last: it may be cut already

    def _count(self, data: bytes, datatype: Any = None) -> None:
        """Pass on what was received, unless it is too much."""
        if self._session is None:
            self._acknowledge()
        self._bytes.spend(_now(), len(data))
        if self._bytes.left(_now()) < 0:
            self._abort("sent_too_much")
        else:
            self._hear(data, datatype)

    def _acknowledge(self) -> None:
        """Acknowledge what was received at once, not with the next answer 40 ms later.

        Until its session begins, OpenSSH's client waits for that before it sends more (Nagle).
        """
        if hasattr(socket, "TCP_QUICKACK"):
            connected = self.connection.get_extra_info("socket")
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _check_spoken(self) -> None:
        if self.connection.get_extra_info("client_version"):
            self._late = _later(LOGIN_SECONDS - SILENT_SECONDS, self._check_begun)
        else:
            self._abort("said_nothing")

    def _check_begun(self) -> None:
        if self._session is None or not self._session.is_begun:
            self._abort("late_visitor")

    def _abort(self, why: str) -> None:
        self._gateway.incidents.count(why, self.address)
        self.connection.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.connections.discard(self)
        self._late.cancel()
        if self._session:
            self._session.cancel()

    def give_place_back(self) -> None:
        """Make room for others who have not given the code."""
        self._place.give_back()

    def close_soon(self) -> None:
        """Close the connection, unless the guest's ssh does so first."""
        self._late.cancel()
        self._late = _later(CLOSE_SECONDS, self.connection.abort)

    async def end(self) -> None:
        """End the session in good order."""
        if self._session:
            await self._session.end()

    # Authentication: any key, or none

    def begin_auth(self, username: str) -> bool:
        self.user = username[:MAX_NAME]
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        self.key = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:
        self.key = ""  # a key that was only mentioned proves nothing
        return True

    def session_requested(self) -> "GuestSession | bool":
        """Offer one session per connection."""
        if self._session is not None:
            return False
        self._place.begin()
        self._session = GuestSession(
            self._gateway, self.connection, Caller(self.address, self.user, self.key), self
        )
        return self._session


def _now() -> float:
    return asyncio.get_running_loop().time()


def _later(seconds: float, do: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, do)
