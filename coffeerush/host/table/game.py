"""A game while it is played: its State, who sits where, and what of it is news to whom."""

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
    """An event as everybody may know it, and as the one seat may that it belongs to."""

    public: Event
    seat: Seat | None = None
    own: Event | None = None

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as the seat, or a spectator (None), may know it."""
        return self.public if self.own is None or seat != self.seat else self.own


class TakenIntent(Struct, frozen=True):
    """An accepted intent, the State that it made, and what happened."""

    move: Move
    after: State
    public: tuple[GameEvent, ...]
    """As everybody may know it."""
    own: tuple[GameEvent, ...]
    """As the seat may that moved."""

    def lines(self) -> Iterator[LogLine]:
        """Yield what happened, for the log."""
        for public, own in zip(self.public, self.own, strict=True):
            yield LogLine(public) if public == own else LogLine(public, self.move.seat, own)

    def accepted(self, epoch: Epoch, game: int, view: View) -> Accepted:
        """Return the answer to the request that the move came from; `view` is the mover's."""
        return Accepted(self.move.id, epoch, game, self.move.rev, self.own, view)


class Game:
    """One game: its State is replaced by each accepted intent, and never changed."""

    def __init__(self, number: int, setup: Setup, keys: tuple[str, ...], now: float) -> None:
        self.number = number
        self.setup = setup
        self.keys = keys
        """Who was dealt in on each seat; "" for a bot. Whose cups these are does not change when
        somebody else sits down there after the game."""
        self.state = deal(setup)
        self.rev: Rev = 0
        self.private_revs = [0] * setup.players
        self.turn_since = now
        self.bot_intents = 0
        """Those of this turn in which the host moved for a bot or an absent person."""
        self.turn_undos = 0
        self.timed_out = False
        self._public: View | None = None
        self._turns: list[State] = []
        """The States in which a turn began, or the game ended."""

    @property
    def over(self) -> bool:
        """Whether nobody may act any more."""
        return self.state.active is None

    def seat_of(self, key: str) -> Seat | None:
        """Return the seat whose secrets are those of `key`."""
        return self.keys.index(key) if key and key in self.keys else None

    def view(self, reader: Seat | None) -> View:
        """Return the game as `reader` may know it."""
        if self._public is None:
            self._public = view_for(self.state, None)
        return self._public if reader is None else with_own(self._public, self.state, reader)

    def tallies(self) -> tuple[Tally, ...]:
        """Return how each seat fared so far, from round to round."""
        return tallies(self._turns)

    def opening(self, names: tuple[str, ...]) -> Iterator[LogLine]:
        """Yield how a game that was just dealt begins, for the log."""
        yield LogLine(GameStarted(names, self.state.start))
        for event in deal_events(self.state):
            yield LogLine(event)

    def play(self, move: Move, now: float, write: Callable[[Move], None]) -> TakenIntent:
        """Apply a move and `write` it down, or do neither.

        Raises:
            IllegalIntent: the rules forbid it.
            RecordError: it could not be written.
        """
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

    def prolong_turn(self, seconds: float) -> None:
        """Give the turn the time back in which nobody could play."""
        self.turn_since += seconds

    def time_out(self) -> None:
        """End the time of the turn: a bot finishes it."""
        self.timed_out = True

    def _restart_turn(self, now: float) -> None:
        """Begin the turn of whoever is active."""
        self.turn_since = now
        self.bot_intents = 0
        self.turn_undos = 0
        self.timed_out = False

    def _mark_private(self, before: State) -> None:
        """Note whose private part may be new; which seats these are says nothing of its content."""
        # R-SETUP-5: with 3 or 4 players the end of the setup fills everybody's first cup
        setup_ended = not before.round and self.state.round
        touched = (before.active, self.state.active)
        for seat in range(len(self.private_revs)):
            if setup_ended or seat in touched:
                self.private_revs[seat] = self.rev
