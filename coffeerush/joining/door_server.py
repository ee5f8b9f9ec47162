"""The door: one bounded exchange of lines over plain TCP, after which a key may connect.

A thread of its own, so that a stranger at the door never holds up the table. What it may compute is
bounded, too: threads of Python take turns.
"""

import ipaddress
import selectors
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic, thread_time
from typing import Final, TypeAlias

from coffeerush.rates import TokenBucket
from protocol import MAX_DOOR_BYTES, Banner, DoorRefused, Refusal, encode_line

from .admission import Admission
from .door_host import HostConversation, Peer
from .sources import origin, source_of

DOOR_SECONDS: Final = 5.0
"""A visitor has this long from the connection to the end."""
MAX_VISITORS: Final = 32
MAX_OF_A_SOURCE: Final = 16
"""So many of them may come from one address."""
MAX_NUISANCES: Final = 8
"""So many of them may come from addresses that have been a nuisance."""
SILENT_SECONDS: Final = 0.25
"""Who has said nothing for so long makes room for somebody new where there is none."""
ACCEPTED_A_ROUND: Final = 16
SHARE_OF_TIME: Final = 0.1
"""The door computes for no larger part of the time: who floods it waits, the table does not."""
SECONDS_AT_ONCE: Final = 0.1
"""It may save up so much of that; a dozen guests who come together need no more."""

_BUSY: Final = encode_line(
    DoorRefused(Refusal("door_busy", "Too many are at the door; try again in a moment."))
)


Count: TypeAlias = Callable[[str, str], None]
"""Takes a kind of incident and the address that it came from."""


class _Visitor:
    """One connection."""

    def __init__(
        self, link: socket.socket, address: str, visit: HostConversation, is_nuisance: bool
    ) -> None:
        self.link = link
        self.address = address
        self.visit = visit
        self.is_nuisance = is_nuisance
        """Whether its address was one before it came."""
        self.since = monotonic()
        self.heard = b""
        self.has_spoken = False


