"""Suggested pours in words: what goes into which cup, and the result."""

from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.rules.multiset import ONE, pack, unpack, within
from coffeerush.ui.words.events import drink_names
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import and_list, counts_phrase, drink_name, menu_drink
from protocol import (
    NOTHING,
    SLOTS,
    Counts,
    Cup,
    EmptyCup,
    Intent,
    OwnView,
    Phase,
    Pour,
    ReturnRest,
    View,
)

from .pours import OpenOrder, open_orders

Cups: TypeAlias = tuple[Counts, Counts, Counts]
Wishes: TypeAlias = tuple[Intent, ...]
NO_CUPS: Final[Cups] = (NOTHING, NOTHING, NOTHING)


def pour_line(own: OwnView, wishes: Wishes) -> str:
    """Return the suggested pours as an instruction."""
    empties = [str(wish.cup) for wish in wishes if isinstance(wish, EmptyCup)]
    back = _given_back(own, wishes)
    if not any(isinstance(wish, Pour) for wish in wishes):
        text = _("Give {back} back to the supply: none of your cups can use it.")
    elif empties and any(back):
        text = ngettext(
            "Empty cup {cups}. Pour {pours}. Give {back} back.",
            "Empty cups {cups}. Pour {pours}. Give {back} back.",
            len(empties),
        )
    elif empties:
        text = ngettext(
            "Empty cup {cups}. Pour {pours}.",
            "Empty cups {cups}. Pour {pours}.",
            len(empties),
        )
    else:
        text = _("Pour {pours}. Give {back} back.") if any(back) else _("Pour {pours}.")
    return text.format(cups=and_list(empties), pours=_pours(wishes), back=counts_phrase(back))


def _pours(wishes: Wishes) -> str:
    """Return the contents poured into each cup: `milk and ice into cup 1; tea into cup 3`."""
    poured = enumerate(cups_after(NO_CUPS, wishes), start=1)
    return _("; ").join(
        _("{ingredient} into cup {cup}").format(ingredient=counts_phrase(contents), cup=cup)
        for cup, contents in poured
        if any(contents)
    )


def _given_back(own: OwnView, wishes: Wishes) -> Counts:
    if ReturnRest() not in wishes:
        return NOTHING
    return unpack(pack(own.hand) - sum(map(pack, cups_after(NO_CUPS, wishes))))


def cups_after(cups: Cups, wishes: Wishes) -> Cups:
    """Return the cups after emptying and pouring; other intents are ignored."""
    packed = [pack(cup) for cup in cups]
    for wish in wishes:
        if isinstance(wish, EmptyCup):
            packed[wish.cup - 1] = 0
        elif isinstance(wish, Pour):
            packed[wish.cup - 1] += ONE[wish.ingredient]
    one, two, three = map(unpack, packed)
    return one, two, three


def outcome_line(model: Model, view: View, own: OwnView, wishes: Wishes) -> str:
    """Return the result of the pours: orders that become ready, else one that makes progress."""
    poured = {wish.cup for wish in wishes if isinstance(wish, Pour)}
    cups = cups_after(own.cups, wishes)
    orders = open_orders(replace(view, own=replace(own, cups=cups, options=())), own.seat)
    # of two orders for the same drink, the cup serves the more urgent one
    ready = {order.cup: order for order in reversed(orders) if not order.lacks}
    fresh = [order for order in ready.values() if order.cup in poured]
    if len(fresh) == 1:
        return _ready(model, view, fresh[0])
    if ready:
        return _all_ready(model, [order for order in orders if order in ready.values()])
    return _progress(model, view, cups, poured) or _why_useless(view, own, wishes)


def _ready(model: Model, view: View, order: OpenOrder) -> str:
    if order.slot == SLOTS:
        text = _(
            "Cup {cup} then holds {drink}, which would otherwise become a penalty when "
            "this turn ends."
        )
    elif menu_drink(model, order.drink).specialty and view.rush_supply:
        text = _("Cup {cup} then holds {drink}, which also earns a rush token.")
    else:
        text = _("Cup {cup} then holds {drink}, ready to serve.")
    return text.format(cup=order.cup, drink=drink_name(model, order.drink))


def _all_ready(model: Model, orders: list[OpenOrder]) -> str:
    text = ngettext(
        "Then {drinks} is ready to serve.", "Then {drinks} are ready to serve.", len(orders)
    )
    return text.format(drinks=drink_names(model, tuple(order.drink for order in orders)))


def _progress(model: Model, view: View, cups: Cups, poured: set[Cup]) -> str:
    """Return what the most urgent order still lacks for which something was poured."""
    assert model.seat is not None, "only a seat pours"
    slots = view.players[model.seat].orders
    for drink in (drink for slot in reversed(slots) for drink in slot):
        recipe = pack(view.menu[drink].recipe)
        for cup in sorted(poured):
            held = pack(cups[cup - 1])
            if within(held, recipe):
                text = _("After that, {drink} still needs {missing} in cup {cup}.")
                missing = counts_phrase(unpack(recipe - held))
                return text.format(drink=drink_name(model, drink), missing=missing, cup=cup)
    return ""


def _why_useless(view: View, own: OwnView, wishes: Wishes) -> str:
    """Return why the suggestion helps no order."""
    if view.phase is Phase.FILLING:
        return _("None of your orders needs that now.")
    if ReturnRest() in wishes:
        return ""
    if view.path:
        return _("You cannot end your move on a cell with another meeple.")
    if not any(view.players[own.seat].orders):
        return _("You have no orders.")
    return _("Nothing nearby helps with your orders.")
