"""Write the record of a game to its file: a write-ahead journal, synced on every append.

A host that was killed finds every intent that it answered. A lock lets only one host write a file.
"""

import fcntl
import logging
import os
import re
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Final, Self, TypeVar

from msgspec.structs import replace

from coffeerush.errors import HostError, RecordError, unwritable
from coffeerush.local.files import (
    claim,
    make_directory,
    make_private,
    new_draft,
    open_regular,
    read_regular,
    sync,
    write,
)
from protocol import TableNumber, Term

from .entries import (
    MAX_RECORD_BYTES,
    End,
    Entry,
    Head,
    Later,
    Move,
    Record,
    encode_entry,
    read_head,
    read_record,
)

RECORDS: Final = "*.record"
INCOMING: Final = ".incoming"
"""The end of the name of a record that another host hands over, until this host has the table."""
SHARED: Final = 0o644
MAX_HEAD_BYTES: Final = 2**18
"""More than the first line of a record can have, including its deck."""
END_BYTES: Final = 1024
"""Reserved for the end, so that a game that fills its record can still finish."""
_TIME: Final = "%Y%m%d-%H%M%S"
_STAMP: Final = re.compile(r"(?:^|-)(\d{8}-\d{6})(?:-\d+){0,2}\.(?:record|tournament)$")
LATEST: Final = 2**63 // 10**9
"""In the year 2262. Calendars, charts and databases fail on times that some file systems keep."""
_log: Final = logging.getLogger(__name__)
Content = TypeVar("Content")


