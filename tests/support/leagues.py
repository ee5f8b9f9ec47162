"""Finished games of chosen players on disk, for tests of the league."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from coffeerush.records.entries import End, Entry, Head, Seated
from coffeerush.records.writing import file_name
from coffeerush.tournament.course import Announced, Finished, Paired, Registered, RoundBegun
from coffeerush.tournament.journal import CourseHead, CourseJournal
from protocol import TournamentRules
from tests.support.records import head_of, lines, play

NEW_YEAR = datetime(2026, 1, 1, 20)
ANN, BOB, OTHER_ANN = (
    Seated(name, key=key * 40) for name, key in (("Ann", "a"), ("Bob", "b"), ("Ann", "c"))
)
MINE = Seated("mine 4", bot="/home/ann/bots/mine.py:Mine")


def game_of(*players: Seated, number: int = 1, program: str = "0.1.0") -> list[Entry]:
    """Return a finished game of four players, best first; another number is another game."""
    head, *others = _without_ties()
    end = others[-1]
    assert isinstance(head, Head)
    assert isinstance(end, End)
    ranks = {one.seat: one.rank for one in end.standings}
    seats = tuple(players[ranks[seat] - 1] for seat in range(len(players)))
    return [replace(head, game=number, program=program, seats=seats), *others]


@cache
def _without_ties() -> list[Entry]:
    """Return a game of four in which everybody has a rank of their own."""
    games = (play(head_of(4, seed)) for seed in count())
    return [*next(one for one in games if isinstance(one[-1], End) and _ranks(one[-1]) == 4)]


def _ranks(end: End) -> int:
    return len({one.rank for one in end.standings})


def save(records: Path, entries: Sequence[Entry], day: float) -> Path:
    """Write a game that began on a day of January 2026, counted from 0; return its path."""
    records.mkdir(parents=True, exist_ok=True)
    head = entries[0]
    assert isinstance(head, Head)
    path = records / file_name(head, NEW_YEAR + timedelta(day))
    path.write_bytes(lines(entries))
    return path


def hold_tournament(records: Path, begun: datetime, *players: Seated, rounds: int = 1) -> Path:
    """Write a tournament of two rounds, each with one table; return its path.

    Args:
        records: the directory of the records.
        begun: when it is announced.
        players: best first in each round.
        rounds: how many are finished.
    """
    head, rules = CourseHead(hall="c0ffee", port=47820), TournamentRules(2)
    journal = CourseJournal.create(records, head, Announced(7, rules), begun)
    for player in players:
        journal.append(Registered(player.key, player.name))
    keys = tuple(player.key for player in players)
    seats = tuple((key, rank, 10 - rank, rank) for rank, key in enumerate(keys, 1))
    for number in range(1, rounds + 1):
        journal.append(RoundBegun((Paired(number, keys),), ()))
        journal.append(Finished(number, seats))
    journal.close()
    return journal.path
