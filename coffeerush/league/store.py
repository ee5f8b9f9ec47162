"""The results of all finished games in an SQLite database, which is a cache of the records.

It is brought up to date whenever the league is shown, and rebuilt if it is damaged or of another
version. The league's directory is locked meanwhile, so that programs take turns.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from coffeerush.errors import LeagueError, RecordError
from coffeerush.local.files import locked, make_directory, state_directory
from coffeerush.records.writing import begun_at, load_record, newest_records
from coffeerush.tournament.journal import COURSES, load_course

from .table import (
    Evening,
    EveningTournament,
    League,
    LeagueGame,
    LeagueSeat,
    Merges,
    Together,
    evening_tournament,
    games_together,
    league_game,
    league_of,
    load_merges,
)

DATABASE: Final = "results.sqlite"
_VERSION: Final = 9
_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE record (
    file TEXT PRIMARY KEY, size INTEGER, changed INTEGER,
    state TEXT CHECK (state IN ('finished', 'unfinished', 'damaged')), game TEXT, begun REAL,
    rounds INTEGER, name TEXT
);
CREATE TABLE seat (
    file TEXT REFERENCES record ON DELETE CASCADE, part TEXT CHECK (part IN ('seats', 'absent')),
    player TEXT, name TEXT, bot TEXT, program TEXT, rank INTEGER, win REAL, score INTEGER,
    best_turn INTEGER, colour INTEGER
);
CREATE INDEX seat_file ON seat (file);
PRAGMA user_version = {_VERSION};
COMMIT;
"""
_PROGRESS_SECONDS: Final = 1.0

Progress = Callable[[int, int | None], None]
"""Is told how many records have been read, and how many there are to read; None before it waits
for another program that uses the league."""


class Results(Struct, frozen=True):
    """Everything in the database."""

    games: tuple[LeagueGame, ...]
    unfinished: int
    """The number of records of games that are not over."""
    damaged: int
    """The number of records that cannot be read."""


def league_directory() -> Path:
    """Return the directory of the database and the merges; create it; raises `LeagueError`."""
    try:
        path = state_directory() / "league"
        make_directory(path)
    except OSError as error:
        raise LeagueError(
            "The league cannot be saved: {reason}; set COFFEERUSH_STATE to a writable directory.",
            reason=error,
        ) from None
    return path


def load_results(
    directory: Path,
    records: Path,
    progress: Progress,
    rebuild: bool = False,
    progress_seconds: float = _PROGRESS_SECONDS,
) -> Results:
    """Bring the database up to date with the records, and return what is in it.

    Args:
        directory: of the database.
        records: the directory of the records.
        progress: called while records are read, and before another program is waited for.
        rebuild: read all records again, not only those that have changed.
        progress_seconds: how often `progress` is called.

    Raises:
        LeagueError: the database cannot be written.
    """
    path = directory / DATABASE
    try:
        with locked(directory, partial(progress, 0, None)):
            if rebuild:
                _delete(path)
            try:
                return _updated(path, records, progress, progress_seconds)
            except sqlite3.Error:  # damaged, or of another version: it is only a cache
                _delete(path)
                return _updated(path, records, progress, progress_seconds)
    except (OSError, sqlite3.Error) as error:
        raise LeagueError(
            "{path} cannot be used: {reason}; free some space, or set COFFEERUSH_STATE to a "
            "writable directory.",
            path=path,
            reason=error,
        ) from None


def load_league(records: Path, progress: Progress, rebuild: bool = False) -> League:
    """Return the league after all games with a record; the arguments are those of `load_results`.

    Raises:
        LeagueError: a file of the league cannot be read or written.
    """
    directory = league_directory()
    results = load_results(directory, records, progress, rebuild)
    merges = load_merges(directory)
    league = league_of(results.games, merges, results.unfinished, results.damaged)
    if (evening := league.evening) is None:
        return league
    found = sorted(_tournaments(records, evening, merges), key=lambda tournament: tournament.begun)
    return replace(league, evening=replace(evening, tournaments=tuple(found)))


def _tournaments(records: Path, evening: Evening, merges: Merges) -> Iterator[EveningTournament]:
    """Yield the tournaments of an evening; those that cannot be read are left out."""
    for path in newest_records(records, patterns=(COURSES,)):
        with suppress(OSError, RecordError):
            begun = begun_at(path)
            if evening.has(begun) and (
                found := evening_tournament(load_course(path), begun, merges)
            ):
                yield found


