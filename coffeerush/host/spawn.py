"""Starts a host as a process of its own, and knows when it listens."""

import fcntl
import socket
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Final, Self

import msgspec

from coffeerush.errors import HostError, UsageError
from coffeerush.host.server.parent import GOODBYE, Failed, HostReady, NewCode
from coffeerush.local.directories import state_directory
from coffeerush.local.processes import LinkedChild

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
LEAVE_SECONDS: Final = 2.0
LOG_NAME: Final = "host.log"
_MAX_LINE: Final = 65536


class HostProcess:
    """A host that runs beside this process; made by `spawn_host`."""

    def __init__(self, child: LinkedChild, ready: HostReady) -> None:
        self._child = child
        self.ready = ready
        """Where it listens."""
        self.code = ready.code
        """The join code that is asked for now; empty at an open table."""
        self.address = ready.local
        self.port = ready.port
        self.pid = child.pid

    def is_running(self) -> bool:
        """Tell whether the process still lives."""
        return self._child.is_running()

    def fileno(self) -> int:
        """Return the descriptor to poll for what it says."""
        return self._child.link.fileno()

    def hear(self) -> bool:
        """Take in a line that it has said; `fileno` is readable.

        Returns:
            Whether there can be more.
        """
        line = _line(self._child.link)
        if line:
            self.code = msgspec.json.decode(line, type=NewCode).code
        return bool(line)

    def leave(self) -> bool:
        """Let it go on for the others at its table; it stops by itself without any.

        Returns:
            Whether it goes on now.
        """
        with suppress(OSError):
            self._child.link.send(GOODBYE)
        return not self._child.wait(LEAVE_SECONDS)

    def stop(self) -> None:
        """Have it tell everybody and stop, and wait until it has."""
        self._child.end(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


def spawn_host(args: Sequence[str]) -> HostProcess:
    """Start `coffeerush host --headless` with more arguments, and wait until it listens.

    With `--with-parent` it stops when this process ends; without, it goes on as long as people are
    at its table. Its log is `LOG_NAME` in the state directory, or the next name that no host uses.

    Raises:
        HostError: it does not start; the text is its own sentence.
        UsageError: it does not understand `args`.
    """
    try:
        log = _free_log(state_directory())
    except OSError as error:
        raise HostError(
            "{path} cannot be written: {reason}.", path=error.filename, reason=error
        ) from None
    with log:
        child = LinkedChild(
            *("coffeerush", "host", "--headless", *args, "--ready-fd"),
            stdout=log,
            stderr=log,
            process_group=None,
            start_new_session=True,  # a closed terminal is for the screen, too
        )
    child.link.settimeout(START_SECONDS)
    heard = _heard(_line(child.link))
    if isinstance(heard, Exception):
        child.end()
        raise heard
    return HostProcess(child, heard)


def _free_log(directory: Path) -> BinaryIO:
    """Return an empty log that no other host writes; raises `OSError`."""
    names = chain([LOG_NAME], (f"host-{number}.log" for number in count(2)))
    logs = (_log_unless_used(directory / name) for name in names)
    return next(log for log in logs if log is not None)


def _log_unless_used(path: Path) -> BinaryIO | None:
    """Return a log, emptied and locked for as long as a host has it open; None if one has."""
    log = path.open("ab")
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        log.close()
        return None
    except OSError:
        pass  # a file system without locks: all hosts write one log
    path.chmod(0o600)  # the join code is in it
    log.truncate(0)
    return log


def _heard(line: bytes) -> HostReady | HostError | UsageError:
    """Return what the host's first line says; its error speaks the language of this process."""
    try:
        heard: HostReady | Failed = msgspec.json.decode(line, type=HostReady | Failed)
    except msgspec.DecodeError:
        return HostError("The host did not start: coffeerush host --headless shows why.")
    if isinstance(heard, HostReady):
        return heard
    return UsageError(heard.error) if heard.wrong_usage else HostError(heard.error)


def _line(link: socket.socket) -> bytes:
    """Return the next line of the host, and no byte of the one after; empty where none comes."""
    with suppress(OSError), link.makefile("rb", buffering=0) as lines:
        return lines.readline(_MAX_LINE)
    return b""
