"""Requests at a table: of everybody about people, and of the owner about how it plays."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from coffeerush.levels import kind_now
from coffeerush.records.entries import Paused
from protocol import (
    LETTERS,
    MAX_PLAYERS,
    MAX_SPECTATORS,
    MIN_PLAYERS,
    AddBot,
    Asker,
    Chat,
    Emote,
    Emoted,
    GamePaused,
    Hello,
    LetIn,
    MoveSeat,
    Ready,
    RefusedError,
    Remove,
    RemoveSpectator,
    Rename,
    Renamed,
    Said,
    Seat,
    SeatsMoved,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    Start,
    clean_chat,
    clean_name,
    clean_speaker,
    param_list,
)

from . import lifecycle
from .config import AWAY_SECONDS, GONE_SECONDS, STAND_IN
from .lifecycle import kick, remember_guest
from .people import Person, SeatedBot, bot_label, bot_name, first_free, is_taken, unique_name
from .state import LogLine, TableState

# Requests of the owner: seats, who begins, rules, pauses, and guests who ask to come in
#
# Each function carries out its request, or raises `RefusedError` or `RecordError` and changes
# nothing.


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
    room.config = replace(room.config, rules=room.config.rules.changed(request))
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
    if not room.config.rules.anybody_lets_in:
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


# Requests about people at the table: join, leave, chat, get ready, rename, add bots, kick, start


def hello(room: TableState, key: str, request: Hello) -> None:
    """Let somebody join, or return to their seat; a name that is taken gets a number appended."""
    name = _wanted_name(request)
    person = room.people.find(key)
    if person is None:
        person = Person(key, unique_name(name, room.people.names()), room.now)
        _let_in(room, person, request.role == "player")
        return
    person.left = False
    present(room, person)
    is_spectator = key in room.people.spectators
    if request.role == "player" and is_spectator:
        _let_in(room, person, plays=True)
    elif request.role == "spectator" and room.stage == "lobby" and not is_spectator:
        _let_in(room, person, plays=False)


def _let_in(room: TableState, person: Person, plays: bool) -> None:
    if plays:
        seat = _seat_for_newcomer(room)
        remember_guest(room, person.key)
        room.people.take_seat(seat, person)
        room.tell_change(person.name, "joined")
        return
    if len(room.people.spectators) >= MAX_SPECTATORS:
        raise RefusedError("too_many_spectators", most=MAX_SPECTATORS)
    remember_guest(room, person.key)
    room.people.add_spectator(person)
    room.tell_change(person.name, "watching")


def _seat_for_newcomer(room: TableState) -> Seat:
    """Return an open seat; raises `table_full`.

    While enough people stay for a rematch, the result remains and its seats keep their names.
    With fewer, the table returns to the lobby so that it can fill up again.
    """
    people = room.people
    if room.stage == "result" and len(people.staying()) < MIN_PLAYERS:
        lifecycle.back_to_lobby(room)
    if room.stage == "game":
        raise RefusedError("table_full", reason="game")
    seat = people.open_seat()
    if seat is None:
        raise RefusedError("table_full", seats=len(people.places))
    return seat


def present(room: TableState, person: Person) -> None:
    """Note a sign of life; somebody who was away takes over from the stand-in bot."""
    person.seen, person.heard = room.now, True
    if person.away:
        person.away = False
        room.tell_change(person.name, "back")


def bye(room: TableState, person: Person) -> None:
    """Let somebody leave; a seat is kept during a game and its result."""
    if room.stage == "lobby" or person.key in room.people.spectators:
        room.people.take_out(person)
    else:
        person.left = person.away = True
        person.ready = False
    room.tell_change(person.name, "left")


def check_presence(room: TableState) -> None:
    """Mark people away after `AWAY_SECONDS` of silence, and give them up after `GONE_SECONDS`."""
    for person in [*room.people.everybody()]:
        silent = room.now - person.seen
        is_spectator = person.key in room.people.spectators
        if silent > GONE_SECONDS and not person.left and (is_spectator or room.stage != "game"):
            bye(room, person)
            room.wait_for_return()
        elif silent > AWAY_SECONDS and not is_spectator and not person.away:
            person.away = True
            room.tell_change(person.name, "away")


def let_owner_go(room: TableState) -> None:
    """Let the owner leave, unless they have left already."""
    owner = room.people.find(room.config.owner)
    if owner is not None and not owner.left:
        bye(room, owner)


def chat(room: TableState, person: Person, request: Chat) -> None:
    """Broadcast a line of chat."""
    text = clean_chat(request.text)
    if not text:
        raise RefusedError("bad_text")
    room.tell(LogLine(Said(person.name, text)))


def emote(room: TableState, person: Person, request: Emote) -> None:
    """Tell everybody an emote; unlike chat it is of the moment, so the log does not keep it."""
    if room.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    room.tell_briefly(Emoted(person.name, request.emote))


def ready(room: TableState, person: Person, request: Ready) -> None:
    """Set or clear somebody's ready flag for the next game."""
    if room.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    room.check_stage("lobby", "result")
    if person.ready != request.ready:
        person.ready = request.ready
        room.tell()


