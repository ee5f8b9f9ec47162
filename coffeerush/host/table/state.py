"""The state of a table, the game in progress, and the records that guests may have."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, inf
from random import Random
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.moving.handover import StateOfTurn
from coffeerush.records.entries import End, Head, Later, Move, Record
from coffeerush.records.sharing import SharedRecord, shared_so_far
from coffeerush.rules import (
    Setup,
    State,
    apply,
    deal,
    deal_events,
    events,
    standings,
    tallies,
    view_for,
    with_own,
)
from protocol import (
    LOG_LENGTH,
    MAX_EVENTS,
    MAX_PART_BYTES,
    MAX_STANDBYS,
    Accepted,
    Asker,
    EndTurn,
    Epoch,
    Event,
    GameEvent,
    GameStarted,
    GetRecord,
    GuestNumber,
    LettingIn,
    Moving,
    NextGame,
    PeopleChange,
    PeopleChanged,
    PlaceMeeple,
    RecordPart,
    RefusedError,
    Renamed,
    Rev,
    Said,
    Seat,
    Successor,
    TableView,
    Tally,
    Undo,
    View,
    clean_speaker,
    param_list,
)

from .config import NOTES_KEPT, RETURN_SECONDS, SUSPENDED_SECONDS, Journals, Note, TableConfig
from .people import People, Person, SeatedBot, is_taken, seat_view
from .replication import Replication

# A game in progress: its State, seats and turn clock, and what each reader may see of it


class LogLine(Struct, frozen=True):
    """An event in its public form, and with private fields for the seat that it belongs to."""

    public: Event
    seat: Seat | None = None
    own: Event | None = None

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as a seat, or a spectator (None), may see it."""
        return self.public if self.own is None or seat != self.seat else self.own


class TakenIntent(Struct, frozen=True):
    """An accepted intent, the resulting State, and the events."""

    move: Move
    after: State
    public: tuple[GameEvent, ...]
    """Without private fields."""
    own: tuple[GameEvent, ...]
    """With the private fields of the seat that moved."""

    def lines(self) -> Iterator[LogLine]:
        """Yield the events, for the log."""
        for public, own in zip(self.public, self.own, strict=True):
            yield LogLine(public) if public == own else LogLine(public, self.move.seat, own)

    def accepted(self, epoch: Epoch, game: int, view: View) -> Accepted:
        """Return the answer to the move's request; `view` is the mover's."""
        return Accepted(self.move.id, epoch, game, self.move.rev, self.own, view)


SeatScore: TypeAlias = tuple[str, int, int, int]
"""The key, the rank, the score and the number of penalties of a seat; a bot has no key."""


class Pause(Struct, frozen=True):
    """A pause of the whole table."""

    reason: str
    """Empty if none was given."""
    since: float


