"""Find the moments in an update, and where on the screen they happen."""

from itertools import chain

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.table.draw.screen import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Area
from protocol import (
    SLOTS,
    DrinkIndex,
    Event,
    GameEnded,
    IntentUndone,
    OrderServed,
    PenaltiesTaken,
    Slot,
    TokenClosed,
    TurnStarted,
    UpgradeActivated,
)

from .moment import Moment, Moments, OrdersBefore


def moments_in(before: Model, after: Model, ui: Ui, now: float) -> Moments | None:
    """Return the moment to show for an update; None if there is none.

    Args:
        before: the model on the screen.
        after: the next one.
        ui: the screen's state, which may forbid that anything moves.
        now: when it is shown.
    """
    fresh = _fresh(before, after)
    if not ui.animated or not ui.settings.moments or not fresh:
        return None
    ended = [event for event in fresh if isinstance(event, GameEnded)]
    if ended:
        return Moments((Moment("win"),), now, ui.size)
    shown = ui.moments if before.my_turn and ui.moments and ui.moments.size == ui.size else None
    # of several orders served at once, each is shown
    earlier, orders = (shown.moments, shown.orders) if shown and shown.orders else ((), None)
    found: list[Moment] = []
    for event in fresh:
        gone = _gone(event, before)
        orders = orders or (_orders(before, ui) if gone else None)
        places, orders = _taken(orders, gone)
        found += [moment] if (moment := _moment(event, places)) else []
    return Moments((*earlier, *found), now, ui.size, orders=orders) if found else None


def _fresh(before: Model, after: Model) -> tuple[Event, ...]:
    """Return the events of a move; () if it is several turns, or undoes something.

    Those of one's own move come with its answer or with its publication, whichever is first.
    """
    new = after.history.total - before.history.total
    same = (before.status, before.epoch, before.game) == ("here", after.epoch, after.game)
    if not same or before.view is None or after.rev <= before.rev or new > len(after.log):
        return ()
    told = (events for at, events in after.history.told if at > (before.game, before.rev))
    fresh = (*after.log[len(after.log) - max(new, 0) :], *chain.from_iterable(told))
    turns = sum(isinstance(event, TurnStarted) for event in fresh)
    undone = any(isinstance(event, IntentUndone) for event in fresh)
    return () if turns > 1 or undone else fresh


def _gone(event: Event, before: Model) -> list[tuple[Slot, DrinkIndex]]:
    """Return which of this player's orders are gone with an event."""
    match event:
        case OrderServed(seat=seat, drink=drink, slot=slot) if seat == before.seat:
            return [(slot, drink)]
        case PenaltiesTaken(seat=seat, drinks=drinks) if seat == before.seat:
            return [(SLOTS, drink) for drink in drinks]
    return []


def _orders(before: Model, ui: Ui) -> OrdersBefore | None:
    """Return this player's orders on the screen; None if they are not shown."""
    canvas = draw(before, replace(ui, moments=None), *ui.size)
    area = canvas.marks.get("orders")
    if area is None:
        return None
    orders = enumerate(Scene(before, ui).orders)
    marks = ((one, canvas.marks.get(f"order{index}")) for index, one in orders)
    rows = tuple((one.slot, one.drink, mark) for one, mark in marks if mark)
    return OrdersBefore(area, canvas.copy(area), rows)


def _taken(
    orders: OrdersBefore | None, gone: list[tuple[Slot, DrinkIndex]]
) -> tuple[tuple[Area, ...], OrdersBefore | None]:
    """Return the places of the orders that are gone, and the rows of the others."""
    places: list[Area] = []
    for slot, drink in gone if orders else ():
        assert orders is not None
        row = next((one for one in orders.rows if one[:2] == (slot, drink)), None)
        if row:  # the same drink may be there twice
            at = orders.rows.index(row)
            orders = replace(orders, rows=(*orders.rows[:at], *orders.rows[at + 1 :]))
            places.append(row[2])
    return tuple(places), orders


def _moment(event: Event, places: tuple[Area, ...]) -> Moment | None:
    match event:
        case OrderServed(seat=seat, drink=drink, rush_gained=rush):
            return Moment("serve", seat, (drink,), rush=rush, places=places)
        case PenaltiesTaken(seat=seat, drinks=drinks, rush_gained=rush):
            return Moment("penalty", seat, drinks, rush=rush, places=places)
        case UpgradeActivated(seat=seat, upgrade=upgrade):
            return Moment("upgrade", seat, upgrade=upgrade)
        case TokenClosed():
            return Moment("last round")
    return None
