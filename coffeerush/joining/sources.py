"""Where a connection comes from: what counts as one address."""

import ipaddress
from typing import Final

_PREFIX_BITS: Final = 64


def origin(address: str) -> str:
    """Return an address as the host's parts agree on it, however a socket has told it."""
    return address.partition("%")[0].removeprefix("::ffff:")


def source_of(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or 64 bits of an IPv6 one.

    Whoever has one IPv6 address has all that begin with these bits.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return str(ipaddress.ip_network((parsed, _PREFIX_BITS), strict=False))
        parsed = parsed.ipv4_mapped
    return str(parsed)
