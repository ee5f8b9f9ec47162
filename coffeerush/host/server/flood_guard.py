"""Cuts connections that send more than any member of a table has to say, or that are too many.

ZeroMQ bounds the size of a frame but neither the frames of a message, nor subscriptions, nor
connections, so that one peer could take all memory. What a connection has sent is known to the
system; a thread of its own looks there, for the loop may be what is held up. Linux tells it; where
nothing does, nothing is cut.
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

from .crowding import Connection, too_many
from .incidents import Incidents

GUARD_POLL_SECONDS: Final = 0.1
MAX_CONNECTIONS: Final = 128
"""On both ports together: three times what a full table has."""
HANDSHAKE_SECONDS: Final = 4.0
"""ZeroMQ ends a connection that has not proved a key by then: `open_sockets` says so."""
_DESCRIPTORS: Final = "/proc/self/fd"
_BYTES_RECEIVED: Final = slice(128, 136)
"""Of the kernel's `tcp_info`, since Linux 4.1."""


class Allowance(Struct, frozen=True):
    """What a connection may send."""

    at_once: int
    """In bytes."""
    a_second: int


REQUESTS: Final = Allowance(at_once=1 << 20, a_second=1 << 18)
"""Quick bots send less by half, the largest requests at their rate by two thirds."""
UPDATES: Final = Allowance(at_once=1 << 15, a_second=1 << 10)
"""A handshake, a subscription, and heartbeats."""


class _Connection(Struct):
    """One that was accepted; `inode` is what the system calls it, and never another one."""

    descriptor: int
    inode: str
    address: str
    bucket: TokenBucket
    """Of bytes that it may send."""
    since: float
    received: int = 0


class Guard:
    """Watches the connections to some ports of this process until it is stopped.

    Args:
        allowances: for each port what a connection to it may send.
        tally: counts what is cut.
        most: connections to all of them together.
    """

    def __init__(
        self, allowances: Mapping[int, Allowance], tally: Incidents, most: int = MAX_CONNECTIONS
    ) -> None:
        self._allowances = allowances
        self._tally = tally
        self._most = most
        self._known: dict[str, _Connection | None] = {}
        self._all_unwanted = Event()
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and wait until it has."""
        self._stopped.set()
        self._thread.join()

    def cut_all(self) -> None:
        """Cut, soon, all that is connected now: who may come back does so."""
        self._all_unwanted.set()

    def _watch(self) -> None:
        while os.path.isdir(_DESCRIPTORS) and not self._stopped.wait(GUARD_POLL_SECONDS):
            self._look(monotonic())

    def _look(self, now: float) -> None:
        is_all_unwanted = self._all_unwanted.is_set()
        if is_all_unwanted:
            self._all_unwanted.clear()  # before the look, which so finds all that was meant
        connections = self._connections(now)
        for one in connections if is_all_unwanted else ():
            _cut(one)
        for one in connections:
            _pay(one, now)
            if one.bucket.left(now) < 0:
                self._tally.count("sent_too_much", one.address)
                _cut(one)
        spare = len(connections) - self._most
        places = [_place(one, now) for one in connections] if spare > 0 else []
        for number in too_many(places, spare):
            one = connections[number]
            self._tally.count("too_many", one.address)
            _cut(one)

    def _connections(self, now: float) -> list[_Connection]:
        """Return what is connected to our ports, oldest first."""
        known: dict[str, _Connection | None] = {}
        for name in _descriptors():
            with suppress(OSError):  # closed meanwhile
                inode = os.readlink(f"{_DESCRIPTORS}/{name}")
                if inode.startswith("socket:"):
                    found = self._known.get(inode) or self._recognised(int(name), inode, now)
                    known[inode] = found
        order = {inode: None for inode in self._known if inode in known} | dict.fromkeys(known)
        self._known = {inode: known[inode] for inode in order}
        return [one for one in self._known.values() if one is not None]

    def _recognised(self, descriptor: int, inode: str, now: float) -> _Connection | None:
        """Return a connection to one of our ports; None for any other socket."""
        if inode in self._known:
            return None
        with _borrowed(descriptor) as link:
            if link.family not in (socket.AF_INET, socket.AF_INET6):
                return None
            allowance = self._allowances.get(link.getsockname()[1])
            address = origin(link.getpeername()[0])  # none has who listens
        if allowance is None:
            return None
        bucket = TokenBucket(allowance.a_second, allowance.at_once, now)
        return _Connection(descriptor, inode, address, bucket, now)


@contextmanager
def _borrowed(descriptor: int) -> Iterator[socket.socket]:
    """Use a descriptor as a socket, which stays open: it belongs to ZeroMQ."""
    link = socket.socket(fileno=descriptor)
    try:
        yield link
    finally:
        link.detach()


def _descriptors() -> list[str]:
    """Return what this process has open; also where it may open no more, for then it is flooded."""
    try:
        return os.listdir(_DESCRIPTORS)
    except OSError:
        with spare_descriptors():
            return os.listdir(_DESCRIPTORS)


def _cut(one: _Connection) -> None:
    with suppress(OSError):
        if os.readlink(f"{_DESCRIPTORS}/{one.descriptor}") == one.inode:
            with _borrowed(one.descriptor) as link:
                link.shutdown(socket.SHUT_RDWR)  # ZeroMQ finds it ended, and cleans up


def _pay(one: _Connection, now: float) -> None:
    """Take what a connection has sent since the last look off what it may send."""
    try:
        received = _received(one)
    except OSError:
        return  # closed meanwhile
    one.bucket.spend(now, max(received - one.received, 0))
    one.received = received


def _place(one: _Connection, now: float) -> Connection:
    return Connection(source_of(one.address), now - one.since > HANDSHAKE_SECONDS)


def _received(one: _Connection) -> int:
    """Return the bytes that came over a connection so far; raises `OSError`."""
    with _borrowed(one.descriptor) as link:
        told = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.stop)
    return int.from_bytes(told[_BYTES_RECEIVED], "little")
