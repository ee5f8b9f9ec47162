"""This machine's addresses and networks, so that the host can show where to join."""

import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fcntl import ioctl
from ipaddress import ip_address, ip_interface
from pathlib import Path
from threading import Event, Thread
from typing import Final

from .nearby import Interface, IpAddress

EVERYWHERE: Final = ("*", "::", "0.0.0.0")
"""Wildcard addresses to bind to."""
IPV4: Final = 4
ADDRESS_POLL_SECONDS: Final = 3.0
"""How often this machine's addresses are polled."""

_ROUTES: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Documentation addresses: nothing is sent, but the route to them has a local address."""
_LAN, _BRIDGE, _TUNNEL, _NO_CARRIER = range(4)
_DEVICES: Final = Path("/sys/class/net")
"""What Linux says of each interface."""
_SIOCGIFFLAGS: Final = 0x8913 if sys.platform == "linux" else 0xC0206911
_IFF_POINTOPOINT: Final = 0x10
_IFF_RUNNING: Final = 0x40
"""Set while there is a carrier."""


def join_addresses(bound: str) -> list[str]:
    """Return the addresses at which a host bound to `bound` can be reached, most likely first.

    A LAN comes before a container's bridge, and that before a tunnel, even if the default route
    leads through the tunnel: guests are rarely in the same virtual private network. Interfaces
    without a carrier are left out.
    """
    if bound not in EVERYWHERE:
        return [bound]
    routed = set(_from_routes())
    addresses = sorted(
        (_distance(name), interface.ip not in routed, interface.ip.version, place, interface.ip)
        for place, (name, interface) in enumerate(_named_interfaces())
        if _is_reachable(interface.ip) and (bound != "0.0.0.0" or interface.version == IPV4)
    )
    reached = [str(address) for distance, *_order, address in addresses if distance < _NO_CARRIER]
    return [*dict.fromkeys(reached)] or ["127.0.0.1"]


def own_interfaces() -> Iterator[Interface]:
    """Yield this machine's addresses with their networks; none if they cannot be listed."""
    for _name, interface in _named_interfaces():
        yield interface


class AddressWatch:
    """Polls this machine's addresses from construction until `stop`: Wi-Fi comes and goes.

    Args:
        bound: the address that the host listens on; may be a wildcard.
        known: the addresses known so far, as of `join_addresses`.
        on_change: called from a thread with the new addresses.
    """

    def __init__(
        self, bound: str, known: list[str], on_change: Callable[[list[str]], None]
    ) -> None:
        self._bound = bound
        self._known = known
        self._on_change = on_change
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="addresses", daemon=True)
        if bound in EVERYWHERE:
            self._thread.start()

    def stop(self) -> None:
        """Call `on_change` no more."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(ADDRESS_POLL_SECONDS):  # no event tells of a change
            now = join_addresses(self._bound)
            if now != self._known:
                self._known = now
                self._on_change(now)


def _named_interfaces() -> Iterator[tuple[str, Interface]]:
    import ifaddr  # imported late: takes 50 ms, too long before the first frame

    with suppress(OSError):
        for adapter in ifaddr.get_adapters():
            for ip in adapter.ips:
                address = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
                yield adapter.name, ip_interface(f"{address}/{ip.network_prefix}")


def _from_routes() -> Iterator[IpAddress]:
    for family, target in _ROUTES:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            yield ip_address(probe.getsockname()[0])


def _is_reachable(address: IpAddress) -> bool:
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)


def _distance(name: str) -> int:
    """Return the distance of guests in the same room from an interface; 0 for a LAN."""
    flags = _flags(name)
    if flags is not None and not flags & _IFF_RUNNING:
        return _NO_CARRIER
    device = _DEVICES / name
    if (flags or 0) & _IFF_POINTOPOINT or (device / "tun_flags").exists():
        return _TUNNEL
    with suppress(OSError):  # it is no bridge
        members = list((device / "brif").iterdir())
        if not any((_DEVICES / member.name / "device").exists() for member in members):
            return _BRIDGE
    return _LAN


def _flags(name: str) -> int | None:
    """Return the flags of an interface, the same numbers everywhere; None if it has none."""
    request = struct.pack("16sH14x", name.encode(), 0)
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        answer = ioctl(probe, _SIOCGIFFLAGS, request + bytes(8))
        return int(struct.unpack_from("H", answer, 16)[0])
    return None
