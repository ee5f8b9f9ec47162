"""A game while it is played: its State, who sits where, and what of it is news to whom."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from coffeerush.record import Move
from coffeerush.rules import Setup, State, apply, deal, deal_events, events, view_for
from protocol import (
    Accepted,
    EndTurn,
    Epoch,
    Event,
    GameEvent,
    GameStarted,
    Intent,
    PlaceMeeple,
    Rev,
    Seat,
    View,
)


class LogLine(Struct, frozen=True):
    """An event as everybody may know it, and as the one seat may that it belongs to."""

    public: Event
    seat: Seat | None = None
    own: Event | None = None

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as the seat, or a spectator (None), may know it."""
        mine = self.own is not None and seat == self.seat
        return self.own if mine and self.own is not None else self.public


class Played(Struct, frozen=True):
    """An accepted intent with the States around it."""

    before: State
    move: Move
    after: State

    def events(self, reader: Seat | None) -> tuple[GameEvent, ...]:
        """Return what happened, as `reader` may know it."""
        return events(self.before, self.move.intent, self.after, reader)

    def lines(self) -> Iterator[LogLine]:
        """Yield what happened, for the log."""
        seat = self.move.seat
        for public, own in zip(self.events(None), self.events(seat), strict=True):
            yield LogLine(public) if public == own else LogLine(public, seat, own)

    def accepted(self, epoch: Epoch, game: int) -> Accepted:
        """Return the answer to the request that the move came from."""
        move = self.move
        view = view_for(self.after, move.seat)
        return Accepted(move.id, epoch, game, move.rev, self.events(move.seat), view)


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
        self.turn_intents = 0
        self.timed_out = False
        self._public: View | None = None

    @property
    def over(self) -> bool:
        """Whether nobody may act any more."""
        return self.state.active is None

    def seat_of(self, key: str) -> Seat | None:
        """Return the seat whose secrets are those of `key`."""
        return self.keys.index(key) if key and key in self.keys else None

    def view(self, reader: Seat | None) -> View:
        """Return the game as `reader` may know it."""
        if reader is not None:
            return view_for(self.state, reader)
        if self._public is None:
            self._public = view_for(self.state, None)
        return self._public

    def opening(self, names: tuple[str, ...]) -> Iterator[LogLine]:
        """Yield how a game that was just dealt begins, for the log."""
        yield LogLine(GameStarted(names, self.state.start))
        for event in deal_events(self.state):
            yield LogLine(event)

    def play(self, move: Move, now: float, write: Callable[[Move], None]) -> Played:
        """Apply a move and `write` it down, or do neither.

        Raises:
            IllegalIntent: the rules forbid it.
            RecordError: it could not be written.
        """
        played = Played(self.state, move, apply(self.state, move.seat, move.intent))
        write(move)
        self._go_to(played, now)
        return played

    def _go_to(self, played: Played, now: float) -> None:
        self.state = played.after
        self.rev = played.move.rev
        self._public = None
        self._mark_private(played)
        self.turn_intents += 1
        if isinstance(played.move.intent, (EndTurn, PlaceMeeple)):
            self.restart_turn(now)

    def restart_turn(self, now: float) -> None:
        """Begin the turn of whoever is active."""
        self.turn_since = now
        self.turn_intents = 0
        self.timed_out = False

    def _mark_private(self, played: Played) -> None:
        """Note whose private part may be new; which seats these are says nothing of its content."""
        # R-SETUP-5: with 3 or 4 players the end of the setup fills everybody's first cup
        setup_ended = not played.before.round and played.after.round
        touched = (played.before.active, played.after.active)
        for seat in range(len(self.private_revs)):
            if setup_ended or seat in touched:
                self.private_revs[seat] = self.rev


def move_of(game: Game, seat: Seat, intent: Intent, key: str = "", id_: bytes = b"") -> Move:
    """Return the next move of `game`; without a key where the host moves for somebody."""
    return Move(game.rev + 1, seat, intent, key, id_)
