"""This machine's addresses and networks, so that the host can show where to join."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address, ip_interface
from typing import Final

from coffeerush.joining.address import Address
from protocol import DOOR_PORT

from .found import Interface, IpAddress

EVERYWHERE: Final = ("*", "::", "0.0.0.0")
"""Wildcard addresses to bind to."""
IPV4: Final = 4

_ROUTES: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Documentation addresses: nothing is sent, but the route to them has a local address."""


def join_addresses(bound: str) -> list[str]:
    """Return the addresses at which a host bound to `bound` can be reached, most likely first."""
    if bound not in EVERYWHERE:
        return [bound]
    own = sorted((one.ip for one in own_interfaces()), key=lambda one: one.version)
    found = dict.fromkeys((*_from_routes(), *own))
    if bound == "0.0.0.0":
        found = {address: None for address in found if address.version == IPV4}
    return [str(address) for address in found if _is_reachable(address)] or ["127.0.0.1"]


def own_interfaces() -> Iterator[Interface]:
    """Yield this machine's addresses with their networks; none if they cannot be listed."""
    import ifaddr  # imported late: takes 50 ms, too long before the first frame

    with suppress(OSError):
        for adapter in ifaddr.get_adapters():
            for one in adapter.ips:
                address = one.ip if isinstance(one.ip, str) else one.ip[0]
                yield ip_interface(f"{address}/{one.network_prefix}")


def with_port(address: str, port: int) -> str:
    """Return what to type after `coffeerush join`: with the port unless it is the default."""
    return address if port == DOOR_PORT else str(Address(address, port))


def _from_routes() -> Iterator[IpAddress]:
    for family, target in _ROUTES:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            yield ip_address(probe.getsockname()[0])


def _is_reachable(address: IpAddress) -> bool:
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)