def set_mark(room: TableState, person: Person, request: SetMark) -> None:
    """Set somebody's letter and colour; the next free ones if others have chosen them first."""
    if room.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    room.check_stage("lobby", "result")
    others = [one for _seat, one in room.people.seated() if one is not person]
    letter = first_free(request.letter, [one.letter for one in others], LETTERS)
    colour = first_free(request.colour, [one.colour for one in others], MAX_PLAYERS)
    if (letter, colour) != (person.letter, person.colour):
        person.letter, person.colour = letter, colour
        room.tell()


def rename(room: TableState, person: Person, request: Rename) -> None:
    """Change somebody's name; refuse a taken one, which `hello` would number."""
    room.check_stage("lobby")
    name = _wanted_name(request)
    if is_taken(name, room.people.names(but=person)):
        raise RefusedError("name_taken", name=name)
    if name == person.name:
        return
    room.tell(LogLine(Renamed(person.name, name)))
    room.note("renamed", name=name, before=person.name)
    person.name = name


def add_bot(room: TableState, person: Person, request: AddBot) -> None:
    """Seat a bot."""
    room.check_owner(person)
    room.check_stage("lobby", "result")
    kind = kind_now(request.bot)
    if kind not in room.config.bots:
        raise RefusedError(
            "unknown_bot", bot=clean_name(request.bot), bots=param_list(room.config.bots)
        )
    room.check_seat(request.seat)
    if name := room.people.name_at(request.seat):
        raise RefusedError("seat_not_free", seat=request.seat, name=name)
    seat_bot(room, request.seat, kind)


def seat_bot(room: TableState, seat: Seat, kind: str) -> SeatedBot:
    """Seat a bot in place of the person or bot there."""
    bot = SeatedBot(kind, bot_name(bot_label(kind), room.people.names()))
    room.people.take_seat(seat, bot)
    room.tell()
    room.note("bot_seated", name=bot.name)
    return bot


def remove(room: TableState, person: Person, request: Remove) -> None:
    """Kick a bot or a person; during a game a bot takes over the person's seat for good."""
    room.check_owner(person)
    room.check_seat(request.seat)
    place = room.people.places[request.seat]
    if place is None or place is person:
        raise room.no_such_seat(request.seat, "own" if place else "open")
    if isinstance(place, SeatedBot):
        room.check_stage("lobby", "result")
    else:
        kick(room, place.key)
    if room.stage == "game":
        seat_bot(room, request.seat, STAND_IN)
        room.tell_change(place.name, "replaced_by_bot")
    else:
        room.people.take_out(place)
        room.tell_change(place.name, "removed")


def remove_spectator(room: TableState, person: Person, request: RemoveSpectator) -> None:
    """Kick a spectator."""
    room.check_owner(person)
    others = (one for one in room.people.spectators.values() if one is not person)
    found = next((one for one in others if one.name == request.name), None)
    if found is None:
        raise RefusedError("no_such_spectator", name=clean_name(request.name))
    kick(room, found.key)
    room.people.take_out(found)
    room.tell_change(found.name, "removed")


def start(room: TableState, person: Person, _request: Start) -> None:
    """Start a game or a rematch with everybody who stays."""
    room.check_owner(person)
    room.check_stage("lobby", "result")
    if room.all_played:
        raise RefusedError("wrong_stage", stage=room.stage, reason="all_played")
    have = len(room.people.staying())
    if have < MIN_PLAYERS:
        raise RefusedError("too_few_players", needs=MIN_PLAYERS, have=have)
    if missing := room.people.not_ready(room.config.owner):
        raise RefusedError("not_ready", who=param_list(missing))
    lifecycle.begin(room)


def _wanted_name(request: Hello | Rename) -> str:
    """Return the requested name, sanitized; raises `bad_text` if nothing of it is left."""
    name = clean_speaker(request.name)
    if not name:
        raise RefusedError("bad_text")
    return name


CHANGES: Final[dict[type, Callable[[TableState, Person, Any], None]]] = {
    Chat: chat,
    Emote: emote,
    Ready: ready,
    Rename: rename,
    SetMark: set_mark,
    AddBot: add_bot,
    Remove: remove,
    RemoveSpectator: remove_spectator,
    Start: start,
    **OWNER_CHANGES,
}
"""Handlers of the requests answered with `Done`, except `Bye`."""
