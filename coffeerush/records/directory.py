"""The files in which a table's games are written, one after the other."""

import logging
from datetime import datetime
from pathlib import Path
from typing import Final

from .reading import Head, Later
from .writing import Journal

_log: Final = logging.getLogger(__name__)


class Records:
    """Writes each game into a new file of a directory; the `Journals` of a table.

    Args:
        directory: where the files go.
        current: the record of a game that goes on; None before the first.
    """

    def __init__(self, directory: Path, current: Journal | None = None) -> None:
        self._directory = directory
        self._current = current

    def begin(self, head: Head) -> None:
        """Begin the record of a new game; raises `RecordError`."""
        begun = Journal.create(self._directory, head, datetime.now())
        self.close()
        self._current = begun
        _log.info("Game %d is recorded in %s.", head.game, begun.path)

    def append(self, entry: Later) -> None:
        """Put an entry on disk; raises `RecordError`."""
        assert self._current is not None, "a game is begun before it is played"
        self._current.append(entry)

    def close(self) -> None:
        """Close the record of the latest game, over or not."""
        if self._current is not None:
            self._current.close()
            self._current = None
