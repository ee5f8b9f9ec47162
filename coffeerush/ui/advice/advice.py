"""Advice for a turn: suggested pours, ways to a cell, and the hint, in words."""

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter, le
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import Plan, most_promising, plan_turn
from coffeerush.bots.walks import Collecting, starts
from coffeerush.client.model import Model
from coffeerush.client.turn import kinds_to_pour, must_step_on
from coffeerush.rules import State, advance, legal_intents, view_for
from coffeerush.rules.board import ONE, common, kinds, pack, unpack, within
from coffeerush.rules.legal import Intents
from coffeerush.rules.state import acting
from coffeerush.ui.words.events import drink_names, has_turn_ahead, who_may_end
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import (
    after_colon,
    and_list,
    cell_ingredient,
    cell_name,
    counts_phrase,
    direction_name,
    drink_name,
    drink_title,
    item_list,
    menu_drink,
    penalties,
    poured_list,
    sentence_case,
    steps,
    tokens,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    BOARD_SIDE,
    CUPS,
    NOTHING,
    SLOTS,
    ActivateUpgrade,
    Cell,
    Counts,
    Cup,
    Drink,
    DrinkIndex,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Meeple,
    Option,
    OwnView,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Slot,
    Step,
    Upgrade,
    View,
)

from .ahead import with_turn_ahead


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
    """Return a seat's orders, most urgent first; within a slot, in the order of their arrival.

    Another seat's cups are unknown: for its orders the whole recipe is missing.
    """
    own = view.own if view.own and view.own.seat == seat else None
    orders = [
        _order(view, own, slot, drink)
        for slot, drinks in reversed([*enumerate(view.players[seat].orders, start=1)])
        for drink in drinks
    ]
    # in a slot, those that lack least are the first to be given a cup
    places = sorted(range(len(orders)), key=lambda at: (-orders[at].slot, orders[at].lacks))
    ranked = _with_distinct_cups(view, own, [orders[place] for place in places])
    found = zip(places, _with_serves(ranked, own.options if own else ()), strict=True)
    return tuple(order for _place, order in sorted(found, key=itemgetter(0)))


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
    for number, cup in sorted(cups, key=lambda item: item[0] in taken):
        lacks = [want - have for want, have in zip(recipe, cup, strict=True)]
        if number not in full and min(lacks) >= 0 and (best.cup is None or sum(lacks) < best.lacks):
            best = OpenOrder(slot, drink, number, cup, _counts(lacks))
    return best


def cup_purposes(
    view: View, own: OwnView, orders: tuple[OpenOrder, ...]
) -> dict[Cup, OpenOrder | None]:
    """Return the order that each filled cup is for, a different one for each.

    None stands for a cup that fits only orders for which there are others; one that fits no order
    is left out.
    """
    fitting = {
        cup: [index for index, order in enumerate(orders) if _fits(held, view.menu[order.drink])]
        for cup, held in enumerate(own.cups, start=1)
        if any(held)
    }
    pairs = [(cup, index) for cup, indices in fitting.items() for index in indices]
    chosen: dict[Cup, int] = {}
    for cup, index in sorted(pairs, key=lambda pair: _closeness(view, orders[pair[1]], pair[0])):
        if cup not in chosen and index not in chosen.values():
            chosen[cup] = index
    return {
        cup: orders[chosen[cup]] if cup in chosen else None
        for cup, indices in fitting.items()
        if indices
    }


def _fits(held: Counts, drink: Drink) -> bool:
    """Return whether a cup holds nothing that a drink does not need."""
    return all(map(le, held, drink.recipe))


def _closeness(view: View, order: OpenOrder, cup: Cup) -> tuple[bool, bool, int]:
    """Return a key that sorts the cup an order is served from first, then its closest one."""
    served = order.serve is not None and order.serve.cup == cup
    return not served, order.cup != cup, sum(view.menu[order.drink].recipe)


@lru_cache(maxsize=8)
def planned(view: View) -> Plan:
    """Return the plan for the rest of the owner's turn; cached, because screens ask every frame.

    It pours in the order of the hand, which the rules leave free: who follows it cup by cup, by
    keys, is asked for one token after another. Of cups that hold the same, the first is used first.
    """
    plan = plan_turn(view, upgrades=not is_late_for_upgrade(view))
    order = kinds_to_pour(view.path)
    pours = [intent for intent in plan.intents if isinstance(intent, Pour)]
    pours.sort(key=lambda pour: order.index(pour.ingredient))
    rest = iter(pours)
    intents = (next(rest) if isinstance(intent, Pour) else intent for intent in plan.intents)
    return replace(plan, intents=_with_first_cups(view, tuple(intents)))


