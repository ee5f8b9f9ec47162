"""The bots that look at one turn only: Random, Casual and Regular."""

from random import Random
from typing import Final

from coffeerush.rules.board import NEAR, count, ingredient, pack
from protocol import (
    FREE_STEPS,
    ActivateUpgrade,
    EndTurn,
    Intent,
    OwnView,
    Phase,
    PlaceMeeple,
    ReturnRest,
    Serve,
    Undo,
    Upgrade,
    View,
)

from .bot import options_of
from .pouring import OrderFit, WantedOrder, order_fits, own_cups, plan_pours, wanted_orders
from .walks import MAX_STEPS, best_walk

# The bot of level Regular: walk to what the most urgent orders need, pour it, serve it


UPGRADES: Final = {
    2: (Upgrade.DOUBLE_CORNERS, Upgrade.DOUBLE_MEEPLES),
    3: (Upgrade.DOUBLE_CORNERS,),
    4: (Upgrade.DOUBLE_CORNERS,),
}
"""By number of players, the upgrades that are worth the orders they cost, the best first."""
CARDS_FOR_UPGRADE: Final = {2: 40, 3: 40, 4: 50}
"""With fewer cards in the deck, an upgrade no longer earns back what it costs."""


class RegularBot:
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
                return move(view, own)
            case Phase.FILLING | Phase.POURING:
                return pour(view, own)
        return serve(view)


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


def _is_early(view: View) -> bool:
    """Return whether there is time enough for an upgrade to earn back what it costs."""
    return not view.closed and view.deck >= CARDS_FOR_UPGRADE[len(view.players)]


def best_upgrade(view: View) -> ActivateUpgrade | None:
    """Return the upgrade to activate now; None if none is offered or worth it any more."""
    if not _is_early(view):
        return None
    offered = [o.intent for o in options_of(view) if isinstance(o.intent, ActivateUpgrade)]
    worthwhile = map(ActivateUpgrade, UPGRADES[len(view.players)])
    return next((upgrade for upgrade in worthwhile if upgrade in offered), None)


def move(
    view: View,
    own: OwnView,
    fits: tuple[OrderFit, ...] | None = None,
    max_steps: int = MAX_STEPS,
) -> Intent:
    """Return the next step of the best walk, or what follows it; arguments as in `best_walk`."""
    walk = best_walk(view, fits, max_steps)
    if walk.steps:
        return walk.steps[0]
    return pour(view, own, fits) if any(own.hand) else serve(view)


def pour(view: View, own: OwnView, fits: tuple[OrderFit, ...] | None = None) -> Intent:
    """Return the next pour for the orders of `fits`, for all if None; return the rest at last."""
    plan = plan_pours(own_cups(own), pack(own.hand), wanted_orders(view, own.seat), fits)
    intents = [option.intent for option in options_of(view)]
    # when filling, tokens that no order needs must still go into a cup (R-SETUP-5)
    preferred = [*plan.intents, ReturnRest(), EndTurn(), *intents]
    return next(intent for intent in preferred if intent in intents)


def serve(view: View) -> Intent:
    """Return a serve of the most urgent order that is ready, else the end of the turn."""
    serves = [o.intent for o in options_of(view) if isinstance(o.intent, Serve)]
    return max(serves, key=lambda serve: serve.slot, default=EndTurn())


# The bot of level Casual, for beginners: it serves often, and makes mistakes as people do


CARE: Final = 0.8
"""The probability that a turn is as good as one of Regular."""
MOST_IN_MIND: Final = 2
"""The most orders that a careless turn is about."""


class CasualBot:
    """Place and upgrade at random, and forget most orders in a careless turn."""

    def __init__(self) -> None:
        self._round = -1
        self._in_mind: frozenset[WantedOrder] | None = None
        """The orders of a careless turn; None in a careful one."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the next intent of a careful or careless turn."""
        own = view.own
        assert own is not None  # bots are never spectators
        intents = [option.intent for option in options_of(view)]
        if view.phase is Phase.PLACING:
            return chance.choice([intent for intent in intents if isinstance(intent, PlaceMeeple)])
        if view.round != self._round:
            self._begin(view, own, chance)
        if view.phase is Phase.UPGRADE and (upgrade := _upgrade(view, intents, chance)):
            return upgrade
        match view.phase:
            case Phase.UPGRADE | Phase.MOVING:
                # without care, at most one rush token
                steps = MAX_STEPS if self._in_mind is None else FREE_STEPS + 1
                return move(view, own, self._fits(view, own), steps)
            case Phase.FILLING | Phase.POURING:
                return pour(view, own, self._fits(view, own))
        return serve(view)

    def _begin(self, view: View, own: OwnView, chance: Random) -> None:
        """Begin a turn, or take one over."""
        self._round, self._in_mind = view.round, None
        if chance.random() >= CARE:
            orders = wanted_orders(view, own.seat)
            most = min(chance.randint(1, MOST_IN_MIND), len(orders))
            self._in_mind = frozenset(chance.sample(orders, most))

    def _fits(self, view: View, own: OwnView) -> tuple[OrderFit, ...] | None:
        if self._in_mind is None:
            return None
        orders = wanted_orders(view, own.seat)
        fits = order_fits(own_cups(own), orders)
        return tuple(fit for order, fit in zip(orders, fits, strict=True) if order in self._in_mind)


def _upgrade(view: View, intents: list[Intent], chance: Random) -> Intent | None:
    """Return any upgrade that is offered, while there are enough cards to earn it back."""
    offered = [intent for intent in intents if isinstance(intent, ActivateUpgrade)]
    return chance.choice(offered) if offered and _is_early(view) else None


# The random bot: chooses uniformly among the legal intents


class RandomBot:
    """Choose any option except undo, so that every game ends."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return one of the options, all equally likely."""
        intents = [o.intent for o in options_of(view) if not isinstance(o.intent, Undo)]
        return intents[int(chance.random() * len(intents))]
