"""The walks of an own turn, and which of them leads to the pours that are worth most."""

from typing import Final

from msgspec import Struct

from coffeerush.rules import State, advance, legal_intents
from protocol import EndTurn, Intent, ReturnRest, Step, View

from .pouring import PourPlan, WantedOrder, own_cups, plan_pours, wanted_orders
from .sampling import sample_state

RUSH_COST: Final = 0.35
"""Points that a rush token is kept for."""
STEP_COST: Final = 0.001
"""Of walks that are worth the same, the shorter one."""
MAX_STEPS: Final = 5
"""How far ahead a walk is looked at, steps by rush tokens included."""
MIN_STEPS: Final = 3
MANY_PLACES: Final = 500
"""Where a search of walks met so many places, walks that are a step longer are not looked at.

Each step more means about six times as many where steps may be diagonal."""


class Walk(Struct, frozen=True):
    """The rest of a turn: where to go, and what to do there with the hand."""

    steps: tuple[Step, ...]
    """Empty where it is best to stop."""
    hand: int
    """Packed multiset of what is in hand afterwards."""
    rush: int
    """Rush tokens that the steps cost."""
    pours: PourPlan


def best_walk(view: View) -> Walk:
    """Return the best walk on from a View whose owner moves, the same one each time."""
    own = view.own
    assert own is not None  # only a seat moves
    # what the sample makes up does not matter here: a walk meets only what is public
    state = begin = sample_state(view, 0)
    search = _deepest(_Search(own_cups(own), wanted_orders(view, own.seat), MIN_STEPS), state)
    steps: list[Step] = []
    while (step := search.best_step(state)) is not None:
        steps.append(step)
        state = advance(state, step)
    pours = plan_pours(search.cups, state.hand, search.orders)
    return Walk(tuple(steps), state.hand, state.rush - begin.rush, pours)


class _Search(Struct):
    """The walks of one turn, each place looked at once."""

    cups: tuple[int, ...]
    orders: tuple[WantedOrder, ...]
    depth: int
    """Steps of a turn that are looked at."""
    pours: dict[int, float] = {}
    """Worth of stopping with a hand."""
    places: dict[tuple[int, ...], float] = {}
    """Worth of going on from a meeple, a cell, a hand and a number of steps."""

    def worth(self, state: State) -> float:
        """Return the worth of the best walk on from `state`."""
        place = (state.meeple or 0, state.path[-1], state.hand, len(state.path))
        if place not in self.places:
            onward = [self._after(state, step) for step in self.steps(state)]
            self.places[place] = max([self.stopping(state), *onward])
        return self.places[place]

    def best_step(self, state: State) -> Step | None:
        """Return the first step of the best walk; None where stopping here is as good."""
        found, best = None, self.stopping(state)
        for step in self.steps(state):
            worth = self._after(state, step)
            if worth > best:
                found, best = step, worth
        return found

    def steps(self, state: State) -> list[Step]:
        """Return the steps worth looking at; all of them where one may not stop."""
        legal = legal_intents(state)
        if len(state.path) > self.depth and _may_stop(legal):
            return []
        return [intent for intent in legal if isinstance(intent, Step)]

    def stopping(self, state: State) -> float:
        """Return the worth of pouring what is in hand; minus infinity where one may not stop."""
        if not _may_stop(legal_intents(state)):
            return float("-inf")
        if state.hand not in self.pours:
            self.pours[state.hand] = plan_pours(self.cups, state.hand, self.orders).worth
        return self.pours[state.hand]

    def _after(self, state: State, step: Step) -> float:
        after = advance(state, step)
        return self.worth(after) - RUSH_COST * (after.rush - state.rush) - STEP_COST


def _deepest(search: _Search, state: State) -> _Search:
    """Return the search that looks furthest ahead without looking at too much."""
    search.best_step(state)
    while search.depth < MAX_STEPS and len(search.places) < MANY_PLACES:
        search = _Search(search.cups, search.orders, search.depth + 1, search.pours)
        search.best_step(state)
    return search


def _may_stop(legal: tuple[Intent, ...]) -> bool:
    return any(isinstance(one, (ReturnRest, EndTurn)) for one in legal)
