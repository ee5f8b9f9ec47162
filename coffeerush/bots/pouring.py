"""Plan which tokens to pour into which cups: for the bots and for suggested pours."""

from typing import Final

from msgspec import Struct

from coffeerush.rules.board import common, kinds, pack, size, within
from protocol import CUPS, EmptyCup, Ingredient, Intent, OwnView, Pour, Slot, View

SERVE_WORTH: Final = {1: 1.15, 2: 1.3, 3: 1.6, 4: 2.2}
"""The value of serving an order, in points, by slot; slot 4 also saves a penalty (R-TIME-1)."""
SPECIALTY_WORTH: Final = 0.3
PROGRESS_WORTH: Final = {1: 0.4, 2: 0.5, 3: 0.6, 4: 0.0}
"""Share of an order's worth that a full but unserved cup has; slot 4 expires before it helps."""


class WantedOrder(Struct, frozen=True):
    """An open order, as input of the plan."""

    slot: Slot
    recipe: int
    """Packed multiset."""
    specialty: bool


class PourPlan(Struct, frozen=True):
    """Where each token of the hand goes, and which cups are emptied before that."""

    worth: float
    """The value of the cups afterwards, in points."""
    pours: tuple[tuple[int, int], ...]
    """(ingredient, cup) per token; the rest of the hand is returned."""
    empty_first: tuple[int, ...]
    """Cups to empty before pouring."""

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The intents that carry out the plan, in order."""
        pours = [Pour(Ingredient(kind), cup) for kind, cup in self.pours]
        return (*map(EmptyCup, self.empty_first), *pours)


class OrderFit(Struct, frozen=True):
    """What one order is worth, and what each cup lacks for it."""

    served: float
    """The value of completing it."""
    token: float
    """The value of each token in a cup for it, while it is not completed."""
    recipe: int
    """Packed multiset."""
    cups: tuple[tuple[int, int], ...]
    """(cup, packed multiset it lacks) for each cup that fits, the one that lacks least first."""


def wanted_orders(view: View, seat: int) -> tuple[WantedOrder, ...]:
    """Return a seat's open orders, the most urgent first; within a slot, the smallest first."""
    wanted = [
        WantedOrder(slot, pack(view.menu[drink].recipe), view.menu[drink].specialty)
        for slot, orders in enumerate(view.players[seat].orders, start=1)
        for drink in orders
    ]
    return tuple(sorted(wanted, key=lambda order: (-order.slot, size(order.recipe))))


def own_cups(own: OwnView) -> tuple[int, ...]:
    """Return the owner's cups, packed."""
    return tuple(pack(cup) for cup in own.cups)


def order_fits(cups: tuple[int, ...], orders: tuple[WantedOrder, ...]) -> tuple[OrderFit, ...]:
    """Return each order's value, and the ingredients each cup lacks; useless cups are as empty."""
    junk = _useless(cups, orders)
    held = {cup: 0 if cup in junk else contents for cup, contents in enumerate(cups, start=1)}
    fits = []
    for order in orders:
        lacking = [
            (cup, order.recipe - contents)
            for cup, contents in held.items()
            if within(contents, order.recipe)
        ]
        served = SERVE_WORTH[order.slot] + SPECIALTY_WORTH * order.specialty
        token = PROGRESS_WORTH[order.slot] * SERVE_WORTH[order.slot] / size(order.recipe)
        lacking.sort(key=lambda lack: size(lack[1]))
        fits.append(OrderFit(served, token, order.recipe, tuple(lacking)))
    return tuple(fits)


class Filling(Struct, frozen=True):
    """How to fill the cups from a hand."""

    worth: float
    """The value of the cups afterwards, in points."""
    cups: list[tuple[int, int]]
    """(cup, packed multiset) for each cup to fill."""
    waiting: tuple[int, ...]
    """The packed recipes of the orders that still have time and are not completed."""


def fill_cups(fits: tuple[OrderFit, ...], hand: int) -> Filling:
    """Return the best use of a packed `hand`.

    First, every order that can be completed takes the cup that lacks least, in order of urgency.
    Then the rest of the hand goes into cups for the orders that still have time.
    """
    worth, filled, waiting, used = 0.0, [], [], 0
    for order in fits:
        for cup, lacking in order.cups:
            if not used >> cup & 1 and within(lacking, hand):
                used |= 1 << cup
                hand -= lacking
                filled.append((cup, lacking))
                worth += order.served
                break
        else:
            if order.token:
                waiting.append(order)
    for order in waiting:
        if len(filled) == CUPS:
            break
        best, filling = 0, (0, 0)
        for cup, lacking in order.cups:
            if not used >> cup & 1:
                gain = common(hand, lacking)
                held = size(order.recipe) - size(lacking - gain)
                if held > best:
                    best, filling = held, (cup, gain)
        if best:
            used |= 1 << filling[0]
            hand -= filling[1]
            filled.append(filling)
            worth += order.token * best
    return Filling(worth, filled, tuple([order.recipe for order in waiting]))


def plan_pours(
    cups: tuple[int, ...],
    hand: int,
    orders: tuple[WantedOrder, ...],
    fits: tuple[OrderFit, ...] | None = None,
) -> PourPlan:
    """Plan where a packed `hand` does most; see `fill_cups`.

    Args:
        cups: packed.
        hand: packed.
        orders: all that the cups may be for: a cup that fits none is emptied when it is needed.
        fits: of the orders to pour for; None for all of them.
    """
    filling = fill_cups(order_fits(cups, orders) if fits is None else fits, hand)
    pours = tuple((kind, cup) for cup, gain in filling.cups for kind in kinds(gain))
    return PourPlan(
        filling.worth, pours, tuple(sorted(_useless(cups, orders) & {cup for _, cup in pours}))
    )


def _useless(cups: tuple[int, ...], orders: tuple[WantedOrder, ...]) -> set[int]:
    """Return the cups that fit no order."""
    return {
        cup
        for cup, contents in enumerate(cups, start=1)
        if contents and not any(within(contents, order.recipe) for order in orders)
    }
