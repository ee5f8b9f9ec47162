"""Spawn a host as a child process and wait until it listens."""

import fcntl
import json
import socket
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Final, Self

import msgspec

from coffeerush.errors import HostError, UsageError
from coffeerush.host.server.parent import (
    GOODBYE,
    Addresses,
    Failed,
    GoesOn,
    HostOptions,
    HostReady,
    NewCode,
    Ways,
)
from coffeerush.local.files import state_directory
from coffeerush.local.processes import LinkedChild

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
LEAVE_SECONDS: Final = 20.0
"""The timeout for a host's answer when its parent leaves, and then for its exit."""
LOG_NAME: Final = "host.log"
_CHILD: Final = "coffeerush.cli.host_child"
_MAX_LINE: Final = 1 << 20


class HostProcess:
    """A host in a child process; made by `spawn_host`."""

    def __init__(self, child: LinkedChild, ready: HostReady) -> None:
        self._child = child
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

    def is_running(self) -> bool:
        """Return whether the process is still alive."""
        return self._child.is_running()

    def fileno(self) -> int:
        """Return the file descriptor to poll for its messages."""
        return self._child.link.fileno()

    def hear(self) -> bool:
        """Read one line from the host, once `fileno` is readable; return False at end of file."""
        line = read_line(self._child.link)
        if line:
            heard = msgspec.json.decode(line, type=NewCode | Addresses | Ways | GoesOn)
            if isinstance(heard, Ways):
                self.ways = heard
            elif isinstance(heard, NewCode):
                self.code = heard.code
            elif isinstance(heard, Addresses):
                self.addresses = heard.addresses
            else:
                self._goes_on = True
        return bool(line)

    def leave(self) -> bool:
        """Leave the host to the others at its table; return whether it keeps running."""
        with suppress(OSError):
            self._child.link.settimeout(LEAVE_SECONDS)
            self._child.link.send(GOODBYE)
        while not self._goes_on and self.hear():
            pass  # lines from before
        return self._goes_on or not self._child.wait(LEAVE_SECONDS)

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
            child = LinkedChild(
                _CHILD,
                stdout=log,
                stderr=log,
                process_group=None,
                start_new_session=True,  # else closing the terminal would kill it with the screen
            )
    except OSError as error:
        raise HostError("The host cannot be started: {reason}.", reason=error) from None
    try:
        return HostProcess(child, _started(child.link, options))
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


def _started(link: socket.socket, options: HostOptions) -> HostReady:
    """Send a host its options and wait for its reply; raise the error that it reports."""
    link.settimeout(START_SECONDS)
    with suppress(OSError):  # it has exited: the read below fails
        link.sendall(options_line(options))
    try:
        heard = msgspec.json.decode(read_line(link), type=HostReady | Failed)
    except (ValueError, RecursionError):
        raise HostError(
            "The host did not start; run coffeerush host --headless to see why."
        ) from None
    if isinstance(heard, Failed):
        raise UsageError(heard.error) if heard.wrong_usage else HostError(heard.error)
    return heard


def options_line(options: HostOptions) -> bytes:
    """Serialize to JSON, without msgspec: it cannot encode file names that are not UTF-8."""
    return json.dumps(msgspec.to_builtins(options)).encode() + b"\n"


def read_options(line: bytes) -> HostOptions:
    """Parse a line of `options_line`."""
    return msgspec.convert(json.loads(line), HostOptions)


def read_line(link: socket.socket) -> bytes:
    """Read one line, and no byte beyond it; empty at end of file, on error or on timeout."""
    with suppress(OSError), link.makefile("rb", buffering=0) as lines:
        return lines.readline(_MAX_LINE)
    return b""
