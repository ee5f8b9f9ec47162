"""The hint: the regular bot's next move for the same View, and the reason, in words."""

from functools import lru_cache
from typing import Final

from coffeerush.bots.regular import best_place, best_upgrade
from coffeerush.bots.walks import Walk, best_walk
from coffeerush.client.model import Model
from coffeerush.rules.board import NEAR
from coffeerush.rules.multiset import pack, unpack
from coffeerush.ui.words.events import drink_names
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import (
    and_list,
    cell_ingredient,
    cell_name,
    counts_phrase,
    direction_name,
    drink_title,
    ingredient_name,
    item_list,
    menu_drink,
    tokens,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    BOARD,
    COMPLETED_PER_UPGRADE,
    SLOTS,
    ActivateUpgrade,
    EndTurn,
    Ingredient,
    OwnView,
    Phase,
    Serve,
    View,
)

from .pour_words import outcome_line, pour_line
from .pours import suggested_pours

_best_walk: Final = lru_cache(maxsize=4)(best_walk)
"""Cached, because a screen that shows a hint computes it for every frame."""


def hint(model: Model) -> str:
    """Return a good next move and the reason; "" if this player cannot act."""
    view = model.view
    if not model.my_turn or view is None or view.own is None or not view.own.options:
        return ""
    own = view.own
    match view.phase:
        case Phase.PLACING:
            return _place(view, own)
        case Phase.UPGRADE if upgrade := best_upgrade(view):
            return _activate(view, upgrade)
        case Phase.UPGRADE:
            keep = _("Keep your completed orders: an upgrade no longer pays off.")
            return _joined(keep, _walk(model, view, own))
        case Phase.MOVING:
            return _walk(model, view, own)
        case Phase.FILLING | Phase.POURING if suggested_pours(view):
            return _pour(model, view, own)
    return _serve(model, view, own)


def _joined(first: str, second: str) -> str:
    """Join two sentences, of which the second may be empty."""
    return f"{first} {second}" if second else first


def _place(view: View, own: OwnView) -> str:
    cell = best_place(view, own).cell
    needed = {
        kind
        for drinks in view.players[own.seat].orders
        for drink in drinks
        for kind, count in zip(Ingredient, view.menu[drink].recipe, strict=True)
        if count
    }
    found = sorted(needed & {BOARD[one] for one in (cell, *NEAR[0][cell])})
    text = _(
        "Place your meeple on {ingredient}, {cell}: there and nearby you will find "
        "{found} for your orders."
    )
    return text.format(
        ingredient=cell_ingredient(cell),
        cell=cell_name(cell),
        found=and_list(map(ingredient_name, found)),
    )


def _activate(view: View, wish: ActivateUpgrade) -> str:
    text = ngettext(
        "Activate {upgrade}: it costs {needs} orders and scores 2 points, and with "
        "{count} card left in the deck it should pay for itself.",
        "Activate {upgrade}: it costs {needs} orders and scores 2 points, and with "
        "{count} cards left in the deck it should pay for itself.",
        view.deck,
    )
    what = text.format(
        upgrade=upgrade_name(wish.upgrade), count=view.deck, needs=COMPLETED_PER_UPGRADE
    )
    return _joined(what, upgrade_help(wish.upgrade))


# Moving


def _walk(model: Model, view: View, own: OwnView) -> str:
    walk = _best_walk(view)
    if not walk.steps:
        return _pour(model, view, own) if any(own.hand) else _serve(model, view, own)
    return _joined(_steps(view, own, walk), outcome_line(model, view, own, walk.pours.intents))


def _steps(view: View, own: OwnView, walk: Walk) -> str:
    """Return the sentence for a walk: its directions, gain and cost."""
    meeple = walk.steps[0].meeple
    meeples = view.players[own.seat].meeples
    cells = [meeples[meeple - 1], *(step.cell for step in walk.steps)]
    choice = len(meeples) > 1 and view.meeple is None
    if choice:
        text = _("With meeple {number}, step {directions} and take {gain}, for {rush}.")
        text = text if walk.rush else _("With meeple {number}, step {directions} and take {gain}.")
    else:
        text = _("Step {directions} and take {gain}, for {rush}.")
        text = text if walk.rush else _("Step {directions} and take {gain}.")
    return text.format(
        number=meeple,
        directions=item_list(map(direction_name, cells, cells[1:])),
        gain=counts_phrase(unpack(walk.hand - pack(own.hand))),
        rush=tokens(walk.rush),
    )


def _pour(model: Model, view: View, own: OwnView) -> str:
    wishes = suggested_pours(view)
    return _joined(pour_line(own, wishes), outcome_line(model, view, own, wishes))


# Serving, and the end


def _serve(model: Model, view: View, own: OwnView) -> str:
    serves = [
        (option.intent, menu_drink(model, option.order))
        for option in own.options
        if isinstance(option.intent, Serve) and option.order is not None
    ]
    if not serves:
        return _end(model, view, own)
    serve, drink = max(serves, key=lambda one: (one[0].slot, one[1].specialty))
    if serve.slot == SLOTS:
        text = _("Serve {drink} from cup {cup}, or it becomes a penalty when this turn ends.")
    elif drink.specialty and view.rush_supply:
        text = _("Serve {drink} from cup {cup}: it also earns a rush token.")
    else:
        text = _("Serve {drink} from cup {cup}: a point for you, and more orders for others.")
    return text.format(drink=drink_title(drink), cup=serve.cup)


def _end(model: Model, view: View, own: OwnView) -> str:
    if not any(isinstance(option.intent, EndTurn) for option in own.options):
        return ""
    if view.phase is Phase.FILLING:
        return _("End your setup: everything is poured.")
    expiring = view.players[own.seat].orders[SLOTS - 1]
    if not expiring:
        return _("End the turn: nothing more can be served.")
    text = ngettext(
        "End the turn: nothing more can be served. {drinks} becomes a penalty.",
        "End the turn: nothing more can be served. {drinks} become penalties.",
        len(expiring),
    )
    return text.format(drinks=drink_names(model, expiring))
