"""Which tokens belong into which cups: the plan behind greedy turns and suggested pours."""

from typing import Final

from msgspec import Struct

from coffeerush.rules.multiset import common, kinds, pack, size, within
from protocol import EmptyCup, Ingredient, Intent, OwnView, Pour, Slot, View

SERVE_WORTH: Final = {1: 1.15, 2: 1.3, 3: 1.6, 4: 2.2}
"""Points that serving an order of a slot is worth; in slot 4 it saves a penalty too (R-TIME-1)."""
SPECIALTY_WORTH: Final = 0.3
PROGRESS_WORTH: Final = {1: 0.4, 2: 0.5, 3: 0.6}
"""Share of an order's worth that a filled cup is, served or not; slot 4 falls before it helps."""


class WantedOrder(Struct, frozen=True):
    """An open order, as the plan needs it."""

    slot: Slot
    recipe: int
    """Packed multiset."""
    specialty: bool


class PourPlan(Struct, frozen=True):
    """Where the hand goes."""

    worth: float
    """How good the cups are afterwards, in points."""
    pours: tuple[tuple[int, int], ...]
    """(ingredient, cup) a token; what is not named goes back."""
    empty_first: tuple[int, ...]
    """Cups that must be emptied before they are poured into."""

    @property
    def intents(self) -> tuple[Intent, ...]:
        """What carries it out, in this order."""
        pours = [Pour(Ingredient(kind), cup) for kind, cup in self.pours]
        return (*map(EmptyCup, self.empty_first), *pours)


def wanted_orders(view: View, seat: int) -> tuple[WantedOrder, ...]:
    """Return a seat's open orders, the most urgent first; in a slot the smallest first."""
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
    """Return where a packed `hand` does most for `orders`, going by urgency.

    First every order that can be completed takes the cup that lacks least; then what is left
    fills cups for the orders that still have time. Cups that fit no order count as empty.
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
    touched = {cup for _, cup in pours}
    return PourPlan(worth, tuple(pours), tuple(sorted(junk & touched)))


def _cup_to_complete(free: dict[int, int], hand: int, recipe: int) -> int | None:
    fitting = [
        (size(recipe - contents), cup)
        for cup, contents in free.items()
        if within(contents, recipe) and within(recipe - contents, hand)
    ]
    return min(fitting)[1] if fitting else None


def _cup_to_fill(free: dict[int, int], hand: int, recipe: int) -> tuple[int, int]:
    """Return the cup that comes nearest to `recipe` and what to add; cup 0 where nothing helps."""
    best, found = 0, (0, 0)
    for cup, contents in free.items():
        if within(contents, recipe):
            gain = common(hand, recipe - contents)
            if size(contents + gain) > best:
                best, found = size(contents + gain), (cup, gain)
    return found
