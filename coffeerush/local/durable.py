"""Durable, atomic file writes: after a crash or a power cut a file is complete or does not exist.

Only what was synced survives a power cut: the content of a file, and its name in its directory.
"""

import errno
import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

# On macOS, fsync leaves data in the drive's cache; F_FULLFSYNC also flushes that.
_FULL_SYNC: Final[int | None] = getattr(fcntl, "F_FULLFSYNC", None)

_NO_SYNC: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""The errors of file systems that cannot sync a directory."""


def sync(file: int) -> None:
    """Wait until the content and the mode of an open file are on disk; raises `OSError`."""
    if _FULL_SYNC is not None:
        with suppress(OSError):  # some file systems have only fsync
            fcntl.fcntl(file, _FULL_SYNC)
            return
    os.fsync(file)


def sync_directory(directory: Path) -> None:
    """Wait until the names in a directory are on disk; raises `OSError`."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)


def make_directory(path: Path) -> None:
    """Create a directory, owner-only, and its parents unless it exists; raises `OSError`."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in missing:
        sync_directory(each.parent)


def write(file: int, data: bytes, at: int = 0) -> None:
    """Write all of `data` to an open file, from byte `at` on; raises `OSError`."""
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written


@contextmanager
def new_draft(directory: Path) -> Iterator[tuple[int, Path]]:
    """Create and open a temporary file, owner-only; delete it on exit unless it was renamed."""
    file, name = tempfile.mkstemp(prefix=".", suffix=".draft", dir=directory)  # 0600
    try:
        yield file, Path(name)
    finally:
        os.close(file)
        with suppress(OSError):
            os.unlink(name)


def claim(draft: Path, path: Path) -> bool:
    """Rename a synced draft within its directory; return False if the name is taken already.

    Raises:
        OSError: it cannot be renamed; no file with that name is left behind.
    """
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # exFAT and Android have no hard links
        with locked(path.parent):
            if os.path.lexists(path):
                return False
            os.rename(draft, path)
    else:
        with suppress(OSError):
            os.unlink(draft)
    try:
        sync_directory(path.parent)
    except OSError:
        path.unlink()
        raise
    return True


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file, owner-only; even after an `OSError` its content is the old or the new."""
    with new_draft(path.parent) as (file, draft):
        write(file, data)
        sync(file)
        os.replace(draft, path)
    sync_directory(path.parent)


@contextmanager
def locked(directory: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold an exclusive lock on a directory, between processes; raises `OSError` if it is not one.

    Calls `on_wait` before it waits for another process. Does nothing on a file system without
    locks.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
