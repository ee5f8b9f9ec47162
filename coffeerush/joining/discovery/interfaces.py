"""The addresses of this machine, so that the host can say where to join."""

import fcntl
import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from protocol import DOOR_PORT

EVERYWHERE: Final = ("*", "::", "0.0.0.0")
"""Addresses to bind to that stand for all of this machine's."""

_GET_ADDRESS: Final = {"linux": 0x8915, "darwin": 0xC0206921}.get(sys.platform)
"""The ioctl SIOCGIFADDR."""
_ROUTES: Final = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)
"""Addresses of documentation: nothing is sent there, but each has a route and so an own end."""


def join_addresses(bound: str) -> list[str]:
    """Return the addresses at which a host bound to `bound` is reached, the likeliest first."""
    if bound not in EVERYWHERE:
        return [bound]
    found = dict.fromkeys((*_from_routes(), *_from_interfaces()))
    if bound == "0.0.0.0":
        found = {address: None for address in found if ":" not in address}
    return [address for address in found if _is_reachable(address)] or ["127.0.0.1"]


def with_port(address: str, port: int) -> str:
    """Return what to type after `coffeerush join`: the port only where it is not the usual one."""
    if port == DOOR_PORT:
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _from_routes() -> Iterator[str]:
    for family, target in _ROUTES:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            yield probe.getsockname()[0]


def _from_interfaces() -> Iterator[str]:
    if _GET_ADDRESS is None:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _number, name in socket.if_nameindex():
            # An interface without an IPv4 address says so by an error.
            with suppress(OSError):
                answer = fcntl.ioctl(asked, _GET_ADDRESS, name.encode()[:15].ljust(40, b"\0"))
                yield socket.inet_ntoa(answer[20:24])


def _is_reachable(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    return not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified)
