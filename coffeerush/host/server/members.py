"""Who may connect, how often, and whose connection is cut."""

import os
import socket
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from enum import IntEnum
from itertools import repeat
from stat import S_ISSOCK
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, TypeAlias

from msgspec import Struct

from coffeerush.host.hall.hall import Hall
from coffeerush.joining.admission import Admission, origin, source_of
from coffeerush.joining.admitted_keys import KEYS_A_TABLE, MAX_KEYS, AdmittedKeyring
from coffeerush.local.processes import spare_descriptors
from coffeerush.rates import SlidingWindow

from .incidents import Incidents
from .sockets import Sender

# Ration what a key may do over all its connections. Sans-I/O; `now` is in seconds


RATION_SECONDS: Final = 10.0


class Rations:
    """Counts what each key did in the last `RATION_SECONDS`."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, Hashable], SlidingWindow] = {}

    def take(self, now: float, key: str, what: Hashable, most: int) -> bool:
        """Count one of `what` by a key; return whether that was within `most`."""
        window = self._windows.setdefault((key, what), SlidingWindow(RATION_SECONDS))
        if window.count(now) >= most:
            return False
        window.add(now)
        return True

    def clear(self) -> None:
        """Give all keys their full rations again."""
        self._windows.clear()

    def prune(self, now: float) -> None:
        """Forget keys that did nothing lately."""
        self._windows = {who: window for who, window in self._windows.items() if window.count(now)}


# Choose which connections to cut when there are too many. Sans-I/O


EXEMPT: Final = 40
"""Connections from one source that count as those of its people before their first message."""


class Tier(IntEnum):
    """What a key is to the table; who has more of it is cut later."""

    NONE = 0
    WAS_HERE = 1
    WATCHES = 2
    HAS_A_SEAT = 3
    """Also the owner."""


class Tiers(Struct, frozen=True):
    """The tier of all keys."""

    seated: Set[str] = frozenset()
    """The keys with a seat, and the owner's."""
    here: Set[str] = frozenset()
    """The keys of everybody at the table."""
    known: Set[str] = frozenset()
    """The keys of everybody who is or was at the table."""

    def of(self, key: str) -> Tier:
        """Return how far up a key is when connections are cut: `NONE` for a stranger's."""
        if key in self.seated:
            return Tier.HAS_A_SEAT
        if key in self.here:
            return Tier.WATCHES
        return Tier.WAS_HERE if key in self.known else Tier.NONE


Rank: TypeAlias = tuple[Tier, bool]
"""The tier of a connection, and whether it has sent a message; the lowest are cut first."""
_STRANGER: Final = (Tier.NONE, False)


def ranks_of(
    connections: Iterable[tuple[str, str]], tiers: Tiers, places: Mapping[str, str]
) -> Iterator[Rank]:
    """Yield the rank of each connection, so that nobody without a seat crowds out the players.

    Before its first message, a connection has the tier of the people who were last heard from
    its source, and comes after theirs.

    Args:
        connections: the source and the key of each, oldest first; the key is empty before the first
            message, the source as `coffeerush.joining.sources.source_of` returns it.
        tiers: the tier of each key.
        places: the source of the last message of each key.
    """
    homes: dict[str, Tier] = {}
    for key, source in places.items():
        homes[source] = max(tiers.of(key), homes.get(source, Tier.NONE))
    nameless = Counter[str]()
    for source, key in connections:
        if key:
            yield tiers.of(key), True
            continue
        nameless[source] += 1
        is_exempt = nameless[source] <= EXEMPT
        yield homes.get(source, Tier.NONE) if is_exempt else Tier.NONE, False


def connections_to_cut(sources: Sequence[str], ranks: Sequence[Rank], excess: int) -> Iterator[int]:
    """Yield the numbers of `excess` connections of the lowest ranks.

    Of equal rank, each is the newest connection of the source with the most. Of sources with as
    many, the newest one is cut, but before the first message the oldest: it has had its time.

    Args:
        sources: of the connections, oldest first.
        ranks: of the connections; empty if none has sent a message.
        excess: how many to cut.
    """
    order = []
    crowds = Counter[tuple[Rank, str]]()
    first: dict[tuple[Rank, str], int] = {}
    for number, (source, rank) in enumerate(zip(sources, ranks or repeat(_STRANGER), strict=False)):
        crowd = rank, source
        crowds[crowd] += 1
        _tier, has_spoken = rank
        age = -number if has_spoken else first.setdefault(crowd, number)
        order.append((rank, -crowds[crowd], age, number))
    yield from (number for *_rank, number in sorted(order)[: max(excess, 0)])


# Flood protection: cut connections that say too much, or nothing, and those of unwanted keys
#
# ZeroMQ limits the size of a frame but not the frames per message or the connections, so one peer
# could exhaust the memory. The kernel knows how many bytes a connection has received, and the
# server tells which key sent a whole message over it. A separate thread compares them, because the
# server's loop may itself be blocked by the flood. Linux only: elsewhere nothing is cut.


