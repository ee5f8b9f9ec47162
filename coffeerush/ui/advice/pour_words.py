"""A plan in words: what goes into which cup, and what the plan brings."""

from typing import Final, TypeAlias

from coffeerush.bots.planner import Plan
from coffeerush.client.model import Model
from coffeerush.rules.board import ONE, pack, unpack, within
from coffeerush.ui.words.events import drink_names
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import (
    and_list,
    counts_phrase,
    drink_name,
    penalties,
    sentence_case,
    steps,
    tokens,
)
from protocol import (
    NOTHING,
    SLOTS,
    Counts,
    Cup,
    EmptyCup,
    EndTurn,
    Intent,
    OwnView,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    Step,
    View,
)

from .pours import pours_of

Cups: TypeAlias = tuple[Counts, Counts, Counts]
Wishes: TypeAlias = tuple[Intent, ...]
NO_CUPS: Final[Cups] = (NOTHING, NOTHING, NOTHING)
_STOPS: Final = (Pour, ReturnRest, Serve, EndTurn)
"""What is legal only where a walk may end (R-MOVE-4)."""


def pour_line(own: OwnView, wishes: Wishes) -> str:
    """Return the suggested pours as an instruction."""
    empties = [str(wish.cup) for wish in wishes if isinstance(wish, EmptyCup)]
    back = _given_back(own, wishes)
    if not any(isinstance(wish, Pour) for wish in wishes):
        text = _("Give {back} back to the supply.")
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


def plan_line(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return a plan's gain: orders served now and next turn, else progress; orders that expire."""
    expired = expired_line(model, view, own, plan)
    if plan.served and expired:  # then the next turn matters less
        return " ".join((_("{clause}.").format(clause=_serves(model, view, plan)), expired))
    return _brings(model, view, own, plan)


def expired_line(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return which orders a plan lets expire; "" if none, or while the game is set up."""
    if not view.round:
        return ""
    left = [*view.players[own.seat].orders[SLOTS - 1]]
    for drink, slot in plan.served:
        if slot == SLOTS:
            left.remove(drink)
    if not left:
        return ""
    text = ngettext("{drinks} becomes a penalty.", "{drinks} become penalties.", len(left))
    return text.format(drinks=drink_names(model, tuple(left)))


def _brings(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the orders that a plan serves now and next turn, else its progress."""
    serves, coming = _serves(model, view, plan), coming_clause(model, plan)
    if view.phase is Phase.FILLING:
        coming = ""  # that would be the player's second turn
    if serves and coming:
        return _("{clause}; {later}.").format(clause=serves, later=coming)
    if serves or coming:
        return _("{clause}.").format(clause=sentence_case(serves or coming))
    wishes = pours_of(plan.intents)
    poured = {wish.cup for wish in wishes if isinstance(wish, Pour)}
    progress = _progress(model, view, cups_after(own.cups, wishes), poured)
    return progress or _why_useless(view, own, wishes)


def _serves(model: Model, view: View, plan: Plan) -> str:
    """Return which orders a plan serves this turn, without a full stop; "" if none."""
    if not plan.served:
        return ""
    saved = sum(slot == SLOTS for _drink, slot in plan.served)
    specialties = sum(view.menu[drink].specialty for drink, _slot in plan.served)
    earned = min(specialties, view.rush_supply + rush_spent(view, plan))  # R-SERVE-2
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
    drinks = served_names(model, plan)
    return text.format(drinks=drinks, penalties=penalties(saved), rush=tokens(earned))


def served_names(model: Model, plan: Plan) -> str:
    """Return the drinks of the orders that a plan serves."""
    return drink_names(model, tuple(drink for drink, _slot in plan.served))


def rush_spent(view: View, plan: Plan) -> int:
    """Return the rush tokens that the steps of a plan cost."""
    walked = sum(isinstance(intent, Step) for intent in plan.intents)
    return max(0, walked - view.steps_left)


def coming_clause(model: Model, plan: Plan) -> str:
    """Return the orders to serve next turn, without capital and full stop; "" for none."""
    drinks = tuple(order.drink for _cup, order in plan.next_turn.serves)
    if not drinks:
        return ""
    text = ngettext(
        "next turn, {drinks} is {steps} away", "next turn, {drinks} are {steps} away", len(drinks)
    )
    return text.format(drinks=drink_names(model, drinks), steps=steps(plan.next_turn.steps))


def _progress(model: Model, view: View, cups: Cups, poured: set[Cup]) -> str:
    """Return the sentence with the ingredients for the most urgent order with something poured."""
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
    """Return why a plan helps no order."""
    if view.phase is Phase.FILLING:
        return _("None of your orders needs that now.")
    if view.path and not any(isinstance(one.intent, _STOPS) for one in own.options):
        return _("You cannot end your move on a cell with another meeple.")
    if ReturnRest() in wishes:
        return ""
    if not any(view.players[own.seat].orders):
        return _("You have no orders.")
    return _("None of your orders needs that now.")
