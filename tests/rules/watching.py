"""A watched game: all invariants are checked after every intent."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.bots import sample_state
from coffeerush.rules import (
    ALL_INTENTS,
    Setup,
    State,
    apply,
    deal,
    events,
    legal_intents,
    replay,
    view_for,
)
from protocol import (
    NO_ID,
    REFUSAL_CODES,
    SENTENCE_CHARACTERS,
    Accepted,
    Current,
    GameEvent,
    IllegalIntent,
    Intent,
    Poured,
    Seat,
    Undo,
    View,
    decode_answer,
    encode,
)
from tests.rules.checks import assert_conserved, assert_meeples_apart
from tests.support.twins import remixed, shuffled, shuffled_intent, shuffles

EPOCH = bytes(8)


class Watched:
    """A game, its moves, and the State at the start of the turn."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.state = self.turn_start = deal(setup)
        self.states = [self.state]
        self.moves: list[tuple[Seat, Intent]] = []
        self.seen: list[GameEvent] = []
        self.chance = Random(setup.seed)

    @property
    def readers(self) -> tuple[int | None, ...]:
        """Return all readers: the seats and a spectator."""
        return (None, *range(self.setup.players))

    def do(self, intent: Intent) -> None:
        """Apply an intent of the active seat; check the State and the events of each reader."""
        before, seat = self.state, self.state.active
        assert seat is not None
        after = apply(before, seat, intent)
        if isinstance(intent, Undo):
            assert after == before.previous
            assert after.active == seat
        elif after.previous is None:
            self.turn_start = after
        assert_conserved(after, self.setup)
        assert_meeples_apart(after)
        for reader in self.readers:
            self._assert_leaks_nothing(before, intent, after, reader)
        self.state = after
        self.states.append(after)
        self.moves.append((seat, intent))
        self.seen += events(before, intent, after, None)

    def _assert_leaks_nothing(
        self, before: State, intent: Intent, after: State, reader: int | None
    ) -> None:
        """Apply the intent to a twin State: the reader must get the same events (R-INFO-2)."""
        heard = events(before, intent, after, reader)
        assert before.active is not None
        if reader == before.active:
            drawn = len(before.deck) - len(after.deck)
            twin = remixed(before, reader, self.chance, drawn)
            if isinstance(intent, Undo):
                return
            there = apply(twin, before.active, intent)
            assert events(twin, intent, there, reader) == heard
            told = Accepted(NO_ID, EPOCH, 1, 0, heard, view_for(after, reader))
            assert decode_answer(encode(told)) == told
            return
        order = shuffles(before, reader, self.chance)
        twin, same = shuffled(before, order), shuffled_intent(intent, order[before.active])
        there = apply(twin, before.active, same)
        assert events(twin, same, there, reader) == heard
        assert view_for(there, reader) == view_for(after, reader)
        assert not any(isinstance(event, Poured) and event != Poured(event.seat) for event in heard)

    def look(self) -> None:
        """Check that options are what is accepted, and that views are complete and leak nothing."""
        self.assert_options_are_accepted()
        for reader in self.readers:
            view = view_for(self.state, reader)
            self._assert_survives_the_wire(view)
            twin = view_for(remixed(self.state, reader, self.chance), reader)
            assert _current(twin) == _current(view)
            self._assert_sampled(view)

    def assert_options_are_accepted(self) -> None:
        """Try all intents: legal ones apply, all others are refused and change nothing."""
        state = self.state
        legal = legal_intents(state)
        assert len(set(legal)) == len(legal)
        assert set(legal) <= set(ALL_INTENTS)
        assert (Undo() in legal) == (state.previous is not None)
        before = msgspec.msgpack.encode(state)
        for intent in ALL_INTENTS:
            if state.active is not None and intent in legal:
                apply(state, state.active, intent)
                seat = (state.active + 1) % self.setup.players
            else:
                seat = state.active or 0
            with pytest.raises(IllegalIntent) as caught:
                apply(state, seat, intent)
            refusal = caught.value.refusal
            assert refusal.code in REFUSAL_CODES[: REFUSAL_CODES.index("say_hello")]
            assert 0 < len(refusal.text) <= SENTENCE_CHARACTERS
        assert msgspec.msgpack.encode(state) == before
        for seat in range(self.setup.players):
            own = view_for(state, seat).own
            assert own is not None
            acts = seat == state.active
            assert tuple(option.intent for option in own.options) == (legal if acts else ())

    def undo_turn(self) -> None:
        """Undo to the start of the turn, and check that this restores its State."""
        state, count = self.state, 0
        assert state.active is not None
        own = view_for(state, state.active).own
        while state.previous is not None:
            assert state.active is not None
            state, count = apply(state, state.active, Undo()), count + 1
        assert state == self.turn_start
        assert own is not None
        assert own.undo == count

    def assert_replayed(self) -> None:
        """Check that replaying the recorded moves gives the same States."""
        assert list(replay(self.setup, self.moves)) == self.states

    def _assert_survives_the_wire(self, view: View) -> None:
        assert decode_answer(_current(view)) == Current(NO_ID, EPOCH, 1, 0, view)

    def _assert_sampled(self, view: View) -> None:
        """Check that a State sampled from a View has the same View, except for undo."""
        sample = sample_state(view, self.chance.randrange(1000))
        assert_conserved(sample, self.setup)
        own = view.own
        if own is not None:
            options = tuple(one for one in own.options if one.intent != Undo())
            view = replace(view, own=replace(own, options=options, undo=0))
        assert view_for(sample, None if own is None else own.seat) == view
        if sample.active is not None:
            assert legal_intents(sample)


def _current(view: View) -> bytes:
    return encode(Current(NO_ID, EPOCH, 1, 0, view))
