"""A finished game, step by step: what plain stepping and the full screen show of a record.

The game is over, so nothing is secret any more: every cup and every pour lies open.
"""

from collections.abc import Iterator
from itertools import accumulate, chain, pairwise
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import KEPT, History
from coffeerush.client.model import Model
from coffeerush.records.export import result_of
from coffeerush.records.reading import Record
from coffeerush.rules import State, deal_events, events, tallies, view_for, with_own
from coffeerush.rules.multiset import unpack
from coffeerush.ui.words.events import drink_names, event_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import counts_line, seat_name, tokens
from coffeerush.ui.words.table import result_lines
from protocol import (
    BOT_NAME_CHARACTERS,
    Counts,
    Event,
    GameEnded,
    GameStarted,
    OrderServed,
    PenaltiesTaken,
    Seat,
    SeatView,
    TableView,
    TurnStarted,
)

Cups: TypeAlias = tuple[Counts, ...]
MAX_NUMBER: Final = 9
"""Digits of a rev that a person types."""


class Frame(Struct, frozen=True):
    """The game after an accepted intent, or, with rev 0, as it was dealt."""

    rev: int
    model: Model
    """What a spectator's screen draws, with the hand open."""
    events: tuple[Event, ...]
    """What led here, nothing left out."""
    cups: tuple[Cups, ...]
    """The cups of each seat."""
    mover: Seat | None
    """The seat that made the intent; None before the first."""

    @property
    def begins_turn(self) -> bool:
        """Whether a turn begins here, or the game ends."""
        return _has(self.events, TurnStarted, GameEnded)

    @property
    def eyes(self) -> Seat:
        """The seat that this is most about: whose turn begins, else who made the intent."""
        assert self.model.view is not None, "a frame always has one"
        active = self.model.view.active
        if self.mover is None or (active is not None and self.begins_turn):
            return active or 0
        return self.mover


class Replay:
    """The frames of a finished game."""

    def __init__(self, record: Record) -> None:
        """Play the record anew; raises `RecordError` where the game is not over."""
        result_of(record)
        self._head = record.head
        self._moves = record.moves
        self._states = tuple(record.states())
        self.players = len(record.head.seats)
        self._events = tuple(_told(record, self._states))
        self._totals = tuple(accumulate(map(len, self._events)))
        self.turns = (0, *self._revs_with(TurnStarted, GameEnded))
        """The revs in which a turn begins, the deal first and the end of the game last."""
        self.marks = self._revs_with(OrderServed, PenaltiesTaken)
        """The revs in which an order is served or comes too late."""
        self.rounds = tuple(
            rev
            for rev, (before, after) in enumerate(pairwise(self._states), 1)
            if after.round != before.round
        )
        """The revs in which a round begins."""

    @property
    def last(self) -> int:
        """The rev of the last frame; the first has rev 0."""
        return len(self._states) - 1

    def frame(self, rev: int) -> Frame:
        """Return the frame of a rev from 0 to `last`."""
        state = self._states[rev]
        cups = tuple(tuple(map(unpack, player.cups)) for player in state.players)
        mover = self._moves[rev - 1].seat if rev else None
        return Frame(rev, self._model(rev, state), self._events[rev], cups, mover)

    def seen_by(self, frame: Frame, seat: Seat) -> Model:
        """Return the model of a frame as the player of a seat had it."""
        assert frame.model.view is not None, "a frame always has one"
        view = with_own(frame.model.view, self._states[frame.rev], seat)
        return replace(frame.model, role="player", seat=seat, view=view)

    def _revs_with(self, *kinds: type[Event]) -> tuple[int, ...]:
        return tuple(rev for rev, found in enumerate(self._events) if _has(found, *kinds))

    def _model(self, rev: int, state: State) -> Model:
        latest = tuple(chain.from_iterable(self._events[max(rev - KEPT, 0) : rev + 1]))
        return Model(
            role="spectator",
            name="",
            status="here",
            game=self._head.game,
            rev=rev,
            table=self._table(over=state.active is None),
            view=replace(view_for(state, None), hand=unpack(state.hand)),
            history=History(latest[-KEPT:], self._totals[rev]),
        )

    def _table(self, over: bool) -> TableView:
        head = self._head
        return TableView(
            name=head.table,
            stage="result" if over else "game",
            seats=tuple(
                SeatView("bot" if one.bot else "person", one.name, one.bot[:BOT_NAME_CHARACTERS])
                for one in head.seats
            ),
            owner=None,
            bots=(),
            spectators=(),
            starters=head.setup.starters,
            turn_seconds=head.turn_seconds,
            clock=None,
            tallies=tallies(self._states) if over else (),
        )


def follow(words: str, at: int, last: int) -> int | None:
    """Return the rev that a person's words lead to from `at`; None where they lead nowhere."""
    match words.split():
        case []:
            rev = at + 1
        case ["b"]:
            rev = at - 1
        case ["g", number] if number.isdecimal() and len(number) <= MAX_NUMBER:
            rev = int(number)
        case _:
            return None
    return rev if 0 <= rev <= last else None


def event_lines(frame: Frame) -> list[str]:
    """Return what led to a frame, one sentence a line, the rev in front of the first."""
    first, *others = [event_line(event, frame.model) for event in frame.events]
    return [_("{rev}. {sentence}").format(rev=frame.rev, sentence=first), *others]


def table_lines(frame: Frame) -> list[str]:
    """Return what every player has, a line each, and the result where the game is over."""
    seats = [_seat_line(frame, seat) for seat in range(len(frame.cups))]
    view = frame.model.view
    return seats if view is None else [*seats, *result_lines(frame.model, view)]


def _told(record: Record, states: tuple[State, ...]) -> Iterator[tuple[Event, ...]]:
    """Yield what led to each state, as whoever acted knows it."""
    dealt = states[0]
    names = tuple(seated.name for seated in record.head.seats)
    yield (GameStarted(names, dealt.start), *deal_events(dealt))
    for move, before, after in zip(record.moves, states, states[1:], strict=False):
        yield events(before, move.intent, after, move.seat)


def _has(events: tuple[Event, ...], *kinds: type[Event]) -> bool:
    return any(isinstance(event, kinds) for event in events)


def _seat_line(frame: Frame, seat: Seat) -> str:
    assert frame.model.view is not None  # a frame always has one
    player = frame.model.view.players[seat]
    one, two, three = map(counts_line, frame.cups[seat])
    slots = (
        _("slot {slot}: {drinks}").format(slot=slot, drinks=drink_names(frame.model, drinks))
        for slot, drinks in enumerate(player.orders, 1)
        if drinks
    )
    return _(
        "{name}: {points}, {tokens}. Cup 1: {one}. Cup 2: {two}. Cup 3: {three}. Orders: {orders}."
    ).format(
        name=seat_name(frame.model, seat),
        points=_points(player.score),
        tokens=tokens(player.rush),
        one=one,
        two=two,
        three=three,
        orders=_("; ").join(slots) or pgettext("orders", "none"),
    )


def _points(score: int) -> str:
    return ngettext("{score} point", "{score} points", score).format(score=score)
