"""Find out whether the host of a successor can be reached, in a thread."""

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from threading import Thread
from typing import Final

from coffeerush.host.hall.handover import Agreed
from protocol import MAX_DOOR_BYTES, HostAddress, WireError, decode_banner

PROBE_SECONDS: Final = 2.0
"""For each connection: a firewall that drops everything does not answer at all."""


class Probe:
    """Tries all addresses of a successor's host at once.

    Args:
        candidate: the successor.
        on_end: called from the thread once `reached` is known.
    """

    def __init__(self, candidate: Agreed, on_end: Callable[[], None]) -> None:
        self.candidate = candidate
        self.reached: tuple[HostAddress, ...] | None = None
        """The addresses at which that host answers; None while that is not known."""
        self._on_end = on_end
        Thread(target=self._run, name="probe", daemon=True).start()

    def _run(self) -> None:
        addresses = self.candidate.addresses()
        with ThreadPoolExecutor(max(len(addresses), 1)) as pool:
            answered = [*pool.map(self._answers, addresses)]
        self.reached = tuple(
            address for address, yes in zip(addresses, answered, strict=True) if yes
        )
        self._on_end()

    def _answers(self, address: HostAddress) -> bool:
        """Return whether the host is at this address, with its door and the ports for members."""
        there = self.candidate.listening
        assert there is not None, "a candidate listens"
        try:
            ip_address(address.partition("%")[0])
            banner = decode_banner(_first_line(address, there.port))
            if banner.key != there.key:
                return False
            for port in (banner.requests, banner.updates):
                socket.create_connection((address, port), PROBE_SECONDS).close()
        except (OSError, ValueError, WireError):
            return False
        return True


def _first_line(address: HostAddress, port: int) -> bytes:
    """Return the first line that a door sends; raises `OSError`."""
    with socket.create_connection((address, port), PROBE_SECONDS) as link:
        line = b""
        while not line.endswith(b"\n") and len(line) < MAX_DOOR_BYTES:
            part = link.recv(MAX_DOOR_BYTES)
            if not part:
                break
            line += part
    return line
