"""In-memory records of a table, on a disk that fills up and in a process that gets killed."""

from collections.abc import Iterator

from coffeerush.errors import RecordError
from coffeerush.records.entries import End, Entry, Head, Later, Record, encode_entry, read_record


class Killed(BaseException):
    """The host was killed during a write; no `except Exception` may catch this."""


class FailingJournals:
    """The `Journals` of a table: each file is real record bytes, complete or torn."""

    def __init__(self) -> None:
        self.files: list[bytearray] = []
        self.full = False
        self.full_at_end = False
        """Whether only the end of a game does not fit."""
        self.dies_after: float | None = None
        """Kill the host in the next write, after this share of the line."""

    def begin(self, head: Head) -> None:
        """Begin a file; raises `RecordError` and `Killed`."""
        self._write(bytearray(), head)

    def append(self, entry: Later) -> None:
        """Write a line to the latest file; raises `RecordError` and `Killed`."""
        self._write(self.files[-1], entry)

    def _write(self, file: bytearray, entry: Entry) -> None:
        if self.full or (self.full_at_end and isinstance(entry, End)):
            raise RecordError("no space is left; make room")
        line = encode_entry(entry)
        if not file:
            self.files.append(file)
        if self.dies_after is None:
            file += line
            return
        file += line[: round(len(line) * self.dies_after)]
        self.dies_after = None
        raise Killed

    @property
    def size(self) -> int:
        return sum(map(len, self.files))

    def pick_up(self) -> Record | None:
        """Return the latest record without a torn line; None if its head is torn, too."""
        if not self.files:
            return None
        file = self.files[-1]
        if b"\n" not in file:
            del self.files[-1]
            return None
        record = read_record(bytes(file))
        del file[record.good :]
        return record

    def records(self) -> Iterator[Record]:
        """Yield all records, each replayed."""
        for file in self.files:
            yield read_record(bytes(file))
