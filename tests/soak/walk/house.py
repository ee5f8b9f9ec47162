"""Random tables: owner, seats, clock, deck and people."""

from random import Random
from typing import Final

from coffeerush.bots import BOTS
from coffeerush.host.table.config import TableConfig
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
        first=chance.choice(("", "Ann", "regular 1")),
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