class Game:
    """One game: each accepted intent replaces its immutable State."""

    def __init__(self, number: int, setup: Setup, keys: tuple[str, ...], now: float) -> None:
        self.number = number
        self.setup = setup
        self.keys = keys
        """The key dealt in on each seat; "" for a bot. It keeps owning that seat's secrets even if
        somebody else sits there after the game."""
        self.state = deal(setup)
        self.rev: Rev = 0
        self.private_revs = [0] * setup.players
        self.turn_since = now
        self.bot_intents = 0
        """Intents of this turn that the host played for a bot or an absent person."""
        self.turn_undos = 0
        self.timed_out = False
        self.bot_failed = False
        """Whether the bot of this turn gave no answer: another one finishes it."""
        self.pause: Pause | None = None
        self._public: View | None = None
        self._turns: list[State] = []
        """The States at the start of each turn, and at the end of the game."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.active is None

    def seat_of(self, key: str) -> Seat | None:
        """Return the seat whose secrets `key` may see."""
        return self.keys.index(key) if key and key in self.keys else None

    def view(self, reader: Seat | None) -> View:
        """Return the game as `reader` may see it; None for a spectator."""
        if self._public is None:
            self._public = view_for(self.state, None)
        return self._public if reader is None else with_own(self._public, self.state, reader)

    def tallies(self) -> tuple[Tally, ...]:
        """Return each seat's tally so far, round by round."""
        return tallies(self._turns)

    def opening(self, names: tuple[str, ...], old_seats: tuple[Seat, ...]) -> Iterator[LogLine]:
        """Yield the first events of a newly dealt game, for the log."""
        yield LogLine(GameStarted(names, old_seats, self.state.start))
        for event in deal_events(self.state):
            yield LogLine(event)

    def play(self, move: Move, now: float, write: Callable[[Move], None]) -> TakenIntent:
        """Apply a move and `write` it, or do neither; raises `IllegalIntent` or `RecordError`."""
        before, seat, intent = self.state, move.seat, move.intent
        after = apply(before, seat, intent)
        write(move)
        self.state, self.rev, self._public = after, move.rev, None
        self._mark_private(before)
        self.bot_intents += not move.key
        self.turn_undos += isinstance(intent, Undo)
        if isinstance(intent, (EndTurn, PlaceMeeple)):
            self._restart_turn(now)
            self._turns.append(after)
        public = events(before, intent, after, None)
        return TakenIntent(move, after, public, events(before, intent, after, seat))

    def seat_scores(self) -> tuple[SeatScore, ...]:
        """Return how each seat stands, by seat."""
        by_seat = sorted(standings(self.state), key=lambda place: place.seat)
        return tuple(
            (key, place.rank, place.score, len(player.penalties))
            for key, place, player in zip(self.keys, by_seat, self.state.players, strict=True)
        )

    def extend_turn(self, seconds: float) -> None:
        """Extend the turn by time in which nobody could play; so does the end of a pause."""
        if self.pause is None:
            self.turn_since += seconds

    def stop_clock(self, reason: str, now: float) -> None:
        """Pause the game, or change the reason of its pause."""
        self.pause = Pause(reason, self.pause.since if self.pause else now)

    def go_on(self, now: float) -> None:
        """End the pause; the turn gets back the time that it took."""
        assert self.pause is not None, "only a pause ends"
        self.turn_since += now - self.pause.since
        self.pause = None

    def take_up(self, turn: StateOfTurn) -> None:
        """Go on with a turn at another host, at time 0."""
        if self.pause:
            self.pause = Pause(self.pause.reason, 0.0)
        self.turn_since = -turn.seconds
        self.bot_intents, self.turn_undos = turn.bot_intents, turn.undos
        self.timed_out, self.bot_failed = turn.timed_out, turn.bot_failed

    def time_out(self) -> None:
        """Mark the turn as timed out: a bot finishes it."""
        self.timed_out = True

    def give_up_bot(self) -> None:
        """Let another bot finish the turn of one that gave no answer."""
        self.bot_failed = True

    def _restart_turn(self, now: float) -> None:
        """Reset the clock and the counters for a new turn."""
        self.turn_since = now
        self.bot_intents = 0
        self.turn_undos = 0
        self.timed_out = False
        self.bot_failed = False

    def _mark_private(self, before: State) -> None:
        """Update the `private_revs` of seats whose private part may have changed."""
        # R-SETUP-5: with 3 or 4 players the end of the setup fills everybody's first cup
        setup_ended = not before.round and self.state.round
        touched = (before.active, self.state.active)
        for seat in range(len(self.private_revs)):
            if setup_ended or seat in touched:
                self.private_revs[seat] = self.rev


# Journals that also keep what guests may have of the latest finished game's record


