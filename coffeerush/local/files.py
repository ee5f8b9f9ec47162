"""Files and folders of this user: where they are, read with bounds, written durably."""

import errno
import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import platformdirs

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


# Open regular files only: opening a named pipe would block, and a device never ends


_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file and return its descriptor.

    Raises:
        OSError: it cannot be opened, or is a directory, a named pipe, a device or a socket.
    """
    file = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return file
    os.close(file)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "Not a regular file", str(path))


def read_regular(path: str | Path, most: int) -> bytes:
    """Return at most the first `most` bytes of a regular file; raises what `open_regular` does."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read(most)


def read_private(path: str | Path, most: int) -> bytes:
    """Return at most the first `most` bytes of a file that only this user can access.

    Raises:
        OSError: it is a symbolic link, another user's or accessible to others, or `open_regular`
            raises it.
    """
    with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        about = os.fstat(file.fileno())
        if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & _OTHERS:
            raise PermissionError(errno.EPERM, "Other users can access it", str(path))
        return file.read(most)


def make_private(file: int) -> bool:
    """Make sure that only its owner can access an open file; return whether others could."""
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    if mode & _OTHERS:
        with suppress(OSError):  # not ours, or a file system without modes
            os.fchmod(file, mode & ~_OTHERS)
    return bool(mode & _OTHERS)


# The state and config directories on this machine (XDG and its equivalents)


STATE_VARIABLE: Final = "COFFEERUSH_STATE"
"""The environment variable that overrides the system's usual directories."""
NO_HOME: Final = Path(os.devnull)
"""Stands for the home of a user who has none: nothing can be created in it, not even by root."""


def state_directory() -> Path:
    """Return the directory for records, keys and logs; create it, owner-only; raises `OSError`."""
    path = _state_path()
    make_directory(path)
    return path


def records_directory() -> Path:
    """Return the directory for the records of the user's own tables, which may not exist yet."""
    return _state_path() / "records"


def config_directory() -> Path:
    """Return the directory for the settings, which may not exist yet."""
    return _named_or(platformdirs.user_config_path)


def _state_path() -> Path:
    return _named_or(platformdirs.user_state_path)


def _named_or(usual: Callable[..., Path]) -> Path:
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(named)
    try:
        return usual("coffeerush", appauthor=False)
    except RuntimeError:  # a user without an entry in passwd and without HOME, as in a container
        return NO_HOME / "coffeerush"
