"""A game in progress: its State, seats and turn clock, and what each reader may see of it."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from coffeerush.records.entries import Move
from coffeerush.rules import (
    Setup,
    State,
    apply,
    deal,
    deal_events,
    events,
    tallies,
    view_for,
    with_own,
)
from protocol import (
    Accepted,
    EndTurn,
    Epoch,
    Event,
    GameEvent,
    GameStarted,
    PlaceMeeple,
    Rev,
    Seat,
    Tally,
    Undo,
    View,
)


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
