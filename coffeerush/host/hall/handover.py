"""A handover as the old host sees it: asked, agreed, moved; or failed, and nothing has happened.

    none --hand_over--> asked --take_over--> agreed --listening--> (probed) --> moved
      ^                   |                    |                      |
      +--- declined, withdrawn, gone ----------+---- unreachable -----+

While it is agreed the tables stand still: what their successor has received is what they are.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from protocol import Destination, HostAddress, Listening, Moving, Name

ASKED_SECONDS: Final = 60.0
"""How long somebody may think about it."""
AGREED_SECONDS: Final = 10.0
"""How long the tables stand still at most: time for a host to start on a slow machine."""
MOST_ADDRESSES: Final = 4
LINGER_SECONDS: Final = 30.0
"""How long a host that has lost its tables tells everybody who asks where they are."""


class Offered(Struct, frozen=True):
    """Somebody was asked."""

    key: str
    name: Name
    leaving: bool
    """Whether the owner leaves with the handover."""
    until: float

    @property
    def shown(self) -> Moving:
        """What the owner's table shows."""
        return Moving(self.name)


class Agreed(Struct, frozen=True):
    """They have agreed, and fetch the tables."""

    key: str
    name: Name
    data: bytes
    """What they fetch."""
    until: float
    listening: Listening | None = None
    """Where their host listens, once it does."""
    address: str = ""
    """From which they have told that."""

    @property
    def shown(self) -> Moving:
        """What all tables show."""
        return Moving(self.name, agreed=True)

    def addresses(self) -> tuple[HostAddress, ...]:
        """Return the addresses to try.

        The one from which they are connected comes first, unless it leads nobody else there.
        """
        told = self.listening.addresses if self.listening else ()
        found = [*dict.fromkeys(address for address in (self.address, *told) if address)]
        return tuple(sorted(found, key=_is_loopback)[:MOST_ADDRESSES])


def _is_loopback(address: HostAddress) -> bool:
    return address == "::1" or address.startswith("127.")


class Gone(Struct, frozen=True):
    """The tables have another host, for good."""

    to: Destination
    since: float


Handover: TypeAlias = Offered | Agreed | Gone | None
