"""Flood protection: cut connections that say too much, or nothing, and those of unwanted keys.

ZeroMQ limits the size of a frame but not the frames per message or the connections, so one peer
could exhaust the memory. The kernel knows how many bytes a connection has received, and the server
tells which key sent a whole message over it. A separate thread compares them, because the server's
loop may itself be blocked by the flood. Linux only: elsewhere nothing is cut.
"""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from stat import S_ISSOCK
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final

from msgspec import Struct

from coffeerush.joining.admission import origin, source_of
from coffeerush.local.processes import spare_descriptors

from .crowding import Tier, Tiers, connections_to_cut, ranks_of
from .frames import Sender
from .incidents import Incidents

GUARD_POLL_SECONDS: Final = 0.1
GUARD_REST_SECONDS: Final = 0.01
"""Between two checks, however much there is to cut."""
MAX_CONNECTIONS: Final = 128
"""On both ports together: three times as many as a full table has."""
MAX_OF_A_KEY: Final = 4
"""Connections to a port: one in use, others that broke and were not noticed yet."""
NAMELESS_SECONDS: Final = 4.0
"""How long a connection may go without a message. ZeroMQ's timeout of handshakes is lower."""
PLACELESS_SECONDS: Final = 4.0
"""How long a connection may stay without a place at the table for its key, while there are more
than half of `MAX_CONNECTIONS`. Clients that are turned away leave by themselves, and those that
still want a place connect again."""
KNOWN_SECONDS: Final = 600.0
"""How long the source of a key's last message is remembered, for when it comes back."""
_DESCRIPTORS: Final = "/proc/self/fd"
_BYTES_RECEIVED: Final = slice(128, 136)
"""Offset of `tcpi_bytes_received` in the kernel's `tcp_info`, since Linux 4.1."""


class Allowance(Struct, frozen=True):
    """How many bytes a connection may receive since its last whole message."""

    bytes: int
    per_second: int = 0
    """In addition, for each second since it was accepted."""


REQUESTS_ALLOWANCE: Final = Allowance(1 << 16)
"""The largest request many times over."""
UPDATES_ALLOWANCE: Final = Allowance(1 << 12, 128)
"""The subscription, and heartbeats: 82 bytes a second, with one a second in each direction."""


class _Connection(Struct):
    """An accepted connection; `inode` identifies it, since descriptors are reused."""

    descriptor: int
    inode: int
    address: str
    source: str
    port: int
    since: float
    """When it was seen first."""
    after: float
    """When it was not there yet."""
    placed: float
    """When its key last had a place at the table, or was not known yet."""
    key: str = ""
    """Who sent the last message over it; empty before the first one."""
    received: int = 0
    """In bytes, at the last check."""
    done: int = 0
    """Of these, known to belong to whole messages."""


