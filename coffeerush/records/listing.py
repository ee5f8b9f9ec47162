"""The games on file: list them, and file a record that a host has sent."""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final

from msgspec import Struct

from coffeerush.errors import HostError, RecordError
from coffeerush.local.files import (
    claim,
    locked,
    make_directory,
    new_draft,
    open_regular,
    sync,
    write,
)
from coffeerush.rules import State, standings
from protocol import Seat

from .entries import End, Head, Record, Seated, read_ends
from .sharing import shared_head, shared_so_far, sound_copy
from .witness import Witness
from .writing import (
    MAX_HEAD_BYTES,
    RECORDS,
    SHARED,
    begun_at,
    file_name,
    file_stem,
    is_being_written,
    is_private,
    load_record,
    newest_records,
    written_at,
)

_MAX_END: Final = 2**10
"""More bytes than the last line can have."""


class FinishedGame(Struct, frozen=True):
    """The summary of a finished game, read without replaying it."""

    path: Path
    begun: datetime
    """When it began, in local time."""
    head: Head
    end: End

    @property
    def players(self) -> tuple[tuple[Seat, Seated, int], ...]:
        """The seat, name and score of each player, best first."""
        seats = self.head.seats
        return tuple((end.seat, seats[end.seat], end.score) for end in self.end.standings)


def finished_games(directory: Path) -> list[FinishedGame]:
    """Return the finished games recorded in a directory, newest first.

    Reads only the first and the last line of each file. Games that are broken or not over are
    skipped, and a directory that cannot be read counts as empty.
    """
    games = filter(None, map(finished_game, newest_records(directory)))
    return sorted(games, key=lambda game: (game.begun, game.path), reverse=True)


class UnfinishedGame(Struct, frozen=True):
    """A game that a host can resume."""

    path: Path
    left: datetime
    """When its record was last written, in local time."""
    record: Record
    state: State
    """As it was left."""

    @property
    def round(self) -> int:
        """The round in which it stands; the first also while meeples are placed."""
        return max(self.state.round, 1)

    @property
    def scores(self) -> dict[Seat, int]:
        """The score of each seat so far."""
        return {standing.seat: standing.score for standing in standings(self.state)}

    @property
    def owner(self) -> Seated | None:
        """The player who owns the table; None if nobody does, or somebody who only watches."""
        owner, head = self.record.owner, self.record.head
        return next((seat for seat in head.seats if seat.key and seat.key == owner), None)


def unfinished_game(directory: Path, since: float = 0.0) -> UnfinishedGame | None:
    """Return the game with the newest readable record, if it is not over and no host plays it.

    Args:
        directory: of the records.
        since: records written before this Unix time do not count.
    """
    latest = next(_own_records(directory, newest_records(directory, since)), None)
    return _resumable(*latest) if latest else None


def unfinished_games(directory: Path, besides: Path | None = None) -> Iterator[UnfinishedGame]:
    """Yield the games that are not over and that no host plays, the one left last first.

    Reads only private records, as those of unfinished games are, and not the one `besides`.
    """
    private = [path for path in newest_records(directory) if path != besides and is_private(path)]
    for found in _own_records(directory, private):
        if game := _resumable(*found):
            yield game


def discard_unplayed(directory: Path, since: float) -> None:
    """Delete the record of the game left last, since a Unix time, if its owner has not moved."""
    game = unfinished_game(directory, since)
    if game and game.owner:
        seat = game.record.head.seats.index(game.owner)
        if all(move.seat != seat for move in game.record.moves):
            game.path.unlink(missing_ok=True)


def _own_records(directory: Path, paths: Iterable[Path]) -> Iterator[tuple[Path, datetime, Record]]:
    """Yield the readable records of games at a host here, and when they were last written."""
    for path in paths:
        try:
            record = load_record(path)
            left = datetime.fromtimestamp(written_at(path.stat()))
        except (OSError, RecordError):
            continue
        if not (record.is_copy or _has_left(record, directory)):
            yield path, left, record


def _resumable(path: Path, left: datetime, record: Record) -> UnfinishedGame | None:
    if record.end is not None or is_being_written(path):
        return None
    (state,) = deque(record.states(), maxlen=1)
    return UnfinishedGame(path, left, record, state)


def _has_left(record: Record, directory: Path) -> bool:
    """Return whether the game is at another host now than those with their records here."""
    if not record.relocations:
        return False
    from coffeerush.local.keys import host_key  # imported late: few records need ZeroMQ

    try:
        return record.has_left(host_key(directory).public.decode()) is not None
    except HostError:
        return True


def finished_game(path: Path) -> FinishedGame | None:
    """Return the finished game in a file; None if it is broken or not over."""
    try:
        return _game(path)
    except (OSError, RecordError):
        return None


def _game(path: Path) -> FinishedGame | None:
    with os.fdopen(open_regular(path), "rb") as file:
        about = os.fstat(file.fileno())
        first = file.readline(MAX_HEAD_BYTES)
        file.seek(max(about.st_size - _MAX_END, 0))
        ends = read_ends(first, file.read(_MAX_END))
    return FinishedGame(path, datetime.fromtimestamp(begun_at(path)), *ends) if ends else None


# A record that a host has sent: check it, and file it among the user's own; each game once


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
    record = sound_copy(data, witness)
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
