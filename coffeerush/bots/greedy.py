"""The greedy bot: walk to what the most urgent orders need, pour it, serve it."""

from random import Random
from typing import Final

from coffeerush.rules.board import NEAR, ingredient
from coffeerush.rules.multiset import count, pack
from protocol import (
    ActivateUpgrade,
    EndTurn,
    Intent,
    OwnView,
    Phase,
    PlaceMeeple,
    ReturnRest,
    Serve,
    Upgrade,
    View,
)

from .bot import options_of
from .pouring import own_cups, plan_pours, wanted_orders
from .walks import best_walk

UPGRADE_ORDER: Final = (
    Upgrade.DOUBLE_CORNERS,
    Upgrade.DIAGONAL_MOVE,
    Upgrade.DOUBLE_SPECIALTIES,
    Upgrade.DOUBLE_MEEPLES,
)
CARDS_FOR_UPGRADE: Final = 40
"""With fewer cards in the deck, an upgrade no longer earns back the orders it costs."""


class GreedyBot:
    """Search the walks of this turn and take the one whose pours are worth most."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the next intent of the best turn found."""
        own = view.own
        assert own is not None  # bots are never spectators
        match view.phase:
            case Phase.PLACING:
                return best_place(view, own)
            case Phase.UPGRADE if upgrade := best_upgrade(view):
                return upgrade
            case Phase.UPGRADE | Phase.MOVING:
                return _move(view, own)
            case Phase.FILLING | Phase.POURING:
                return _pour(view, own)
        return _serve(view)


def best_place(view: View, own: OwnView) -> PlaceMeeple:
    """Choose the free cell that has most of what this seat's orders need on and around it."""
    orders = wanted_orders(view, own.seat)
    need = [sum(count(order.recipe, kind) for order in orders) for kind in range(8)]

    def worth(cell: int) -> float:
        return need[ingredient(cell)] * 1.5 + sum(
            need[ingredient(other)] for other in NEAR[0][cell]
        )

    cells = [o.intent.cell for o in options_of(view) if isinstance(o.intent, PlaceMeeple)]
    return PlaceMeeple(max(cells, key=worth))


def best_upgrade(view: View) -> ActivateUpgrade | None:
    """Return the upgrade to activate now; None if none is offered or worth it any more."""
    if view.closed or view.deck < CARDS_FOR_UPGRADE:
        return None
    offered = [o.intent for o in options_of(view) if isinstance(o.intent, ActivateUpgrade)]
    return min(offered, key=lambda one: UPGRADE_ORDER.index(one.upgrade), default=None)


def _move(view: View, own: OwnView) -> Intent:
    walk = best_walk(view)
    if walk.steps:
        return walk.steps[0]
    return _pour(view, own) if any(own.hand) else _serve(view)


def _pour(view: View, own: OwnView) -> Intent:
    plan = plan_pours(own_cups(own), pack(own.hand), wanted_orders(view, own.seat))
    intents = [option.intent for option in options_of(view)]
    # when filling, tokens that no order needs must still go into a cup (R-SETUP-5)
    wishes = [*plan.intents, ReturnRest(), EndTurn(), *intents]
    return next(wish for wish in wishes if wish in intents)


def _serve(view: View) -> Intent:
    serves = [o.intent for o in options_of(view) if isinstance(o.intent, Serve)]
    return max(serves, key=lambda serve: serve.slot, default=EndTurn())