class Guard:
    """Watches the connections to some ports of this process until stopped.

    Args:
        limits: for the connections to each port.
        incidents: counts the connections that are cut.
        most: the connection limit, for all ports together.
    """

    def __init__(
        self, limits: Mapping[int, Allowance], incidents: Incidents, most: int = MAX_CONNECTIONS
    ) -> None:
        self._limits = limits
        self._incidents = incidents
        self._most = most
        self._known: dict[int, _Connection | None] = {}
        self._tiers = Tiers()
        self._places: dict[str, tuple[str, float]] = {}
        """From which source, and when, the last message of each key came."""
        self._lock = Lock()
        self._senders: dict[int, Sender] = {}
        self._unwanted: set[str] = set()
        self._cut_all_requested = False
        self._checked_at = float("-inf")
        self._named: tuple[_Connection, ...] = ()
        self._woken = Event()
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait for it."""
        self._stopped.set()
        self._woken.set()
        self._thread.join()

    def note_message(self, sender: Sender) -> None:
        """Note that a whole message came."""
        with self._lock:
            self._senders[sender.descriptor] = sender

    def set_tiers(self, tiers: Tiers) -> None:
        """Set who is at the table now; the others are cut first."""
        self._tiers = tiers

    def settled(self, key: str, port: int, before: float) -> int:
        """Count a key's connections to a port that may have been accepted `before` that time."""
        return sum(
            (one.key, one.port) == (key, port) and one.after <= before for one in self._named
        )

    def cut_key(self, key: str) -> None:
        """Cut a key's current connections at once."""
        with self._lock:
            self._unwanted.add(key)
        self._woken.set()

    def cut_all(self) -> None:
        """Cut all current connections soon; clients that are still admitted reconnect."""
        with self._lock:
            self._cut_all_requested = True

    def _watch(self) -> None:
        while os.path.isdir(_DESCRIPTORS) and not self._stopped.wait(GUARD_REST_SECONDS):
            self._woken.wait(GUARD_POLL_SECONDS - GUARD_REST_SECONDS)
            self._woken.clear()
            self._check(monotonic())

    def _check(self, now: float) -> None:
        with self._lock:  # before listing connections, so that all open at the request are listed
            senders, self._senders = self._senders, {}
            unwanted, self._unwanted = self._unwanted, set()
            cuts_all, self._cut_all_requested = self._cut_all_requested, False
        tiers, connections = self._tiers, self._connections(now)
        is_crowded = 2 * len(connections) > self._most
        for one in connections:
            self._update(one, senders.get(one.descriptor), now)
            if not one.key or tiers.of(one.key) >= Tier.WATCHES:
                one.placed = now
            if cuts_all or one.key in unwanted:
                _cut(one)
            elif why := self._offence(one, now, is_crowded):
                self._incidents.count(why, one.address)
                _cut(one)
        self._places = {
            key: (source, at)
            for key, (source, at) in self._places.items()
            if now - at < KNOWN_SECONDS and tiers.of(key)
        }
        peers = [(one.source, one.key) for one in connections]
        places = {key: source for key, (source, _at) in self._places.items()}
        sources, ranks = [one.source for one in connections], [*ranks_of(peers, tiers, places)]
        for number in connections_to_cut(sources, ranks, len(sources) - self._most):
            self._incidents.count("too_many", connections[number].address)
            _cut(connections[number])
        self._checked_at = now
        self._named = tuple(one for one in connections if one.key)

    def _update(self, one: _Connection, sender: Sender | None, now: float) -> None:
        """Note what a connection has received since the last check."""
        if sender is not None and sender.address == one.address:
            # the message may have come early since then, with more after it
            one.key, one.done = sender.key, one.received
            self._places[one.key] = one.source, now
        with suppress(OSError):  # closed in the meantime
            one.received = _received(one)

    def _offence(self, one: _Connection, now: float, is_crowded: bool) -> str:
        """Return why to cut a connection, if at all."""
        limit = self._limits[one.port]
        if one.received - one.done > limit.bytes + limit.per_second * (now - one.since):
            return "sent_too_much"
        if not one.key and now - one.since > NAMELESS_SECONDS:
            return "said_nothing"
        if is_crowded and one.key and now - one.placed > PLACELESS_SECONDS:
            return "no_place"
        return ""

    def _connections(self, now: float) -> list[_Connection]:
        """Return the connections to our ports, oldest first."""
        known: dict[int, _Connection | None] = {}
        for name in _descriptors():
            with suppress(OSError):  # closed in the meantime
                status = os.fstat(int(name))
                if S_ISSOCK(status.st_mode):
                    inode = status.st_ino
                    found = self._known.get(inode) or self._identify(int(name), inode, now)
                    known[inode] = found
        order = {inode: None for inode in self._known if inode in known} | dict.fromkeys(known)
        self._known = {inode: known[inode] for inode in order}
        return [one for one in self._known.values() if one is not None]

    def _identify(self, descriptor: int, inode: int, now: float) -> _Connection | None:
        """Return a connection to one of our ports; None for any other socket."""
        if inode in self._known:
            return None
        with _borrowed(descriptor) as link:
            if link.family not in (socket.AF_INET, socket.AF_INET6):
                return None
            port = link.getsockname()[1]
            address = origin(link.getpeername()[0])  # raises for a listening socket
        if port not in self._limits:
            return None
        times = now, self._checked_at, now
        return _Connection(descriptor, inode, address, source_of(address), port, *times)


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
        if os.fstat(one.descriptor).st_ino == one.inode:
            with _borrowed(one.descriptor) as link:
                link.shutdown(socket.SHUT_RDWR)  # ZeroMQ notices, and closes it


def _received(one: _Connection) -> int:
    """Return the number of bytes that a connection has received so far; raises `OSError`."""
    with _borrowed(one.descriptor) as link:
        told = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.stop)
    return int.from_bytes(told[_BYTES_RECEIVED], "little")
