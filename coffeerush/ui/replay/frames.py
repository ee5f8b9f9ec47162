"""The frames of a finished game, in models and in sentences: every cup and pour is visible."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import KEPT, History
from coffeerush.client.model import Model
from coffeerush.records.entries import Move, Record
from coffeerush.records.export import result_of
from coffeerush.rules import State, deal_events, events, tallies, view_for, with_own
from coffeerush.rules.board import unpack
from coffeerush.ui.advice.review import (
    PlayedTurn,
    Review,
    ReviewedTurn,
    played_turns,
    review,
    review_turn,
)
from coffeerush.ui.words.command_words import replay_command
from coffeerush.ui.words.events import drink_list, event_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import counts_line, seat_name, tokens
from coffeerush.ui.words.table import result_lines
from protocol import (
    BOT_NAME_CHARACTERS,
    Counts,
    Event,
    GameEnded,
    GameStarted,
    Intent,
    OrderServed,
    PenaltiesTaken,
    Seat,
    SeatView,
    TableView,
    TurnStarted,
)

Cups: TypeAlias = tuple[Counts, ...]
MAX_NUMBER: Final = 9
"""Maximum digits of a typed rev."""


class Frame(Struct, frozen=True):
    """The game after an accepted intent or, at rev 0, after the deal."""

    rev: int
    model: Model
    """A spectator's model, but with the hand visible."""
    events: tuple[Event, ...]
    """All events of the intent."""
    cups: tuple[Cups, ...]
    """The cups of each seat."""
    mover: Seat | None
    """The seat that made the intent; None before the first."""

    @property
    def begins_turn(self) -> bool:
        """Whether a turn begins or the game ends here."""
        return _has(self.events, TurnStarted, GameEnded)

    @property
    def viewpoint(self) -> Seat:
        """The default point of view: the seat whose turn begins, else the one that acted."""
        assert self.model.view is not None, "a frame always has one"
        active = self.model.view.active
        if self.mover is None or (active is not None and self.begins_turn):
            return active or 0
        return self.mover


class Replay:
    """The frames of a finished game."""

    def __init__(self, record: Record) -> None:
        """Recompute all states of the record; raises `RecordError` if the game is not over."""
        result_of(record)
        self._record = record
        self._head = record.head
        self._moves = record.moves
        self._states = tuple(record.states())
        self.players = len(record.head.seats)
        self._events = tuple(_events_of(record, self._states))
        self._totals = tuple(accumulate(map(len, self._events)))
        self.turns = (0, *self._revs_with(TurnStarted, GameEnded))
        """The revs where a turn begins; the first is the deal, the last the end of the game."""
        self.marks = self._revs_with(OrderServed, PenaltiesTaken)
        """The revs where an order is served or expires."""
        self.rounds = tuple(
            rev
            for rev, (before, after) in enumerate(pairwise(self._states), 1)
            if after.round != before.round
        )
        """The revs where a round begins."""

    @property
    def last(self) -> int:
        """The rev of the last frame; the first is 0."""
        return len(self._states) - 1

    def frame(self, rev: int) -> Frame:
        """Return the frame of a rev, 0 to `last`."""
        state = self._states[rev]
        cups = tuple(tuple(map(unpack, player.cups)) for player in state.players)
        mover = self._moves[rev - 1].seat if rev else None
        return Frame(rev, self._model(rev, state), self._events[rev], cups, mover)

    def seen_by(self, frame: Frame, seat: Seat) -> Model:
        """Return a frame's model from the point of view of a seat."""
        assert frame.model.view is not None, "a frame always has one"
        view = with_own(frame.model.view, self._states[frame.rev], seat)
        return replace(frame.model, role="player", seat=seat, view=view)

    def branch(self, rev: int, intents: Iterable[Intent]) -> "Replay":
        """Return a replay of the same game up to `rev`, in which other intents of a turn follow."""
        seat = self._states[rev].active
        assert seat is not None  # its turn has begun
        others = (Move(number, seat, one) for number, one in enumerate(intents, rev + 1))
        return Replay(replace(self._record, moves=(*self._moves[:rev], *others)))

    @property
    def reviewer(self) -> Seat:
        """The seat to review unless another is chosen: the first person's."""
        seats = enumerate(self._head.seats)
        return next((seat for seat, one in seats if not one.bot), 0)

    def turns_of(self, seat: Seat) -> tuple[PlayedTurn, ...]:
        """Return the turns of a seat, to be reviewed one by one."""
        intents = [move.intent for move in self._moves]
        return tuple(played_turns(self._states, intents, seat, self._record.stand_ins()))

    def review_turn(self, turn: PlayedTurn) -> ReviewedTurn:
        """Review a turn; the same record gives the same review."""
        return review_turn(turn, self._head.setup.seed)

    def review(self, turns: Sequence[ReviewedTurn], seat: Seat) -> Review:
        """Return the review of a seat from all of its reviewed turns."""
        return review(turns, self._states[-1], seat)

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
                SeatView(
                    "bot" if one.bot else "person",
                    one.name,
                    one.bot.rpartition(":")[2][:BOT_NAME_CHARACTERS],
                    letter=one.letter,
                    colour=one.colour,
                )
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
    """Return the rev that "", "back" or "go 12" leads to from `at`; None if invalid or outside."""
    match replay_command(words):
        case ["", ""]:
            rev = at + 1
        case ["back", ""]:
            rev = at - 1
        case ["go", number] if number.isdecimal() and len(number) <= MAX_NUMBER:
            rev = int(number)
        case _:
            return None
    return rev if 0 <= rev <= last else None


def event_lines(frame: Frame) -> list[str]:
    """Return a frame's events, one sentence per line, with the rev before the first."""
    first, *others = [event_line(event, frame.model) for event in frame.events]
    return [_("{rev}. {sentence}").format(rev=frame.rev, sentence=first), *others]


def table_lines(frame: Frame) -> list[str]:
    """Return one line per player and, if the game is over, the result."""
    seats = [_seat_line(frame, seat) for seat in range(len(frame.cups))]
    view = frame.model.view
    return seats if view is None else [*seats, *result_lines(frame.model, view)]


def _events_of(record: Record, states: tuple[State, ...]) -> Iterator[tuple[Event, ...]]:
    """Yield the events of each state, as the player who acted knows them."""
    dealt = states[0]
    names = tuple(seated.name for seated in record.head.seats)
    seats = tuple(range(len(names)))
    yield (GameStarted(names, seats, dealt.start), *deal_events(dealt))
    for move, before, after in zip(record.moves, states, states[1:], strict=False):
        yield events(before, move.intent, after, move.seat)


def _has(events: tuple[Event, ...], *kinds: type[Event]) -> bool:
    return any(isinstance(event, kinds) for event in events)


def _seat_line(frame: Frame, seat: Seat) -> str:
    assert frame.model.view is not None  # a frame always has one
    player = frame.model.view.players[seat]
    one, two, three = map(counts_line, frame.cups[seat])
    slots = (
        _("slot {slot}: {drinks}").format(slot=slot, drinks=drink_list(frame.model, drinks))
        for slot, drinks in enumerate(player.orders, 1)
        if drinks
    )
    return _(
        "{name}: {points}, {tokens}. Cup 1: {one}. Cup 2: {two}. Cup 3: {three}. Orders: {orders}."
    ).format(
        name=seat_name(frame.model, seat),
        points=ngettext("{score} point", "{score} points", player.score).format(score=player.score),
        tokens=tokens(player.rush),
        one=one,
        two=two,
        three=three,
        orders=_("; ").join(slots) or pgettext("orders", "none"),
    )
