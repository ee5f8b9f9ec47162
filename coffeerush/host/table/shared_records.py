"""Journals that also keep what guests may have of the latest finished game's record."""

from coffeerush.records.entries import End, Head, Later, Record
from coffeerush.records.sharing import SharedRecord, shared_so_far
from protocol import MAX_PART_BYTES, GetRecord, RecordPart, RefusedError

from .config import Journals


class SharedRecords:
    """Passes entries on to the table's journals, and copies those that are on disk.

    The copy is built up as a game is played, so that a request for it costs no I/O. Nobody can get
    it before its game is over, and then for as long as no other game is over.
    """

    def __init__(self, journals: Journals) -> None:
        self._journals = journals
        self._playing: SharedRecord | None = None
        self._game = 0
        """The latest game that is over and on disk."""
        self._data = b""

    def begin(self, head: Head) -> None:
        """Open the record of a new game; raises `RecordError`."""
        self._journals.begin(head)
        self._playing = SharedRecord(head)

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""
        self._journals.append(entry)
        if self._playing is None:
            return
        self._playing.append(entry)
        if isinstance(entry, End):
            self._keep(self._playing)

    def resume(self, record: Record) -> None:
        """Go on with the copy of a record that a host resumes."""
        copy = shared_so_far(record)
        if record.end:
            self._keep(copy)
        else:
            self._playing = copy

    def _keep(self, copy: SharedRecord) -> None:
        self._game, self._data, self._playing = copy.game, copy.data, None

    def part(self, request: GetRecord) -> RecordPart:
        """Return a part of the copy; raises `no_record`."""
        part = self._data[request.offset : request.offset + MAX_PART_BYTES]
        if request.game != self._game or not part:
            raise RefusedError("no_record", game=request.game)
        return RecordPart(request.id, len(self._data), part)
