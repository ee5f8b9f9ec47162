"""Find the moments in an update, and where on the screen they happen."""

from itertools import chain

from coffeerush.client.model import Model
from coffeerush.ui.table.draw.screen import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.areas import Area
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

from .moment import Moment, Moments


def moments_in(before: Model, after: Model, ui: Ui, now: float) -> Moments | None:
    """Return what to show of an update; None if nothing.

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
    found = [moment for event in fresh if (moment := _moment(event, before, ui))]
    return Moments(tuple(found), now, ui.size) if found else None


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


def _moment(event: Event, before: Model, ui: Ui) -> Moment | None:
    match event:
        case OrderServed(seat=seat, drink=drink, slot=slot, rush_gained=rush):
            places = _places(before, ui, [(slot, drink)]) if seat == before.seat else ()
            return Moment("serve", seat, (drink,), rush=rush, places=places)
        case PenaltiesTaken(seat=seat, drinks=drinks, rush_gained=rush):
            lost = [(SLOTS, drink) for drink in drinks]
            places = _places(before, ui, lost) if seat == before.seat else ()
            return Moment("penalty", seat, drinks, rush=rush, places=places)
        case UpgradeActivated(seat=seat, upgrade=upgrade):
            return Moment("upgrade", seat, upgrade=upgrade)
        case TokenClosed():
            return Moment("last round")
    return None


def _places(before: Model, ui: Ui, gone: list[tuple[Slot, DrinkIndex]]) -> tuple[Area, ...]:
    """Return where orders of this player are on the screen."""
    orders = [(one.slot, one.drink) for one in Scene(before, ui).orders]
    marks = draw(before, ui, *ui.size).marks
    found = []
    for order in gone:
        if order in orders:
            index = orders.index(order)
            orders[index] = (0, -1)  # the same drink may be there twice
            found += [area] if (area := marks.get(f"order{index}")) else []
    return tuple(found)
