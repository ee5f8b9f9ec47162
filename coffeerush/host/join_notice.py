"""Log the commands that join this host, with a QR code if the terminal can show one."""

import logging
import os
import sys
from threading import Lock
from typing import Final, TextIO

from msgspec.structs import replace

from coffeerush.host.server.parent import Ways
from coffeerush.joining.code import half_blocks, join_command, qr_modules
from coffeerush.joining.hosts import page_address, ssh_command
from coffeerush.rates import TokenBucket
from protocol import GuestNumber

_log: Final = logging.getLogger(__name__)
_DARK_ON_LIGHT: Final = "\x1b[30;47m"
_RESET_COLOURS: Final = "\x1b[0m"


def invite(addresses: tuple[str, ...], port: int, code: str, stream: TextIO = sys.stderr) -> None:
    """Log how others join.

    Args:
        addresses: the host's addresses, most likely first.
        port: the door's port.
        code: the join code; empty at an open table.
        stream: the log's output, for the QR code.
    """
    commands = [join_command(address, code) for address in addresses]
    for command in commands:
        _log.info("Join with: %s", command)
    if not code:
        _log.info("No join code is needed: anybody who can reach port %d can join.", port)
    rows = half_blocks(qr_modules(commands[0])) if _can_show_qr(stream) else []
    if rows and len(rows[0]) <= os.get_terminal_size(stream.fileno()).columns:
        stream.writelines(f"{_DARK_ON_LIGHT}{row}{_RESET_COLOURS}\n" for row in rows)
        stream.flush()


ASKERS_AT_ONCE: Final = 60
ASKERS_PER_SECOND: Final = 0.2
"""The guests who ask that are logged; in a flood, others only if they still ask when it is over."""


class GuestNotice:
    """Logs how guests join who have only ssh or a browser, and who asks to be let in.

    May be used from several threads.

    Args:
        addresses: the machine's, with the door's port or without.
    """

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self._addresses = addresses
        self._known: Ways | None = None
        self._logged: tuple[tuple[GuestNumber, str, str], ...] = ()
        """Those who ask and have been logged."""
        self._askers = TokenBucket(ASKERS_PER_SECOND, ASKERS_AT_ONCE, 0)
        self._lock = Lock()

    def move(self, addresses: tuple[str, ...]) -> None:
        """Log how guests join at the machine's new addresses."""
        with self._lock:
            self._addresses = addresses
            if self._known and not self._known.failed:
                self._log_ways(self._known)

    def tell(self, ways: Ways, now: float) -> None:
        """Log what has changed; `now` is in seconds of a monotonic clock."""
        with self._lock:
            known, self._known = self._known, ways
            if ways.failed:
                _log.warning("Guests without this program cannot join: %s", ways.failed)
                return
            if known is None or replace(ways, asking=()) != replace(known, asking=()):
                self._log_ways(ways)
                _log.info("The key that ssh shows them: %s", ways.fingerprint)
            new = [one for one in ways.asking if one not in self._logged]
            told = new[: int(self._askers.left(now))]
            self._askers.spend(now, len(told))
            self._logged = tuple(one for one in ways.asking if one in told or one not in new)
            for one in told:
                _log.info("Guest %d (%s) asks to join with a browser. The number: %s", *one)

    def _log_ways(self, ways: Ways) -> None:
        for address in self._addresses:
            _log.info("Guests join with: %s", ssh_command(address, ways.ssh_port))
            if ways.web_port:
                page = page_address(address, ways.web_port, ways.web_tls)
                _log.info("With a browser: %s", page)


def _can_show_qr(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal that shows half blocks and colours."""
    is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
    return stream.isatty() and is_utf8 and os.environ.get("TERM") != "dumb"
