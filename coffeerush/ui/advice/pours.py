"""Open orders matched to cups, and suggested pours; for display only, never for legality."""

from collections.abc import Container, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots.pouring import own_cups, plan_pours, wanted_orders
from coffeerush.rules.multiset import pack
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


def suggested_pours(view: View, aside: tuple[Ingredient, ...] = ()) -> tuple[Intent, ...]:
    """Return the intents that pour the hand in the most useful way.

    () if nothing can be poured now. Tokens that help no order, and those set `aside`, go back to
    the supply at the end.
    """
    own = view.own
    pours = {option.intent for option in own.options} if own else set()
    if own is None or not any(isinstance(intent, Pour) for intent in pours):
        return ()
    rest = list(own.hand)
    for token in aside:
        rest[token] -= 1
    plan = plan_pours(own_cups(own), pack(_counts(rest)), wanted_orders(view, own.seat))
    filling = view.phase is Phase.FILLING
    full = plan.empty_first if filling else ()  # cups cannot be emptied before the first turn
    poured = [(kind, cup) for kind, cup in plan.pours if cup not in full]
    chosen: list[Intent] = [EmptyCup(cup) for cup in plan.empty_first if cup not in full]
    chosen += [Pour(Ingredient(kind), cup) for kind, cup in poured]
    for kind, _cup in poured:
        rest[kind] -= 1
    if filling:
        chosen += _anywhere(own, rest)
    elif any(rest) or aside:
        chosen.append(ReturnRest())
    return tuple(chosen)


def _anywhere(own: OwnView, rest: list[int]) -> list[Intent]:
    """Pour tokens that help no order: in the setup nothing can go back (R-SETUP-5)."""
    empty = [cup for cup, contents in enumerate(own.cups, start=1) if not any(contents)]
    cup = empty[-1] if empty else len(own.cups)
    return [Pour(kind, cup) for kind in Ingredient for _ in range(rest[kind])]


def _counts(numbers: list[int]) -> Counts:
    one, two, three, four, five, six, seven, eight = numbers
    return (one, two, three, four, five, six, seven, eight)
