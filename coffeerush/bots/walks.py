"""Search the walks of a turn for the one that leads to the pours that are worth most."""

from typing import Final

from msgspec import Struct

from coffeerush.rules import State, advance, legal_intents
from protocol import EndTurn, Intent, ReturnRest, Step, View

from .pouring import PourPlan, WantedOrder, own_cups, plan_pours, wanted_orders
from .sampling import sample_state

RUSH_COST: Final = 0.35
"""The value of a rush token that is not spent, in points."""
STEP_COST: Final = 0.001
"""Points per step: a tie-breaker in favour of the shorter walk."""
MAX_STEPS: Final = 5
"""The maximum search depth, including steps paid with rush tokens."""
MIN_STEPS: Final = 3
MANY_PLACES: Final = 500
"""A search that visited this many positions is not repeated one step deeper.

With diagonal moves, each step of depth means about six times as many positions."""


class Walk(Struct, frozen=True):
    """The rest of a turn: where to go, and what to do there with the hand."""

    steps: tuple[Step, ...]
    """Empty if it is best to stop."""
    hand: int
    """Packed multiset of the hand afterwards."""
    rush: int
    """Rush tokens that the steps cost."""
    pours: PourPlan


def best_walk(view: View) -> Walk:
    """Return the best walk for the owner of a View, who is to move; deterministic."""
    own = view.own
    assert own is not None  # spectators do not move
    # any sample will do: walks depend only on what is public
    state = begin = sample_state(view, 0)
    search = _deepest(_Search(own_cups(own), wanted_orders(view, own.seat), MIN_STEPS), state)
    steps: list[Step] = []
    while (step := search.best_step(state)) is not None:
        steps.append(step)
        state = advance(state, step)
    pours = plan_pours(search.cups, state.hand, search.orders)
    return Walk(tuple(steps), state.hand, state.rush - begin.rush, pours)


class _Search(Struct):
    """Depth-limited, memoized search of the walks of one turn."""

    cups: tuple[int, ...]
    orders: tuple[WantedOrder, ...]
    depth: int
    """The depth limit, in steps of the turn."""
    pours: dict[int, float] = {}
    """The value of stopping, by the contents of the hand."""
    places: dict[tuple[int, ...], float] = {}
    """The worth of a position: meeple, cell, hand and length of the path."""

    def worth(self, state: State) -> float:
        """Return the worth of the best walk from `state`."""
        place = (state.meeple or 0, state.path[-1], state.hand, len(state.path))
        if place not in self.places:
            onward = [self._after(state, step) for step in self.steps(state)]
            self.places[place] = max([self.stopping(state), *onward])
        return self.places[place]

    def best_step(self, state: State) -> Step | None:
        """Return the first step of the best walk; None if stopping here is as good."""
        found, best = None, self.stopping(state)
        for step in self.steps(state):
            worth = self._after(state, step)
            if worth > best:
                found, best = step, worth
        return found

    def steps(self, state: State) -> list[Step]:
        """Return the steps to search: none beyond the depth limit, unless stopping is illegal."""
        legal = legal_intents(state)
        if len(state.path) > self.depth and _may_stop(legal):
            return []
        return [intent for intent in legal if isinstance(intent, Step)]

    def stopping(self, state: State) -> float:
        """Return the worth of stopping here and pouring; minus infinity if that is illegal."""
        if not _may_stop(legal_intents(state)):
            return float("-inf")
        if state.hand not in self.pours:
            self.pours[state.hand] = plan_pours(self.cups, state.hand, self.orders).worth
        return self.pours[state.hand]

    def _after(self, state: State, step: Step) -> float:
        after = advance(state, step)
        return self.worth(after) - RUSH_COST * (after.rush - state.rush) - STEP_COST


def _deepest(search: _Search, state: State) -> _Search:
    """Search, one step deeper each time, until the depth or the positions reach their limit."""
    search.best_step(state)
    while search.depth < MAX_STEPS and len(search.places) < MANY_PLACES:
        search = _Search(search.cups, search.orders, search.depth + 1, search.pours)
        search.best_step(state)
    return search


def _may_stop(legal: tuple[Intent, ...]) -> bool:
    return any(isinstance(one, (ReturnRest, EndTurn)) for one in legal)