class SharedRecords:
    """Passes entries on to the table's journals, and copies those that are on disk.

    The copy is built up as a game is played, so that a request for it costs no I/O. Nobody can get
    it before its game is over, and then for as long as no other game is over.
    """

    def __init__(self, journals: Journals) -> None:
        self._journals = journals
        self._playing: SharedRecord | None = None
        self._game = 0
        """The latest game that is over and on disk."""
        self._data = b""

    def begin(self, head: Head) -> Head:
        """Open the record of a new game, and return its head as written; raises `RecordError`."""
        written = self._journals.begin(head)
        self._playing = SharedRecord(head)
        return written

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""
        self._journals.append(entry)
        if self._playing is None:
            return
        self._playing.append(entry)
        if isinstance(entry, End):
            self._keep(self._playing)

    def resume(self, record: Record) -> None:
        """Go on with the copy of a record that a host resumes."""
        copy = shared_so_far(record)
        if record.end:
            self._keep(copy)
        else:
            self._playing = copy

    def _keep(self, copy: SharedRecord) -> None:
        self._game, self._data, self._playing = copy.game, copy.data, None

    def read(self) -> bytes:
        """Return the whole record of the latest game; raises `RecordError`."""
        return self._journals.read()

    def part(self, request: GetRecord) -> RecordPart:
        """Return a part of the copy; raises `no_record`."""
        part = self._data[request.offset : request.offset + MAX_PART_BYTES]
        if request.game != self._game or not part:
            raise RefusedError("no_record", game=request.game)
        return RecordPart(request.id, len(self._data), part)


# State of a table between requests: stage, people, game, log, pending news and notes


Stage = Literal["lobby", "game", "result"]


def _never(_key: str) -> bool:
    return False


