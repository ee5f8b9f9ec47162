"""A listening socket that accepts a connection only if there is a place for its visitor.

asyncio calls a protocol only after the handshake of TLS. So a place is taken where the connection
is accepted, and belongs to its socket: closing that ends it, however far the visitor has come.
"""

import asyncio
import socket
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any, Final

from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import origin, source_of

from .places import Arrivals, Place, Places

BACKLOG: Final = 1024
"""The connections that wait to be accepted. Where a flood fills it, the system drops a newcomer's,
who tries again a second later."""
REFUSED_A_ROUND: Final = 16
"""The connections refused before guests have their turn."""
ACCEPTED_A_ROUND: Final = 1
"""Those accepted: each costs as much as a key."""
STRANGERS_READ_A_ROUND: Final = 1
"""The connections of strangers that are read: a step of a handshake costs as much as a key."""
READ_BYTES: Final = 1024
"""What is read from a connection at once, so that the others have their turn before the rest."""


class Listener(socket.socket):
    """Takes over a listening socket; asyncio accepts connections by it.

    Args:
        listening: the socket.
        places: those of visitors.
        arrivals: limits the connections to this port.
        incidents: counts the connections that are refused.
    """

    def __init__(
        self, listening: socket.socket, places: Places, arrivals: Arrivals, incidents: Incidents
    ) -> None:
        super().__init__(fileno=listening.detach())
        self._places = places
        self._arrivals = arrivals
        self._incidents = incidents
        self._round = 0.0
        """The part of this round that is over."""
        self._taken: dict[int, Place] = {}
        """The places of open connections, by their descriptors."""
        self._turns = _Turns()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection for which there is a place, and close others; raises `OSError`."""
        try:
            while self._round < 1:
                accepted, address = super().accept()
                link = _Link(accepted, self._taken, self._turns)
                with suppress(OSError):  # it may be gone already
                    if self._admits(link):
                        self._round += 1 / ACCEPTED_A_ROUND
                        return link, address
                link.close()
                self._round += 1 / REFUSED_A_ROUND
            raise BlockingIOError
        except OSError:
            self._round = 0
            raise

    def _admits(self, link: socket.socket) -> bool:
        address = origin(link.getpeername()[0])
        now, source, place = monotonic(), source_of(address), None

        def shut() -> None:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

        if self._arrivals.may_come(now, source):
            place = self._places.take(now, source, shut)
        if place is None:
            self._incidents.count("too_many", address)
            return False
        self._taken[link.fileno()] = place
        return True

    def place_of(self, descriptor: int) -> Place:
        """Return the place of an open connection, by its socket's descriptor."""
        return self._taken[descriptor]


class _Turns:
    """Lets a few of the strangers' connections be read in a round of the loop, in turn.

    The others stay readable, so the loop asks for them again in the next round.
    """

    def __init__(self) -> None:
        self._queue: dict[_Link, None] = {}
        """Those that wait, in order."""
        self._asked: set[_Link] = set()
        """Those that wanted to be read in this round."""
        self._left = STRANGERS_READ_A_ROUND

    def take(self, link: "_Link") -> bool:
        """Return whether a connection may be read now."""
        if not self._asked:
            asyncio.get_running_loop().call_soon(self._next_round)
        self._asked.add(link)
        self._queue.setdefault(link)
        may_read = self._left > 0 and link in islice(self._queue, STRANGERS_READ_A_ROUND)
        if may_read:
            self._left -= 1
            del self._queue[link]
        return may_read

    def _next_round(self) -> None:
        self._queue = {link: None for link in self._queue if link in self._asked}
        self._asked.clear()
        self._left = STRANGERS_READ_A_ROUND


class _Link(socket.socket):
    """The socket of a connection: its place ends with it, and it is read a little at a time."""

    def __init__(self, accepted: socket.socket, taken: dict[int, Place], turns: _Turns) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._taken = taken
        self._turns = turns

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Receive at most `READ_BYTES`, where asyncio asks for all that has come."""
        self._wait_for_turn()
        return super().recv(min(size, READ_BYTES), flags)

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Receive at most `READ_BYTES`, as asyncio does for TLS."""
        self._wait_for_turn()
        return super().recv_into(buffer, min(nbytes or READ_BYTES, READ_BYTES, len(buffer)), flags)

    def _wait_for_turn(self) -> None:
        """Raise `BlockingIOError` if strangers have been read enough in this round."""
        place = self._taken.get(self.fileno())
        if place and place.is_taken and not self._turns.take(self):
            raise BlockingIOError

    def close(self) -> None:
        """Close the connection."""
        if place := self._taken.pop(self.fileno(), None):
            place.end(monotonic())
        super().close()
