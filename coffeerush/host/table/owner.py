"""Requests of the owner about how the table plays: the order of seats, and who begins.

Each function carries out its request, or raises `RefusedError` and changes nothing.
"""

from collections.abc import Callable
from typing import Any, Final

from protocol import MoveSeat, SeatsMoved, SetFirst

from .game import LogLine
from .people import Person
from .state import TableState


def move_seat(room: TableState, person: Person, request: MoveSeat) -> None:
    """Exchange two seats."""
    room.check_owner(person)
    room.check_stage("lobby")
    seat, to = request.seat, request.to
    for one in (seat, to):
        room.check_seat(one)
    if seat == to:
        return
    old_seats = [*range(len(room.people.places))]
    old_seats[seat], old_seats[to] = to, seat
    room.move_seats(old_seats)
    room.tell(LogLine(SeatsMoved(tuple(old_seats))))


def set_first(room: TableState, person: Person, request: SetFirst) -> None:
    """Choose who begins the next game."""
    room.check_owner(person)
    room.check_stage("lobby", "result")
    if request.seat is None:
        room.choose_first("draw")
    else:
        room.check_seat(request.seat)
        place = room.people.places[request.seat]
        if place is None or place not in room.people.staying():
            raise room.no_such_seat(request.seat, "open")
        room.choose_first(place)
    room.tell()


OWNER_CHANGES: Final[dict[type, Callable[[TableState, Person, Any], None]]] = {
    MoveSeat: move_seat,
    SetFirst: set_first,
}
"""Handlers of these requests, all answered with `Done`."""
