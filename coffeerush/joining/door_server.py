"""The door's TCP server: a handshake with bounded time and size, after which a key may connect.

Runs in its own thread, so that a stranger at the door never blocks the table. Its CPU time is
also limited, because Python's threads share one interpreter lock.
"""

import selectors
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic, thread_time
from typing import Final, TypeAlias

from coffeerush.rates import TokenBucket
from protocol import MAX_DOOR_BYTES, Banner, DoorRefused, RefusedError, encode_line

from .admission import Admission, is_same_machine, origin, source_of
from .door import HostConversation, Peer, Prove, has_no_game

DOOR_SECONDS: Final = 5.0
"""The timeout of a visitor, from the connection to the end of the handshake."""
MAX_VISITORS: Final = 32
MAX_OF_A_SOURCE: Final = 16
"""The most visitors from one source."""
MAX_NUISANCES: Final = 8
"""The most visitors from sources that have been a nuisance, together."""
SILENT_SECONDS: Final = 0.25
"""At a full door, a visitor who has sent nothing for this long is dropped for a new one."""
ACCEPTED_A_ROUND: Final = 16
SHARE_OF_TIME: Final = 0.1
"""The door's share of CPU time: a flood makes other visitors wait, but not the table."""
SECONDS_AT_ONCE: Final = 0.1
"""The burst of CPU time on top: enough for a dozen guests who come together."""

_BUSY: Final = encode_line(DoorRefused(RefusedError("door_busy").refusal))


Count: TypeAlias = Callable[[str, str], None]
"""Counts an incident: takes its kind and the address that it came from."""


class _Visitor:
    """One connection."""

    def __init__(
        self, link: socket.socket, address: str, conversation: HostConversation, is_nuisance: bool
    ) -> None:
        self.link = link
        self.address = address
        self.conversation = conversation
        self.is_nuisance = is_nuisance
        """Whether its source was a nuisance when it connected."""
        self.since = monotonic()
        self.received = b""
        self.has_spoken = False


class Door:
    """Serves a listening socket, from construction until `stop()`.

    Args:
        listening: the socket, bound and listening.
        banner: sent to every visitor first.
        admission: decides who is admitted; from now on it belongs to the door's thread.
        count: counts incidents by kind and address.
        prove: answers hosts that ask whether their game goes on here.
    """

    def __init__(
        self,
        listening: socket.socket,
        banner: Banner,
        admission: Admission,
        count: Count,
        prove: Prove = has_no_game,
    ) -> None:
        self._listening = listening
        self._host_key = banner.key
        self._banner = encode_line(banner)
        self._admission = admission
        self._count = count
        self._prove = prove
        self._visitors: dict[_Visitor, None] = {}
        self._sources: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()
        self._stopped = Event()
        self._woken, self._wake = socket.socketpair()
        self._thread = Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the door and wait until it is closed; call it from any other thread."""
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
            self._drop_late()
        for visitor in list(self._visitors):
            self._disconnect(visitor)
        self._selector.close()

    def _listen(self, link: socket.socket, do: Callable[[], None]) -> None:
        self._selector.register(link, selectors.EVENT_READ, do)

    def _seconds_left(self) -> float | None:
        oldest = next(iter(self._visitors), None)
        return None if oldest is None else max(0.0, oldest.since + DOOR_SECONDS - monotonic())

    def _drop_late(self) -> None:
        now = monotonic()
        for visitor in list(self._visitors):  # oldest first
            if now < visitor.since + DOOR_SECONDS:
                return
            self._drop(visitor)

    def _drop(self, visitor: _Visitor) -> None:
        self._count("late_visitor", visitor.address)
        self._admission.note_timeout(monotonic(), visitor.conversation.peer.source)
        self._disconnect(visitor)

    # Accepting and disconnecting

    def _accept_some(self) -> None:
        with suppress(OSError):  # nobody left to accept, gone already, or out of descriptors
            for _each in range(ACCEPTED_A_ROUND):
                link, _address = self._listening.accept()
                try:
                    # `accept` may have no address for a visitor who has disconnected already
                    self._accept(link, origin(link.getpeername()[0]))
                except OSError:
                    link.close()

    def _accept(self, link: socket.socket, address: str) -> None:
        link.setblocking(False)
        source = source_of(address)
        is_nuisance = self._admission.is_nuisance(monotonic(), source)
        if self._sources[source] >= MAX_OF_A_SOURCE or not self._has_room(is_nuisance):
            self._count("door_busy", address)
            with link:
                link.send(self._banner + _BUSY)
            return
        peer = Peer(source, is_same_machine(address, origin(link.getsockname()[0])))
        ours = self._admission, self._host_key, self._banner
        conversation = HostConversation(*ours, peer, self._prove)
        visitor = _Visitor(link, address, conversation, is_nuisance)
        self._listen(link, lambda: self._receive(visitor))  # first: it may fail
        self._visitors[visitor] = None
        self._sources[source] += 1
        self._send(visitor, self._banner)

    def _has_room(self, is_nuisance: bool) -> bool:
        """Return whether there is room for one more visitor; drop a silent one if necessary."""
        if is_nuisance and sum(each.is_nuisance for each in self._visitors) >= MAX_NUISANCES:
            return False
        if len(self._visitors) < MAX_VISITORS:
            return True
        silent = next((each for each in self._visitors if not each.has_spoken), None)
        if is_nuisance or silent is None or monotonic() < silent.since + SILENT_SECONDS:
            return False
        self._drop(silent)
        return True

    def _disconnect(self, visitor: _Visitor) -> None:
        visitor.conversation.leave()
        del self._visitors[visitor]
        self._sources.subtract([visitor.conversation.peer.source])
        self._sources += Counter()  # deletes zero counts
        self._selector.unregister(visitor.link)
        visitor.link.close()

    # Sending and receiving

    def _send(self, visitor: _Visitor, line: bytes) -> None:
        try:
            is_sent = visitor.link.send(line) == len(line)
        except OSError:
            is_sent = False  # disconnected, or its buffer is full
        if not is_sent or visitor.conversation.is_over:
            self._disconnect(visitor)

    def _receive(self, visitor: _Visitor) -> None:
        if visitor not in self._visitors:
            return  # dropped earlier in this round
        try:
            some = visitor.link.recv(MAX_DOOR_BYTES + 1)
        except BlockingIOError:
            return
        except OSError:
            some = visitor.received = b""
        visitor.received += some
        line, newline, rest = visitor.received.partition(b"\n")
        is_line = newline or not some or len(line) > MAX_DOOR_BYTES
        if not visitor.received:
            self._disconnect(visitor)  # it only read the banner, and needs no answer
        elif is_line:
            visitor.received, visitor.has_spoken = rest, True
            self._answer(visitor, line + newline)

    def _answer(self, visitor: _Visitor, line: bytes) -> None:
        answer = visitor.conversation.hear(monotonic(), line)
        if visitor.conversation.refused:
            self._count(visitor.conversation.refused, visitor.address)
        self._send(visitor, answer)


class _Budget:
    """The CPU time budget of a thread; construct it in that thread."""

    def __init__(self) -> None:
        self._bucket = TokenBucket(SHARE_OF_TIME, SECONDS_AT_ONCE, monotonic())
        self._used = thread_time()

    def seconds_to_rest(self) -> float:
        """Return the time to sleep now."""
        now, used = monotonic(), thread_time()
        self._bucket.spend(now, used - self._used)
        self._used = used
        return max(0.0, -self._bucket.left(now) / SHARE_OF_TIME)