class TableState:
    """People, game and log of a table."""

    def __init__(
        self, config: TableConfig, journals: Journals, epoch: Epoch, chance: Random
    ) -> None:
        self.config = config
        self.replication = Replication(journals, epoch, config.term, config.addresses)
        self.journals = SharedRecords(self.replication)
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
        self.due_game = 0
        """The number of the latest game that was to begin at once, as the hall had seated people
        for it."""
        self.plays_elsewhere: Callable[[str], bool] = _never
        """Tells of whom no game may begin here, as they play in the tournament of the hall."""
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
        self.moving: Moving | None = None
        """The handover under way, as far as this table shows it."""
        self.notes: deque[Note] = deque(maxlen=NOTES_KEPT)
        self.counters: Counter[str] = Counter()

    def set_time(self, now: float) -> None:
        """Advance the clock; it never runs backwards."""
        gap = now - self.now
        if gap > SUSPENDED_SECONDS:
            # The host was suspended and heard nobody: this is neither silence nor turn time.
            self.pass_over(gap)
        self.now = max(self.now, now)

    def stand_still(self, now: float, seconds: float) -> None:
        """Count the latest seconds as if they had not been."""
        self.now = max(self.now, now)
        self.pass_over(seconds)

    def pass_over(self, seconds: float) -> None:
        """Count some time neither as silence nor as part of a turn."""
        for person in self.people.everybody():
            person.seen += seconds
        self.given_up_at += seconds
        if self.game is not None:
            self.game.extend_turn(seconds)

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
    def is_due(self) -> bool:
        """Whether a game for which the hall has seated people has not begun yet."""
        return self.due_game > self.number

    @property
    def is_held(self) -> bool:
        """Whether no game may begin, since somebody with a seat plays in a tournament."""
        return any(self.plays_elsewhere(person.key) for _, person in self.people.seated())

    @property
    def owner_seat(self) -> Seat | None:
        """The seat of an owner who has not left; if None, games start automatically."""
        owner = self.config.owner
        seated = self.people.seated()
        return next(
            (seat for seat, person in seated if person.key == owner and not person.left), None
        )

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
            return next(
                (places.index(player) for player in stay if is_taken(player.name, named)), None
            )
        later = ((self.began + turn) % len(places) for turn in range(1, len(places) + 1))
        return next((seat for seat in later if places[seat] in stay), None)

    def choose_first(self, choice: Person | SeatedBot | Literal["draw"]) -> None:
        """Let somebody begin the next game, or a draw decide."""
        self.chosen_first = choice

    def note_start(self, seat: Seat) -> None:
        """Note who begins the game that was dealt; the owner's choice was for this one."""
        self.began, self.chosen_first = seat, None

    def take_up(
        self,
        began: Seat | None,
        chosen_first: Person | SeatedBot | Literal["draw"] | None,
        log: Iterable[LogLine],
    ) -> None:
        """Go on with a table that another host hands over, of which nobody has seen news yet."""
        self.began, self.chosen_first = began, chosen_first
        self.log.clear()
        self.log.extend(log)
        self.forget_news()

    def show_moving(self, moving: Moving | None, *news: Event) -> None:
        """Show how far a handover is, or how it ended."""
        self.moving = moving
        self.tell(*map(LogLine, news))

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

    def log_for(self, key: str, from_start: bool = False) -> tuple[Event, ...]:
        """Return the latest events as the person with `key` may see them.

        `from_start` puts first the start of the game shown, which names its players: by now others
        may have their seats.
        """
        seat = None if self.shown is None else self.shown.seat_of(key)
        lines = [*self.log]
        if from_start and self.start and self.shown and self.start not in lines:
            lines = [self.start, *lines[-(LOG_LENGTH - 1) :]]
        return tuple(line.seen_by(seat) for line in lines)

    def table_view(self) -> TableView:
        """Return the table and the people at it."""
        config, rules, people = self.config, self.config.rules, self.people
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
            starters=rules.starters,
            turn_seconds=rules.turn_seconds,
            clock=self._clock(),
            tallies=self.game.tallies() if self.game and self.stage == "result" else (),
            bot_seconds=rules.bot_seconds,
            hints=rules.hints,
            pause=self.playing.pause.reason if self.playing and self.playing.pause else None,
        )
        queue = tuple(person.name for person in people.queue)
        next_game = NextGame(None if playing else self.next_first, queue, rules.rotation)
        if next_game != NextGame():  # a default stays out of the message
            table = replace(table, next_game=next_game)
        if self.replication.holders(people):
            table = replace(table, failover=True)
        if self.asking or rules.anybody_lets_in:
            table = replace(table, letting_in=LettingIn(self.asking, self.opens_to_anybody))
        standbys = tuple(person.name for person in self.standbys())
        if standbys or self.moving or config.term > 1:
            table = replace(table, standbys=standbys, moving=self.moving, term=config.term)
        return table

    @property
    def opens_to_anybody(self) -> bool:
        """Whether anybody at the table may let guests in: always where there is no owner."""
        return self.config.rules.anybody_lets_in or not self.config.owner

    def standbys(self) -> list[Person]:
        """Return those whose program could host the table, in the order of succession.

        Players come before spectators. Several programs of one person count once, and those of the
        host's person not at all.
        """
        found: dict[str, Person] = {}
        for person in self.people.everybody():
            if person.standby and person.here and not person.away:
                found.setdefault(person.standby.key, person)
        found.pop(self.config.host, None)
        return [*found.values()][:MAX_STANDBYS]

    def successors(self) -> tuple[Successor, ...]:
        """Return where the hosts of those people would be."""
        return tuple(
            Successor(person.name, person.standby.key, person.address, person.standby.port)
            for person in self.standbys()
            if person.standby and person.address
        )

    def _clock(self) -> int | None:
        left = self.seconds_left()
        return None if left is None else min(max(ceil(left), 0), self.config.rules.turn_seconds)

    def seconds_left(self) -> float | None:
        """Return the time left in this turn; None if no clock runs, as for a bot."""
        game = self.playing
        if game is None or not self.config.rules.turn_seconds:
            return None
        active = game.state.active
        if active is None or not isinstance(self.people.places[active], Person):
            return None
        now = game.pause.since if game.pause else self.now
        return game.turn_since + self.config.rules.turn_seconds - now

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

    def tell_departure(self, name: str, to: str) -> None:
        """Publish and note that somebody left, for a table of the hall unless `to` is empty."""
        if not to:
            self.tell_change(name, "left")
            return
        self.tell(LogLine(PeopleChanged(name, "left", clean_speaker(to))))
        self.note("went_over", name=name, table=to)

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
