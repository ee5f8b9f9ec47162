"""What stands on a table between two requests, and how it goes from lobby to game to result."""

from collections import Counter, deque
from math import ceil, inf
from random import Random
from typing import Literal

from coffeerush.errors import RecordError
from protocol import (
    LOG_LENGTH,
    MAX_EVENTS,
    Event,
    PeopleChanged,
    RefusedError,
    Renamed,
    Said,
    Seat,
    TableView,
    View,
)

from .config import Journals, Note, TableConfig
from .game import Game, LogLine
from .limits import NOTES_KEPT, RETURN_SECONDS, SUSPENDED_SECONDS
from .people import People, Person, seat_view

Stage = Literal["lobby", "game", "result"]
PeopleChange = Literal["joined", "watching", "left", "away", "back", "removed", "replaced_by_bot"]


class TableState:
    """People, game and log of a table."""

    def __init__(self, config: TableConfig, journals: Journals, chance: Random) -> None:
        self.config = config
        self.journals = journals
        self.chance = chance
        self.people = People(config.seats)
        self.stage: Stage = "lobby"
        self.game: Game | None = None
        """The latest game, also when the lobby is back."""
        self.games_done = 0
        """How many have ended here, not counting one that was resumed at its end."""
        self.end_is_due = False
        """The result of the latest game is not on record yet."""
        self.now = 0.0
        self.hold_until = 0.0
        """The table itself tries nothing before: the record could not be written."""
        self.given_up_at = -inf
        """When somebody was last given up for silence, and may still come back."""
        self.log: deque[LogLine] = deque(maxlen=LOG_LENGTH)
        self.news: list[Event] = []
        self.changed = False
        self.notes: deque[Note] = deque(maxlen=NOTES_KEPT)
        self.counters: Counter[str] = Counter()

    def set_time(self, now: float) -> None:
        """Move the clock on; it never runs backwards."""
        gap = now - self.now
        if gap > SUSPENDED_SECONDS:
            # Nobody has been silent or slow: this host was not there to hear it.
            for person in self.people.everybody():
                person.seen += gap
            self.given_up_at += gap
            if self.game is not None:
                self.game.prolong_turn(gap)
        self.now = max(self.now, now)

    def wait_for_return(self) -> None:
        """Keep the table for a while: somebody was given up, and may still come back."""
        self.given_up_at = self.now

    # What everybody may know

    @property
    def number(self) -> int:
        """The number of the latest game; 0 before the first."""
        return 0 if self.game is None else self.game.number

    @property
    def rev(self) -> int:
        """The rev of the latest game."""
        return 0 if self.game is None else self.game.rev

    @property
    def all_played(self) -> bool:
        """Whether this table deals no more games."""
        return 0 < self.config.games <= self.games_done

    @property
    def owner_seat(self) -> Seat | None:
        """The seat of an owner who has not left; with None the table starts its games by itself."""
        owner = self.config.owner
        seated = self.people.seated()
        return next((seat for seat, one in seated if one.key == owner and not one.left), None)

    @property
    def is_in_use(self) -> bool:
        """Whether a person is here, if only away, or was given up a short while ago."""
        if any(not person.left for person in self.people.everybody()):
            return True
        return self.now - self.given_up_at <= RETURN_SECONDS

    @property
    def playing(self) -> Game | None:
        """The game that is being played now."""
        return self.game if self.stage == "game" else None

    @property
    def shown(self) -> Game | None:
        """The game that is on the table, being played or with its result."""
        return None if self.stage == "lobby" else self.game

    def view(self, key: str = "") -> View | None:
        """Return the game as the person with `key`, or anybody, may know it."""
        return None if self.shown is None else self.shown.view(self.shown.seat_of(key))

    def private_revs(self) -> tuple[int, ...]:
        """Return for each seat the rev that last changed what only its owner knows."""
        return () if self.shown is None else tuple(self.shown.private_revs)

    def log_for(self, key: str) -> tuple[Event, ...]:
        """Return the latest events as the person with `key` may know them."""
        seat = None if self.shown is None else self.shown.seat_of(key)
        return tuple(line.seen_by(seat) for line in self.log)

    def table_view(self) -> TableView:
        """Return the table and the people at it."""
        config, people = self.config, self.people
        playing = self.stage == "game"
        late = self.game.state.active if self.game and self.game.timed_out else None
        return TableView(
            name=config.name,
            stage=self.stage,
            seats=tuple(
                seat_view(place, playing, config.owner, seat == late)
                for seat, place in enumerate(people.places)
            ),
            owner=self.owner_seat,
            bots=config.bots,
            spectators=tuple(person.name for person in people.spectators.values()),
            starters=config.starters,
            turn_seconds=config.turn_seconds,
            clock=self._clock(),
            tallies=self.game.tallies() if self.game and self.stage == "result" else (),
        )

    def _clock(self) -> int | None:
        left = self.seconds_left()
        return None if left is None else min(max(ceil(left), 0), self.config.turn_seconds)

    def seconds_left(self) -> float | None:
        """Return what is left of the turn; None where no clock runs, as for a bot."""
        game = self.playing
        if game is None or not self.config.turn_seconds:
            return None
        active = game.state.active
        if active is None or not isinstance(self.people.places[active], Person):
            return None
        return game.turn_since + self.config.turn_seconds - self.now

    # Telling

    def tell(self, *lines: LogLine) -> None:
        """Put what happened into the log and into the next update, which comes in any case."""
        self.log.extend(lines)
        self.news.extend(line.public for line in lines)
        self.changed = True

    def take_news(self) -> tuple[Event, ...]:
        """Return what the next update tells; `changed` says whether more is left."""
        events = tuple(self.news[:MAX_EVENTS])
        del self.news[:MAX_EVENTS]
        self.changed = bool(self.news)
        return events

    def forget_news(self) -> None:
        """Tell nothing of what has changed so far: nobody has seen the table before."""
        self.news.clear()
        self.changed = False

    def begin_log(self) -> None:
        """Begin the log of a game; what people said stays, seats of the game before do not."""
        talk = (Said, PeopleChanged, Renamed)
        stays = [line for line in self.log if isinstance(line.public, talk)]
        self.log.clear()
        self.log.extend(stays)

    def tell_change(self, name: str, change: PeopleChange) -> None:
        """Say that somebody came, went or changed."""
        self.tell(LogLine(PeopleChanged(name, change)))
        self.note(change, name=name)

    def note(self, code: str, **params: str | int) -> None:
        """Leave a fact for whoever runs the host."""
        self.notes.append(Note(code, params))

    def take_notes(self) -> tuple[Note, ...]:
        """Return the notes since the last call."""
        notes = tuple(self.notes)
        self.notes.clear()
        return notes

    def count(self, kind: str) -> None:
        """Count something that was not right, and that nobody was refused for."""
        self.counters[kind] += 1

    def take_counters(self) -> Counter[str]:
        """Return what was counted since the last call."""
        counters, self.counters = self.counters, Counter()
        return counters

    def note_record_failed(self, error: RecordError) -> None:
        """Tell whoever runs the host that the record could not be written."""
        self.note("record_failed", text=str(error))

    def check_stage(self, *allowed: Stage) -> None:
        """Raise `wrong_stage` unless the table is in one of the stages."""
        if self.stage not in allowed:
            raise RefusedError(
                "wrong_stage",
                f"That is not for the {self.stage}; wait for the {' or '.join(allowed)}.",
                stage=self.stage,
            )
