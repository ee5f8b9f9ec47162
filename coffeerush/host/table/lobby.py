"""Coming, going, falling silent and getting ready: all that changes who is at the table.

Each function does what is asked, or raises `RefusedError` or `RecordError` and changes nothing.
"""

from collections.abc import Callable
from typing import Any, Final

from coffeerush.host.table import lifecycle
from protocol import (
    MAX_SPECTATORS,
    MIN_PLAYERS,
    AddBot,
    Chat,
    Hello,
    Ready,
    RefusedError,
    Remove,
    RemoveSpectator,
    Rename,
    Renamed,
    Said,
    Seat,
    Start,
    clean_chat,
    clean_name,
    clean_speaker,
)

from .game import LogLine
from .guest_list import send_away, welcome
from .limits import AWAY_SECONDS, GONE_SECONDS, STAND_IN
from .people import Person, SeatedBot, bot_label, bot_name, is_taken, unique_name
from .state import TableState


def hello(room: TableState, key: str, request: Hello) -> None:
    """Let somebody in, or back to the own seat; a name that is taken gets a number behind it."""
    name = _wanted_name(request)
    person = room.people.find(key)
    if person is None:
        person = Person(key, unique_name(name, room.people.names()), room.now)
        _let_in(room, person, request.role == "player")
        return
    person.left = False
    present(room, person)
    looks_on = key in room.people.spectators
    if request.role == "player" and looks_on:
        _let_in(room, person, plays=True)
    elif request.role == "spectator" and room.stage == "lobby" and not looks_on:
        _let_in(room, person, plays=False)


def _let_in(room: TableState, person: Person, plays: bool) -> None:
    if plays:
        seat = _seat_for_newcomer(room)
        welcome(room, person.key)
        room.people.take_seat(seat, person)
        room.tell_change(person.name, "joined")
        return
    if len(room.people.spectators) >= MAX_SPECTATORS:
        raise RefusedError(
            "too_many_spectators",
            f"{MAX_SPECTATORS} people look on already; try again later.",
            most=MAX_SPECTATORS,
        )
    welcome(room, person.key)
    room.people.look_on(person)
    room.tell_change(person.name, "watching")


def _seat_for_newcomer(room: TableState) -> Seat:
    """Return an open seat; raises `table_full`.

    A result stays on the table while enough stay for a rematch: the seats under it keep their
    names. With fewer the lobby comes back, so that the table fills up again.
    """
    people = room.people
    if room.stage == "result" and len(people.staying()) < MIN_PLAYERS:
        lifecycle.back_to_lobby(room)
    seat = None if room.stage == "game" else people.open_seat()
    if seat is None:
        raise RefusedError("table_full", "No seat is open here now; watch the game instead.")
    return seat


def present(room: TableState, person: Person) -> None:
    """Note that somebody is there; whoever was away takes the seat back from the stand-in."""
    person.seen = room.now
    if person.away:
        person.away = False
        room.tell_change(person.name, "back")


def bye(room: TableState, person: Person) -> None:
    """Let somebody go; during a game, and under its result, the seat is kept."""
    if room.stage == "lobby" or person.key in room.people.spectators:
        room.people.take_out(person)
    else:
        person.left = person.away = True
        person.ready = False
    room.tell_change(person.name, "left")


def look_around(room: TableState) -> None:
    """Note who has fallen silent, and give up who has been silent for long."""
    for person in [*room.people.everybody()]:
        silent = room.now - person.seen
        looks_on = person.key in room.people.spectators
        if silent > GONE_SECONDS and not person.left and (looks_on or room.stage != "game"):
            bye(room, person)
            room.wait_for_return()
        elif silent > AWAY_SECONDS and not looks_on and not person.away:
            person.away = True
            room.tell_change(person.name, "away")


def let_owner_go(room: TableState) -> None:
    """Let the owner leave, unless a bye came already."""
    owner = room.people.find(room.config.owner)
    if owner is not None and not owner.left:
        bye(room, owner)


def chat(room: TableState, person: Person, request: Chat) -> None:
    """Say a line to everybody."""
    text = clean_chat(request.text)
    if not text:
        raise RefusedError("bad_text", "Nothing of this line can be shown; write another.")
    room.tell(LogLine(Said(person.name, text)))


def ready(room: TableState, person: Person, request: Ready) -> None:
    """Be ready for the next game, or not."""
    if room.people.seat_of(person.key) is None:
        raise RefusedError("not_seated", "You look on here; only who has a seat may do that.")
    room.check_stage("lobby", "result")
    if person.ready != request.ready:
        person.ready = request.ready
        room.tell()


