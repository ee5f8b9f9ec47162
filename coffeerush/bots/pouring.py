"""Plan which tokens to pour into which cups: for the greedy bot and for suggested pours."""

from typing import Final

from msgspec import Struct

from coffeerush.rules.multiset import common, kinds, pack, size, within
from protocol import EmptyCup, Ingredient, Intent, OwnView, Pour, Slot, View

SERVE_WORTH: Final = {1: 1.15, 2: 1.3, 3: 1.6, 4: 2.2}
"""The value of serving an order, in points, by slot; slot 4 also saves a penalty (R-TIME-1)."""
SPECIALTY_WORTH: Final = 0.3
PROGRESS_WORTH: Final = {1: 0.4, 2: 0.5, 3: 0.6}
"""Share of an order's worth that a full but unserved cup has; slot 4 expires before it helps."""


class WantedOrder(Struct, frozen=True):
    """An open order, as input of the plan."""

    slot: Slot
    recipe: int
    """Packed multiset."""
    specialty: bool


class PourPlan(Struct, frozen=True):
    """A plan for the hand."""

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


def plan_pours(cups: tuple[int, ...], hand: int, orders: tuple[WantedOrder, ...]) -> PourPlan:
    """Plan where a packed `hand` does most for `orders`, in order of urgency.

    First, every order that can be completed takes the cup that lacks least. Then the rest of the
    hand goes into cups for the orders that still have time. Cups that fit no order count as empty.
    """
    recipes = [order.recipe for order in orders]
    junk = {
        cup
        for cup, contents in enumerate(cups, start=1)
        if contents and not any(within(contents, recipe) for recipe in recipes)
    }
    free = {cup: 0 if cup in junk else contents for cup, contents in enumerate(cups, start=1)}
    pours: list[tuple[int, int]] = []
    worth, waiting = 0.0, []
    for order in orders:
        cup = _cup_to_complete(free, hand, order.recipe)
        if cup is None:
            waiting.append(order)
            continue
        missing = order.recipe - free.pop(cup)
        hand -= missing
        pours += [(kind, cup) for kind in kinds(missing)]
        worth += SERVE_WORTH[order.slot] + SPECIALTY_WORTH * order.specialty
    for order in waiting:
        if order.slot not in PROGRESS_WORTH or not free:
            continue
        cup, gain = _cup_to_fill(free, hand, order.recipe)
        if not cup:
            continue
        filled = free.pop(cup) + gain
        hand -= gain
        pours += [(kind, cup) for kind in kinds(gain)]
        share = size(filled) / size(order.recipe)
        worth += PROGRESS_WORTH[order.slot] * share * SERVE_WORTH[order.slot]
    return PourPlan(worth, tuple(pours), tuple(sorted(junk & {cup for _, cup in pours})))


def _cup_to_complete(free: dict[int, int], hand: int, recipe: int) -> int | None:
    fitting = [
        (size(recipe - contents), cup)
        for cup, contents in free.items()
        if within(contents, recipe) and within(recipe - contents, hand)
    ]
    return min(fitting)[1] if fitting else None


def _cup_to_fill(free: dict[int, int], hand: int, recipe: int) -> tuple[int, int]:
    """Return the cup that gets closest to `recipe` and what to add; cup 0 if nothing helps."""
    best, found = 0, (0, 0)
    for cup, contents in free.items():
        if within(contents, recipe):
            gain = common(hand, recipe - contents)
            if size(contents + gain) > best:
                best, found = size(contents + gain), (cup, gain)
    return found
