"""A host with faults at two of its tables: `python -m tests.soak.planted DESCRIPTOR`."""

import errno
import os
from pathlib import Path

from coffeerush.cli.host_child import serve
from coffeerush.cli.main import end_on_signals
from coffeerush.errors import unwritable
from coffeerush.host.table.config import Outcome
from coffeerush.host.table.table import Table
from coffeerush.local.processes import parent_socket
from coffeerush.records.entries import Later
from coffeerush.records.writing import Records
from protocol import Chat, Request, WireError

FULL = 1
"""The number of the table whose record has no room while there is a file of that name."""
NO_ROOM = "no-room"
FAULTY = 3
"""The number of the table with a bug."""
SPELL = "run into the bug"
"""The line of chat that does it."""


class PlantedError(Exception):
    """The bug."""


def plant_bug() -> None:
    """Let a line of chat at one table run into a bug of the program."""
    right = Table.handle

    def handle(
        self: Table, now: float, key: str, request: Request | WireError, address: str = ""
    ) -> Outcome:
        outcome = right(self, now, key, request, address)
        if self.number == FAULTY and isinstance(request, Chat) and request.text == SPELL:
            raise PlantedError(SPELL)
        return outcome

    Table.handle = handle  # type: ignore[method-assign]


def plant_full_disk() -> None:
    """Let the record of one table fail as on a full disk, while a file says so."""
    right = Records.append

    def append(self: Records, entry: Later) -> None:
        if self.number == FULL and Path(NO_ROOM).exists():
            raise unwritable(self.path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        right(self, entry)

    Records.append = append  # type: ignore[method-assign]


if __name__ == "__main__":
    end_on_signals()
    plant_bug()
    plant_full_disk()
    serve(parent_socket())
