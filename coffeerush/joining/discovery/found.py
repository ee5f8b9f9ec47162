"""Discovered tables, as the start menu lists them; sans-I/O."""

from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from protocol import Name

MAX_FOUND: Final = 20
"""The most tables listed, however many are announced."""
IpAddress: TypeAlias = IPv4Address | IPv6Address
Interface: TypeAlias = IPv4Interface | IPv6Interface


class FoundTable(Struct, frozen=True):
    """An announced table."""

    table: Name
    address: Annotated[str, Meta(max_length=64)]
    """As people type it."""
    code: bool
    """Whether newcomers need its join code."""


def merged(before: Iterable[FoundTable], now: Iterable[FoundTable]) -> tuple[FoundTable, ...]:
    """Return the tables that are announced now; those listed before keep their order."""
    seen = {one.address: one for one in now}
    kept = [seen.pop(one.address) for one in before if one.address in seen]
    return (*kept, *seen.values())[:MAX_FOUND]


def likeliest(addresses: Iterable[IpAddress], own: Collection[Interface]) -> IpAddress | None:
    """Return the address at which a host is most likely reachable from here, or None.

    Prefers addresses in a network of this machine, except this machine's own addresses: those of
    container bridges are the same on many machines.
    """
    own_addresses = {one.ip for one in own}

    def rank(address: IpAddress) -> int:
        if address in own_addresses:
            return 1
        return 0 if any(address in one.network for one in own) else 2

    return min((one for one in addresses if _is_reachable(one)), key=rank, default=None)


def _is_reachable(address: IpAddress) -> bool:
    """Return whether an address can be another machine's; loopback would mean a local program."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return False  # could hide any of the IPv4 addresses below
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)
