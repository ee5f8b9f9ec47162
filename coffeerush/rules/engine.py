"""The engine: apply an intent to a State, and replay a game."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from coffeerush.rules import placing, turn, turn_end
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Undo,
)

from .explain import illegal
from .legal import legal_intents
from .setup import Setup, deal
from .state import State


def apply(state: State, seat: Seat, intent: Intent) -> State:
    """Return the State after `seat` plays `intent`; raises `IllegalIntent`."""
    if seat != state.active or intent not in legal_intents(state):
        raise illegal(state, seat, intent)
    return advance(state, intent)


def advance(state: State, intent: Intent) -> State:
    """Return the State after an intent from `legal_intents(state)`; legality is not checked."""
    return _ADVANCE[type(intent)](state, intent)


def replay(setup: Setup, moves: Iterable[tuple[Seat, Intent]]) -> Iterator[State]:
    """Yield the dealt State, then the State after each move; raises `IllegalIntent`."""
    state = deal(setup)
    yield state
    for seat, intent in moves:
        state = apply(state, seat, intent)
        yield state


def _end_turn(state: State, intent: EndTurn) -> State:
    if state.phase is Phase.FILLING:
        return placing.end_filling(state)
    return turn_end.end_turn(state)


_ADVANCE: Final[dict[type, Callable[..., State]]] = {
    PlaceMeeple: placing.place,
    ActivateUpgrade: turn.activate,
    Step: turn.step,
    EmptyCup: turn.empty_cup,
    Pour: turn.pour,
    ReturnRest: turn.return_rest,
    Serve: turn.serve,
    EndTurn: _end_turn,
    Undo: turn.undo,
}