def load_record(path: Path) -> Record:
    """Return the record in a file; raises `RecordError`."""
    try:
        data = read_regular(path, MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    return _read(path, data)


def newest_records(
    directory: Path, since: float = 0.0, patterns: tuple[str, ...] = (RECORDS,)
) -> list[Path]:
    """Return the records written `since` a Unix time, newest first; [] for a missing directory.

    Only regular files: opening a named pipe would block.
    """
    written = []
    for path in chain.from_iterable(map(directory.glob, patterns)):
        with suppress(OSError):  # just deleted
            about = path.stat()
            if stat.S_ISREG(about.st_mode) and written_at(about) >= since:
                written.append((about.st_mtime_ns, path))
    return [path for _when, path in sorted(written, reverse=True)]


def load_head(path: Path) -> Head:
    """Return the head of the record in a file; raises `RecordError`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            line = file.readline(MAX_HEAD_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        return read_head(line.removesuffix(b"\n"))
    except RecordError as error:
        raise RecordError("{path}: {reason}", path=path, reason=error) from None


def is_private(path: Path) -> bool:
    """Return whether only its owner can read a record, as while its game is not over."""
    with suppress(OSError):
        return not path.stat().st_mode & 0o077
    return False


def is_being_written(path: Path) -> bool:
    """Return whether a host is writing a record, as far as can be told; raises no error."""
    with suppress(OSError):
        file = open_regular(path)
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
    return False


class LineFile:
    """A file that grows by lines, each of which is on disk before it counts."""

    def __init__(self, path: Path, file: int, size: int) -> None:
        """Take ownership of an open file descriptor whose first `size` bytes are valid."""
        self.path = path
        self._file = file
        self._size = size
        self._torn = False
        """Whether part of a line may follow the valid bytes."""

    @classmethod
    def created(cls, directory: Path, name: str, start: bytes) -> Self:
        """Write a new, owner-only file; a `RecordError` leaves no file behind."""
        try:
            make_directory(directory)
            with new_draft(directory) as (draft, at):
                _lock(at, draft)
                write(draft, start)
                sync(draft)
                return cls(*_named(directory, name, draft, at), len(start))
        except OSError as error:
            raise unwritable(directory, error) from None

    @classmethod
    def reopened(
        cls, path: Path, read: Callable[[int], tuple[Content, int]]
    ) -> tuple[Self, Content]:
        """Open a file to go on with it, without a torn last line.

        Args:
            path: of the file.
            read: returns what an open file holds, and the number of its valid bytes.

        Raises:
            RecordError: it cannot be opened, another host has it, or `read` raises it.
        """
        try:
            file = open_regular(path, os.O_RDWR)
        except OSError as error:
            raise unreadable(path, error) from None
        try:
            _lock(path, file)
            content, good = read(file)
            os.ftruncate(file, good)
            sync(file)
        except OSError as error:
            os.close(file)
            raise unreadable(path, error) from None
        except RecordError:
            os.close(file)
            raise
        return cls(path, file, good), content

    def append_line(self, line: bytes, most: int, syncs: bool = True) -> None:
        """Write a line, and return once it is on disk; or, unless it `syncs`, call `sync` later.

        The file may then have `most` bytes.

        Raises:
            RecordError: it could not be written and does not count; a later one may succeed.
            HostError: it could not be written, and it is unknown whether it counts.
        """
        if self._size + len(line) > most:
            raise RecordError(
                "{path} is full: a record has at most {most} bytes.", path=self.path, most=most
            )
        try:
            self._truncate_torn()
            self._torn = True
            write(self._file, line, self._size)
            if syncs:
                sync(self._file)
            self._torn = False
        except OSError as error:
            self._invalidate(line)
            raise unwritable(self.path, error) from None
        self._size += len(line)

    def sync(self) -> None:
        """Return once all entries are on disk; raises `HostError` if it is unknown which are."""
        try:
            sync(self._file)
        except OSError as error:
            raise HostError(
                "{path} cannot be written: {reason}.", path=self.path, reason=error
            ) from None

    def close(self) -> None:
        """Close the file and release its lock."""
        os.close(self._file)

    def _truncate_torn(self) -> None:
        """Truncate the file to its valid bytes if a line may be torn; raises `OSError`."""
        if self._torn:
            os.ftruncate(self._file, self._size)
            sync(self._file)
            self._torn = False

    def _invalidate(self, line: bytes) -> None:
        """Make sure that a refused line does not count, even if the host is killed now.

        Raises:
            HostError: it may count after all, so the refusal must not be sent.
        """
        try:
            self._truncate_torn()
        except OSError:  # retried before the next line
            end = self._size + len(line)
            try:
                if os.fstat(self._file).st_size >= end:
                    write(self._file, b" ", end - 1)  # without its newline, the line counts as torn
            except OSError as error:
                raise HostError(
                    "{path} cannot be written: {reason}.", path=self.path, reason=error
                ) from None


class Journal(LineFile):
    """A record that is being written."""

    @classmethod
    def create(cls, directory: Path, head: Head, begun: datetime) -> Self:
        """Start the record of a game in a new file; a `RecordError` leaves no file behind."""
        name, line = file_name(head, begun), encode_entry(head)
        _read(directory / name, line)  # a game that could not be resumed must not start
        return cls.created(directory, name, line)

    @classmethod
    def resume(cls, path: Path, host: str = "") -> tuple[Self, Record]:
        """Open the record of an unfinished game, without a torn last line; raises `RecordError`.

        So does a game that has moved to another host than that with the public key `host`.
        """
        return cls.reopened(path, partial(_resumable, path, host))

    @classmethod
    def adopt(cls, directory: Path, data: bytes, begun: datetime) -> Self:
        """Write the record of a game from another host, under a name that `keep` completes.

        Until then no host finds it. Raises `RecordError` if it is not a record, or cannot be
        written.
        """
        head = read_record(data).head
        name = file_name(head, begun).replace(".record", INCOMING)
        return cls.created(directory, name, data)

    def keep(self) -> None:
        """Give an adopted record the name of one; raises `RecordError`."""
        try:
            self.path = _claimed(self.path, self.path.with_suffix(".record"))
        except OSError as error:
            raise unwritable(self.path, error) from None

    def discard(self) -> None:
        """Close and delete an adopted record that has not been kept."""
        with suppress(OSError):
            self.path.unlink()
        self.close()

    def read(self) -> bytes:
        """Return what has been written; raises `RecordError`."""
        try:
            return os.pread(self._file, self._size, 0)
        except OSError as error:
            raise unreadable(self.path, error) from None

    def append(self, entry: Entry, syncs: bool = True) -> None:
        """Write an entry, and return once it is on disk; or, unless it `syncs`, call `sync` later.

        Raises:
            RecordError: it could not be written and does not count; a later append may succeed.
            HostError: it could not be written, and it is unknown whether it counts.
        """
        is_end = isinstance(entry, End)
        most = MAX_RECORD_BYTES - (0 if is_end else END_BYTES)
        self.append_line(encode_entry(entry), most, syncs)
        if is_end:
            with suppress(OSError):  # the end is on disk, so the game is over either way
                os.fchmod(self._file, SHARED)
                sync(self._file)


def file_name(head: Head, begun: datetime) -> str:
    """Return the file name of a record, such as `Ann-20260131-201500-1.record`."""
    return f"{file_stem(head)}-{begun:{_TIME}}-{head.game}.record"


def file_stem(head: Head) -> str:
    """Return the beginning of the names of a table's records: its name, without punctuation."""
    return re.sub(r"\W+", "-", head.table).strip("-") or "table"


def begun_at(path: Path) -> float:
    """Return when the game or tournament in a file began, as a Unix time: by its name, else date.

    A copy may be written much later than the game was played. Raises `OSError`.
    """
    stamp = _STAMP.search(path.name)
    with suppress(ValueError, OverflowError):  # such as a 13th month, or the last day of year 9999
        if stamp:
            return _clamped(datetime.strptime(stamp[1], _TIME).timestamp())
    return written_at(path.stat())


def written_at(about: os.stat_result) -> float:
    """Return when a file was written, as a Unix time in the range that can be shown and kept."""
    return _clamped(about.st_mtime)


def _clamped(time: float) -> float:
    return min(max(time, 0.0), LATEST)


def _named(directory: Path, name: str, draft: int, at: Path) -> tuple[Path, int]:
    """Give a draft a free name: tables with the same name may start in the same second.

    Returns:
        The path, and a duplicate of the descriptor, which keeps the lock when the draft is closed.
    """
    file = os.dup(draft)
    try:
        return _claimed(at, directory / name), file
    except OSError:
        os.close(file)
        raise


def _claimed(at: Path, path: Path) -> Path:
    """Rename a file to `path`, or to the next free name like it; raises `OSError`."""
    others = (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2))
    return next(each for each in chain([path], others) if claim(at, each))


