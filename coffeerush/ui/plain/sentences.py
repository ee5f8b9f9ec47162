"""The state of a game in plain mode, as sentences: orders, cups, board, players, supply."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final

from coffeerush.client.model import Model, tellable
from coffeerush.client.turn import seconds_left, tokens_to_pour
from coffeerush.ui.advice.advice import OpenOrder, open_orders
from coffeerush.ui.words.events import drink_names, event_line, has_turn_left, sent_lines
from coffeerush.ui.words.i18n import Lines, _, ngettext, pgettext
from coffeerush.ui.words.names import (
    cell_ingredient,
    cell_marks,
    cell_name,
    counts_line,
    counts_phrase,
    drink_title,
    ingredient_name,
    item_list,
    menu_drink,
    orders,
    penalties,
    seat_name,
    sentence_case,
    steps,
    tokens,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    BOARD_SIDE,
    COMPLETED_PER_UPGRADE,
    SLOTS,
    Cell,
    Drink,
    Event,
    Ingredient,
    OwnView,
    Poured,
    Seat,
    Upgrade,
    View,
)

LOG_LINES = 10
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+")


def sentences(text: str) -> Lines:
    """Split a text into sentences."""
    return tuple(filter(None, _BETWEEN_SENTENCES.split(text)))


def order_lines(model: Model, view: View) -> Lines:
    """Return the player's orders, most urgent first, with what each still needs."""
    if view.own is None:
        return ()
    found = open_orders(view, view.own.seat)
    if not found:
        return (_("You have no orders."),)
    return (_("Your orders, most urgent first:"), *(_order(model, view, one) for one in found))


def _order(model: Model, view: View, order: OpenOrder) -> str:
    last = order.slot == SLOTS and has_turn_left(model.seat or 0, view)
    if order.serve is not None:
        text = _("Slot {slot}: {drink} is ready in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} is ready in cup {cup}.")
    elif order.cup is None:
        text = _("Slot {slot}: {drink} needs {missing} in an empty cup.")
        if last:
            text = _("Slot {slot}, last chance: {drink} needs {missing} in an empty cup.")
    elif not order.lacks:
        text = _("Slot {slot}: {drink} is complete in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} is complete in cup {cup}.")
    else:
        text = _("Slot {slot}: {drink} needs {missing} in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} needs {missing} in cup {cup}.")
    return text.format(
        slot=order.slot,
        drink=_ordered(menu_drink(model, order.drink)),
        cup=order.cup,
        missing=counts_phrase(order.missing),
    )


def _ordered(drink: Drink) -> str:
    """Return a drink's name, and whether its order earns a rush token."""
    text = _("{drink} (specialty)") if drink.specialty else "{drink}"
    return text.format(drink=drink_title(drink))


def cup_lines(model: Model, view: View) -> Lines:
    """Return the contents of the player's cups and hand."""
    if model.seat is None:
        return (_("Only players have cups."),)
    own = view.own
    if own is None:
        return (_("Loading your cups…"),)
    cups = tuple(
        _("Cup {cup}: {contents}.").format(cup=number, contents=counts_line(cup))
        if any(cup)
        else _("Cup {cup} is empty.").format(cup=number)
        for number, cup in enumerate(own.cups, start=1)
    )
    return (*cups, hand_line(view, own)) if any(own.hand) else cups


def hand_line(view: View, own: OwnView) -> str:
    """Return the contents of the hand, in the order in which it is poured."""
    order = tokens_to_pour(own.hand, (), view.path)
    return _("In hand: {contents}.").format(contents=counts_line(own.hand, order))


def board_lines(model: Model, view: View) -> Lines:
    """Return the board, one row per line (R-COMP-1)."""
    return tuple(
        _("Row {row}: {cells}.").format(
            row=row + 1,
            cells=item_list(
                cell_line(model, view, BOARD_SIDE * row + column) for column in range(BOARD_SIDE)
            ),
        )
        for row in range(BOARD_SIDE)
    )


def cell_line(model: Model, view: View, cell: Cell) -> str:
    """Return the contents of a cell, and the players there."""
    found = (*cell_marks(cell), *standing_on(model, view, cell))
    if not found:
        return cell_ingredient(cell)
    return _("{ingredient} ({details})").format(
        ingredient=cell_ingredient(cell), details=item_list(found)
    )


def standing_on(model: Model, view: View, cell: Cell) -> Lines:
    """Return the owners of the meeples on a cell."""
    return tuple(
        pgettext("on a cell", "you") if seat == model.seat else seat_name(model, seat)
        for seat, player in enumerate(view.players)
        if cell in player.meeples
    )


def player_lines(model: Model, view: View) -> Lines:
    """Return the public part of each player (R-INFO-1)."""
    return tuple(_player(model, view, seat) for seat in range(len(view.players)))


