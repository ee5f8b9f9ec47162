"""A finished game, step by step: what plain stepping and the full screen show of a record.

The game is over, so nothing is secret any more: every cup and every pour lies open.
"""

from collections.abc import Iterator
from itertools import accumulate, chain
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import KEPT, History
from coffeerush.client.model import Model
from coffeerush.client.table_words import result_lines
from coffeerush.client.words import (
    counts_line,
    drink_names,
    event_line,
    seat_name,
    tokens,
)
from coffeerush.export import result_of
from coffeerush.i18n import _, ngettext
from coffeerush.record import Head, Record
from coffeerush.rules import State, deal_events, events, view_for
from coffeerush.rules.multiset import unpack
from protocol import (
    BOT_NAME_CHARACTERS,
    Counts,
    Event,
    GameEnded,
    GameStarted,
    Seat,
    SeatView,
    TableView,
    TurnStarted,
)

Cups: TypeAlias = tuple[Counts, ...]
LONGEST_NUMBER: Final = 9
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

    @property
    def begins_turn(self) -> bool:
        """Whether a turn begins here, or the game ends."""
        return any(isinstance(event, TurnStarted | GameEnded) for event in self.events)


class Replay:
    """The frames of a finished game."""

    def __init__(self, record: Record) -> None:
        """Play the record anew; raises `RecordError` where the game is not over."""
        result_of(record)
        self._head = record.head
        self._states = tuple(record.states())
        self._events = tuple(_told(record, self._states))
        self._totals = tuple(accumulate(map(len, self._events)))

    @property
    def last(self) -> int:
        """The rev of the last frame; the first has rev 0."""
        return len(self._states) - 1

    def frame(self, rev: int) -> Frame:
        """Return the frame of a rev from 0 to `last`."""
        state = self._states[rev]
        cups = tuple(tuple(map(unpack, player.cups)) for player in state.players)
        return Frame(rev, self._model(rev, state), self._events[rev], cups)

    def _model(self, rev: int, state: State) -> Model:
        latest = tuple(chain.from_iterable(self._events[max(rev - KEPT, 0) : rev + 1]))
        return Model(
            role="spectator",
            name="",
            status="here",
            game=self._head.game,
            rev=rev,
            table=_table(self._head, over=state.active is None),
            view=replace(view_for(state, None), hand=unpack(state.hand)),
            history=History(latest[-KEPT:], self._totals[rev]),
        )


def follow(words: str, at: int, last: int) -> int | None:
    """Return the rev that a person's words lead to from `at`; None where they lead nowhere."""
    match words.split():
        case []:
            rev = at + 1
        case ["b"]:
            rev = at - 1
        case ["g", number] if number.isdecimal() and len(number) <= LONGEST_NUMBER:
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


def _table(head: Head, over: bool) -> TableView:
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
    )


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
        orders=_("; ").join(slots) or _("none"),
    )


def _points(score: int) -> str:
    return ngettext("{score} point", "{score} points", score).format(score=score)