GUARD_POLL_SECONDS: Final = 0.1
GUARD_REST_SECONDS: Final = 0.01
"""Between two checks, however much there is to cut."""
MAX_CONNECTIONS: Final = 128
"""On both ports together: three times as many as a full table has."""
CONNECTIONS_A_TABLE: Final = 16
"""As many more for each table beside the first one: twice as many as its players have."""
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
        self.most = most
        """The connection limit."""
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
            (link.key, link.port) == (key, port) and link.after <= before for link in self._named
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
        is_crowded = 2 * len(connections) > self.most
        for connection in connections:
            self._update(connection, senders.get(connection.descriptor), now)
            if not connection.key or tiers.of(connection.key) >= Tier.WATCHES:
                connection.placed = now
            if cuts_all or connection.key in unwanted:
                _cut(connection)
            elif why := self._offence(connection, now, is_crowded):
                self._incidents.count(why, connection.address)
                _cut(connection)
        self._places = {
            key: (source, at)
            for key, (source, at) in self._places.items()
            if now - at < KNOWN_SECONDS and tiers.of(key)
        }
        peers = [(connection.source, connection.key) for connection in connections]
        places = {key: source for key, (source, _at) in self._places.items()}
        sources = [connection.source for connection in connections]
        ranks = [*ranks_of(peers, tiers, places)]
        for number in connections_to_cut(sources, ranks, len(sources) - self.most):
            self._incidents.count("too_many", connections[number].address)
            _cut(connections[number])
        self._checked_at = now
        self._named = tuple(connection for connection in connections if connection.key)

    def _update(self, connection: _Connection, sender: Sender | None, now: float) -> None:
        """Note what a connection has received since the last check."""
        if sender is not None and sender.address == connection.address:
            # the message may have come early since then, with more after it
            connection.key, connection.done = sender.key, connection.received
            self._places[connection.key] = connection.source, now
        with suppress(OSError):  # closed in the meantime
            connection.received = _received(connection)

    def _offence(self, connection: _Connection, now: float, is_crowded: bool) -> str:
        """Return why to cut a connection, if at all."""
        limit = self._limits[connection.port]
        unread = connection.received - connection.done
        if unread > limit.bytes + limit.per_second * (now - connection.since):
            return "sent_too_much"
        if not connection.key and now - connection.since > NAMELESS_SECONDS:
            return "said_nothing"
        if is_crowded and connection.key and now - connection.placed > PLACELESS_SECONDS:
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
        return [connection for connection in self._known.values() if connection is not None]

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


def _cut(connection: _Connection) -> None:
    with suppress(OSError):
        if os.fstat(connection.descriptor).st_ino == connection.inode:
            with _borrowed(connection.descriptor) as link:
                link.shutdown(socket.SHUT_RDWR)  # ZeroMQ notices, and closes it


def _received(connection: _Connection) -> int:
    """Return the number of bytes that a connection has received so far; raises `OSError`."""
    with _borrowed(connection.descriptor) as link:
        told = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED.stop)
    return int.from_bytes(told[_BYTES_RECEIVED], "little")


# Who may connect, and how often: the table's members within their rations, kicked ones never


NEWCOMERS: Final = 32
"""Connections to a port in `RATION_SECONDS`, of all keys together that were never at the table:
one person may have any number of keys."""
NEWCOMERS_A_TABLE: Final = 8
"""As many more for each table beside the first one."""
SUBSCRIPTIONS: Final = 16
"""Of a key in `RATION_SECONDS`, withdrawn ones included; a client sends three to join a table."""
MAX_TOO_FAST: Final = 100
"""Requests beyond the rate limit in `RATION_SECONDS`, after which a key's connections are cut."""


class Members:
    """Updates the keys that ZAP admits, and cuts off anybody who is kicked.

    ZeroMQ can neither close the connections of a key nor say which they are, and somebody who was
    kicked may have a second key. So all connections are cut; clients still admitted reconnect
    by themselves within a fraction of a second.

    Args:
        keyring: the keys that ZAP admits.
        guard: cuts connections.
        admission: admits keys at the door.
    """

    def __init__(self, keyring: AdmittedKeyring, guard: Guard, admission: Admission) -> None:
        self.keyring = keyring
        self.guard = guard
        self._admission = admission
        self._rations = Rations()
        self._at_table: Set[str] = frozenset()
        self._more = 0
        """How many tables there are beside the first one."""

    def may_connect(self, now: float, key: str, port: int) -> bool:
        """Return whether a key may have one more connection to a port, and count it.

        Its older connections also count; the newer ones are in its ration.
        """
        left = MAX_OF_A_KEY - self.guard.settled(key, port, now - RATION_SECONDS)
        is_newcomer = key not in self._at_table
        newcomers = NEWCOMERS + self._more * NEWCOMERS_A_TABLE
        return self._rations.take(now, key, port, left) and (
            not is_newcomer or self._rations.take(now, "", port, newcomers)
        )

    def may_subscribe(self, now: float, key: str) -> bool:
        """Return whether a key may subscribe once more, and count it."""
        return self._rations.take(now, key, "subscription", SUBSCRIPTIONS)

    def note_too_fast(self, now: float, key: str) -> None:
        """Note a request beyond the rate limit; after too many of them cut the key off."""
        if not self._rations.take(now, key, "too_fast", MAX_TOO_FAST):
            self.guard.cut_key(key)

    def may_ask(self, key: str, hall: Hall) -> bool:
        """Return whether to pass on a request: its connection may be older than a kick.

        A removed key may ask too: it is answered with `removed`.
        """
        return key in self.keyring or key in hall.keys or key in hall.removed

    def settle(self, now: float, hall: Hall) -> bool:
        """Admit the members of all tables and rank them; return whether to `cut_all` after a kick.

        Then the code has changed as well.
        """
        self._at_table = keys = hall.keys
        self._more = more = len(hall.tables) - 1
        self.guard.set_tiers(Tiers(hall.seated_keys, hall.keys_here, keys))
        self.guard.most = MAX_CONNECTIONS + more * CONNECTIONS_A_TABLE
        self.keyring.most = MAX_KEYS + more * KEYS_A_TABLE
        self._rations.prune(now)
        return self._admission.settle(keys, hall.removed)

    def cut_all(self) -> None:
        """Cut all connections, so that those who are not admitted any more lose theirs."""
        self.guard.cut_all()
        self._rations.clear()
