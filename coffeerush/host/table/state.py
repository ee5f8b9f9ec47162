"""State of a table between requests: stage, people, game, log, pending news and notes."""

from collections import Counter, deque
from collections.abc import Sequence
from math import ceil, inf
from random import Random
from typing import Literal

from msgspec.structs import replace

from coffeerush.errors import RecordError
from protocol import (
    LOG_LENGTH,
    MAX_EVENTS,
    Asker,
    Event,
    GuestNumber,
    LettingIn,
    PeopleChanged,
    RefusedError,
    Renamed,
    Said,
    Seat,
    TableView,
    View,
    clean_speaker,
    param_list,
)

from .config import Journals, Note, TableConfig
from .game import Game, LogLine
from .limits import NOTES_KEPT, RETURN_SECONDS, SUSPENDED_SECONDS
from .people import People, Person, SeatedBot, is_taken, seat_view
from .shared_records import SharedRecords

Stage = Literal["lobby", "game", "result"]
PeopleChange = Literal["joined", "watching", "left", "away", "back", "removed", "replaced_by_bot"]


class TableState:
    """People, game and log of a table."""

    def __init__(self, config: TableConfig, journals: Journals, chance: Random) -> None:
        self.config = config
        self.journals = SharedRecords(journals)
        self.chance = chance
        self.people = People(config.seats)
        self.stage: Stage = "lobby"
        self.game: Game | None = None
        """The latest game, also when the lobby is back."""
        self.games_done = 0
        """Games that ended here, not counting one resumed after its last move."""
        self.began: Seat | None = None
        """The seat that began the latest game."""
        self.chosen_first: Person | SeatedBot | Literal["draw"] | None = None
        """Who begins the next game by the owner's choice; None for no choice."""
        self.end_is_due = False
        """Whether the result of the latest game still has to be written to its record."""
        self.now = 0.0
        self.hold_until = 0.0
        """The table takes no step of its own before this time: the record could not be written."""
        self.given_up_at = -inf
        """When somebody was last given up for silence; they may still come back."""
        self.log: deque[LogLine] = deque(maxlen=LOG_LENGTH)
        self.start: LogLine | None = None
        """The start of the latest game."""
        self.news: list[Event] = []
        self.changed = False
        self.asking: tuple[Asker, ...] = ()
        """Who asks to come in with a browser, the first one first."""
        self.let_in: dict[GuestNumber, bool] = {}
        """The answers to those whom the gateway still names, by guest."""
        self.notes: deque[Note] = deque(maxlen=NOTES_KEPT)
        self.counters: Counter[str] = Counter()

    def set_time(self, now: float) -> None:
        """Advance the clock; it never runs backwards."""
        gap = now - self.now
        if gap > SUSPENDED_SECONDS:
            # The host was suspended and heard nobody: this is neither silence nor turn time.
            for person in self.people.everybody():
                person.seen += gap
            self.given_up_at += gap
            if self.game is not None:
                self.game.extend_turn(gap)
        self.now = max(self.now, now)

    def wait_for_return(self) -> None:
        """Keep the table for a while: somebody who was given up may still come back."""
        self.given_up_at = self.now

    # Public views

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
        """Whether this table has played its limit of games."""
        return 0 < self.config.games <= self.games_done

    @property
    def owner_seat(self) -> Seat | None:
        """The seat of an owner who has not left; if None, games start automatically."""
        owner = self.config.owner
        seated = self.people.seated()
        return next((seat for seat, one in seated if one.key == owner and not one.left), None)

    @property
    def next_first(self) -> Seat | None:
        """The seat that begins the next game; None if it will be drawn."""
        places, stay = self.people.places, self.people.staying()
        if self.chosen_first == "draw":
            return None
        if self.chosen_first in stay:
            return places.index(self.chosen_first)
        if self.began is None:
            named = [clean_speaker(self.config.first)]
            return next((places.index(one) for one in stay if is_taken(one.name, named)), None)
        later = ((self.began + turn) % len(places) for turn in range(1, len(places) + 1))
        return next((seat for seat in later if places[seat] in stay), None)

    def choose_first(self, choice: Person | SeatedBot | Literal["draw"]) -> None:
        """Let somebody begin the next game, or a draw decide."""
        self.chosen_first = choice

    def note_start(self, seat: Seat) -> None:
        """Note who begins the game that was dealt; the owner's choice was for this one."""
        self.began, self.chosen_first = seat, None

    def move_seats(self, old_seats: Sequence[Seat]) -> None:
        """Reorder the seats: `old_seats` has the number that each of them had before."""
        self.people.move(old_seats)
        if self.began is not None:
            self.began = [*old_seats].index(self.began)

    @property
    def is_in_use(self) -> bool:
        """Whether a person is here, even if away, or was given up within `RETURN_SECONDS`."""
        if any(person.here for person in self.people.everybody()):
            return True
        return self.now - self.given_up_at <= RETURN_SECONDS

    @property
    def playing(self) -> Game | None:
        """The game in progress."""
        return self.game if self.stage == "game" else None

    @property
    def shown(self) -> Game | None:
        """The game in progress, or the one whose result is shown."""
        return None if self.stage == "lobby" else self.game

    def view(self, key: str = "") -> View | None:
        """Return the game as the person with `key` may see it; without a key, its public part."""
        return None if self.shown is None else self.shown.view(self.shown.seat_of(key))

    def private_revs(self) -> tuple[int, ...]:
        """Return for each seat the rev that last changed its private part."""
        return () if self.shown is None else tuple(self.shown.private_revs)

    def log_for(self, key: str, is_newcomer: bool = False) -> tuple[Event, ...]:
        """Return the latest events as the person with `key` may see them.

        The first event for a newcomer is the start of the game shown, which names its players.
        """
        seat = None if self.shown is None else self.shown.seat_of(key)
        lines = [*self.log]
        if is_newcomer and self.start and self.shown and self.start not in lines:
            lines = [self.start, *lines[-(LOG_LENGTH - 1) :]]
        return tuple(line.seen_by(seat) for line in lines)

    def table_view(self) -> TableView:
        """Return the table and the people at it."""
        config, people = self.config, self.people
        playing = self.stage == "game"
        late = self.game.state.active if self.game and self.game.timed_out else None
        table = TableView(
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
            bot_seconds=config.bot_seconds,
            hints=config.hints,
            first=None if playing else self.next_first,
            pause=self.playing.pause.reason if self.playing and self.playing.pause else None,
        )
        if not self.asking and not config.anybody_lets_in:
            return table  # the default stays out of the message
        return replace(table, letting_in=LettingIn(self.asking, config.anybody_lets_in))

    def _clock(self) -> int | None:
        left = self.seconds_left()
        return None if left is None else min(max(ceil(left), 0), self.config.turn_seconds)

    def seconds_left(self) -> float | None:
        """Return the time left in this turn; None if no clock runs, as for a bot."""
        game = self.playing
        if game is None or not self.config.turn_seconds:
            return None
        active = game.state.active
        if active is None or not isinstance(self.people.places[active], Person):
            return None
        now = game.pause.since if game.pause else self.now
        return game.turn_since + self.config.turn_seconds - now

    # Telling

    def tell(self, *lines: LogLine) -> None:
        """Add events to the log and to the next update; an update follows even without events."""
        self.log.extend(lines)
        self.news.extend(line.public for line in lines)
        self.changed = True

    def tell_briefly(self, event: Event) -> None:
        """Add an event to the next update only."""
        self.news.append(event)
        self.changed = True

    def take_news(self) -> tuple[Event, ...]:
        """Return the events for the next update; `changed` says whether more are left."""
        events = tuple(self.news[:MAX_EVENTS])
        del self.news[:MAX_EVENTS]
        self.changed = bool(self.news)
        return events

    def forget_news(self) -> None:
        """Discard pending news: nobody has seen the table yet."""
        self.news.clear()
        self.changed = False

    def begin_log(self) -> None:
        """Start a game's log: keep chat and people's changes, drop events of the previous game."""
        talk = (Said, PeopleChanged, Renamed)
        stays = [line for line in self.log if isinstance(line.public, talk)]
        self.log.clear()
        self.log.extend(stays)

    def tell_change(self, name: str, change: PeopleChange) -> None:
        """Publish and note that somebody came, left or changed."""
        self.tell(LogLine(PeopleChanged(name, change)))
        self.note(change, name=name)

    def note(self, code: str, **params: str | int) -> None:
        """Add a note for the host's log."""
        self.notes.append(Note(code, params))

    def take_notes(self) -> tuple[Note, ...]:
        """Return the notes since the last call."""
        notes = tuple(self.notes)
        self.notes.clear()
        return notes

    def count(self, kind: str) -> None:
        """Count an incident without a refusal."""
        self.counters[kind] += 1

    def take_counters(self) -> Counter[str]:
        """Return the incidents without a refusal since the last call."""
        counters, self.counters = self.counters, Counter()
        return counters

    def note_record_failed(self, error: RecordError) -> None:
        """Add a note that the record could not be written."""
        self.note("record_failed", text=str(error))

    def check_stage(self, *allowed: Stage) -> None:
        """Raise `wrong_stage` unless the table is in one of the given stages."""
        if self.stage not in allowed:
            raise RefusedError("wrong_stage", stage=self.stage, stages=param_list(allowed))

    def check_owner(self, person: Person) -> None:
        """Raise `not_owner` unless the person owns the table."""
        if not self.config.owner or person.key != self.config.owner:
            owner = self.people.find(self.config.owner)
            raise RefusedError("not_owner", **({"name": owner.name} if owner else {}))

    def check_seat(self, seat: Seat) -> None:
        """Raise `no_such_seat` unless the table has this seat."""
        if seat >= len(self.people.places):
            raise RefusedError("no_such_seat", seat=seat, seats=len(self.people.places))

    def no_such_seat(self, seat: Seat, reason: Literal["open", "own"]) -> RefusedError:
        """Return why a seat that the table has cannot be meant."""
        return RefusedError("no_such_seat", seat=seat, reason=reason)