class Door:
    """Serves a listening socket from the start until it is stopped.

    Args:
        listening: the socket, bound and listening.
        banner: what everybody is told first.
        gate: decides who is let in; from now on it belongs to the door's thread.
        count: counts what is not right, by kind and address.
    """

    def __init__(
        self, listening: socket.socket, banner: Banner, gate: Admission, count: Count
    ) -> None:
        self._listening = listening
        self._host_key = banner.key
        self._banner = encode_line(banner)
        self._gate = gate
        self._count = count
        self._visitors: dict[_Visitor, None] = {}
        self._sources: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()
        self._stopped = Event()
        self._woken, self._wake = socket.socketpair()
        self._thread = Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the door, and wait until it is closed; from any other thread."""
        self._stopped.set()
        self._wake.send(b"\0")
        self._thread.join()
        self._woken.close()
        self._wake.close()

    def _run(self) -> None:
        self._listening.setblocking(False)
        self._listen(self._listening, self._accept_some)
        self._listen(self._woken, lambda: None)
        budget = _Budget()
        while not self._stopped.wait(budget.seconds_to_rest()):
            for ready, _events in self._selector.select(self._seconds_left()):
                ready.data()
            self._send_away_late()
        for visitor in list(self._visitors):
            self._part(visitor)
        self._selector.close()

    def _listen(self, link: socket.socket, do: Callable[[], None]) -> None:
        self._selector.register(link, selectors.EVENT_READ, do)

    def _seconds_left(self) -> float | None:
        oldest = next(iter(self._visitors), None)
        return None if oldest is None else max(0.0, oldest.since + DOOR_SECONDS - monotonic())

    def _send_away_late(self) -> None:
        now = monotonic()
        for visitor in list(self._visitors):  # oldest first
            if now < visitor.since + DOOR_SECONDS:
                return
            self._send_away(visitor)

    def _send_away(self, visitor: _Visitor) -> None:
        self._count("late_visitor", visitor.address)
        self._gate.note_dawdling(monotonic(), visitor.visit.peer.source)
        self._part(visitor)

    # Coming and going

    def _accept_some(self) -> None:
        with suppress(OSError):  # nobody more, gone again, or no descriptor is left
            for _each in range(ACCEPTED_A_ROUND):
                link, _address = self._listening.accept()
                try:
                    # `accept` may tell no address of a visitor who has gone again
                    self._accept(link, origin(link.getpeername()[0]))
                except OSError:
                    link.close()

    def _accept(self, link: socket.socket, address: str) -> None:
        link.setblocking(False)
        source = source_of(address)
        is_nuisance = self._gate.is_nuisance(monotonic(), source)
        if self._sources[source] >= MAX_OF_A_SOURCE or not self._has_room(is_nuisance):
            self._count("door_busy", address)
            with link:
                link.send(self._banner + _BUSY)
            return
        peer = Peer(source, _is_local(address, origin(link.getsockname()[0])))
        visit = HostConversation(self._gate, self._host_key, self._banner, peer)
        visitor = _Visitor(link, address, visit, is_nuisance)
        self._listen(link, lambda: self._hear(visitor))  # first: it may fail
        self._visitors[visitor] = None
        self._sources[source] += 1
        self._say(visitor, self._banner)

    def _has_room(self, is_nuisance: bool) -> bool:
        """Tell whether there is room for one more, made by who is silent if need be."""
        if is_nuisance and sum(each.is_nuisance for each in self._visitors) >= MAX_NUISANCES:
            return False
        if len(self._visitors) < MAX_VISITORS:
            return True
        silent = next((each for each in self._visitors if not each.has_spoken), None)
        if is_nuisance or silent is None or monotonic() < silent.since + SILENT_SECONDS:
            return False
        self._send_away(silent)
        return True

    def _part(self, visitor: _Visitor) -> None:
        visitor.visit.leave()
        del self._visitors[visitor]
        self._sources.subtract([visitor.visit.peer.source])
        self._sources += Counter()  # those who have left take no room
        self._selector.unregister(visitor.link)
        visitor.link.close()

    # Talking

    def _say(self, visitor: _Visitor, line: bytes) -> None:
        try:
            is_said = visitor.link.send(line) == len(line)
        except OSError:
            is_said = False  # it has gone, or takes nothing
        if not is_said or visitor.visit.is_over:
            self._part(visitor)

    def _hear(self, visitor: _Visitor) -> None:
        if visitor not in self._visitors:
            return  # it made room in this very round
        try:
            some = visitor.link.recv(MAX_DOOR_BYTES + 1)
        except BlockingIOError:
            return
        except OSError:
            some = visitor.heard = b""
        visitor.heard += some
        line, newline, rest = visitor.heard.partition(b"\n")
        is_line = newline or not some or len(line) > MAX_DOOR_BYTES
        if not visitor.heard:
            self._part(visitor)  # who only read the banner asks for nothing
        elif is_line:
            visitor.heard, visitor.has_spoken = rest, True
            self._answer(visitor, line + newline)

    def _answer(self, visitor: _Visitor, line: bytes) -> None:
        answer = visitor.visit.hear(monotonic(), line)
        if visitor.visit.refused:
            self._count(visitor.visit.refused, visitor.address)
        self._say(visitor, answer)


class _Budget:
    """What a thread may compute; made in that thread."""

    def __init__(self) -> None:
        self._bucket = TokenBucket(SHARE_OF_TIME, SECONDS_AT_ONCE, monotonic())
        self._used = thread_time()

    def seconds_to_rest(self) -> float:
        """Return how long to do nothing now."""
        now, used = monotonic(), thread_time()
        self._bucket.spend(now, used - self._used)
        self._used = used
        return max(0.0, -self._bucket.left(now) / SHARE_OF_TIME)


def _is_local(address: str, own: str) -> bool:
    """Tell whether a peer is on this machine."""
    return address == own or ipaddress.ip_address(address).is_loopback
