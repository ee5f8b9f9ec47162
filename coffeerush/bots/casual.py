"""The bot of level Casual, for beginners: it serves often, and makes mistakes as people do."""

from random import Random
from typing import Final

from protocol import FREE_STEPS, ActivateUpgrade, Intent, OwnView, Phase, PlaceMeeple, View

from .bot import options_of
from .pouring import OrderFit, WantedOrder, order_fits, own_cups, wanted_orders
from .regular import is_early, move, pour, serve
from .walks import MAX_STEPS

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
            return chance.choice([one for one in intents if isinstance(one, PlaceMeeple)])
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
    offered = [one for one in intents if isinstance(one, ActivateUpgrade)]
    return chance.choice(offered) if offered and is_early(view) else None