def _resumable(path: Path, host: str, file: int) -> tuple[Record, int]:
    with os.fdopen(os.dup(file), "rb") as reader:
        record = _read(path, reader.read(MAX_RECORD_BYTES + 1))
    if record.end is not None:
        raise RecordError("{path}: this game is over; watch it with coffeerush replay.", path=path)
    if there := record.has_left(host):
        raise RecordError(
            "{path}: this game has moved to {name}'s computer; join it there: coffeerush join "
            "{address}",
            path=path,
            name=there.name,
            address=f"[{there.address}]:{there.port}"
            if ":" in there.address
            else f"{there.address}:{there.port}",
        )
    if make_private(file):
        _log.warning(
            "Other users of this machine could read the cards to come in %s; it is private now.",
            path,
        )
    return record, record.good


def _lock(path: Path, file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordError(
            "{path}: another host is writing this record; stop that host first.", path=path
        ) from None


def _read(path: Path, data: bytes) -> Record:
    try:
        return read_record(data)
    except RecordError as error:
        raise RecordError("{path}: {reason}", path=path, reason=error) from None


def unreadable(path: Path, error: OSError) -> RecordError:
    """Return the error for a file that cannot be opened."""
    return RecordError("{path} cannot be opened: {reason}.", path=path, reason=error)


SYNCS_AT_ONCE: Final = 8
"""More do not make a disk faster."""


class Unsynced:
    """Records of several tables that have to be synced before their moves are answered.

    A disk syncs several files at once in about the time that it takes for one.
    """

    def __init__(self) -> None:
        self._journals: dict[TableNumber, Journal] = {}
        self._threads = ThreadPoolExecutor(SYNCS_AT_ONCE)

    def add(self, number: TableNumber, journal: Journal) -> None:
        """Note that a table has written to its record."""
        self._journals[number] = journal

    def drop(self, number: TableNumber) -> None:
        """Forget a table whose record is closed."""
        self._journals.pop(number, None)

    def sync(self) -> dict[TableNumber, HostError]:
        """Sync all of them; return the errors of those of which it is unknown what is on disk."""
        journals, self._journals = self._journals, {}
        if len(journals) > 1:
            errors = self._threads.map(_failure, journals.values())
        else:
            errors = map(_failure, journals.values())
        return {number: error for number, error in zip(journals, errors, strict=True) if error}


def _failure(journal: Journal) -> HostError | None:
    try:
        journal.sync()
    except HostError as error:
        return error
    return None


class Records:
    """A table's `Journals`: writes each game to a new file, except for a resumed one, `current`."""

    def __init__(self, directory: Path, current: Journal | None = None) -> None:
        self._directory = directory
        self._current = current
        self.port = 0
        """The door's port, which a host that resumes a game needs; 0 if unknown."""
        self.hall = ""
        """The same for all tables of a host, which resumes them together; empty for none."""
        self.number: TableNumber = 1
        """Of the table in its hall."""
        self.unsynced: Unsynced | None = None
        """Where moves wait that are synced together with those of other tables, if they are."""
        self.term: Term = 1
        """How often the hall's host has changed, from 1."""
        self.past = b""
        """The record of a finished game that is on another host's disk."""

    @property
    def path(self) -> Path:
        """The record of the latest game."""
        assert self._current is not None, "a game is begun before it is played"
        return self._current.path

    def begin(self, head: Head) -> Head:
        """Start the record of a new game, and return its head as written; raises `RecordError`."""
        head = replace(head, port=self.port, hall=self.hall, number=self.number, term=self.term)
        begun = Journal.create(self._directory, head, datetime.now())
        self.close()
        self._current = begun
        _log.info("Game %d is recorded in %s.", head.game, begun.path)
        return head

    def append(self, entry: Later) -> None:
        """Write an entry, and return once it is on disk; raises `RecordError`, `HostError`.

        A move may wait in `unsynced`.
        """
        assert self._current is not None, "a game is begun before it is played"
        waits = self.unsynced is not None and isinstance(entry, Move)
        self._current.append(entry, syncs=not waits)
        if self.unsynced is not None and waits:
            self.unsynced.add(self.number, self._current)

    def read(self) -> bytes:
        """Return the record of the latest game; empty if there is none. Raises `RecordError`."""
        return self.past if self._current is None else self._current.read()

    def adopt(self, journal: Journal | None) -> None:
        """Go on with the record of a game that another host hands over."""
        self._current = journal

    def close(self) -> None:
        """Close the record of the latest game, over or not."""
        if self._current is not None:
            if self.unsynced is not None:
                self.unsynced.drop(self.number)
            self._current.close()
            self._current = None