def _player(model: Model, view: View, seat: Seat) -> str:
    player = view.players[seat]
    waiting = [
        _("{drinks} in slot {slot}").format(slot=slot, drinks=drink_names(model, drinks))
        for slot, drinks in enumerate(player.orders, start=1)
        if drinks
    ]
    active = [upgrade_name(upgrade) for upgrade in Upgrade if player.upgrades[upgrade]]
    text = (
        _(
            "You: score {score}, {completed} completed, {penalties}, {rush}; position: "
            "{cells}; orders: {orders}; upgrades: {upgrades}."
        )
        if seat == model.seat
        else _(
            "{name}: score {score}, {completed} completed, {penalties}, {rush}; "
            "position: {cells}; orders: {orders}; upgrades: {upgrades}."
        )
    )
    return text.format(
        name=seat_name(model, seat),
        score=player.score,
        completed=orders(player.completed),
        penalties=penalties(player.penalties),
        rush=tokens(player.rush),
        cells=item_list(cell_name(cell) for cell in player.meeples) or _("none yet"),
        orders=item_list(waiting) or pgettext("orders", "none"),
        upgrades=item_list(active) or pgettext("upgrades", "none"),
    )


def supply_lines(view: View) -> Lines:
    """Return the tokens left in the supply, and the cards left in the deck."""
    counts = item_list(
        _("{count} {ingredient}").format(count=count, ingredient=ingredient_name(kind))
        for kind, count in zip(Ingredient, view.supply, strict=True)
    )
    deck = ngettext("The deck has {count} card.", "The deck has {count} cards.", view.deck)
    token = (
        _("The start player token shows CLOSED.")
        if view.closed
        else _("The start player token shows OPEN.")
    )
    return (
        _("Supply: {counts}, {rush}.").format(counts=counts, rush=tokens(view.rush_supply)),
        deck.format(count=view.deck),
        token,
    )


def menu_lines(view: View) -> Lines:
    """Return every drink with its recipe."""
    return tuple(_drink(drink) for drink in view.menu)


def _drink(drink: Drink) -> str:
    text = _("{drink}, specialty: {recipe}.") if drink.specialty else _("{drink}: {recipe}.")
    return text.format(drink=drink_title(drink), recipe=counts_line(drink.recipe))


def upgrade_help_lines(view: View) -> Lines:
    """Return the effect and the cost of each upgrade, and which are active."""
    player = view.players[view.own.seat] if view.own else None
    active = player.upgrades if player else (False,) * len(Upgrade)
    found = tuple(
        (_("{upgrade}, active: {what}") if active[one] else _("{upgrade}: {what}")).format(
            upgrade=sentence_case(upgrade_name(one)), what=upgrade_help(one)
        )
        for one in Upgrade
    )
    if player is None:
        return found
    text = _(
        "One per turn, before the first step. It costs {needs} completed orders; you have {have}."
    )
    return (*found, text.format(needs=COMPLETED_PER_UPGRADE, have=player.completed))


def pour_lines(model: Model, pours: Sequence[Poured]) -> Lines:
    """Combine another player's pours into one sentence; only their number is public."""
    if len(pours) < 2:
        return tuple(event_line(one, model) for one in pours)
    count, name = len(pours), seat_name(model, pours[0].seat)
    text = ngettext("{name} pours {count} ingredient.", "{name} pours {count} ingredients.", count)
    return (text.format(name=name, count=count),)


def log_lines(model: Model) -> Lines:
    """Return the latest events; another player's pours are combined."""
    lines: Lines = ()
    for seat, group in groupby(tellable(model, LOG_LINES), partial(_pourer, model)):
        events = [*group]
        pours = [one for one in events if isinstance(one, Poured) and seat is not None]
        lines += pour_lines(model, pours) or tuple(event_line(one, model) for one in events)
    return lines


def _pourer(model: Model, event: Event) -> Seat | None:
    """Return the other player who pours."""
    return event.seat if isinstance(event, Poured) and event.seat != model.seat else None


def situation_lines(model: Model, view: View, time: Lines) -> Lines:
    """Return the situation at the start of the player's turn: steps, `time`, orders, cups."""
    player = view.players[model.seat or 0]
    turn = _("Your turn, round {round}. {steps}, {rush}.").format(
        round=view.round, steps=sentence_case(steps(view.steps_left)), rush=tokens(player.rush)
    )
    return (turn, *time, *sent_lines(model), *order_lines(model, view), *cup_lines(model, view))


def time_lines(model: Model, age: float, hurry: bool = False) -> Lines:
    """Return the time that the player has, or that it is nearly up, if there is a turn clock.

    `age` is how old the table is, in seconds: so much less time is left.
    """
    if not (left := seconds_left(model, age)):
        return ()
    text = ngettext("You have {count} second.", "You have {count} seconds.", left)
    if hurry:
        text = ngettext("{count} second left.", "{count} seconds left.", left)
    return (text.format(count=left),)