def _with_first_cups(view: View, intents: Intents) -> Intents:
    """Return the intents with the first of the cups that hold the same in place of the others."""
    if view.own is None:
        return intents
    held = view.own.cups
    numbers: dict[Cup, Cup] = {}
    for intent in intents:
        if isinstance(intent, EmptyCup | Pour | Serve) and intent.cup not in numbers:
            same = (cup for cup in range(1, CUPS + 1) if held[cup - 1] == held[intent.cup - 1])
            numbers[intent.cup] = next(cup for cup in same if cup not in numbers.values())
    return tuple(
        replace(intent, cup=numbers[intent.cup])
        if isinstance(intent, EmptyCup | Pour | Serve)
        else intent
        for intent in intents
    )


LATE_CARDS: Final = 10
LATE_ROUNDS: Final = 3
"""With so many cards left for each player, there are about so many rounds to come."""


def move_seconds() -> int:
    """Return how long a bot may take for each of its moves."""
    from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS

    return MOVE_TIME_LIMIT_SECONDS


def is_late_for_upgrade(view: View) -> bool:
    """Return whether few rounds are left to bring back what an upgrade costs."""
    few = view.deck <= LATE_CARDS * len(view.players)
    return view.closed or few or bool(who_may_end(view))


def rounds_left(view: View) -> int:
    """Return for about how many rounds a deck that is low will last, this one included.

    0 if it is not low, or if the game may end before it is empty.
    """
    cards = LATE_CARDS * len(view.players)
    if view.closed or view.deck > cards or who_may_end(view):
        return 0
    return max(round(LATE_ROUNDS * view.deck / cards), LATE_ROUNDS - 1)


def advised(view: View) -> Plan:
    """Return the plan that the hint explains; pours that it begins with are also suggested."""
    plan = planned(view)
    walks = any(isinstance(intent, Step) for intent in plan.intents)
    if not walks and isinstance(plan.intents[0], EmptyCup | Pour | ReturnRest):
        return _pouring_plan(view)
    return plan


def _pouring_plan(view: View, aside: tuple[Ingredient, ...] = ()) -> Plan:
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
    chosen = pours_of(_pouring_plan(view, aside).intents)
    if aside and ReturnRest() not in chosen:
        return (*chosen, ReturnRest())
    return chosen


def following_serves(view: View, aside: tuple[Ingredient, ...] = ()) -> tuple[Intent, ...]:
    """Return the serves of the same plan, which are possible after the suggested pours."""
    plan = _pouring_plan(view, aside).intents
    return tuple(intent for intent in plan if isinstance(intent, Serve))


def following_drinks(view: View, aside: tuple[Ingredient, ...] = ()) -> tuple[DrinkIndex, ...]:
    """Return the drinks of these serves."""
    served = _pouring_plan(view, aside).served if following_serves(view, aside) else ()
    return tuple(drink for drink, _slot in served)


def pours_of(intents: Iterable[Intent]) -> tuple[Intent, ...]:
    """Return those that empty cups, pour, or give the rest back."""
    return tuple(intent for intent in intents if isinstance(intent, EmptyCup | Pour | ReturnRest))


def _counts(numbers: list[int]) -> Counts:
    one, two, three, four, five, six, seven, eight = numbers
    return (one, two, three, four, five, six, seven, eight)


# A plan in words: what goes into which cup, and what the plan brings


Cups: TypeAlias = tuple[Counts, Counts, Counts]
_NO_CUPS: Final[Cups] = (NOTHING, NOTHING, NOTHING)


def pour_line(own: OwnView, intents: Intents) -> str:
    """Return the suggested pours as an instruction that names each cup once."""
    empties = [str(intent.cup) for intent in intents if isinstance(intent, EmptyCup)]
    poured = [intent for intent in intents if isinstance(intent, Pour)]
    text = ""
    if poured and empties:
        text = ngettext(
            "Empty cup {cups}. Pour {pours}.",
            "Empty cups {cups}. Pour {pours}.",
            len(empties),
        )
    elif poured:
        text = _("Pour {pours}.")
    back = _given_back(own, intents)
    if any(back) or not poured:
        text = " ".join((*filter(None, [text]), _("Give {back} back to the supply.")))
    contents = _cups_after(_NO_CUPS, poured)
    cups = ((cup, contents[cup - 1]) for cup in dict.fromkeys(pour.cup for pour in poured))
    pours = poured_list(cups, [pour.ingredient for pour in poured])
    return text.format(cups=and_list(empties), pours=pours, back=counts_phrase(back))


