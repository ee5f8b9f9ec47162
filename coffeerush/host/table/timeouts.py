"""What silence and the turn clock lead to."""

from protocol import TurnTimedOut

from .config import AWAY_SECONDS, GONE_SECONDS
from .game import LogLine
from .people import Person
from .state import TableState


def look_around(room: TableState) -> None:
    """Note who has fallen silent, and give up who has been silent for long."""
    for seat, person in list(room.people.seated()):
        silent = room.now - person.seen
        if not person.left and silent > GONE_SECONDS and room.stage != "game":
            _give_up(room, seat, person)
        elif not person.away and silent > AWAY_SECONDS:
            person.away = True
            room.tell_change(person.name, "away")
    for person in list(room.people.spectators.values()):
        if room.now - person.seen > GONE_SECONDS:
            del room.people.spectators[person.key]
            room.given_up_at = room.now
            room.tell_change(person.name, "left")


def _give_up(room: TableState, seat: int, person: Person) -> None:
    if room.stage == "lobby":
        room.people.places[seat] = None
    person.left = person.away = True
    person.ready = False
    room.given_up_at = room.now
    room.tell_change(person.name, "left")


def check_clock(room: TableState) -> None:
    """Let a bot finish a turn whose time is up; who is away has a stand-in already."""
    game = room.playing
    left = room.seconds_left()
    if game is None or left is None or left > 0 or game.timed_out:
        return
    seat = game.state.active
    assert seat is not None  # a clock only runs for somebody
    place = room.people.places[seat]
    if isinstance(place, Person) and not place.away:
        game.timed_out = True
        room.tell(LogLine(TurnTimedOut(seat)))
        room.note("turn_timed_out", name=place.name)
