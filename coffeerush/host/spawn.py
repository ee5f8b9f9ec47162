"""Starts a host as a process of its own, and knows when it listens."""

import fcntl
import json
import socket
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Final, Self

import msgspec

from coffeerush.errors import HostError, UsageError
from coffeerush.host.server.parent import GOODBYE, Failed, HostOptions, HostReady, NewCode
from coffeerush.local.directories import state_directory
from coffeerush.local.processes import LinkedChild

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
LEAVE_SECONDS: Final = 2.0
LOG_NAME: Final = "host.log"
_CHILD: Final = "coffeerush.cli.host_child"
_MAX_LINE: Final = 1 << 20


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
        line = read_line(self._child.link)
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


def spawn_host(options: HostOptions) -> HostProcess:
    """Start a host, and wait until it listens.

    It speaks the language of this process. Its log is `LOG_NAME` in the state directory, or the
    next name that no host uses.

    Raises:
        HostError: it does not start; the text is its own sentence.
        UsageError: `options` contradict each other.
    """
    try:
        log = _free_log(state_directory())
    except OSError as error:
        raise HostError(
            "{path} cannot be written: {reason}.", path=error.filename, reason=error
        ) from None
    with log:
        child = LinkedChild(
            _CHILD,
            stdout=log,
            stderr=log,
            process_group=None,
            start_new_session=True,  # a closed terminal is for the screen, too
        )
    try:
        return HostProcess(child, _started(child.link, options))
    except BaseException:  # Ctrl-C, too: nobody else knows of the child
        child.end()
        raise


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


def _started(link: socket.socket, options: HostOptions) -> HostReady:
    """Tell a host what it is to do; its error speaks the language of this process."""
    link.settimeout(START_SECONDS)
    with suppress(OSError):  # it has ended: no answer comes
        link.sendall(options_line(options))
    try:
        heard = msgspec.json.decode(read_line(link), type=HostReady | Failed)
    except msgspec.DecodeError:
        raise HostError("The host did not start: coffeerush host --headless shows why.") from None
    if isinstance(heard, Failed):
        raise UsageError(heard.error) if heard.wrong_usage else HostError(heard.error)
    return heard


def options_line(options: HostOptions) -> bytes:
    """Return the line that tells a host what it is to do.

    It is JSON as Python writes it: that of msgspec has no file names that are not UTF-8.
    """
    return json.dumps(msgspec.to_builtins(options)).encode() + b"\n"


def read_options(line: bytes) -> HostOptions:
    """Return what such a line says."""
    return msgspec.convert(json.loads(line), HostOptions)


def read_line(link: socket.socket) -> bytes:
    """Return the next line of the other end, and no byte of the one after; empty if none comes."""
    with suppress(OSError), link.makefile("rb", buffering=0) as lines:
        return lines.readline(_MAX_LINE)
    return b""
