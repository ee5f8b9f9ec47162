"""The record of a game as a file: what `append` returned from is on disk.

A host that is killed finds there every intent that it answered. Only one host writes a file.
"""

import fcntl
import os
import re
import stat
from contextlib import suppress
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final, Self

from coffeerush.errors import RecordError
from coffeerush.record import (
    MAX_RECORD_BYTES,
    End,
    Entry,
    Head,
    Record,
    encode_entry,
    read_record,
)

SECRET: Final = 0o600
SHARED: Final = 0o644
END_BYTES: Final = 1024
"""Kept free for the end, so that a game that fills its record can still be finished."""

_CREATE: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

# macOS has no fdatasync.
_sync: Final = getattr(os, "fdatasync", os.fsync)


def load_record(path: Path) -> Record:
    """Return the record in a file; raises `RecordError`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    return _read(path, data)


class Journal:
    """A record that is being written."""

    def __init__(self, path: Path, file: int, size: int) -> None:
        """Take over an open file descriptor whose first `size` bytes are good."""
        self.path = path
        self._file = file
        self._size = size
        self._torn = False
        """Part of a line may lie behind the good bytes."""

    @classmethod
    def create(cls, directory: Path, head: Head, begun: datetime) -> Self:
        """Begin the record of a game in a new file of `directory`.

        Raises:
            RecordError: the file cannot be written; none is left behind.
        """
        path, file = _new_file(directory, file_name(head, begun))
        journal = cls(path, file, 0)
        try:
            _lock(path, file)
            _read(path, encode_entry(head))  # no game is begun that could not be resumed
            journal.append(head)
            _sync_directory(directory)
        except RecordError:
            journal.close()
            path.unlink(missing_ok=True)
            raise
        return journal

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Record]:
        """Open the record of a game that is not over, and cut off a line that was torn.

        Raises:
            RecordError: it is no good record, is over, or another host writes it.
        """
        try:
            file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _unreadable(path, error) from None
        try:
            record = _resumable(path, file)
            os.ftruncate(file, record.good)
            _sync(file)
        except OSError as error:
            os.close(file)
            raise _unreadable(path, error) from None
        except RecordError:
            os.close(file)
            raise
        return cls(path, file, record.good), record

    def append(self, entry: Entry) -> None:
        """Write an entry, and return when it is on disk.

        Raises:
            RecordError: it could not be written, and does not count; the next one may have luck.
        """
        line = encode_entry(entry)
        room = MAX_RECORD_BYTES - (0 if isinstance(entry, End) else END_BYTES)
        if self._size + len(line) > room:
            raise RecordError(
                "{path} is full: a record has at most {most} bytes.",
                path=self.path,
                most=MAX_RECORD_BYTES,
            )
        try:
            self._cut_back()
            self._torn = True
            _write(self._file, line, self._size)
            _sync(self._file)
            self._torn = False
        except OSError as error:
            with suppress(OSError):  # else before the next line
                self._cut_back()
            raise _unwritable(self.path, error) from None
        self._size += len(line)
        if isinstance(entry, End):
            self._share()

    def close(self) -> None:
        """Close the file, and let others write it."""
        os.close(self._file)

    def _cut_back(self) -> None:
        """Take a line that was not written whole off the file again; raises `OSError`."""
        if self._torn:
            os.ftruncate(self._file, self._size)
            _sync(self._file)
            self._torn = False

    def _share(self) -> None:
        # The end is on disk: on a file system without modes the game is over all the same.
        with suppress(OSError):
            os.fchmod(self._file, SHARED)


def file_name(head: Head, begun: datetime) -> str:
    """Return the name of a record's file, such as `Ann-20260131-201500-1.record`."""
    table = re.sub(r"\W+", "-", head.table).strip("-") or "table"
    return f"{table}-{begun:%Y%m%d-%H%M%S}-{head.game}.record"


def _new_file(directory: Path, name: str) -> tuple[Path, int]:
    """Return a file that was not there before: tables of one name may begin in one second."""
    stem = Path(name).stem
    paths = chain([directory / name], (directory / f"{stem}-{n}.record" for n in count(2)))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path = next(path for path in paths if not os.path.lexists(path))
        return path, os.open(path, _CREATE, SECRET)
    except OSError as error:
        raise _unwritable(directory / name, error) from None


def _resumable(path: Path, file: int) -> Record:
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise RecordError("{path} is no file, so no record can be resumed from it.", path=path)
    _lock(path, file)
    with os.fdopen(os.dup(file), "rb") as reader:
        record = _read(path, reader.read(MAX_RECORD_BYTES + 1))
    if record.end is not None:
        raise RecordError("{path}: this game is over; see it with coffeerush replay.", path=path)
    return record


def _lock(path: Path, file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordError(
            "{path}: another host writes this record; stop it first.", path=path
        ) from None


def _write(file: int, line: bytes, at: int) -> None:
    while line:
        written = os.pwrite(file, line, at)
        line, at = line[written:], at + written


def _sync_directory(directory: Path) -> None:
    """Make the name of a new file as lasting as its contents."""
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise _unwritable(directory, error) from None


def _read(path: Path, data: bytes) -> Record:
    try:
        return read_record(data)
    except RecordError as error:
        raise RecordError("{path}: {reason}", path=path, reason=error) from None


def _unreadable(path: Path, error: OSError) -> RecordError:
    return RecordError("{path} cannot be opened: {reason}.", path=path, reason=error)


def _unwritable(path: Path, error: OSError) -> RecordError:
    return RecordError(
        "{path} cannot be written: {reason}; make room or choose another.", path=path, reason=error
    )
