"""Tables that were found in the network, as the start menu lists them: pure."""

from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol import Name

MAX_FOUND: Final = 20
"""More tables are not listed, whatever the network is told."""
IpAddress: TypeAlias = IPv4Address | IPv6Address
Interface: TypeAlias = IPv4Interface | IPv6Interface


class FoundTable(Struct, frozen=True):
    """A table that says it is there."""

    table: Name
    address: Annotated[str, Meta(max_length=64)]
    """As people type it."""
    code: bool
    """Whether it asks whoever is new for its code."""
    here: bool = True
    """Whether it is still there."""


def merged(before: Iterable[FoundTable], now: Iterable[FoundTable]) -> tuple[FoundTable, ...]:
    """Return the list after a new look: none moves up or down, for somebody may be choosing."""
    seen = {one.address: one for one in now}
    kept = [seen.pop(one.address, replace(one, here=False)) for one in before]
    return (*kept, *seen.values())[:MAX_FOUND]


def likeliest(addresses: Iterable[IpAddress], own: Collection[Interface]) -> IpAddress | None:
    """Return the address at which a host is best reached from here.

    One in a network of this machine's comes first, but not where it is this machine's own: that
    of a bridge of containers is the same on many. None where nothing can be reached.
    """
    own_addresses = {one.ip for one in own}

    def rank(address: IpAddress) -> int:
        if address in own_addresses:
            return 1
        return 0 if any(address in one.network for one in own) else 2

    return min((one for one in addresses if _is_reachable(one)), key=rank, default=None)


def _is_reachable(address: IpAddress) -> bool:
    """Tell whether an address can be a host's: nobody is sent to programs of this machine."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return False  # one of IPv4 in disguise, which may be any of these
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)
