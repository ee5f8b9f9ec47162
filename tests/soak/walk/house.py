"""Random tables: owner, seats, clock, deck and people; records on a disk that fails."""

from collections.abc import Iterator
from random import Random
from typing import Final

from coffeerush.bots import BOTS
from coffeerush.errors import RecordError
from coffeerush.host.table.config import TableConfig
from coffeerush.records.entries import End, Entry, Head, Later, Record, encode_entry, read_record
from coffeerush.rules import Deck, standard_deck
from coffeerush.table_rules import TableRules
from protocol import MAX_PLAYERS, MIN_PLAYERS, Drink

_EASY: Final = Deck(
    "Easy",
    (
        Drink("Shot", (1, 0, 0, 0, 0, 0, 0, 0), 40, True, False),
        Drink("Milk", (0, 1, 0, 0, 0, 0, 0, 0), 36, False, False),
        Drink("Steam", (0, 0, 1, 0, 0, 0, 0, 0), 4, False, True),
    ),
)
"""Orders are served all the time."""
_HARD: Final = Deck(
    "Hard",
    (
        Drink("All", (1, 1, 1, 1, 1, 1, 0, 0), 76, False, False),
        Drink("Tea", (0, 0, 0, 0, 0, 0, 6, 0), 4, True, True),
    ),
)
"""Orders expire all the time."""

KEYS: Final = tuple(letter * 40 for letter in "abcdefg")
CROWD: Final = tuple(f"s{number:02}" + "-" * 37 for number in range(18))
"""More than the limit of spectators."""


def random_config(chance: Random) -> TableConfig:
    return TableConfig(
        name=chance.choice(("Café at six", "T")),
        seats=chance.randint(MIN_PLAYERS, MAX_PLAYERS),
        deck=chance.choice((standard_deck(), _EASY, _HARD)),
        rules=TableRules(starters=chance.random() < 0.3, turn_seconds=chance.choice((0, 0, 5, 30))),
        owner=KEYS[0] if chance.random() < 0.7 else "",
        first=chance.choice(("", "Ann", "Crema")),
        games=chance.choice((0, 0, 0, 1, 2)),
    )


def other_config(chance: Random) -> TableConfig:
    """Return the options of a host that resumes; the record overrides them."""
    return TableConfig(
        name="Another",
        seats=MAX_PLAYERS,
        deck=standard_deck(),
        rules=TableRules(turn_seconds=chance.choice((0, 9))),
    )


def random_bots(chance: Random, config: TableConfig) -> tuple[str, ...]:
    """Return the kinds of bot seated from the start."""
    most = config.seats - bool(config.owner)
    count = chance.choice((0, 0, 1, most))
    return tuple(chance.choice([*BOTS]) for _ in range(min(count, most)))


def random_keys(chance: Random) -> tuple[str, ...]:
    """Return who joins: one to seven people, including the owner."""
    return KEYS[: chance.choice((1, 2, 2, 3, 3, 4, 5, len(KEYS)))]


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

    def begin(self, head: Head) -> Head:
        """Begin a file; raises `RecordError` and `Killed`."""
        self._write(bytearray(), head)
        return head

    def append(self, entry: Later) -> None:
        """Write a line to the latest file; raises `RecordError` and `Killed`."""
        self._write(self.files[-1], entry)

    def read(self) -> bytes:
        """Return the latest file."""
        return bytes(self.files[-1]) if self.files else b""

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
        """Return the latest record without a torn line; None if its head is also torn."""
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
