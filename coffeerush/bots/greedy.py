"""A bot that plays a sensible turn: walk to what the most urgent orders need, pour it, serve it."""

from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.rules import State, advance, legal_intents, sample_state
from coffeerush.rules.board import NEAR, ingredient
from coffeerush.rules.multiset import count, pack
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    OwnView,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Upgrade,
    View,
)

from .base import options_of
from .pouring import PourPlan, Wanted, own_cups, plan_pours, wanted_orders

RUSH_COST: Final = 0.35
"""Points that a rush token is kept for."""
MOST_STEPS: Final = 5
"""How far ahead a walk is looked at, steps by rush tokens included."""
UPGRADE_ORDER: Final = (
    Upgrade.DOUBLE_CORNERS,
    Upgrade.DIAGONAL_MOVE,
    Upgrade.DOUBLE_SPECIALTIES,
    Upgrade.DOUBLE_MEEPLES,
)
CARDS_FOR_UPGRADE: Final = 40
"""With fewer cards in the deck an upgrade no longer earns back the order it costs."""


class GreedyBot:
    """Look through every walk of this turn and take the one whose pours are worth most."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the next intent of the best turn that can be seen from here."""
        own = view.own
        assert own is not None  # only a seat is asked
        orders = wanted_orders(view, own.seat)
        match view.phase:
            case Phase.PLACING:
                return _place(view, orders)
            case Phase.UPGRADE if upgrade := _upgrade(view):
                return upgrade
            case Phase.UPGRADE | Phase.MOVING:
                return _move(view, own, orders)
            case Phase.FILLING | Phase.POURING:
                return _pour(view, own, orders)
        return _serve(view)


def _place(view: View, orders: tuple[Wanted, ...]) -> Intent:
    """Stand where the own orders find most of what they need within reach."""
    need = [sum(count(order.recipe, kind) for order in orders) for kind in range(8)]

    def worth(cell: int) -> float:
        return need[ingredient(cell)] * 1.5 + sum(
            need[ingredient(other)] for other in NEAR[0][cell]
        )

    cells = [o.intent.cell for o in options_of(view) if isinstance(o.intent, PlaceMeeple)]
    return PlaceMeeple(max(cells, key=worth))


def _upgrade(view: View) -> Intent | None:
    if view.closed or view.deck < CARDS_FOR_UPGRADE:
        return None
    offered = [o.intent for o in options_of(view) if isinstance(o.intent, ActivateUpgrade)]
    return min(offered, key=lambda one: UPGRADE_ORDER.index(one.upgrade), default=None)


class _Walks(Struct):
    """The walks of one turn, each place looked at once."""

    cups: tuple[int, ...]
    orders: tuple[Wanted, ...]
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
        if len(state.path) > MOST_STEPS and _may_stop(legal):
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
        return self.worth(after) - RUSH_COST * (after.rush - state.rush)


def _may_stop(legal: tuple[Intent, ...]) -> bool:
    return any(isinstance(one, (ReturnRest, EndTurn)) for one in legal)


def _move(view: View, own: OwnView, orders: tuple[Wanted, ...]) -> Intent:
    # what the sample makes up does not matter here: a walk meets only what is public
    step = _Walks(own_cups(own), orders).best_step(sample_state(view, 0))
    if step is not None:
        return step
    return _pour(view, own, orders) if any(own.hand) else _serve(view)


def _pour(view: View, own: OwnView, orders: tuple[Wanted, ...]) -> Intent:
    plan = plan_pours(own_cups(own), pack(own.hand), orders)
    intents = [option.intent for option in options_of(view)]
    for wish in _wishes(plan):
        if wish in intents:
            return wish
    # when filling, what no order wants still goes into a cup (R-SETUP-5)
    leftovers: list[Intent] = [ReturnRest(), EndTurn(), *intents]
    return next(wish for wish in leftovers if wish in intents)


def _wishes(plan: PourPlan) -> list[Intent]:
    return [
        *(EmptyCup(cup) for cup in plan.empty_first),
        *(Pour(Ingredient(kind), cup) for kind, cup in plan.pours),
    ]


def _serve(view: View) -> Intent:
    serves = [o.intent for o in options_of(view) if isinstance(o.intent, Serve)]
    return max(serves, key=lambda serve: serve.slot, default=EndTurn())