def _why_back(view: View, own: OwnView, plan: Plan) -> str:
    """Return why tokens go back to the supply; "" if none do, or for a reason of a longer view.

    In a last turn that needs no reason.
    """
    back = _given_back(own, pours_of(plan.intents))
    if view.closed or not any(back):
        return ""
    ended = _before_end(view, own, plan)
    assert ended.own is not None, "the same reader"
    orders = open_orders(ended, own.seat)
    tokens = [ONE[kind] for kind in Ingredient if back[kind]]
    if not any(within(token, pack(order.missing)) for token in tokens for order in orders):
        if any(isinstance(intent, Pour) and back[intent.ingredient] for intent in plan.intents):
            return _("None of your orders needs more of that now.")
        return _("None of your orders needs that now.")
    needs = [pack(view.menu[order.drink].recipe) for order in orders]
    cups = [*map(pack, ended.own.cups)]
    fits = any(within(cup + token, need) for cup in cups for token in tokens for need in needs)
    return "" if fits else _("None of your cups can take that now.")


def _given_back(own: OwnView, intents: Intents) -> Counts:
    if ReturnRest() not in intents:
        return NOTHING
    return unpack(pack(own.hand) - sum(map(pack, _cups_after(_NO_CUPS, intents))))


def _cups_after(cups: Cups, intents: Iterable[Intent]) -> Cups:
    """Return the cups after emptying and pouring; other intents are ignored."""
    packed = [pack(cup) for cup in cups]
    for intent in intents:
        if isinstance(intent, EmptyCup):
            packed[intent.cup - 1] = 0
        elif isinstance(intent, Pour):
            packed[intent.cup - 1] += ONE[intent.ingredient]
    one, two, three = map(unpack, packed)
    return one, two, three


