"""File a record that a host has sent among the user's own, once it is checked; each game once."""

import os
import re
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from coffeerush.errors import RecordError
from coffeerush.local.durable import claim, locked, make_directory, new_draft, sync, write

from .entries import Head
from .listing import finished_game
from .sharing import checked_copy, shared_head, shared_so_far
from .witness import Witness
from .writing import RECORDS, SHARED, file_name, file_stem


def file_copy(directory: Path, data: bytes, witness: Witness, begun: datetime) -> Path:
    """Check a record from a host, and write what was decoded; return where it is.

    Args:
        directory: of the user's records; created if necessary.
        data: the bytes from the host, which are hostile.
        witness: what the client saw of the game.
        begun: when the game began, as far as the client knows.

    Raises:
        RecordError: it is not the record of that game, or cannot be written.
    """
    try:
        record = checked_copy(data, witness)
    except RecordError as error:
        raise RecordError(
            "The host's record of this game cannot be right ({reason}), so it was not kept.",
            reason=error,
        ) from None
    try:
        make_directory(directory)
        with locked(directory.parent):  # `claim` may lock the directory itself
            known = _known(directory, record.head)
            return known or _written(directory, record.head, shared_so_far(record).data, begun)
    except OSError as error:
        raise RecordError(
            "The record of this game could not be kept: {reason}.", reason=error
        ) from None


def _known(directory: Path, head: Head) -> Path | None:
    """Return the record of the same game that is there already, such as the host's own."""
    names = re.compile(rf"{re.escape(file_stem(head))}-\d{{8}}-\d{{6}}-{head.game}(-\d+)?\.record")
    wanted = shared_head(head)
    for path in directory.glob(RECORDS):
        if names.fullmatch(path.name):
            game = finished_game(path)
            if game is not None and shared_head(game.head) == wanted:
                return path
    return None


def _written(directory: Path, head: Head, data: bytes, begun: datetime) -> Path:
    """Write a record to a new file, which never replaces another one."""
    first = directory / file_name(head, begun)
    others = (directory / f"{first.stem}-{n}.record" for n in count(2))
    with new_draft(directory) as (draft, at):
        write(draft, data)
        os.fchmod(draft, SHARED)
        sync(draft)
        return next(path for path in chain([first], others) if claim(at, path))
