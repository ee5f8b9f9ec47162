"""Requests of the owner: seats, who begins, rules, pauses, and guests who ask to come in.

Each function carries out its request, or raises `RefusedError` or `RecordError` and changes
nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from coffeerush.host.table import lifecycle
from coffeerush.records.entries import Paused
from protocol import (
    Asker,
    GamePaused,
    LetIn,
    MoveSeat,
    RefusedError,
    SeatsMoved,
    SetFirst,
    SetPause,
    SetRules,
    clean_chat,
    clean_speaker,
)

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


def set_rules(room: TableState, person: Person, request: SetRules) -> None:
    """Change the rules of the games to come."""
    room.check_owner(person)
    room.check_stage("lobby", "result")
    room.config = replace(
        room.config,
        turn_seconds=request.turn_seconds,
        bot_seconds=request.bot_seconds,
        hints=request.hints,
        anybody_lets_in=request.anybody_lets_in,
    )
    room.tell()


def set_pause(room: TableState, person: Person, request: SetPause) -> None:
    """Pause the game, or let it go on."""
    if request.paused or not _may_stand_in(room):
        room.check_owner(person)
    elif room.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    room.check_stage("game")
    game = room.playing
    assert game is not None, "the stage says so"
    if not request.paused:
        if game.pause is not None:
            lifecycle.end_pause(room, person.name)
        return
    reason = clean_chat(request.reason)
    room.journals.append(Paused(reason))
    game.stop_clock(reason, room.now)
    room.tell(LogLine(GamePaused(person.name, reason)))
    room.note("paused", name=person.name)


def _may_stand_in(room: TableState) -> bool:
    """Return whether the owner is not here, so that any player may end a pause."""
    owner = room.people.find(room.config.owner)
    return owner is None or owner.left or owner.away


def note_asking(room: TableState, asking: Sequence[Asker]) -> None:
    """Publish who asks to come in, but for those who have an answer that is still on its way."""
    named = {one.guest for one in asking}
    room.let_in = {guest: one for guest, one in room.let_in.items() if guest in named}
    left = [one for one in asking if one.guest not in room.let_in]
    clean = tuple(Asker(one.guest, name) for one in left if (name := clean_speaker(one.name)))
    if clean != room.asking:
        room.asking = clean
        room.tell()


def let_in(room: TableState, person: Person, request: LetIn) -> None:
    """Let a guest come in who asks to, or turn them away."""
    if not room.config.anybody_lets_in:
        room.check_owner(person)
    asker = next((one for one in room.asking if one.guest == request.guest), None)
    if asker is None:
        raise RefusedError("no_such_guest")
    room.asking = tuple(one for one in room.asking if one is not asker)
    room.let_in[asker.guest] = request.allowed
    room.tell()
    room.note("let_in" if request.allowed else "turned_away", name=person.name, guest=asker.name)


OWNER_CHANGES: Final[dict[type, Callable[[TableState, Person, Any], None]]] = {
    MoveSeat: move_seat,
    SetFirst: set_first,
    SetRules: set_rules,
    SetPause: set_pause,
    LetIn: let_in,
}
"""Handlers of these requests, all answered with `Done`."""
