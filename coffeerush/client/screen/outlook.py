"""The state between two own turns: what rivals sent since the last one, what falls at the next end.

Read from the log and the public view, so that it is as clear while others play as on one's turn.
"""

from msgspec import Struct

from coffeerush.client.model import Model
from coffeerush.i18n import _, ngettext
from protocol import (
    PENALTIES_TO_CLOSE,
    DrinkIndex,
    GameStarted,
    OrdersDrawn,
    PlayerView,
    Seat,
    TurnStarted,
    TurnTimedOut,
)

from . import glyphs


class Sent(Struct, frozen=True):
    """An order that a rival's serving brought (R-RUSH-1)."""

    seat: Seat
    """Whose turn it was."""
    drink: DrinkIndex


def received(model: Model) -> tuple[Sent, ...]:
    """Return the orders that came to the own seat since its last turn ended, oldest first."""
    found: list[Sent] = []
    turn: Seat | None = None
    for event in model.log:
        if isinstance(event, GameStarted):
            found, turn = [], None
        elif isinstance(event, TurnStarted):
            # what came before one's own turn stands in slot 1 until that turn ends
            found = [] if turn == model.seat else found
            turn = event.seat
        elif isinstance(event, OrdersDrawn) and turn is not None and turn != model.seat:
            mine = event.seat == model.seat and event.reason == "order_rush"
            found += [Sent(turn, drink) for drink in event.drinks] if mine else []
    return tuple(found)


def bot_finishes(model: Model) -> bool:
    """Tell whether the own time was up in the turn that is on: a bot plays it to its end."""
    for event in reversed(model.log):
        if isinstance(event, TurnStarted | GameStarted):
            return False
        if isinstance(event, TurnTimedOut):
            return event.seat == model.seat
    return False


def falling(player: PlayerView) -> int:
    """Return how many orders become penalties when this player's turn ends (R-TIME-1)."""
    return len(player.orders[-1])


def fall_lines(player: PlayerView) -> list[str]:
    """Return what falls at the end of the turn, in words and shorter and shorter."""
    count = falling(player)
    numbers = {
        "count": count,
        "penalties": player.penalties + count,
        "most": PENALTIES_TO_CLOSE,
        "mark": glyphs.PENALTY,
    }
    if not count:
        return [_("nothing falls when your turn ends"), _("nothing falls"), ""]
    long = ngettext(
        "{count} falls when your turn ends: {mark}{penalties} of {most}",
        "{count} fall when your turn ends: {mark}{penalties} of {most}",
        count,
    )
    short = ngettext(
        "{count} falls: {mark}{penalties} of {most}",
        "{count} fall: {mark}{penalties} of {most}",
        count,
    )
    return [
        long.format(**numbers),
        short.format(**numbers),
        f"{count}{glyphs.POINTER}{glyphs.PENALTY}",
    ]


def sent_line(sent: tuple[Sent, ...], names: dict[Seat, str]) -> str:
    """Return who sent how many orders since the last own turn; empty where nobody did."""
    senders = dict.fromkeys(one.seat for one in sent)
    parts = [
        ngettext("{count} from {name}", "{count} from {name}", count).format(
            count=count, name=names[seat]
        )
        for seat in senders
        if (count := sum(one.seat == seat for one in sent))
    ]
    return _("New orders: {senders}").format(senders=_(", ").join(parts)) if parts else ""