def load_together(records: Path, path: Path) -> Together | None:
    """Return the results of those who played a game in all games that they played together.

    Args:
        records: the directory of the records.
        path: of the record of that game; it is among the records.

    Returns:
        None if there is nothing to compare.

    Raises:
        LeagueError: a file of the league cannot be read or written.
    """
    try:
        record = load_record(path)
    except (OSError, RecordError):
        return None
    directory = league_directory()
    results = load_results(directory, records, lambda _done, _total: None)
    return games_together(results.games, load_merges(directory), record)


def _delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()


def _updated(path: Path, records: Path, progress: Progress, seconds: float) -> Results:
    is_new = not path.exists()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")  # syncs no commit, and is never damaged
        database.execute("PRAGMA foreign_keys = ON")
        if is_new:
            database.executescript(_SCHEMA)
        if database.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            raise sqlite3.DatabaseError("another version of the league")
        if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("a damaged database")
        _update(database, records, progress, seconds)
        return _results(database)


def _update(
    database: sqlite3.Connection, records: Path, progress: Progress, seconds: float
) -> None:
    """Read the records that are new or have changed, and forget those that are gone."""
    rows = database.execute("SELECT file, size, changed FROM record")
    known = {file: stamp for file, *stamp in rows}
    there = {_name(path): path for path in newest_records(records)}
    with database:
        gone = [(file,) for file in known if file not in there]
        database.executemany("DELETE FROM record WHERE file = ?", gone)
    stale = []
    for file, path in there.items():
        with suppress(OSError):  # just deleted
            about = path.stat()
            stamp = [about.st_size, about.st_mtime_ns % 2**63]  # SQLite has no greater numbers
            if stamp != known.get(file):
                stale.append((file, path, stamp))
    told = time.monotonic()
    for number, (file, path, stamp) in enumerate(stale):
        if time.monotonic() - told >= seconds:
            told = time.monotonic()
            progress(number, len(stale))
        _store(database, file, path, stamp)


def _name(path: Path) -> str:
    """Return the name of a file as SQLite can keep it: it may not be UTF-8."""
    return os.fsencode(path.name).decode("utf-8", "backslashreplace")


def _store(database: sqlite3.Connection, file: str, path: Path, stamp: list[int]) -> None:
    """Read a record, and keep its result in place of an older one of the same file."""
    game = None
    try:
        game = league_game(load_record(path), begun_at(path))
        state = "finished" if game else "unfinished"
    except (OSError, RecordError):
        state = "damaged"
    told = (game.id, game.begun, game.rounds, game.table) if game else (None,) * 4
    row = (file, *stamp, state, *told)
    with database:
        database.execute("DELETE FROM record WHERE file = ?", (file,))
        database.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        if game:
            database.executemany(
                "INSERT INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (file, part, *astuple(seat))
                    for part, seats in (("seats", game.seats), ("absent", game.absent))
                    for seat in seats
                ],
            )


def _results(database: sqlite3.Connection) -> Results:
    """Return the contents of the database; raises `sqlite3.DatabaseError` if they make no sense."""
    seats: dict[tuple[str, str], list[object]] = {}
    for file, part, *values in database.execute("SELECT * FROM seat ORDER BY rowid"):
        seats.setdefault((file, part), []).append(
            dict(zip(LeagueSeat.__struct_fields__, values, strict=True))
        )
    states = [state for (state,) in database.execute("SELECT state FROM record")]
    games = [
        {
            "id": game,
            "begun": begun,
            "seats": seats.get((file, "seats"), ()),
            "absent": seats.get((file, "absent"), ()),
            "rounds": rounds,
            "table": table,
        }
        for file, game, begun, rounds, table in database.execute(
            "SELECT file, game, begun, rounds, name FROM record WHERE state = 'finished' "
            "ORDER BY file"
        )
    ]
    try:
        results = msgspec.convert(games, tuple[LeagueGame, ...])
    except msgspec.ValidationError as error:
        raise sqlite3.DatabaseError(f"a damaged database: {error}") from None
    return Results(results, states.count("unfinished"), states.count("damaged"))
