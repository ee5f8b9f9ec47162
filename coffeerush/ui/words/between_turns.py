"""What an own turn begins with and ends with: orders that rivals sent, and orders that fall."""

from coffeerush.client.model import Model
from protocol import SLOTS

from .events import drink_names
from .i18n import ngettext
from .names import seat_name
from .outlook import received
from .safe_text import Lines


def sent_lines(model: Model) -> Lines:
    """Return who sent which orders since the last own turn (R-RUSH-1)."""
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


def falling_lines(model: Model, last: bool = False) -> Lines:
    """Return what becomes a penalty at the end of the next own turn, or of this one (R-TIME-1).

    Args:
        model: of a player in a game.
        last: whether this turn can end now.
    """
    if model.view is None or model.seat is None or model.view.active is None:
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
