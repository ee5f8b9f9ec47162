"""Keep the join code of a table in a file while its game is not over, for a host that resumes it.

It is not in the record: guests get copies of that. A code that was withdrawn never comes back.
"""

import hashlib
import logging
import os
import re
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec.structs import replace

from coffeerush.joining.code import can_be_drawn
from coffeerush.local.files import (
    make_directory,
    read_private,
    state_directory,
    sync_directory,
    write_atomic,
)
from coffeerush.records.entries import End, Head, Later, Removal, encode_entry
from coffeerush.records.writing import Journal, Records

_LINE: Final = re.compile(r"([a-z-]+) ([0-9a-f]{64})\n")
_MAX_BYTES: Final = 256
_log: Final = logging.getLogger(__name__)


class KeptCode:
    """The file with a table's join code; thread-safe, and raises no `OSError`.

    There is a file for each record, but only while its game is not over.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._code = ""
        self._game: tuple[Path, str] | None = None
        """The record of the game that is being played, and its mark."""

    def resume(self, record: Path, head: Head) -> str:
        """Return the code that the table of a record had when its host crashed; "" if unknown."""
        self._game = record, _mark(head)
        try:
            path = _path(record)
            found = _LINE.fullmatch(read_private(path, _MAX_BYTES).decode("ascii", "replace"))
        except FileNotFoundError:
            return ""
        except OSError as error:
            _log.warning("The join code of this game cannot be read: %s", error)
            return ""
        if found and found[2] == _mark(head) and can_be_drawn(found[1]):
            return found[1]
        _log.warning("%s does not hold the join code of this game.", path)
        return ""

    def begin(self, record: Path, head: Head) -> None:
        """Keep the code with the record of a new game from now on."""
        with self._lock:
            self._withdraw()
            self._game = record, _mark(head)
            self._write()

    def change(self, code: str) -> None:
        """Keep another code, before anybody gets to know it; empty for an open table."""
        with self._lock:
            self._code = code
            self._write()

    def withdraw(self) -> None:
        """Forget the code that is kept; the next one will be kept again."""
        with self._lock:
            self._withdraw()

    def end(self) -> None:
        """Forget the code: the game is over, or the table has ended."""
        with self._lock:
            self._withdraw()
            self._game = None

    def _write(self) -> None:
        if self._game is None:
            return
        if not self._code:
            self._withdraw()
            return
        record, mark = self._game
        try:
            path = _path(record)
            make_directory(path.parent)
            write_atomic(path, f"{self._code} {mark}\n".encode())
        except OSError as error:
            _log.warning("The join code cannot be kept, so it will not survive a crash: %s", error)
            self._withdraw()

    def _withdraw(self) -> None:
        if self._game is None:
            return
        try:
            path = _path(self._game[0])
            path.unlink()
            sync_directory(path.parent)
        except FileNotFoundError:
            return
        except OSError as error:
            _log.warning("The join code that is kept cannot be deleted: %s", error)


class RecordsWithCode(Records):
    """A table's records, each with the table's code kept beside it until its game is over."""

    def __init__(self, directory: Path, kept: KeptCode, current: Journal | None = None) -> None:
        super().__init__(directory, current)
        self._kept = kept

    def begin(self, head: Head) -> None:
        """Start the record of a new game; raises `RecordError`."""
        super().begin(head)
        self._kept.begin(self.path, head)

    def append(self, entry: Later) -> None:
        """Write an entry, and return once it is on disk; raises `RecordError`, `HostError`."""
        if isinstance(entry, Removal):  # a kicked player knows the code
            self._kept.withdraw()
        super().append(entry)
        if isinstance(entry, End):
            self._kept.end()


def _path(record: Path) -> Path:
    """Return the file for a record; raises `OSError`."""
    named = os.fsencode(os.path.realpath(record))
    return state_directory() / "codes" / f"{hashlib.sha256(named).hexdigest()[:32]}.code"


def _mark(head: Head) -> str:
    """Return the part that tells a game from any other one in a file of the same name."""
    return hashlib.sha256(encode_entry(replace(head, port=0))).hexdigest()
