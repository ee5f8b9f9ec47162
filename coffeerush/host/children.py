"""Child processes: the host of a screen's owner, and the gateway for guests beside a host."""

import fcntl
import logging
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from ssl import Purpose, SSLContext, create_default_context
from typing import BinaryIO, Final, Self

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import HostError, UsageError
from coffeerush.host.server.parent import (
    NO_WAYS,
    Addresses,
    Begin,
    Failed,
    GoesOn,
    Goodbye,
    HostOptions,
    HostReady,
    LetGuestsJoin,
    Line,
    NewCode,
    Ways,
    Withdraw,
)
from coffeerush.local.files import state_directory
from coffeerush.local.processes import LineLink, LinkedChild, child_environment
from protocol import GuestNumber, clean_line, clip

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
LEAVE_SECONDS: Final = 20.0
"""The timeout for a host's answer when its parent leaves, and then for its exit."""
LOG_NAME: Final = "host.log"
_CHILD: Final = "coffeerush.cli.host_child"


class HostProcess:
    """A host in a child process; made by `spawn_host`."""

    def __init__(self, child: LinkedChild[Line], ready: HostReady, guests: bool) -> None:
        self._child = child
        self._guests = guests
        self.ready = ready
        """Where it listens."""
        self.code = ready.code
        """The current join code; empty at an open table."""
        self.addresses = ready.addresses
        """Where others join, most likely first."""
        self.ways: Ways | None = None
        """How guests come in who have only ssh or a browser, once that is known."""
        self._goes_on = False
        self.address = ready.local
        self.port = ready.port
        self.pid = child.pid

    @property
    def guests_due(self) -> bool:
        """Whether guests will be let in, and `ways` is not known yet."""
        return self._guests and self.ways is None

    def is_running(self) -> bool:
        """Return whether the process is still alive."""
        return self._child.is_running()

    def fileno(self) -> int:
        """Return the file descriptor to poll for its messages."""
        return self._child.link.fileno()

    def hear(self) -> bool:
        """Take a line from the host, once `fileno` is readable; return False if it has ended."""
        try:
            line = self._child.link.receive_within(0)
        except EOFError:
            return False
        if line:
            self._take(line)
        return True

    def _take(self, line: Line) -> None:
        if isinstance(line, Ways):
            self.ways = None if line == NO_WAYS else line
        elif isinstance(line, NewCode):
            self.code = line.code
        elif isinstance(line, Addresses):
            self.addresses = line.addresses
        elif isinstance(line, GoesOn):
            self._goes_on = True

    def leave(self, *, has_moved: bool = False) -> bool:
        """Leave the host to the others at its table; return whether it keeps running.

        One whose tables have moved is not waited for: it only tells where they are, and ends.
        """
        link = self._child.link
        with suppress(OSError, EOFError):
            link.send(Goodbye(), LEAVE_SECONDS)
            if has_moved:
                return False
            while not self._goes_on and (line := link.receive_within(LEAVE_SECONDS)):
                self._take(line)  # perhaps one from before
        return self._goes_on or self._child.wait(LEAVE_SECONDS) is None

    def let_guests_join(self, allowed: bool) -> None:
        """Let others join who have only ssh or a browser, or no more; `ways` will say how."""
        self._guests = allowed
        with suppress(OSError):
            self._child.link.send(LetGuestsJoin(allowed), STOP_SECONDS)

    def begin(self) -> None:
        """Let a host that takes over tables begin: they are its own now."""
        with suppress(OSError):
            self._child.link.send(Begin(), STOP_SECONDS)

    def withdraw(self) -> bool:
        """End a host that waits for others unless it has the table; return whether it has ended."""
        link = self._child.link
        with suppress(OSError, EOFError):
            link.send(Withdraw(), LEAVE_SECONDS)
            while line := link.receive_within(LEAVE_SECONDS):
                self._take(line)
                if isinstance(line, NewCode):
                    return False  # it has the table
        return self._child.wait(LEAVE_SECONDS) is not None

    def close(self) -> None:
        """Let the host stop soon, which tells everybody first."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    def stop(self) -> None:
        """Stop the host, which tells everybody first, and wait for it to exit."""
        self._child.end(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


def spawn_host(options: HostOptions) -> HostProcess:
    """Start a host and wait until it listens; raises its own error, in this process's language.

    It logs to `LOG_NAME` in the state directory, or to the next numbered name that no host uses.
    """
    try:
        log = _free_log(state_directory())
    except OSError as error:
        raise HostError(
            "{path} cannot be written: {reason}.", path=error.filename, reason=error
        ) from None
    try:
        with log:
            child: LinkedChild[Line] = LinkedChild(
                _CHILD,
                Line,
                stdout=log,
                stderr=log,
                process_group=None,
                start_new_session=True,  # else closing the terminal would kill it with the screen
            )
    except OSError as error:
        raise HostError("The host cannot be started: {reason}.", reason=error) from None
    try:
        return HostProcess(child, _started(child, options), options.guests)
    except BaseException:  # Ctrl-C too: nobody else would end the child
        child.end()
        raise


def _free_log(directory: Path) -> BinaryIO:
    """Return an empty log file that no other host is using; raises `OSError`."""
    names = chain([LOG_NAME], (f"host-{number}.log" for number in count(2)))
    logs = (_lock_log(directory / name) for name in names)
    return next(log for log in logs if log is not None)


def _lock_log(path: Path) -> BinaryIO | None:
    """Truncate a log and lock it while it is open; return None if another host holds the lock."""
    log = path.open("ab")
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        log.close()
        return None
    except OSError:
        pass  # a file system without locks: all hosts share one log
    path.chmod(0o600)  # the join code is in it
    log.truncate(0)
    return log


def _started(child: LinkedChild[Line], options: HostOptions) -> HostReady:
    """Send a host its options and wait for its reply; raise the error that it reports."""
    line = None
    with suppress(OSError, EOFError, ValueError):
        child.link.send(options, START_SECONDS)
        line = child.link.receive_within(START_SECONDS)
    if isinstance(line, HostReady):
        return line
    if isinstance(line, Failed):
        raise UsageError(line.error) if line.wrong_usage else HostError(line.error)
    raise HostError("The host did not start; run coffeerush host --headless to see why.")


# Run the gateway for guests in a child process, and start it again whenever it ends
#
# The gateway is no part of the host: it is as trusted as the guests' clients are, and all that it
# hears from the host is what a screen shows.


PACKAGES: Final = ("asyncssh", "websockets")
RESTART_SECONDS: Final = (0.1, 1.0, 2.0, 5.0)
"""The delays between one gateway and the next; the first applies again after `STEADY_SECONDS`."""
STEADY_SECONDS: Final = 60.0
GATEWAY_STOP_SECONDS: Final = 3.0
MAX_REASON: Final = 500
"""The characters of a gateway's reason for not serving that are shown."""
_GATEWAY_CHILD: Final = "coffeerush.guests.process"
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
    owner: str = ""
    """Who hosts the table, if that is known."""