def _plan_line(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return a plan's gain: orders served now and next turn, else progress; orders that expire."""
    expired = _expired_line(model, view, own, plan)
    if plan.served and expired:  # then the next turn matters less
        return " ".join((_("{clause}.").format(clause=_serves(model, view, plan)), expired))
    # later in the turn, that is known
    return _joined(_brings(model, view, own, plan), "" if view.path else expired)


def _expired_line(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return which orders a plan lets expire; "" if none, or while the game is set up."""
    left = _left_to_expire(view, own, plan)
    if not left:
        return ""
    text = ngettext("{drinks} becomes a penalty.", "{drinks} become penalties.", len(left))
    if not (view.path or any(_is_in_reach(view, drink) for drink in left)):
        text = ngettext(
            "{drinks} can no longer be served, and becomes a penalty.",
            "{drinks} can no longer be served, and become penalties.",
            len(left),
        )
    elif not (view.path or any(_is_in_reach(view, drink, surely=True) for drink in left)):
        text = ngettext(
            "{drinks} is out of reach without an upgrade, and becomes a penalty.",
            "{drinks} are out of reach without an upgrade, and become penalties.",
            len(left),
        )
    return text.format(drinks=drink_names(model, left))


def _left_to_expire(view: View, own: OwnView, plan: Plan) -> tuple[DrinkIndex, ...]:
    """Return the orders that a plan lets expire; none while the game is set up."""
    return _left_in(view, own, plan, SLOTS) if view.round else ()


def _left_in(view: View, own: OwnView, plan: Plan, slot: Slot) -> tuple[DrinkIndex, ...]:
    """Return the orders of a slot that a plan does not serve."""
    left = [*view.players[own.seat].orders[slot - 1]]
    for drink, place in plan.served:
        if place == slot:
            left.remove(drink)
    return tuple(left)


@lru_cache(maxsize=8)
def _is_in_reach(view: View, drink: DrinkIndex, surely: bool = False) -> bool:
    """Return whether the owner, who is active, might still serve a drink in this turn.

    If not, that is certain, even with an upgrade or a larger supply; `surely` does without them.
    """
    assert view.own is not None, "a spectator serves nothing"
    recipe, rush = pack(view.menu[drink].recipe), view.players[view.own.seat].rush
    state = sample_state(view, 0)
    wanted = common(recipe, state.supply + state.hand) if surely else recipe
    ways = starts(state, upgrades=not surely, most_rush=rush)
    reached = Collecting(ways, wanted).by_hand
    cups = [0, *map(pack, view.own.cups)]
    return any(recipe - cup in reached for cup in cups if within(cup, recipe))


def is_lost(view: View) -> bool:
    """Return whether none of the orders that expire with the owner's turn can still be served."""
    assert view.own is not None, "a spectator serves nothing"
    return not any(
        _is_in_reach(view, drink) for drink in view.players[view.own.seat].orders[SLOTS - 1]
    )


def _brings(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the orders that a plan serves now and next turn, else its progress."""
    serves, coming = _serves(model, view, plan), _coming_clause(model, view, plan)
    if view.phase is Phase.FILLING:
        coming = ""  # that would be the player's second turn
    if serves and coming:
        return _("{clause}; {later}.").format(clause=serves, later=coming)
    if serves or coming:
        return _("{clause}.").format(clause=sentence_case(serves or coming))
    pours = pours_of(plan.intents)
    poured = {pour.cup for pour in pours if isinstance(pour, Pour)}
    progress = _progress(model, view, _cups_after(own.cups, pours), poured)
    return progress or _why_useless(view, own, pours)


def _serves(model: Model, view: View, plan: Plan) -> str:
    """Return which orders a plan serves this turn, without a full stop; "" if none."""
    if not plan.served:
        return ""
    saved = sum(slot == SLOTS for _drink, slot in plan.served)
    earned = 0 if view.closed else _rush_earned(view, plan)  # no step will need it
    if view.phase is Phase.FILLING:
        text = _("You can then serve {drinks} in your first turn")
    elif saved and earned:
        text = _("That serves {drinks}, saves {penalties} and earns {rush}")
    elif saved:
        text = _("That serves {drinks} and saves {penalties}")
    elif earned:
        text = _("That serves {drinks} and earns {rush}")
    else:
        text = _("That serves {drinks}")
    drinks = _served_names(model, plan)
    return text.format(drinks=drinks, penalties=penalties(saved), rush=tokens(earned))


def _meant_for(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return for which orders, not served in this turn, the rest of the poured tokens is.

    "" if the plan serves nothing, or if something that matters more is said.
    """
    if not plan.served or plan.next_turn.serves or _expired_line(model, view, own, plan):
        return ""
    serving = {intent.cup for intent in plan.intents if isinstance(intent, Serve)}
    pours = [
        intent for intent in plan.intents if isinstance(intent, Pour) and intent.cup not in serving
    ]
    if not pours or view.phase is Phase.FILLING or view.closed:  # then no turn follows
        return ""
    poured, ended = _cups_after(_NO_CUPS, pours), _before_end(view, own, plan)
    assert ended.own is not None, "the same reader"
    purposes = cup_purposes(ended, ended.own, open_orders(ended, own.seat))
    found, waiting = [], []
    for cup in sorted({pour.cup for pour in pours}):
        order = purposes.get(cup)
        if order is not None and order.slot < SLOTS:
            waiting.append((order.drink, order.slot))
            text = _("Keep {ingredients} for {drink}.")
            ingredients = counts_phrase(poured[cup - 1])
            found.append(text.format(drink=drink_name(model, order.drink), ingredients=ingredients))
    return " ".join([*found, *_why_waiting(model, view, own, plan, waiting)])


def _before_end(view: View, own: OwnView, plan: Plan) -> View:
    """Return the owner's View once a plan has been followed, before the turn ends."""
    state = sample_state(view, 0)
    for intent in plan.intents:
        if not isinstance(intent, EndTurn):
            state = advance(state, intent)
    return view_for(state, own.seat)


def _why_waiting(
    model: Model, view: View, own: OwnView, plan: Plan, waiting: list[tuple[DrinkIndex, Slot]]
) -> list[str]:
    """Return why a plan serves its one order, and not one that waits and could be as well."""
    if len(plan.served) != 1:
        return []
    ((served, first),) = plan.served
    poured = sum(ONE[intent.ingredient] for intent in plan.intents if isinstance(intent, Pour))
    cups = [pack(cup) for cup in _cups_left(own, plan)]
    for drink, slot in waiting:
        if drink == served:
            continue
        recipe = pack(view.menu[drink].recipe)
        if any(within(cup, recipe) and within(recipe - cup, poured) for cup in cups):
            text = _("Serving {drink} instead would bring less.")
            if slot < first:
                drink, text = served, _("{drink} comes first: it expires sooner.")
            return [text.format(drink=drink_name(model, drink))]
    return []


def why_not_sooner(model: Model, view: View, aside: tuple[Ingredient, ...] = ()) -> str:
    """Return why the suggested pours serve their one order, not one that expires sooner; or ""."""
    plan = _pouring_plan(view, aside)
    if view.own is None or not plan.served:
        return ""
    slots = enumerate(view.players[view.own.seat].orders, start=1)
    last = max(slot for _drink, slot in plan.served)
    sooner = [(drink, slot) for slot, drinks in slots if slot > last for drink in drinks]
    return " ".join(_why_waiting(model, view, view.own, plan, sooner))


def _cups_left(own: OwnView, plan: Plan) -> Cups:
    """Return the cups after those that a plan empties were emptied."""
    return _cups_after(
        own.cups, [intent for intent in plan.intents if isinstance(intent, EmptyCup)]
    )


def _served_names(model: Model, plan: Plan) -> str:
    """Return the drinks of the orders that a plan serves."""
    return drink_names(model, tuple(drink for drink, _slot in plan.served))


def rush_spent(view: View, plan: Plan) -> int:
    """Return the rush tokens that the steps of a plan cost."""
    walked = sum(isinstance(intent, Step) for intent in plan.intents)
    return max(0, walked - view.steps_left)


def _rush_earned(view: View, plan: Plan) -> int:
    """Return the rush tokens that the orders of a plan bring (R-SERVE-2)."""
    specialties = sum(view.menu[drink].specialty for drink, _slot in plan.served)
    return min(specialties, view.rush_supply + rush_spent(view, plan))


def _coming_clause(model: Model, view: View, plan: Plan) -> str:
    """Return the orders to serve next turn, without capital and full stop; "" for none."""
    drinks = tuple(order.drink for _cup, order in plan.next_turn.serves)
    if not drinks:
        return ""
    text = ngettext(
        "next turn, {drinks} is {steps} away", "next turn, {drinks} are {steps} away", len(drinks)
    )
    return text.format(drinks=drink_names(model, drinks), steps=_steps_coming(model, view, plan))


def _steps_coming(model: Model, view: View, plan: Plan) -> str:
    """Return the steps of the next turn, and what pays for those that are not free."""
    count, needed = steps(plan.next_turn.steps), plan.next_turn.rush
    assert model.seat is not None, "only a seat has a next turn"
    kept = view.players[model.seat].rush - rush_spent(view, plan) + _rush_earned(view, plan)
    if not needed:
        return count
    if needed <= kept:
        return _("{steps} ({rush})").format(steps=count, rush=tokens(needed))
    text = ngettext(
        "{steps} (with the penalty’s rush token)",
        "{steps} (with the penalties’ rush tokens)",
        needed - kept,
    )
    return text.format(steps=count)


def _progress(model: Model, view: View, cups: Cups, poured: set[Cup]) -> str:
    """Return the sentence with the ingredients for the most urgent order with something poured."""
    assert model.seat is not None, "only a seat pours"
    # what expires has no turn to follow, nor has anything when the café is closed
    slots = () if view.closed else view.players[model.seat].orders[: SLOTS - 1]
    for drink in (drink for slot in reversed(slots) for drink in slot):
        recipe = pack(view.menu[drink].recipe)
        for cup in sorted(poured):
            held = pack(cups[cup - 1])
            if within(held, recipe):
                text = _("After that, {drink} still needs {missing} in cup {cup}.")
                missing = counts_phrase(unpack(recipe - held))
                return text.format(drink=drink_name(model, drink), missing=missing, cup=cup)
    return ""


def _why_useless(view: View, own: OwnView, intents: Intents) -> str:
    """Return why a plan helps no order."""
    if view.phase is Phase.FILLING:
        return _("None of your orders needs that now.")
    if must_step_on(view, own):
        return _("You cannot end your move on a cell with another meeple.")
    if view.closed:
        return _("Nothing more can be served.")
    if ReturnRest() in intents:
        return ""
    if not any(view.players[own.seat].orders):
        return _("You have no orders.")
    return _("None of your orders needs that now.")


# The hint: the planner's next action, and the reason, in words


def hint(model: Model, brief: bool = False) -> str:
    """Return a good next action and the reason; "" if this player cannot act.

    When a turn begins, it also names the orders that expire after the next one, if the plan is not
    to serve all of them.

    Args:
        model: of the table.
        brief: leave out what follows an upgrade, the next turn if something can be served in this
            one, and why an order waits for it.
    """
    view = model.view
    if not model.my_turn or view is None or view.own is None or not view.own.options:
        return ""
    plan = advised(view)
    falling = _falling_line(model, view, view.own, plan, brief)
    if brief and plan.served:
        plan = replace(plan, next_turn=replace(plan.next_turn, serves=()))
    first = plan.intents[0]
    if brief and isinstance(first, ActivateUpgrade):
        return _joined(_activate(first), _("It already helps in this turn."))
    words = plan_words(model, view, view.own, plan)
    if not falling:
        words = _joined(words, _meant_for(model, view, view.own, plan))
    if brief and plan.served:  # which is plain, but not what a later turn would
        plan = replace(plan, forgone=0)
    return _joined(_joined(words, _forgone_line(view, view.own, plan)), falling)


def _is_given_up(view: View, own: OwnView, plan: Plan) -> bool:
    """Return whether a plan lets orders expire that the player sees they could serve instead."""
    left = _left_to_expire(view, own, plan)
    others = plan.served and all(slot < SLOTS for _drink, slot in plan.served)
    is_choice = plan.unsaved or others
    return bool(is_choice) and any(_is_in_reach(view, drink, surely=True) for drink in left)


def _forgone_line(view: View, own: OwnView, plan: Plan) -> str:
    """Return why a plan does not serve all that can be served or saved; "" if it does."""
    if not view.round or isinstance(plan.intents[0], ActivateUpgrade):
        return ""
    if 0 < plan.saving < len(plan.served):
        text = ngettext(
            "Serving what expires, you could serve only {count} order now.",
            "Serving what expires, you could serve only {count} orders now.",
            plan.saving,
        )
        return text.format(count=plan.saving)
    if not plan.forgone:
        instead = _("Serving what expires would bring less.")
        return instead if not view.closed and _is_given_up(view, own, plan) else ""
    text = ngettext(
        "Serving {count} more order now would leave fewer for your next turn.",
        "Serving {count} more orders now would leave fewer for your next turn.",
        plan.forgone,
    )
    if not plan.served:
        text = ngettext(
            "Serving {count} order now would leave fewer then.",
            "Serving {count} orders now would leave fewer then.",
            plan.forgone,
        )
    return text.format(count=plan.forgone)


def _falling_line(model: Model, view: View, own: OwnView, plan: Plan, reasons: bool) -> str:
    """Return the orders that expire after the next turn as things stand, if not all can be saved.

    It speaks while this turn can still do something, and so names those too that the next turn is
    meant to serve: the player sees all of them in their slot. With `reasons` it says why the plan
    does not serve now what it could.
    """
    if not view.round or view.closed or view.path or isinstance(plan.intents[0], ActivateUpgrade):
        return ""
    if _left_to_expire(view, own, plan):
        return ""  # what is said of these matters more
    left = _left_in(view, own, plan, SLOTS - 1)
    saved = sum(order.slot == SLOTS - 1 for _cup, order in plan.next_turn.serves)
    if len(left) <= saved:
        return ""
    if reasons and plan.served and all(_is_in_reach(view, drink, surely=True) for drink in left):
        text = ngettext(
            "Expiring after your next turn: {drinks}. Serving it now would bring less.",
            "Expiring after your next turn: {drinks}. Serving these now would bring less.",
            len(left),
        )
    else:
        text = _("Expiring after your next turn: {drinks}.")
    return text.format(drinks=drink_names(model, left))


def hint_ahead(model: Model) -> str:
    """Return what this player could do if it were their turn now; "" unless they wait for it."""
    if not has_turn_ahead(model):
        return ""
    ahead = with_turn_ahead(model)
    view = ahead.view
    assert view is not None, "a game is on"
    assert view.own is not None, "a spectator has no turn"
    coming = after_colon(plan_words(ahead, view, view.own, advised(view)))
    return _("As things stand, on your next turn: {hint}").format(hint=coming)


def plan_words(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the next action of a plan, and what the plan brings."""
    if any(isinstance(intent, Step) for intent in plan.intents):
        return _before_steps(model, view, own, plan)
    match plan.intents[0]:
        case PlaceMeeple(cell):
            return _place(model, plan, cell)
        case Serve() as serve:
            drink = menu_drink(model, plan.served[0][0])
            return _joined(_serve(view, serve, drink), _coming(model, view, plan))
        case EndTurn() if view.phase is Phase.FILLING:
            return _("End your setup: everything is poured.")
        case EndTurn():
            end = _("End the turn: nothing more can be served.")
            end = _joined(end, _expired_line(model, view, own, plan))
            return _joined(end, _coming(model, view, plan))
    what = _joined(pour_line(own, pours_of(plan.intents)), _why_back(view, own, plan))
    return _joined(what, _plan_line(model, view, own, plan))


def _joined(first: str, second: str) -> str:
    """Join two sentences, of which each may be empty."""
    return " ".join(filter(None, (first, second)))


def _place(model: Model, plan: Plan, cell: Cell) -> str:
    if plan.served:
        text = _(
            "Place your meeple on {ingredient}, {cell}: from there you can serve "
            "{drinks} in your first turn."
        )
    else:
        text = _("Place your meeple on {ingredient}, {cell}: a good start for your orders.")
    return text.format(
        ingredient=cell_ingredient(cell),
        cell=cell_name(cell),
        drinks=_served_names(model, plan),
    )


def hinted_upgrade(view: View) -> Upgrade | None:
    """Return the upgrade with which the hint's plan begins; None if it begins with none."""
    first = advised(view).intents[0]
    return first.upgrade if isinstance(first, ActivateUpgrade) else None


def hinted_walk(view: View) -> tuple[Cell, ...]:
    """Return the walk that the hint advises, from the cell where it begins.

    Its beginning has been walked already if the turn has a path. A single cell is one to place a
    meeple on; () if the hint is about something else.
    """
    intents = advised(view).intents
    steps = [intent for intent in intents if isinstance(intent, Step)]
    match intents[0]:
        case PlaceMeeple(cell):
            return (cell,)
        case ActivateUpgrade():
            return ()
    if not steps or view.own is None:
        return ()
    meeples = view.players[view.own.seat].meeples
    begun = view.path or (meeples[steps[0].meeple - 1],)
    return (*begun, *(step.cell for step in steps))


# Moving


def _before_steps(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the sentences for a plan that has steps to take."""
    if isinstance(first := plan.intents[0], ActivateUpgrade):
        what = _activate(first)
        begun = view_for(advance(sample_state(view, 0), first), own.seat)
        assert begun.own is not None, "its owner goes on"
        then = _before_steps(model, begun, begun.own, replace(plan, intents=plan.intents[1:]))
        return _joined(what, _("Then: {advice}").format(advice=after_colon(then)))
    walk = _joined(_steps(view, own, plan), _plan_line(model, view, own, plan))
    emptied = [str(intent.cup) for intent in plan.intents if isinstance(intent, EmptyCup)]
    if emptied:
        text = ngettext("First empty cup {cups}.", "First empty cups {cups}.", len(emptied))
        return _joined(text.format(cups=and_list(emptied)), walk)
    return walk


def _activate(intent: ActivateUpgrade) -> str:
    """Return the sentence for an upgrade: its name and effect."""
    name, effect = upgrade_name(intent.upgrade), after_colon(upgrade_help(intent.upgrade))
    return _("Activate {upgrade}: {effect}").format(upgrade=name, effect=effect)


def _steps(view: View, own: OwnView, plan: Plan) -> str:
    """Return the sentence for the steps of a plan: its directions, gain and cost."""
    walked = [intent for intent in plan.intents if isinstance(intent, Step)]
    meeple, rush = walked[0].meeple, rush_spent(view, plan)
    meeples = view.players[own.seat].meeples
    cells = [meeples[meeple - 1], *(step.cell for step in walked)]
    choice = len(meeples) > 1 and view.meeple is None
    if choice:
        text = _(
            "With the meeple on {ingredient}, {cell}: step {directions} and take {gain}, for "
            "{rush}."
        )
        text = (
            text
            if rush
            else _("With the meeple on {ingredient}, {cell}: step {directions} and take {gain}.")
        )
    else:
        text = _("Step {directions} and take {gain}, for {rush}.")
        text = text if rush else _("Step {directions} and take {gain}.")
    return text.format(
        ingredient=cell_ingredient(cells[0]),
        cell=cell_name(cells[0]),
        directions=item_list(map(direction_name, cells, cells[1:])),
        gain=and_list(_gain(view, plan)) or _("nothing"),
        rush=tokens(rush),
    )


def _gain(view: View, plan: Plan) -> list[str]:
    """Return the ingredients that the steps of a plan collect, in the order of the steps."""
    state = sample_state(view, 0)
    gains: dict[int, int] = {}
    for intent in plan.intents:
        if isinstance(intent, EmptyCup | Step):
            before, state = state.hand, advance(state, intent)
            gained = state.hand - before
            for kind in kinds(gained)[:1]:  # a step gains one kind, or nothing
                gains[kind] = gains.get(kind, 0) + gained
    return [counts_phrase(unpack(gained)) for gained in gains.values()]


# Serving, and the end


def _coming(model: Model, view: View, plan: Plan) -> str:
    clause = _coming_clause(model, view, plan)
    return _("{clause}.").format(clause=sentence_case(clause)) if clause else ""


def _serve(view: View, serve: Serve, drink: Drink) -> str:
    if serve.slot == SLOTS:
        text = _("Serve {drink} from cup {cup}, or it becomes a penalty when this turn ends.")
    elif drink.specialty and view.rush_supply and not view.closed:
        text = _("Serve {drink} from cup {cup}: it also earns a rush token.")
    else:
        text = _("Serve {drink} from cup {cup}: it scores a point.")
    return text.format(drink=drink_title(drink), cup=serve.cup)


# The way to a cell some steps away; of equally short ones, the one that the planner would take


MOST_COMPARED: Final = 4
"""How many gains the planner compares: those with most of what orders need."""

_Way: TypeAlias = tuple[tuple[Step, ...], State]
"""Steps, and the State that they lead to."""


class ShortWalk(Struct, frozen=True):
    """Steps that lead to a cell."""

    steps: tuple[Step, ...]
    rush: int
    """How many rush tokens they cost."""


def walk_to(view: View, meeple: Meeple, cell: Cell) -> ShortWalk | None:
    """Return the shortest legal walk to a cell; None if there is none.

    Args:
        view: of the player who is to move.
        meeple: the one that walks, if both can get there equally fast.
        cell: where to.
    """
    own = view.own
    assert own is not None  # spectators do not move
    me, state = own.seat, sample_state(view, 0)  # any sample will do: what is hidden stays so
    walks = [
        (len(steps), number != meeple, steps, end)
        for number in range(1, len(view.players[me].meeples) + 1)
        for steps, end in _walks(state, number, cell)
    ]
    if not walks:
        return None
    first = min(way[:2] for way in walks)
    # ways with the same gain are equally good
    ways: dict[int, _Way] = {
        end.hand: (steps, end) for *rank, steps, end in reversed(walks) if (*rank,) == first
    }
    steps, end = _best(view, state, me, [*ways.values()])
    return ShortWalk(steps, state.players[me].rush - end.players[me].rush)


def _best(view: View, state: State, me: Seat, ways: list[_Way]) -> _Way:
    """Return the way after which the turn is worth most.

    Of about equal ones, it is one with most of what orders need; of these, that of the hint.
    """
    if len(ways) == 1:
        return ways[0]
    hinted = tuple(intent for intent in planned(view).intents if isinstance(intent, Step))
    missing = (order.missing for order in open_orders(view, me))
    needs = [sum(kinds) for kinds in zip(*missing, strict=True)]

    def guess(way: _Way) -> tuple[int, bool]:
        steps, end = way
        return -_useful(needs, end), steps != hinted[: len(steps)]

    good = sorted(ways, key=guess)[:MOST_COMPARED]
    return good[most_promising([end for _steps, end in good])]


def _walks(
    state: State, meeple: Meeple, cell: Cell, steps: tuple[Step, ...] = ()
) -> Iterator[tuple[tuple[Step, ...], State]]:
    """Yield the legal walks that come closer to the cell with each step, and where they lead."""
    _me, player = acting(state)
    diagonal = bool(player.upgrades >> Upgrade.DIAGONAL_MOVE & 1)
    left = _distance(player.meeples[meeple - 1], cell, diagonal)
    if not left:
        yield steps, state
        return
    for intent in legal_intents(state):
        closer = isinstance(intent, Step) and _distance(intent.cell, cell, diagonal) < left
        if isinstance(intent, Step) and closer and intent.meeple == meeple:
            yield from _walks(advance(state, intent), meeple, cell, (*steps, intent))


def _distance(here: Cell, there: Cell, diagonal: bool) -> int:
    """Return the least number of steps from one cell to another."""
    rows = abs(here // BOARD_SIDE - there // BOARD_SIDE)
    columns = abs(here % BOARD_SIDE - there % BOARD_SIDE)
    return max(rows, columns) if diagonal else rows + columns


def _useful(needs: list[int], state: State) -> int:
    """Return the number of the tokens in the hand that the open orders still need."""
    return sum(map(min, unpack(state.hand), needs))
