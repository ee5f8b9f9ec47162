"""The course of a tournament, entry by entry: a host writes each one down before it counts."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from protocol import MAX_ENTRANTS, MAX_PLAYERS, Name, TableNumber, TournamentRules

from .pairing import Player, Table
from .tournament import (
    MIN_ENTRANTS,
    RESTING,
    Ranking,
    Round,
    Score,
    Tournament,
    scores,
    usual_rounds,
)

Stage: TypeAlias = Literal["entry", "round", "break", "over"]
Key: TypeAlias = Annotated[str, Meta(min_length=40, max_length=40)]
SeatScore: TypeAlias = tuple[Annotated[str, Meta(max_length=40)], int, int, int]
"""The key, the rank, the score and the number of penalties of a seat; a bot has no key."""


class _Entry(Struct, frozen=True, tag_field="entry", forbid_unknown_fields=True):
    """Base of what a line of its record holds."""


class Announced(_Entry, tag="announced", frozen=True):
    """A new tournament, which people can enter."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    """Of its draws."""
    rules: TournamentRules


class RulesChanged(_Entry, tag="rules", frozen=True):
    """The owner has changed the rules, which are these from now on."""

    rules: TournamentRules


class Registered(_Entry, tag="registered", frozen=True):
    """Somebody has entered, or come back."""

    key: Key
    name: Name


class Withdrawn(_Entry, tag="withdrawn", frozen=True):
    """Somebody plays no further round."""

    key: Key


class Paired(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a round, and who plays there."""

    number: TableNumber
    players: Annotated[tuple[Key, ...], Meta(min_length=1, max_length=MAX_PLAYERS)]


class RoundBegun(_Entry, tag="round", frozen=True):
    """Who plays where in a new round, and who sits out."""

    tables: Annotated[tuple[Paired, ...], Meta(min_length=1, max_length=MAX_ENTRANTS)]
    resting: Annotated[tuple[Key, ...], Meta(max_length=MAX_ENTRANTS)]


class Reseated(_Entry, tag="reseated", frozen=True):
    """A table has broken off, and its players play again at another one."""

    number: TableNumber
    again: TableNumber


class Finished(_Entry, tag="finished", frozen=True):
    """A table has a result."""

    number: TableNumber
    seats: Annotated[tuple[SeatScore, ...], Meta(max_length=MAX_PLAYERS)]
    """Empty if no game was played there."""


class Ended(_Entry, tag="ended", frozen=True):
    """The last entry: the standings are final."""


Later: TypeAlias = RulesChanged | Registered | Withdrawn | RoundBegun | Reseated | Finished | Ended
"""Any entry after the first one."""


class TournamentPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament that a hall without an owner holds by itself."""

    players: Annotated[int, Meta(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)]
    """It begins once so many are there: everybody with a seat, or in line for one, enters."""
    rules: TournamentRules


class Course:
    """What has happened in a tournament since it was announced.

    Attributes:
        stage: as in `TournamentView`.
        rules: how it is played.
        life: its rounds and standings.
        rounds: how many there will be; 0 before the first begins.
        names: of those who have entered, but for those who withdrew before they ever played.
        tables: those of the latest round, and who plays there.
        again: those at which a game is played for the second time.
        entered: everybody who has ever entered.
        last: the highest number of its tables so far; 0 before the first.
        counts: whether a round has been finished, so that an end has winners.
    """

    def __init__(self, announced: Announced) -> None:
        self.stage: Stage = "entry"
        self.life = Tournament((), announced.seed)
        self._set_rules(announced.rules)
        self.rounds = 0
        self.names: dict[Player, str] = {}
        self.tables: dict[TableNumber, Table] = {}
        self.again: set[TableNumber] = set()
        self.entered: set[Player] = set()
        self.last = 0
        self.counts = False

    @property
    def open(self) -> tuple[TableNumber, ...]:
        """The tables of the round whose result is missing."""
        playing = self.life.playing
        return tuple(number for number, table in self.tables.items() if table in playing)

    def standings(self) -> list[Ranking]:
        """Return the standings, best first; none if it was ended before a round was finished."""
        return self.life.standings() if self.counts or self.stage != "over" else []

    def take(self, entry: Later) -> None:
        """Take an entry, which must be possible now."""
        match entry:
            case RulesChanged():
                self._set_rules(entry.rules)
            case Registered():
                self.names[entry.key] = entry.name
                self.entered.add(entry.key)
                self.life.join(entry.key)
            case Withdrawn():
                self.life.leave(entry.key)
                if not any(entry.key in each.players for each in self.life.rounds):
                    del self.names[entry.key]
            case RoundBegun():
                self._begin(entry)
            case Reseated():
                self.tables[entry.again] = self.tables.pop(entry.number)
                self.again.add(entry.again)
                self.last = max(self.last, entry.again)
            case Finished():
                table = self.tables[entry.number]
                self.life.finish(table, result(table, entry.seats))
                if not self.life.playing:
                    self.stage, self.counts = "break", True
            case Ended():
                self.stage = "over"

    def _set_rules(self, rules: TournamentRules) -> None:
        self.rules = rules
        self.life.filled = rules.fill is not None

    def _begin(self, entry: RoundBegun) -> None:
        begun = Round(tuple(each.players for each in entry.tables), entry.resting)
        self.rounds = self.rounds or self.rules.rounds or usual_rounds(len(begun.players))
        self.life.begin(begun)
        self.tables = {each.number: each.players for each in entry.tables}
        self.last = max(self.last, *self.tables)
        self.again = set()
        self.stage = "round"


def result(table: Table, seats: Sequence[SeatScore]) -> dict[Player, Score]:
    """Return what the players of a table have achieved; as if they sat out if there is no game."""
    if not seats:
        return dict.fromkeys(table, RESTING)
    gained = scores([seat[1:] for seat in seats])
    found = {seat[0]: score for seat, score in zip(seats, gained, strict=True)}
    return {key: found.get(key, Score()) for key in table}
