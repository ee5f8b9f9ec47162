"""Files that a crash or a power cut leaves whole: there with all of their content, or not there.

Only what was synced outlasts a power cut: the content of a file, and its name in its directory.
"""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

# On macOS fsync leaves the data in the cache of the drive, and this does not.
_FULL_SYNC: Final[int | None] = getattr(fcntl, "F_FULLFSYNC", None)

_NO_SYNC: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What file systems say that cannot sync a directory."""


def sync(file: int) -> None:
    """Wait until an open file is on disk, with its mode; raises `OSError`."""
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
    """Make a directory for its owner alone, and its parents, unless it exists; raises `OSError`."""
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
    """Open a new file for its owner alone, and delete it afterwards unless it was renamed.

    Raises:
        OSError: it cannot be made.
    """
    file, name = tempfile.mkstemp(prefix=".", suffix=".draft", dir=directory)  # 0600
    try:
        yield file, Path(name)
    finally:
        os.close(file)
        with suppress(OSError):
            os.unlink(name)


def claim(draft: Path, path: Path) -> bool:
    """Give a synced draft its name in the same directory, unless something has that name already.

    Returns:
        Whether the file has that name now, for good.

    Raises:
        OSError: it cannot be renamed; nothing has that name because of this.
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


def write_whole(path: Path, data: bytes) -> None:
    """Write a file for its owner alone, at once: nobody ever reads half of it.

    Raises:
        OSError: it cannot be written; it is still whole.
    """
    with new_draft(path.parent) as (file, draft):
        write(file, data)
        sync(file)
        os.replace(draft, path)
    sync_directory(path.parent)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other programs that lock this directory waiting; raises `OSError` if it is none.

    On a file system without locks nobody waits.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