class CodeSpent(Struct, frozen=True, tag="code_spent"):
    """A line from the gateway: so many wrong codes were tried that the table needs a new one."""


class CodeChanged(Struct, frozen=True, tag="code_changed"):
    """A later line to the gateway: the join code has changed."""

    code: str


class GuestAnswered(Struct, frozen=True, tag="guest_answered"):
    """A later line to the gateway: somebody at the table lets a guest in, or turns them away."""

    guest: GuestNumber
    allowed: bool


def missing_packages() -> list[str]:
    """Return the packages that are missing to let in guests without this program."""
    return [name for name in PACKAGES if find_spec(name) is None]


def check_installed() -> None:
    """Raise `UsageError` unless the packages are there that guests need."""
    if missing := missing_packages():
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
        self._child: LinkedChild[Ways | CodeSpent] | None = None
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
            self._send(CodeChanged(code))

    def let_in(self, guest: GuestNumber, allowed: bool) -> None:
        """Tell the gateway that a guest may come in, or may not."""
        with self._lock:
            self._send(GuestAnswered(guest, allowed))

    def wait(self) -> str:
        """Wait until no gateway is started any more, and return why: the first could not serve."""
        self._ended.wait()
        return self._failed

    def stop(self) -> None:
        """End the gateway, which first takes its guests from the table."""
        self._stopping.set()
        with self._lock:
            if self._child:
                self._child.end(GATEWAY_STOP_SECONDS)
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
                child = self._child = LinkedChild(
                    _GATEWAY_CHILD, Ways | CodeSpent, stderr=None, env=_environment()
                )
            except OSError as error:  # no free descriptor, or this program is just being updated
                self._failed = f"{error.strerror or error}."
                return
            self._send(self._options)
        try:
            while line := next_line(child.link):
                self._hear(line)
        finally:
            with self._lock:
                self._child = None
            child.end()
            if self._ways and self._ways.asking:  # their connections have ended with it
                self._tell(replace(self._ways, asking=()))

    def _send(self, line: Struct) -> None:
        """Send a line; if the gateway has ended, its reader notices. Needs the lock."""
        if self._child:
            with suppress(OSError):
                self._child.link.send(line)

    def _hear(self, line: Ways | CodeSpent) -> None:
        if isinstance(line, CodeSpent):
            self._on_spent()
        elif line.failed:
            self._failed = clean_line(clip(line.failed, MAX_REASON))
            self._gave_up = self._ways is None
        else:
            with self._lock:  # after a restart guests look for it at the same ports
                self._options = replace(
                    self._options, ssh_port=line.ssh_port, web_port=line.web_port
                )
            self._tell(line)

    def _tell(self, ways: Ways) -> None:
        self._ways = ways
        self._on_ways(ways)


def next_line(link: LineLink[Ways | CodeSpent]) -> Ways | CodeSpent | None:
    """Wait for the next line from the gateway; None once it has ended. Others are ignored."""
    while True:
        try:
            return link.receive()
        except EOFError:
            return None
        except ValueError:
            continue


def _environment() -> dict[str, str]:
    """Return the gateway's environment.

    It has two threads for each guest. By default, the C library reserves 64 MB of addresses for
    each of them, which count for the limit on memory.
    """
    return {**child_environment(), "MALLOC_ARENA_MAX": "2"}
