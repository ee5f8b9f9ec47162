"""Orders that rivals sent since the player's last turn, and orders about to expire."""

from collections.abc import Iterable

from msgspec import Struct

from coffeerush.client.model import Model
from protocol import SLOTS, DrinkIndex, GameStarted, OrdersDrawn, Seat, TurnStarted, View

from .events import drink_names
from .i18n import ngettext
from .names import seat_name
from .safe_text import Lines


class Sent(Struct, frozen=True):
    """An order that a rival's serving brought (R-RUSH-1)."""

    seat: Seat
    """The seat that served."""
    drink: DrinkIndex


def received(model: Model) -> tuple[Sent, ...]:
    """Return the orders sent to this player since their last turn ended, oldest first."""
    found: list[Sent] = []
    turn: Seat | None = None
    for event in model.log:
        if isinstance(event, GameStarted):
            found, turn = [], None
        elif isinstance(event, TurnStarted):
            # what came before this player's turn stays in slot 1 until that turn ends
            found = [] if turn == model.seat else found
            turn = event.seat
        elif isinstance(event, OrdersDrawn) and turn is not None and turn != model.seat:
            mine = event.seat == model.seat and event.reason == "order_rush"
            found += [Sent(turn, drink) for drink in event.drinks] if mine else []
    return tuple(found)


def senders_of(
    orders: Iterable[tuple[int, DrinkIndex]], sent: Iterable[Sent]
) -> tuple[Seat | None, ...]:
    """Return the sender of each order; None for those that are older.

    Args:
        orders: the slot, from 1, and the drink of each.
        sent: the orders that were sent.
    """
    left = list(sent)
    found: list[Seat | None] = []
    for slot, drink in orders:
        new = next((one for one in left if slot == 1 and one.drink == drink), None)
        found.append(new.seat if new else None)
        if new:
            left.remove(new)
    return tuple(found)


def bot_finishes(model: Model) -> bool:
    """Return whether a bot finishes this player's turn because it timed out."""
    if not model.my_turn or model.table is None or model.seat is None:
        return False
    return bool(model.table.seats[model.seat].bot)


def turns_of(seat: Seat, view: View) -> int:
    """Return the number of turns that a seat has completed in a game that is on."""
    assert view.active is not None, "the game is on"
    count = len(view.players)
    passed = (view.active - view.start) % count > (seat - view.start) % count
    return view.round - 1 + passed


def has_turn_left(seat: Seat, view: View) -> bool:
    """Return whether a seat has a turn to come or to end, so that orders can still expire."""
    return view.active is not None and not (view.closed and turns_of(seat, view) == view.round)


def sent_lines(model: Model) -> Lines:
    """Return the senders of orders since this player's last turn, with these orders (R-RUSH-1)."""
    sent = received(model) if model.view and model.view.active is not None else ()
    return tuple(
        ngettext(
            "{name} has sent you an order: {drinks}.",
            "{name} has sent you {count} orders: {drinks}.",
            len(drinks),
        ).format(name=seat_name(model, seat), count=len(drinks), drinks=drink_names(model, drinks))
        for seat in dict.fromkeys(one.seat for one in sent)
        if (drinks := tuple(one.drink for one in sent if one.seat == seat))
    )


def expiring_lines(model: Model, last: bool = False) -> Lines:
    """Return the orders that expire after this player's next, or the `last`, turn (R-TIME-1)."""
    if model.view is None or model.seat is None or not has_turn_left(model.seat, model.view):
        return ()
    drinks = model.view.players[model.seat].orders[SLOTS - 1]
    if not drinks:
        return ()
    if last:
        text = ngettext(
            "{drinks} becomes a penalty when this turn ends.",
            "{drinks} become penalties when this turn ends.",
            len(drinks),
        )
    else:
        text = ngettext(
            "{drinks} becomes a penalty when your next turn ends, unless you serve it.",
            "{drinks} become penalties when your next turn ends, unless you serve them.",
            len(drinks),
        )
    return (text.format(drinks=drink_names(model, drinks)),)
