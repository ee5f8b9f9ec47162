"""Normalize peer addresses, tell local ones, and group them into sources for rate limits."""

import ipaddress
from typing import Final

_PREFIX_BITS: Final = 64


def origin(address: str) -> str:
    """Normalize a socket's address: no scope, and IPv4-mapped IPv6 as IPv4."""
    return address.partition("%")[0].removeprefix("::ffff:")


def is_same_machine(address: str, own: str) -> bool:
    """Return whether the two ends of a connection are on one machine; both as `origin` returns."""
    return address == own or ipaddress.ip_address(address).is_loopback


def source_of(address: str) -> str:
    """Return the unit of rate limits: an IPv4 address, or the /64 network of an IPv6 address.

    Whoever has one IPv6 address usually controls its whole /64.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return str(ipaddress.ip_network((parsed, _PREFIX_BITS), strict=False))
        parsed = parsed.ipv4_mapped
    return str(parsed)
