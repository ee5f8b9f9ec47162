"""Open regular files only: opening a named pipe would block, and a device never ends."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

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
    """Make sure that only its owner can access an open file; tell whether others could."""
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    if mode & _OTHERS:
        with suppress(OSError):  # not ours, or a file system without modes
            os.fchmod(file, mode & ~_OTHERS)
    return bool(mode & _OTHERS)
