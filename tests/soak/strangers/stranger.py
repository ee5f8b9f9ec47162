"""An attacker without the code: its orders, what it received, and whether it got in."""

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from msgspec import Struct

from tests.soak.strangers.attacker import Attacker
from tests.soak.strangers.crowds import Crowd, Route, Script

MOST_KEPT: Final = 1 << 24
GOT_IN: Final = "got_in"
"""The count that must stay zero: sockets that the host answered after the handshake."""
ENROLLED: Final = "enrolled"
KNOWN: Final = "known"
"""Keys that the door is right to admit: a stranger does not have their secrets."""


class Orders(Struct, frozen=True):
    """The target of an attack, and what there is to attack it with."""

    port: int
    """The door's port; the others follow it."""
    key: str
    """The host's CURVE public key, which is not secret."""
    routes: tuple[Route, ...]
    known: tuple[str, ...]
    """Keys of people at the table."""
    streams: tuple[tuple[int, str], ...]
    """What others sent, in hex, each with its port as an offset from the door's."""
    seed: int
    kept: str
    """The file for everything received."""


class Stranger(Attacker):
    """Somebody without the code."""

    def __init__(self, orders: Orders, chance: Random) -> None:
        super().__init__(chance)
        self.orders = orders
        self._bytes = 0

    @property
    def ports(self) -> tuple[int, int, int]:
        """The three ports of the host."""
        port = self.orders.port
        return port, port + 1, port + 2

    def hear(self, port: int, data: bytes) -> None:
        """Keep what was received, and notice if it says that a key is admitted."""
        if data not in self.received and self._bytes < MOST_KEPT:
            self.received[data] = None
            self._bytes += len(data)
        if port == self.orders.port:
            self.done[ENROLLED] += b'"enrolled"' in data
        elif b"\x05READY" in data or b"\x07MESSAGE" in data:
            self.done[GOT_IN] += 1

    def crowd(self, size: int, begin: Callable[[], tuple[int, Script]]) -> None:
        """Keep this many connections busy until told to stop."""
        with Crowd(self.orders.routes, size, begin, self.hear) as crowd:
            while self.goes_on():
                crowd.go_on()
        self.done += crowd.done


Attack: TypeAlias = Callable[[Stranger], None]
