"""A session over ssh: a guest's visit in their terminal."""

import asyncio
import logging
from contextlib import suppress
from fcntl import ioctl
from socket import socket
from sys import byteorder
from termios import TIOCOUTQ
from typing import Any, Final, NamedTuple, Protocol

import asyncssh

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.admission import origin
from coffeerush.joining.hosts import Address
from coffeerush.ui.terminal.output import encoding_of
from coffeerush.ui.words.i18n import _, as_text, languages_asked

from .gateway import Gateway
from .ssh_terminal import SshTerminal
from .visit import receive

STUCK_SECONDS: Final = 20.0
"""How long a guest may leave what is sent unread."""
UNREAD_BYTES: Final = 131072
_VARIABLES: Final = (
    *("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "COLORTERM", "NO_COLOR"),
)
_VALUE_CHARACTERS: Final = 64
_DUMB: Final = ("", "dumb", "unknown")
"""Values of TERM for terminals that cannot move their cursor."""
_log: Final = logging.getLogger(__name__)


class Caller(NamedTuple):
    """What a connection says about the guest."""

    address: str
    user: str
    """The name at the guest's machine."""
    key: str
    """The fingerprint of the key that they have proved to have; empty if they have none."""


class SshConnection(Protocol):
    """The connection of a session."""

    def give_place_back(self) -> None:
        """Make room for others who have not given the code."""

    def close_soon(self) -> None:
        """Close the connection, unless the guest's ssh does so first."""


class GuestSession(asyncssh.SSHServerSession[bytes]):
    """The session of a connection: a guest's visit."""

    def __init__(
        self,
        gateway: Gateway,
        connection: asyncssh.SSHServerConnection,
        caller: Caller,
        server: SshConnection,
    ) -> None:
        self._gateway = gateway
        self._connection = connection
        self._caller = caller
        self._server = server
        self._has_terminal = False
        self._terminal: SshTerminal | None = None
        self._visit: asyncio.Task[None] | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._closing = False

    @property
    def is_begun(self) -> bool:
        """Whether the guest is looking at something."""
        return self._visit is not None

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan
        chan.set_write_buffer_limits(UNREAD_BYTES)

    def pty_requested(self, *_about: Any) -> bool:
        """Accept a terminal."""
        self._has_terminal = True
        return True

    def shell_requested(self) -> bool:
        """Accept the session, in which no shell runs."""
        return True

    def session_started(self) -> None:
        """Begin the visit, if there is a terminal that can show it."""
        channel, caller = self._channel, self._caller
        environment = _environment(channel)
        if not self._has_terminal:
            self._send_away(environment, _("The game needs a terminal: connect with ssh -t."))
            return
        if environment.get("TERM", "") in _DUMB:
            self._send_away(environment, self._other_ways())
            return
        columns, rows, *_pixels = channel.get_terminal_size()
        self._terminal = SshTerminal(
            self._gateway.shares,
            caller.address,
            (columns or 80, rows or 24),
            environment,
            caller.key,
            self._write,
            self._server.give_place_back,
            lambda: unread_bytes(self._connection.get_extra_info("socket")),
        )
        self._visit = asyncio.create_task(self._receive(self._terminal, environment))

    def _send_away(self, environment: dict[str, str], text: str) -> None:
        """Say in one line why there is nothing to see, and end the session."""
        self._write(f"{text}\r\n".encode(encoding_of(environment), "replace"))
        self._channel.exit(1)

    def _other_ways(self) -> str:
        """Return the advice for a terminal that cannot move its cursor."""
        if not self._gateway.page:
            return _("This terminal cannot show the game: connect from another one.")
        scheme, port = self._gateway.page
        here = Address(origin(self._connection.get_extra_info("sockname")[0]), port)
        text = _(
            "This terminal cannot show the game: connect from another one, or open {address} in "
            "a browser."
        )
        return text.format(address=f"{scheme}://{here}")

    async def _receive(self, terminal: SshTerminal, environment: dict[str, str]) -> None:
        terminal.begin()
        farewell = ""
        try:
            asked = languages_asked(environment)
            farewell = await receive(self._gateway, terminal, asked, self._caller.user)
        except CoffeeRushError as bug:
            _log.error("%s", bug)
            farewell = _("The program hit a bug; connect again to continue.")
        except asyncio.CancelledError:
            if not self._closing:
                raise
            farewell = _("The host has closed the table.")
        finally:
            terminal.end()
        line = as_text([farewell]).replace("\n", "\r\n") if farewell else ""
        self._write(line.encode(terminal.encoding, "replace"))
        with suppress(OSError):
            self._channel.exit(0)
        self._server.close_soon()

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # the connection is gone, which ends the visit
            self._channel.write(data)

    def data_received(self, data: bytes, datatype: Any) -> None:
        """Handle keys."""
        if self._terminal:
            self._terminal.hear(data)

    def eof_received(self) -> bool:
        """Close the channel with the guest's end of it."""
        return False

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Draw for another size."""
        if self._terminal:
            self._terminal.resize(width or 80, height or 24)

    def signal_received(self, signal: str) -> None:
        """Take a signal for Ctrl-C."""
        if signal in ("INT", "TERM", "HUP") and self._terminal:
            self._terminal.press("c-c")

    def pause_writing(self) -> None:
        """Draw nothing, and end the connection if this lasts."""
        if self._terminal:
            self._terminal.pause()
        self._stuck = asyncio.get_running_loop().call_later(STUCK_SECONDS, self._connection.abort)

    def resume_writing(self) -> None:
        """Draw again."""
        if self._stuck:
            self._stuck.cancel()
        if self._terminal:
            self._terminal.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the visit."""
        self.cancel()

    def cancel(self) -> None:
        """End the visit: the connection is gone."""
        if self._stuck:
            self._stuck.cancel()
        if self._visit:
            self._visit.cancel()

    async def end(self) -> None:
        """End the visit, and restore the terminal."""
        if self._visit and not self._visit.done():
            self._closing = True
            self._visit.cancel()
            await asyncio.wait([self._visit])


def unread_bytes(connected: socket | None) -> int:
    """Return the number of bytes sent that the other machine has not received.

    Args:
        connected: to the other machine; None if the connection is gone.

    Returns:
        0 also if the system hides it.
    """
    if connected is None:
        return 0
    try:
        found = ioctl(connected.fileno(), TIOCOUTQ, bytes(4))
    except (OSError, ValueError):  # or it has just been closed
        return 0
    return int.from_bytes(found, byteorder)


def _environment(channel: "asyncssh.SSHServerChannel[bytes]") -> dict[str, str]:
    """Return the variables that matter, of those that the guest's ssh has sent."""
    sent = channel.get_environment_bytes()
    found = {name: sent.get(name.encode(), b"").decode("ascii", "ignore") for name in _VARIABLES}
    found["TERM"] = channel.get_terminal_type() or ""
    return {name: text[:_VALUE_CHARACTERS] for name, text in found.items() if text}
