"""What the log tells of the state between two own turns: who sent which order, who plays on."""

from msgspec import Struct

from coffeerush.client.model import Model
from protocol import (
    DrinkIndex,
    GameStarted,
    OrdersDrawn,
    Seat,
    TurnStarted,
)


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
    if not model.my_turn or model.table is None or model.seat is None:
        return False
    return bool(model.table.seats[model.seat].bot)
