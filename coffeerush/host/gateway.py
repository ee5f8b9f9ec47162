"""Run the gateway for guests in a child process, and start it again whenever it ends.

The gateway is no part of the host: it is as trusted as the guests' clients are, and all that it
hears from the host is what a screen shows.
"""

import logging
import shlex
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from ssl import Purpose, SSLContext, create_default_context
from typing import Final

from msgspec import Struct, json
from msgspec.structs import replace

from coffeerush.errors import UsageError
from coffeerush.local.processes import LinkedChild, child_environment
from protocol import GuestNumber, clean_line, clip

from .server.parent import Ways
from .spawn import read_line

PACKAGES: Final = ("asyncssh", "websockets")
RESTART_SECONDS: Final = (0.1, 1.0, 2.0, 5.0)
"""The delays between one gateway and the next; the first applies again after `STEADY_SECONDS`."""
STEADY_SECONDS: Final = 60.0
STOP_SECONDS: Final = 3.0
MAX_REASON: Final = 500
"""The characters of a gateway's reason for not serving that are shown."""
_CHILD: Final = "coffeerush.guests.process"
_log: Final = logging.getLogger(__name__)


class GatewayOptions(Struct, frozen=True):
    """The first line to the gateway."""

    host: str
    """Where it reaches the table's door."""
    port: int
    host_key: str
    """The host's public key, in Z85: its guests join no other host."""
    code: str
    """The join code; empty at an open table."""
    table: str = ""
    """The table's name, if it is known."""
    bind: str = "*"
    """The address to listen on."""
    ssh_port: int = 0
    """Its port for ssh; 0 for any."""
    web_port: int = 0
    """Its port for the page; 0 for any."""
    tls_cert: str = ""
    tls_key: str = ""
    lets_in: bool = False
    """Whether people at the table hear who asks, and may let them in."""
    only_these_ports: bool = False
    """Whether to listen at no other ports if these are taken."""
    is_here: bool = True
    """Whether the host is on this machine."""


class CodeSpent(Struct, frozen=True, tag="code_spent"):
    """A line from the gateway: so many wrong codes were tried that the table needs a new one."""


class CodeChanged(Struct, frozen=True, tag="code_changed"):
    """A later line to the gateway: the join code has changed."""

    code: str


class GuestAnswered(Struct, frozen=True, tag="guest_answered"):
    """A later line to the gateway: somebody at the table lets a guest in, or turns them away."""

    guest: GuestNumber
    allowed: bool


def check_installed() -> None:
    """Raise `UsageError` unless the packages are there that guests need."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise UsageError(
            "Packages are missing that let in guests without this program; install them with: "
            "{command}",
            command=shlex.join([sys.executable, "-m", "pip", "install", *missing]),
        )


def certificate_of(certificate: str, key: str) -> SSLContext | None:
    """Load a certificate for TLS; None without one. Raises `UsageError` if it cannot be used."""
    if not certificate:
        return None
    context = create_default_context(Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key or None, password="")
    except (OSError, ValueError) as error:
        raise UsageError(
            "The certificate {path} cannot be used: {reason}", path=certificate, reason=error
        ) from None
    return context


class GatewayProcess:
    """Keeps a gateway running from construction until `stop`.

    Args:
        options: the gateway's.
        on_ways: called from a thread with how guests come in and who asks to, at each change; or,
            if the first gateway cannot serve them, with why, which is the end.
        on_spent: called from a thread when the table needs a new code.
    """

    def __init__(
        self,
        options: GatewayOptions,
        on_ways: Callable[[Ways], None],
        on_spent: Callable[[], None],
    ) -> None:
        self._options = options
        self._on_ways = on_ways
        self._on_spent = on_spent
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._child: LinkedChild | None = None
        self._ways: Ways | None = None
        self._failed = ""
        """Why the last gateway could not serve guests."""
        self._gave_up = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def new_code(self, code: str) -> None:
        """Tell the gateway the table's new code."""
        with self._lock:
            self._options = replace(self._options, code=code)
            if self._child:
                _send(self._child, CodeChanged(code))

    def let_in(self, guest: GuestNumber, allowed: bool) -> None:
        """Tell the gateway that a guest may come in, or may not."""
        with self._lock:
            if self._child:
                _send(self._child, GuestAnswered(guest, allowed))

    def wait(self) -> str:
        """Wait until no gateway is started any more, and return why: the first could not serve."""
        self._ended.wait()
        return self._failed

    def stop(self) -> None:
        """End the gateway, which first takes its guests from the table."""
        self._stopping.set()
        with self._lock:
            if self._child:
                self._child.end(STOP_SECONDS)
        self._thread.join()

    def _run(self) -> None:
        failures, told = 0, ""
        while not self._stopping.is_set():
            begun = time.monotonic()
            self._run_once()
            if self._gave_up:
                self._tell(Ways(0, "", failed=self._failed))
                break
            failures = 0 if time.monotonic() - begun >= STEADY_SECONDS else failures + 1
            delay = RESTART_SECONDS[min(failures, len(RESTART_SECONDS)) - 1]
            if not self._stopping.wait(delay):
                if not self._failed:
                    _log.warning("The gateway for guests has ended; it is started again.")
                elif self._failed != told:
                    text = "The gateway for guests cannot be started; that is tried again. %s"
                    _log.warning(text, self._failed)
                told = self._failed
        self._ended.set()

    def _run_once(self) -> None:
        self._failed = ""
        with self._lock:
            if self._stopping.is_set():
                return
            try:
                child = self._child = LinkedChild(_CHILD, stderr=None, env=_environment())
            except OSError as error:  # no free descriptor, or this program is just being updated
                self._failed = f"{error.strerror or error}."
                return
            _send(child, self._options)
        try:
            while line := read_line(child.link):
                self._hear(line)
        finally:
            with self._lock:
                self._child = None
            child.end()
            if self._ways and self._ways.asking:  # their connections have ended with it
                self._tell(replace(self._ways, asking=()))

    def _hear(self, line: bytes) -> None:
        heard = decode(line)
        if isinstance(heard, CodeSpent):
            self._on_spent()
        elif heard and heard.failed:
            self._failed = clean_line(clip(heard.failed, MAX_REASON))
            self._gave_up = self._ways is None
        elif heard:
            with self._lock:  # after a restart guests look for it at the same ports
                self._options = replace(
                    self._options, ssh_port=heard.ssh_port, web_port=heard.web_port
                )
            self._tell(heard)

    def _tell(self, ways: Ways) -> None:
        self._ways = ways
        self._on_ways(ways)


def decode(line: bytes) -> Ways | CodeSpent | None:
    """Decode a line from the gateway; None if it is not one."""
    try:
        return json.decode(line, type=Ways | CodeSpent)
    except (ValueError, RecursionError):  # msgspec's errors, and bytes that are not UTF-8
        return None


def _environment() -> dict[str, str]:
    """Return the gateway's environment.

    It has two threads for each guest. By default, the C library reserves 64 MB of addresses for
    each of them, which count for the limit on memory.
    """
    return {**child_environment(), "MALLOC_ARENA_MAX": "2"}


def _send(child: LinkedChild, line: Struct) -> None:
    try:
        child.link.sendall(json.encode(line) + b"\n")
    except OSError:
        return  # it has ended, and its reader notices
