"""The tables of this user that are open on this machine, so that their owner finds them again."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from .files import make_directory, read_regular, state_directory

_MAX_BYTES: Final = 4096


class OwnTable(Struct, frozen=True):
    """A table whose host runs."""

    table: str
    address: str
    """At which this machine reaches its door, as people type it."""
    opened: float
    """When its host was started, in seconds since the epoch."""


@contextmanager
def listed(table: OwnTable) -> Iterator[None]:
    """List a table of this process, and take it off the list at the end, even if it is killed.

    The process holds a lock on the table's file. Does nothing if that cannot be written.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            path = _directory() / f"{os.getpid()}.json"
            new = path.with_suffix(".new")
            file = stack.enter_context(new.open("wb", buffering=0))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(msgspec.json.encode(table))
            new.replace(path)  # locked before it is found
            stack.callback(path.unlink, missing_ok=True)
        yield


def own_tables() -> list[OwnTable]:
    """Return the tables whose hosts run, the latest first."""
    tables = []
    with suppress(OSError):
        for path in _directory().glob("*.json"):
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
                if _is_running(path):
                    data = read_regular(path, _MAX_BYTES)
                    tables.append(msgspec.json.decode(data, type=OwnTable))
    return sorted(tables, key=lambda table: table.opened, reverse=True)


def _directory() -> Path:
    path = state_directory() / "open"
    make_directory(path)
    return path


def _is_running(path: Path) -> bool:
    """Return whether a table's host runs; remove the file of one that was killed."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        path.unlink(missing_ok=True)
    return False
