"""The tournament of a hall: who has entered, when a round begins, and what its tables come to."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from random import Random
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.table.config import RETURN_SECONDS
from coffeerush.host.table.people import unique_name
from coffeerush.host.table.table import Table
from coffeerush.levels import kind_now
from coffeerush.tournament.course import (
    Announced,
    Course,
    Ended,
    Finished,
    Later,
    Paired,
    Registered,
    Reseated,
    RoundBegun,
    RulesChanged,
    TournamentPlan,
    Withdrawn,
)
from coffeerush.tournament.pairing import table_sizes
from coffeerush.tournament.tournament import MIN_ENTRANTS, Ranking, usual_rounds
from protocol import (
    MAX_ENTRANTS,
    BeginRound,
    BeginTournament,
    EndTournament,
    Enter,
    RefusedError,
    TableNumber,
    TournamentPlayer,
    TournamentRequest,
    TournamentRules,
    TournamentView,
    clean_name,
    param_list,
)

_UNIT: Final = 1000
"""Of wins and points on the wire."""


class Rooms(Protocol):
    """What a tournament needs of its hall."""

    @property
    def tables(self) -> Mapping[TableNumber, Table]:
        """The tables by number."""

    @property
    def room(self) -> int:
        """How many tables more there may be."""

    @property
    def next_number(self) -> TableNumber:
        """The number of the next table."""

    @property
    def bots(self) -> tuple[str, ...]:
        """The kinds of bot that can be seated."""

    @property
    def removed(self) -> frozenset[str]:
        """The keys that may not come back."""

    @property
    def players(self) -> Mapping[str, str]:
        """The names of all who are here and have a seat or want one, by key."""

    def note(self, code: str, **params: str | int) -> None:
        """Write a line in the log."""

    def is_here(self, key: str) -> bool:
        """Return whether somebody is at a table, even if away."""

    def seat(
        self,
        now: float,
        number: TableNumber,
        players: Sequence[tuple[str, str]],
        rules: TournamentRules,
    ) -> Table:
        """Take people, by key and name, from where they are to a new table, and begin a game."""

    def close(self, number: TableNumber) -> None:
        """Close a table, if it is still there."""


class CourseJournals(Protocol):
    """Where tournaments are written down; `RecordError` means that nothing was written."""

    def begin(self, announced: Announced) -> None:
        """Begin with a new tournament; raises `RecordError`."""

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""


class Tournaments(Struct, frozen=True):
    """With what a hall begins."""

    journals: CourseJournals
    chance: Random
    """Source of the seeds for the draws."""
    course: Course | None = None
    """The tournament that goes on, or was the latest one."""
    plan: TournamentPlan | None = None


class Director:
    """Runs the tournaments of a hall, one at a time; `now` is as in `Table`.

    Args:
        rooms: the hall.
        given: with what it begins.

    Attributes:
        changes: grows whenever what everybody may know of the tournament has changed.
    """

    def __init__(self, rooms: Rooms, given: Tournaments) -> None:
        self.changes = 0
        self._rooms = rooms
        self._journals, self._chance, self._plan = given.journals, given.chance, given.plan
        self._course = given.course
        """The latest tournament; None before the first."""
        numbers = given.course.tables if given.course else ()
        self._tables = {
            number: rooms.tables[number] for number in numbers if number in rooms.tables
        }
        """Those of the latest round."""
        self._awaited = set(self.keys)
        """Those who had entered before the host was started, and have to come back to the hall."""
        self._return_by: float | None = None
        """Until when they may."""
        self._earlier: list[TableNumber] = []
        """The tables of earlier rounds that are still open, oldest first."""
        self._next_at: float | None = None
        self._shown: TournamentView | None = None

    # What the hall has to know

    @property
    def _current(self) -> Course | None:
        """The tournament that is not over."""
        return self._course if self._course and self._course.stage != "over" else None

    @property
    def is_on(self) -> bool:
        """Whether there is a tournament that is not over."""
        return self._current is not None

    @property
    def keys(self) -> frozenset[str]:
        """The keys of everybody who plays the next round: they may come back."""
        return frozenset(self._current.life.here if self._current else ())

    @property
    def is_done(self) -> bool:
        """Whether the tournament that was planned is over."""
        return self._plan is not None and self._course is not None and self._current is None

    def plays(self, key: str) -> bool:
        """Return whether somebody plays the next round of a tournament, or is about to enter.

        After a planned one nobody plays anything more.
        """
        course = self._current
        if course is None:
            return self._plan is not None
        return key in course.life.here or (self._plan is not None and key not in course.entered)

    def has(self, number: TableNumber) -> bool:
        """Return whether a table is one of the latest round."""
        return number in self._tables

    def keeps(self, number: TableNumber) -> bool:
        """Return whether a table must stay as it is, even if nobody is there: it counts."""
        return self._current is not None and number in self._current.open

    # Requests

    def handle(self, now: float, key: str, name: str, request: TournamentRequest) -> None:
        """Carry out a request of somebody who may make it.

        Raises:
            RefusedError: `no_tournament`, `tournament_begun`, `round_begun`, `tournament_full`,
                `too_few_players`, `too_many_tables` or `unknown_bot`; nothing has changed.
            RecordError: it could not be written down; nothing has changed.
        """
        match request:
            case BeginTournament():
                self._announce(request.rules)
            case EndTournament():
                self._end()
            case BeginRound():
                self._begin_wanted(now, self._wanted(), request.round)
            case Enter(entered=True):
                self._enter(self._wanted(), key, name)
            case Enter():
                self._withdraw(self._wanted(), key)

    def _wanted(self) -> Course:
        if self._current is None:
            raise RefusedError("no_tournament")
        return self._current

    def _announce(self, rules: TournamentRules) -> None:
        course = self._current
        if course is not None and course.stage != "entry":
            raise RefusedError("tournament_begun")
        if rules.fill is not None:
            kind = kind_now(rules.fill)
            if kind not in self._rooms.bots:
                named = clean_name(rules.fill), param_list(self._rooms.bots)
                raise RefusedError("unknown_bot", bot=named[0], bots=named[1])
            rules = replace(rules, fill=kind)
        if course is not None:
            self._take(course, RulesChanged(rules))
            return
        announced = Announced(self._chance.getrandbits(63), rules)
        self._journals.begin(announced)
        self._course = Course(announced)
        self._tables.clear()
        self._rooms.note("tournament")

    def _enter(self, course: Course, key: str, name: str) -> None:
        if key in course.life.here:
            return
        if key not in course.names and len(course.names) >= MAX_ENTRANTS:
            raise RefusedError("tournament_full", most=MAX_ENTRANTS)
        known = course.names.get(key) or unique_name(name, [*course.names.values()])
        self._take(course, Registered(key, known))
        self._rooms.note("entered", name=known, count=len(course.life.here))

    def _withdraw(self, course: Course, key: str) -> None:
        if key in course.life.here:
            name = course.names[key]
            self._take(course, Withdrawn(key))
            self._rooms.note("withdrawn", name=name)

    def _end(self) -> None:
        course = self._current
        if course is not None:
            self._take(course, Ended())
            self._rooms.note("tournament_over", rounds=len(course.life.rounds))
            self._next_at = None
            self._put_away(self._closable())

    def _take(self, course: Course, entry: Later) -> None:
        self._journals.append(entry)
        course.take(entry)

    # Rounds

    def _begin_wanted(self, now: float, course: Course, number: int) -> None:
        begun = len(course.life.rounds)
        if number == begun:
            return  # a repeated request
        if number != begun + 1 or course.stage == "round":
            raise RefusedError("round_begun")
        here = self._here(course)
        if len(here) < MIN_ENTRANTS:
            have = len(here)
            raise RefusedError(
                "too_few_players", needs=MIN_ENTRANTS, have=have, reason="tournament"
            )
        self._begin(now, course, here)

    def _here(self, course: Course) -> list[str]:
        """Return who takes part in a round that begins now."""
        everybody = course.life.here
        return [key for key in everybody if key in self._awaited or self._rooms.is_here(key)]

    def _begin(self, now: float, course: Course, here: Sequence[str]) -> None:
        """Begin a round with those who are here."""
        needed = len(table_sizes(len(here), course.life.filled))
        earlier = self._closable()
        if self._rooms.room + len(earlier) < needed:
            raise RefusedError("too_many_tables", most=len(self._rooms.tables))
        for key in course.life.here:
            if key not in here:
                self._withdraw(course, key)
        drawn = course.life.draw()
        first = self._rooms.next_number
        tables = tuple(Paired(first + at, players) for at, players in enumerate(drawn.tables))
        self._take(course, RoundBegun(tables, drawn.resting))
        self._rooms.note("round", round=len(course.life.rounds), rounds=course.rounds)
        for key in drawn.resting:
            self._rooms.note("rests", name=course.names[key])
        self._next_at = None
        self._put_away(earlier)
        while self._rooms.room < needed:
            self._rooms.close(self._earlier.pop(0))
        for each in tables:
            self._seat(now, course, each.number)

    def _seat(self, now: float, course: Course, number: TableNumber) -> None:
        players = [(key, course.names[key]) for key in course.tables[number]]
        self._tables[number] = self._rooms.seat(now, number, players, course.rules)

    def _closable(self) -> list[TableNumber]:
        """Return the tables of the rounds so far at which no game is played, oldest first."""
        numbers, tables = (*self._earlier, *self._tables), self._rooms.tables
        return [number for number in numbers if number in tables and tables[number].stage != "game"]

    def _put_away(self, earlier: list[TableNumber]) -> None:
        """Let the tables of the latest round be like any others that somebody has opened."""
        self._earlier = earlier
        self._tables.clear()

    # Time

    def tick(self, now: float) -> None:
        """Take results, and begin a round or end the tournament if it is time; call each second.

        What cannot be written down is tried again in the next second.
        """
        self._return_by = self._return_by or now + RETURN_SECONDS
        came = filter(self._rooms.is_here, self._awaited)
        self._awaited = self._awaited.difference(came) if now < self._return_by else set()
        try:
            if self._plan is not None:
                self._follow_plan(now, self._plan)
            if self._current is not None:
                self._go_on(now, self._current)
        except RecordError as error:
            self._rooms.note("record_failed", text=str(error))
        except RefusedError as error:
            self._rooms.note("round_waits", reason=error.refusal.code.replace("_", " "))
        shown = self._view("", None)
        self.changes += shown != self._shown
        self._shown = shown

    def _follow_plan(self, now: float, plan: TournamentPlan) -> None:
        """Announce the tournament, let everybody enter, and begin once enough are there."""
        if self._course is None:
            self._announce(plan.rules)
        if (course := self._current) is None:
            return
        for key, name in self._rooms.players.items():
            if key not in course.entered and len(course.names) < MAX_ENTRANTS:
                self._enter(course, key, name)
        here = [key for key in course.life.here if self._rooms.is_here(key)]
        if course.stage == "entry" and len(here) >= plan.players:
            self._begin(now, course, here)

    def _go_on(self, now: float, course: Course) -> None:
        for key in self._rooms.removed.intersection(course.life.here):
            self._withdraw(course, key)
        for number in course.open:
            self._follow(now, course, number)
        if course.stage == "break" and self._next_at is None:
            self._end_round(now, course)
        if self._next_at is not None and now >= self._next_at:
            here = self._here(course)
            if len(here) < MIN_ENTRANTS:
                self._end()
            else:
                self._begin(now, course, here)

    def _follow(self, now: float, course: Course, number: TableNumber) -> None:
        """Take the result of a table if its game is over, or if it has broken off."""
        table = self._tables.get(number)
        if table is None:  # the host was killed before it could seat them
            self._seat(now, course, number)
            return
        if not table.is_over:
            if number in self._rooms.tables and table.can_play:
                return
            self._rooms.close(number)
            if course.rules.replay and number not in course.again:
                again = self._rooms.next_number
                self._take(course, Reseated(number, again))
                del self._tables[number]
                self._seat(now, course, again)
                return
        self._take(course, Finished(number, table.round_scores))
        if not course.open:
            lines = course.standings()
            told = ", ".join(f"{line.place}. {course.names[line.player]}" for line in lines)
            self._rooms.note("round_over", round=len(course.life.rounds), standings=told)

    def _end_round(self, now: float, course: Course) -> None:
        if len(course.life.rounds) >= course.rounds:
            self._end()
        elif course.rules.break_seconds:
            self._next_at = now + course.rules.break_seconds

    # What everybody may know

    def view(self, now: float, key: str) -> TournamentView | None:
        """Return the tournament as somebody may know it; None before the first."""
        left = None if self._next_at is None else max(ceil(self._next_at - now), 0)
        return self._view(key, left)

    def _view(self, key: str, seconds_left: int | None) -> TournamentView | None:
        course = self._course
        if course is None:
            return None
        here = course.life.here
        return TournamentView(
            course.stage,
            course.rules,
            course.rounds or course.rules.rounds or usual_rounds(len(here)),
            len(course.life.rounds),
            seconds_left,
            tuple(self._players(course)),
            course.names[key] if key in here else None,
        )

    def _players(self, course: Course) -> list[TournamentPlayer]:
        ranked = {line.player: line for line in course.standings()}
        others = sorted(course.names.keys() - ranked.keys(), key=course.names.__getitem__)
        shown = course.tables if self._tables else {}
        seated = {key: number for number, players in shown.items() for key in players}
        resting = course.life.rounds[-1].resting if self._tables else ()
        leading = {
            key
            for table in self._tables.values()
            for key, rank, _score, _penalties in table.round_scores
            if rank == 1
        }
        return [
            TournamentPlayer(
                course.names[key],
                **_figures(ranked.get(key)),
                table=seated.get(key),
                leads=key in leading,
                sits_out=key in resting,
                withdrawn=key not in course.life.here,
            )
            for key in (*ranked, *others)
        ]


def _figures(line: Ranking | None) -> dict[str, int]:
    """Return the figures of a player that are shown."""
    if line is None:
        return {}
    return {
        "place": line.place,
        "wins": _rounded(line.score.wins),
        "points": _rounded(line.score.points),
        "penalties": int(line.score.penalties),
        "rounds": line.rounds,
    }


def _rounded(share: Fraction) -> int:
    return round(share * _UNIT)
