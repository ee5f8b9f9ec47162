"""Flood protection: cut connections that exceed their byte rate or the connection limit.

ZeroMQ limits the size of a frame but not the frames per message, the subscriptions or the
connections, so one peer could exhaust the memory. The kernel knows how many bytes a connection
has received; a separate thread polls that, because the server's loop may itself be blocked by
the flood. Linux only: elsewhere nothing is cut.
"""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import Final

from msgspec import Struct

from coffeerush.joining.sources import origin, source_of
from coffeerush.local.processes import spare_descriptors
from coffeerush.rates import TokenBucket

from .crowding import Connection, connections_to_cut
from .incidents import Incidents

GUARD_POLL_SECONDS: Final = 0.1
MAX_CONNECTIONS: Final = 128
"""On both ports together: three times as many as a full table has."""
HANDSHAKE_SECONDS: Final = 4.0
"""Older than this, a connection has been admitted: `open_sockets` sets ZeroMQ's timeout lower."""
_DESCRIPTORS: Final = "/proc/self/fd"
_BYTES_RECEIVED: Final = slice(128, 136)
"""Offset of `tcpi_bytes_received` in the kernel's `tcp_info`, since Linux 4.1."""


class Allowance(Struct, frozen=True):
    """How much a connection may send: a token bucket of bytes."""

    burst: int
    """In bytes."""
    per_second: int


REQUESTS: Final = Allowance(burst=1 << 20, per_second=1 << 18)
"""Fast bots need half of it, the largest requests at the rate limit a third."""
UPDATES: Final = Allowance(burst=1 << 15, per_second=1 << 10)
"""A handshake, a subscription, and heartbeats."""


class _Connection(Struct):
    """An accepted connection; `inode` identifies it, since descriptors are reused."""

    descriptor: int
    inode: str
    address: str
    bucket: TokenBucket
    """The bytes that it may still send."""
    since: float
    received: int = 0


class Guard:
    """Watches the connections to some ports of this process until stopped.

    Args:
        allowances: how much each connection may send, by port.
        incidents: counts the connections that are cut.
        most: the connection limit, for all ports together.
    """

    def __init__(
        self, allowances: Mapping[int, Allowance], incidents: Incidents, most: int = MAX_CONNECTIONS
    ) -> None:
        self._allowances = allowances
        self._incidents = incidents
        self._most = most
        self._known: dict[str, _Connection | None] = {}
        self._cut_all_requested = Event()
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait for it."""
        self._stopped.set()
        self._thread.join()

    def cut_all(self) -> None:
        """Cut all current connections soon; clients that are still admitted reconnect."""
        self._cut_all_requested.set()

    def _watch(self) -> None:
        while os.path.isdir(_DESCRIPTORS) and not self._stopped.wait(GUARD_POLL_SECONDS):
            self._check(monotonic())

    def _check(self, now: float) -> None:
        cuts_all = self._cut_all_requested.is_set()
        if cuts_all:
            # before listing connections, so that all open at the request are listed
            self._cut_all_requested.clear()
        connections = self._connections(now)
        for one in connections if cuts_all else ():
            _cut(one)
        for one in connections:
            _charge(one, now)
            if one.bucket.left(now) < 0:
                self._incidents.count("sent_too_much", one.address)
                _cut(one)
        excess = len(connections) - self._most
        summaries = [_summary(one, now) for one in connections] if excess > 0 else []
        for number in connections_to_cut(summaries, excess):
            one = connections[number]
            self._incidents.count("too_many", one.address)
            _cut(one)

    def _connections(self, now: float) -> list[_Connection]:
        """Return the connections to our ports, oldest first."""
        known: dict[str, _Connection | None] = {}
        for name in _descriptors():
            with suppress(OSError):  # closed in the meantime
                inode = os.readlink(f"{_DESCRIPTORS}/{name}")
                if inode.startswith("socket:"):
                    found = self._known.get(inode) or self._identify(int(name), inode, now)
                    known[inode] = found
        order = {inode: None for inode in self._known if inode in known} | dict.fromkeys(known)
        self._known = {inode: known[inode] for inode in order}
        return [one for one in self._known.values() if one is not None]

    def _identify(self, descriptor: int, inode: str, now: float) -> _Connection | None:
        """Return a connection to one of our ports; None for any other socket."""
        if inode in self._known:
            return None
        with _borrowed(descriptor) as link:
            if link.family not in (socket.AF_INET, socket.AF_INET6):
                return None
            allowance = self._allowances.get(link.getsockname()[1])
            address = origin(link.getpeername()[0])  # raises for a listening socket
        if allowance is None:
            return None
        bucket = TokenBucket(allowance.per_second, allowance.burst, now)
        return _Connection(descriptor, inode, address, bucket, now)


@contextmanager
def _borrowed(descriptor: int) -> Iterator[socket.socket]:
    """Use a descriptor as a socket without closing it: it belongs to ZeroMQ."""
    link = socket.socket(fileno=descriptor)
    try:
        yield link
    finally:
        link.detach()


def _descriptors() -> list[str]:
    """List this process's open descriptors, even at the descriptor limit: floods lead there."""
    try:
        return os.listdir(_DESCRIPTORS)
    except OSError:
        with spare_descriptors():
            return os.listdir(_DESCRIPTORS)


def _cut(one: _Connection) -> None:
    with suppress(OSError):
        if os.readlink(f"{_DESCRIPTORS}/{one.descriptor}") == one.inode:
            with _borrowed(one.descriptor) as link:
                link.shutdown(socket.SHUT_RDWR)  # ZeroMQ notices, and closes it


def _charge(one: _Connection, now: float) -> None:
    """Charge a connection for the bytes received since the last check."""
    try:
        received = _received(one)
    except OSError:
        return  # closed in the meantime
    one.bucket.spend(now, max(received - one.received, 0))
    one.received = received


def _summary(one: _Connection, now: float) -> Connection:
    return Connection(source_of(one.address), now - one.since > HANDSHAKE_SECONDS)


def _received(one: _Connection) -> int:
    """Return how many bytes a connection has received so far; raises `OSError`."""
    with _borrowed(one.descriptor) as link:
        told = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.stop)
    return int.from_bytes(told[_BYTES_RECEIVED], "little")
