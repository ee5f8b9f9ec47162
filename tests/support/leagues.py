"""Finished games of chosen players on disk, for tests of the league."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from coffeerush.records.entries import Entry, Head, Seated
from coffeerush.records.writing import file_name
from tests.support.records import head_of, lines, play

SEED = 5
"""The seed of a game of four whose ranks are those of `ORDER`."""
ORDER = (2, 1, 3, 0)
"""The seats in it, best first."""
NEW_YEAR = datetime(2026, 1, 1, 20)
ANN, BOB, OTHER_ANN = (
    Seated(name, key=key * 40) for name, key in (("Ann", "a"), ("Bob", "b"), ("Ann", "c"))
)
MINE = Seated("mine 4", bot="/home/ann/bots/mine.py:Mine")


def game_of(*seats: Seated, number: int = 1, program: str = "0.1.0") -> list[Entry]:
    """Return a finished game of these players, seat by seat; another number is another game."""
    head, *others = play(head_of(len(seats), SEED))
    assert isinstance(head, Head)
    return [replace(head, game=number, program=program, seats=seats), *others]


def save(records: Path, entries: Sequence[Entry], day: int) -> Path:
    """Write a game that began on a day of January 2026, counted from 0; return its path."""
    records.mkdir(parents=True, exist_ok=True)
    head = entries[0]
    assert isinstance(head, Head)
    path = records / file_name(head, NEW_YEAR + timedelta(day))
    path.write_bytes(lines(entries))
    return path
