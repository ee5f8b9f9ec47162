"""Open orders matched to cups, and suggested pours; for display only, never for legality."""

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots.planner import Plan, plan_turn
from protocol import (
    CUPS,
    NOTHING,
    Counts,
    Cup,
    DrinkIndex,
    EmptyCup,
    Ingredient,
    Intent,
    Option,
    OwnView,
    Phase,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Slot,
    Step,
    View,
)


class OpenOrder(Struct, frozen=True):
    """An open order, and the cup closest to completing it."""

    slot: Slot
    drink: DrinkIndex
    cup: Cup | None
    """The cup that lacks least; None if every cup holds something the recipe does not need."""
    held: Counts
    """The contents of that cup."""
    missing: Counts
    serve: Serve | None = None
    """The intent that serves this order now, if legal."""

    @property
    def lacks(self) -> int:
        """How many tokens are missing."""
        return sum(self.missing)


def open_orders(view: View, seat: Seat) -> tuple[OpenOrder, ...]:
    """Return a seat's orders, most urgent first; within a slot, those that lack least first.

    Another seat's cups are unknown: for its orders the whole recipe is missing.
    """
    own = view.own if view.own and view.own.seat == seat else None
    found = [
        _order(view, own, slot, drink)
        for slot, drinks in enumerate(view.players[seat].orders, start=1)
        for drink in drinks
    ]
    ordered = sorted(found, key=lambda order: (-order.slot, order.lacks))
    return tuple(_with_serves(_with_distinct_cups(view, own, ordered), own.options if own else ()))


def _with_distinct_cups(
    view: View, own: OwnView | None, orders: list[OpenOrder]
) -> Iterator[OpenOrder]:
    """Assign different cups to orders for which several are equally close; a full one to one."""
    taken: set[Cup | None] = set()
    full: set[Cup | None] = set()
    for order in orders:
        distinct = _order(view, own, order.slot, order.drink, taken, full)
        (taken if distinct.lacks else full).add(distinct.cup)
        yield distinct


def _with_serves(orders: Iterable[OpenOrder], options: tuple[Option, ...]) -> Iterator[OpenOrder]:
    """Add the legal serve to each order; a cup goes to the most urgent order it can serve."""
    serves = {
        (option.intent, option.order) for option in options if isinstance(option.intent, Serve)
    }
    left = list(range(1, CUPS + 1))
    for order in orders:
        cup = next((c for c in left if (Serve(c, order.slot), order.drink) in serves), None)
        if cup is None:
            yield order
        else:
            left.remove(cup)
            yield replace(order, cup=cup, serve=Serve(cup, order.slot))


def _order(
    view: View,
    own: OwnView | None,
    slot: Slot,
    drink: DrinkIndex,
    taken: Container[Cup | None] = (),
    full: Container[Cup | None] = (),
) -> OpenOrder:
    """Return an order with the closest cup that is not `full`; of equals, one not in `taken`."""
    recipe = view.menu[drink].recipe
    best = OpenOrder(slot, drink, None, NOTHING, recipe)
    cups = enumerate(own.cups if own else (), start=1)
    for number, cup in sorted(cups, key=lambda one: one[0] in taken):
        lacks = [want - have for want, have in zip(recipe, cup, strict=True)]
        if number not in full and min(lacks) >= 0 and (best.cup is None or sum(lacks) < best.lacks):
            best = OpenOrder(slot, drink, number, cup, _counts(lacks))
    return best


@lru_cache(maxsize=8)
def planned(view: View) -> Plan:
    """Return the plan for the rest of the owner's turn; cached, because screens ask every frame."""
    return plan_turn(view)


def advised(view: View) -> Plan:
    """Return the plan that the hint explains; pours that it begins with are also suggested."""
    plan = planned(view)
    walks = any(isinstance(intent, Step) for intent in plan.intents)
    if not walks and isinstance(plan.intents[0], EmptyCup | Pour | ReturnRest):
        return pouring_plan(view)
    return plan


def pouring_plan(view: View, aside: tuple[Ingredient, ...] = ()) -> Plan:
    """Return the best plan without another step, in which the tokens set `aside` go back.

    The owner may pour now.
    """
    if view.phase is Phase.FILLING:
        return planned(view)
    assert view.own is not None  # spectators do not pour
    rest, supply = list(view.own.hand), list(view.supply)
    for token in aside:
        rest[token] -= 1
        supply[token] += 1
    own = replace(view.own, hand=_counts(rest))
    return planned(replace(view, phase=Phase.POURING, supply=_counts(supply), own=own))


def suggested_pours(view: View, aside: tuple[Ingredient, ...] = ()) -> tuple[Intent, ...]:
    """Return the intents that pour the hand in the most useful way.

    () if nothing can be poured now. Tokens that the plan does not need, and those set `aside`, go
    back to the supply at the end.
    """
    own = view.own
    if own is None or not any(isinstance(option.intent, Pour) for option in own.options):
        return ()
    chosen = pours_of(pouring_plan(view, aside).intents)
    if aside and ReturnRest() not in chosen:
        return (*chosen, ReturnRest())
    return chosen


def following_serves(view: View, aside: tuple[Ingredient, ...] = ()) -> tuple[Intent, ...]:
    """Return the serves of the same plan, which are possible after the suggested pours."""
    plan = pouring_plan(view, aside).intents
    return tuple(one for one in plan if isinstance(one, Serve))


def pours_of(intents: Iterable[Intent]) -> tuple[Intent, ...]:
    """Return those that empty cups, pour, or give the rest back."""
    return tuple(one for one in intents if isinstance(one, EmptyCup | Pour | ReturnRest))


def _counts(numbers: list[int]) -> Counts:
    one, two, three, four, five, six, seven, eight = numbers
    return (one, two, three, four, five, six, seven, eight)