def rename(room: TableState, person: Person, request: Rename) -> None:
    """Take another name; one that is taken is refused here, since a choice is being made."""
    room.check_stage("lobby")
    name = _wanted_name(request)
    if is_taken(name, room.people.names(but=person)):
        raise RefusedError(
            "name_taken", f"Somebody at the table is called {name}; choose another.", name=name
        )
    if name == person.name:
        return
    room.tell(LogLine(Renamed(person.name, name)))
    room.note("renamed", name=name, before=person.name)
    person.name = name


def add_bot(room: TableState, person: Person, request: AddBot) -> None:
    """Seat a bot."""
    _check_owner(room, person)
    room.check_stage("lobby", "result")
    if request.bot not in room.config.bots:
        raise RefusedError(
            "unknown_bot",
            f"There is no bot {clean_name(request.bot)}; there are {', '.join(room.config.bots)}.",
            bot=clean_name(request.bot),
            bots=", ".join(room.config.bots),
        )
    if request.seat >= len(room.people.places):
        raise _no_such_seat(request.seat)
    if room.people.places[request.seat] is not None:
        raise RefusedError(
            "seat_not_free", "Somebody sits there; remove them first.", seat=request.seat
        )
    seat_bot(room, request.seat, request.bot)


def seat_bot(room: TableState, seat: Seat, kind: str) -> SeatedBot:
    """Put a bot of a kind on a seat, whoever sat there."""
    bot = SeatedBot(kind, bot_name(bot_label(kind), room.people.names()))
    room.people.take_seat(seat, bot)
    room.tell()
    room.note("bot_seated", name=bot.name)
    return bot


def remove(room: TableState, person: Person, request: Remove) -> None:
    """Send a bot or a guest away; during a game a bot takes the guest's seat for good."""
    _check_owner(room, person)
    places = room.people.places
    place = places[request.seat] if request.seat < len(places) else None
    if place is None or place is person:
        raise _no_such_seat(request.seat)
    if isinstance(place, SeatedBot):
        room.check_stage("lobby", "result")
    else:
        send_away(room, place.key)
    if room.stage == "game":
        seat_bot(room, request.seat, STAND_IN)
        room.tell_change(place.name, "replaced_by_bot")
    else:
        room.people.take_out(place)
        room.tell_change(place.name, "removed")


def remove_spectator(room: TableState, person: Person, request: RemoveSpectator) -> None:
    """Send somebody away who looks on."""
    _check_owner(room, person)
    others = (one for one in room.people.spectators.values() if one is not person)
    found = next((one for one in others if one.name == request.name), None)
    if found is None:
        raise RefusedError("no_such_spectator", "Nobody who looks on has this name.")
    send_away(room, found.key)
    room.people.take_out(found)
    room.tell_change(found.name, "removed")


def start(room: TableState, person: Person, _request: Start) -> None:
    """Start the game or the rematch, with everybody who stays."""
    _check_owner(room, person)
    room.check_stage("lobby", "result")
    if room.all_played:
        raise RefusedError("wrong_stage", "This table plays no more games.", stage=room.stage)
    have = len(room.people.staying())
    if have < MIN_PLAYERS:
        raise RefusedError(
            "too_few_players",
            f"A game needs {MIN_PLAYERS} players; wait for somebody, or add a bot.",
            needs=MIN_PLAYERS,
            have=have,
        )
    if missing := room.people.not_ready(room.config.owner):
        who = ", ".join(missing)
        raise RefusedError("not_ready", f"Not everybody is ready: {who}.", who=who)
    lifecycle.begin(room)


def _check_owner(room: TableState, person: Person) -> None:
    if not room.config.owner or person.key != room.config.owner:
        raise RefusedError("not_owner", "Only the owner of the table may do that.")


def _wanted_name(request: Hello | Rename) -> str:
    """Return the name that somebody wants, without what cannot be shown."""
    name = clean_speaker(request.name)
    if not name:
        raise RefusedError("bad_text", "Nothing of this name can be shown; choose another.")
    return name


def _no_such_seat(seat: Seat) -> RefusedError:
    return RefusedError("no_such_seat", "There is nobody to be found on that seat.", seat=seat)


CHANGES: Final[dict[type, Callable[[TableState, Person, Any], None]]] = {
    Chat: chat,
    Ready: ready,
    Rename: rename,
    AddBot: add_bot,
    Remove: remove,
    RemoveSpectator: remove_spectator,
    Start: start,
}
"""What each request does that is answered with `Done`, beside `bye`."""
