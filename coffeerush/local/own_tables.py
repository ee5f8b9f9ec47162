"""The tables that this user has opened on this machine, so that their owner finds them again."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from .files import make_directory, read_regular, state_directory, write_atomic

_MAX_BYTES: Final = 4096
_MOVED_SECONDS: Final = 12 * 3600.0
"""How long there is a way back to a table that has moved: for the evening."""


class OwnTable(Struct, frozen=True):
    """A table whose host runs."""

    table: str
    address: str
    """At which this machine reaches its door, as people type it."""
    opened: float
    """When its host was started, or the person left it, in seconds since the epoch."""
    moved: bool = False
    """Whether it has moved to another computer."""
    guest: bool = False
    """Whether it is somebody else's, at which this user had a seat."""
    name: str = ""
    """What the person is called there, for whom keys are kept under that name."""
    addresses: tuple[str, ...] = ()
    """Where others join, most likely first."""
    code: str = ""
    """The join code; empty at an open table."""


class Change(Protocol):
    """Changes fields of a listed table; may be called on any thread."""

    def __call__(self, *, addresses: tuple[str, ...] = ..., code: str = ...) -> None:
        """Set those given."""


@contextmanager
def listed(table: OwnTable) -> Iterator[Change]:
    """List a table of this process, and take it off the list at the end, even if it is killed.

    The process holds a lock on the table's file. Does nothing if that cannot be written.
    """
    lock, file, size = Lock(), -1, 0

    def write() -> None:
        nonlocal size
        data = msgspec.json.encode(table).ljust(size)  # so that it is whole at any time
        size = os.pwrite(file, data, 0)

    def change(**fields: Any) -> None:
        nonlocal table
        with lock, suppress(OSError):
            table = replace(table, **fields)
            if size:
                write()

    def close() -> None:
        nonlocal size
        with lock:
            size = 0
            os.close(file)

    with ExitStack() as stack:
        with suppress(OSError):
            path = _directory() / f"{os.getpid()}.json"
            new = path.with_suffix(".new")
            file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            stack.callback(close)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write()
            new.replace(path)  # locked before it is found
            stack.callback(path.unlink, missing_ok=True)
        forget_moved()
        yield change


def own_tables() -> list[OwnTable]:
    """Return the tables whose hosts run, the latest first, and then one on another computer."""
    tables = [table for _path, table in _running()]
    moved = moved_table()
    return [
        *sorted(tables, key=lambda table: table.opened, reverse=True),
        *([moved] if moved else []),
    ]


def stop_own(address: str) -> None:
    """Make the host of a table of this user stop, which tells everybody there first."""
    for path, table in _running():
        if table.address == address:
            with suppress(ProcessLookupError):
                os.kill(int(path.stem), signal.SIGTERM)


def moved_table() -> OwnTable | None:
    """Return the latest table if it is elsewhere, as far as this user's programs know."""
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        found = msgspec.json.decode(read_regular(_moved(), _MAX_BYTES), type=OwnTable)
        if time.time() - found.opened < _MOVED_SECONDS:
            return found
    return None


def keep_moved(table: str, address: str, name: str, *, guest: bool = False) -> None:
    """Remember where the latest table is now, on another computer, if that can be written."""
    with suppress(OSError):
        found = OwnTable(table, address, time.time(), moved=not guest, guest=guest, name=name)
        write_atomic(_moved(), msgspec.json.encode(found))


def forget_moved() -> None:
    """Forget where the latest table is: it is not there any more, or there is another."""
    with suppress(OSError):
        _moved().unlink(missing_ok=True)


def _moved() -> Path:
    return _directory() / "moved"


def _directory() -> Path:
    path = state_directory() / "open"
    make_directory(path)
    return path


def _running() -> list[tuple[Path, OwnTable]]:
    """Return the tables whose hosts run, and their files, which are named after the processes."""
    found = []
    with suppress(OSError):
        for path in _directory().glob("*.json"):
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
                if _is_running(path):
                    data = read_regular(path, _MAX_BYTES)
                    found.append((path, msgspec.json.decode(data, type=OwnTable)))
    return found


def _is_running(path: Path) -> bool:
    """Return whether a table's host runs; remove the file of one that was killed."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        path.unlink(missing_ok=True)
    return False
