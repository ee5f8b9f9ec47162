"""Requests at a table: of everybody about people, and of the owner about how it plays."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from msgspec.structs import replace

from coffeerush.levels import kind_now
from coffeerush.records.entries import Paused
from protocol import (
    MAX_PLAYERS,
    MAX_SPECTATORS,
    MIN_PLAYERS,
    STAND_IN_SECONDS,
    AddBot,
    Asker,
    Chat,
    Emote,
    Emoted,
    GamePaused,
    Hello,
    LetIn,
    MoveSeat,
    Queue,
    QueueFirst,
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
    StandUp,
    Start,
    TournamentRules,
    clean_chat,
    clean_name,
    clean_speaker,
    param_list,
)

from . import lifecycle
from .config import AWAY_SECONDS, GONE_SECONDS, STAND_IN
from .lifecycle import kick, remember_guest
from .people import (
    Called,
    Person,
    SeatedBot,
    bot_name,
    described,
    is_taken,
    unique_name,
)
from .queue import ask_again, put_first, set_waiting, stand_up
from .state import LogLine, TableState

# Requests of the owner: seats, who begins, rules, pauses, and guests who ask to come in
#
# Each function carries out its request, or raises `RefusedError` or `RecordError` and changes
# nothing.


def move_seat(table: TableState, person: Person, request: MoveSeat) -> None:
    """Exchange two seats."""
    table.check_owner(person)
    table.check_stage("lobby")
    seat, to = request.seat, request.to
    table.check_seat(seat)
    table.check_seat(to)
    if seat == to:
        return
    old_seats = [*range(len(table.people.places))]
    old_seats[seat], old_seats[to] = to, seat
    table.move_seats(old_seats)
    table.tell(LogLine(SeatsMoved(tuple(old_seats))))


def set_first(table: TableState, person: Person, request: SetFirst) -> None:
    """Choose who begins the next game."""
    table.check_owner(person)
    table.check_stage("lobby", "result")
    if request.seat is None:
        table.choose_first("draw")
    else:
        table.check_seat(request.seat)
        place = table.people.places[request.seat]
        if place is None or place not in table.people.staying():
            raise table.no_such_seat(request.seat, "open")
        table.choose_first(place)
    table.tell()


def set_rules(table: TableState, person: Person, request: SetRules) -> None:
    """Change the rules of the games to come."""
    table.check_owner(person)
    table.check_stage("lobby", "result")
    table.config = replace(table.config, rules=table.config.rules.changed(request))
    table.tell()


def set_pause(table: TableState, person: Person, request: SetPause) -> None:
    """Pause the game, or let it go on."""
    if request.paused or not _may_stand_in(table):
        table.check_owner(person)
    elif table.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    table.check_stage("game")
    game = table.playing
    assert game is not None, "the stage says so"
    if not request.paused:
        if game.pause is not None:
            lifecycle.end_pause(table, person.name)
        return
    reason = clean_chat(request.reason)
    table.journals.append(Paused(reason))
    game.stop_clock(reason, table.now)
    table.tell(LogLine(GamePaused(person.name, reason)))
    table.note("paused", name=person.name)


def _may_stand_in(table: TableState) -> bool:
    """Return whether the owner is not here, so that any player may end a pause."""
    owner = table.people.find(table.config.owner)
    return owner is None or owner.left or owner.away


def note_asking(table: TableState, asking: Sequence[Asker]) -> None:
    """Publish who asks to come in, but for those who have an answer that is still on its way."""
    named = {asker.guest for asker in asking}
    table.let_in = {guest: may for guest, may in table.let_in.items() if guest in named}
    left = [asker for asker in asking if asker.guest not in table.let_in]
    clean = tuple(Asker(asker.guest, name) for asker in left if (name := clean_speaker(asker.name)))
    if clean != table.asking:
        table.asking = clean
        table.tell()


def let_in(table: TableState, person: Person, request: LetIn) -> None:
    """Let a guest come in who asks to, or turn them away."""
    if not table.opens_to_anybody:
        table.check_owner(person)
    asker = next((asker for asker in table.asking if asker.guest == request.guest), None)
    if asker is None:
        raise RefusedError("no_such_guest")
    table.asking = tuple(other for other in table.asking if other is not asker)
    table.let_in[asker.guest] = request.allowed
    table.tell()
    table.note("let_in" if request.allowed else "turned_away", name=person.name, guest=asker.name)


OWNER_CHANGES: Final[dict[type, Callable[[TableState, Person, Any], None]]] = {
    MoveSeat: move_seat,
    SetFirst: set_first,
    SetRules: set_rules,
    SetPause: set_pause,
    LetIn: let_in,
}
"""Handlers of these requests, all answered with `Done`."""


# Requests about people at the table: join, leave, chat, get ready, rename, add bots, kick, start


def hello(table: TableState, key: str, request: Hello, address: str = "") -> None:
    """Let somebody join, or return to their seat; a name that is taken gets a number appended."""
    _welcome(table, key, request)
    person = table.people.find(key)
    if person is not None and person.standby != request.standby:
        person.standby = request.standby
        table.tell()
    if person is not None:
        person.address, person.keeps = address, request.keeps


def _welcome(table: TableState, key: str, request: Hello) -> None:
    name = _wanted_name(request)
    person = table.people.find(key)
    if person is None:
        person = Person(key, unique_name(name, table.people.names()), table.now)
        _let_in(table, person, request.role == "player")
        return
    person.left = person.called = False
    present(table, person)
    is_spectator = key in table.people.spectators
    if request.role == "player" and is_spectator:
        _let_in(table, person, plays=True)
    elif request.role == "spectator" and table.stage == "lobby" and not is_spectator:
        _let_in(table, person, plays=False)


def _let_in(table: TableState, person: Person, plays: bool) -> None:
    if plays:
        seat = _seat_for_newcomer(table)
        remember_guest(table, person.key)
        table.people.take_seat(seat, person)
        table.tell_change(person.name, "joined")
        return
    if len(table.people.spectators) >= MAX_SPECTATORS:
        raise RefusedError("too_many_spectators", most=MAX_SPECTATORS)
    remember_guest(table, person.key)
    table.people.add_spectator(person)
    table.tell_change(person.name, "watching")


def _seat_for_newcomer(table: TableState) -> Seat:
    """Return a seat that is open, or was left after a game; raises `table_full`.

    If too few stay for a rematch, the table returns to the lobby so that it can fill up again.
    """
    people = table.people
    if table.stage == "result" and len(people.staying()) < MIN_PLAYERS:
        lifecycle.back_to_lobby(table)
    if table.stage == "game":
        raise RefusedError("table_full", reason="game")
    seat = people.vacant_seat()
    if seat is None:
        raise RefusedError("table_full", seats=len(people.places))
    return seat


def present(table: TableState, person: Person) -> None:
    """Note a sign of life; somebody who was away takes over from the stand-in bot."""
    person.seen, person.heard = table.now, True
    if person.away:
        person.away = person.replaced = False
        table.tell_change(person.name, "back")


def bye(table: TableState, person: Person, stand_in: bool = False, to: str = "") -> None:
    """Let somebody leave; a seat is kept during a game and its result.

    If `stand_in`, a bot plays for them at once. `to` is the name of the table that they go over to.
    """
    if table.stage == "lobby" or person.key in table.people.spectators:
        table.people.take_out(person)
    else:
        person.left = person.away = True
        person.ready = False
        person.replaced |= stand_in
    ask_again(table)
    table.tell_departure(person.name, to)


def check_presence(table: TableState) -> None:
    """Mark people away after `AWAY_SECONDS` of silence, and give them up after `GONE_SECONDS`.

    `STAND_IN_SECONDS` after they went away from a game, or left it, a bot plays for them.
    """
    for person in [*table.people.everybody()]:
        silent = table.now - person.seen
        is_spectator = person.key in table.people.spectators
        if silent > GONE_SECONDS and not person.left and (is_spectator or table.stage != "game"):
            bye(table, person)
            table.wait_for_return()
        elif silent > AWAY_SECONDS and not is_spectator and not person.away:
            person.away = True
            table.tell_change(person.name, "away")
        elif table.stage == "game" and person.away and not person.replaced:
            present = 0 if person.left else AWAY_SECONDS
            if silent > present + STAND_IN_SECONDS:
                person.replaced = True
                table.tell()


def let_go(table: TableState, key: str, stand_in: bool = False, to: str = "") -> None:
    """Let somebody leave, unless they have left already; see `bye`."""
    person = table.people.find(key)
    if person is not None and not person.left:
        bye(table, person, stand_in, to)


def chat(table: TableState, person: Person, request: Chat) -> None:
    """Broadcast a line of chat, which names the table if it is for the whole hall."""
    text = clean_chat(request.text)
    if not text:
        raise RefusedError("bad_text")
    where = clean_speaker(table.config.name) or "…"
    table.tell(LogLine(Said(person.name, text, where if request.hall else "")))


def emote(table: TableState, person: Person, request: Emote) -> None:
    """Tell everybody an emote; unlike chat it is of the moment, so the log does not keep it."""
    if table.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    table.tell_briefly(Emoted(person.name, request.emote))


def ready(table: TableState, person: Person, request: Ready) -> None:
    """Set or clear somebody's ready flag for the next game."""
    if table.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    table.check_stage("lobby", "result")
    if person.ready != request.ready:
        person.ready = request.ready
        table.tell()


def set_mark(table: TableState, person: Person, request: SetMark) -> None:
    """Set somebody's letter and colour; the next free ones if others have chosen them first."""
    if table.people.seat_of(person.key) is None:
        raise RefusedError("not_seated")
    table.check_stage("lobby", "result")
    before = person.letter, person.colour
    table.people.mark(person, request.letter, request.colour)
    if (person.letter, person.colour) != before:
        table.tell()


def rename(table: TableState, person: Person, request: Rename) -> None:
    """Change somebody's name; refuse a taken one, which `hello` would number."""
    table.check_stage("lobby")
    name = _wanted_name(request)
    if is_taken(name, table.people.names(but=person)):
        raise RefusedError("name_taken", name=name)
    if name == person.name:
        return
    table.tell(LogLine(Renamed(person.name, name)))
    table.note("renamed", name=name, before=person.name)
    person.name = name


def rename_table(table: TableState, name: str) -> None:
    """Change the name of the table, which is sanitized already."""
    before = table.config.name
    if name != before:
        table.config = replace(table.config, name=name)
        table.tell()
        table.note("table_renamed", before=before, name=name)


def add_bot(table: TableState, person: Person, request: AddBot) -> None:
    """Seat a bot of a known kind on an open seat, for the owner, between games."""
    table.check_owner(person)
    table.check_stage("lobby", "result")
    kind = kind_now(request.bot)
    if kind not in table.config.bots:
        raise RefusedError(
            "unknown_bot", bot=clean_name(request.bot), bots=param_list(table.config.bots)
        )
    table.check_seat(request.seat)
    if name := table.people.name_at(request.seat):
        raise RefusedError("seat_not_free", seat=request.seat, name=name)
    seat_bot(table, request.seat, kind)


def seat_bot(
    table: TableState, seat: Seat, kind: str, elsewhere: Collection[str] = ()
) -> SeatedBot:
    """Seat a bot in place of the person or bot there; `elsewhere` as in `bot_name`."""
    bot = SeatedBot(kind, bot_name(kind, seat, table.people.names(), elsewhere))
    table.people.take_seat(seat, bot)
    table.tell()
    table.note("bot_seated", name=described(bot))
    return bot


def seat_for_round(
    table: TableState, players: Sequence[Called], agreed: TournamentRules, bots: Collection[str]
) -> None:
    """Seat people for the hall, and bots up to four if wanted, for a game that is due.

    `bots` are the names of those at other tables.
    """
    seats = len(players) if agreed.fill is None else MAX_PLAYERS
    rules = table.config.rules.in_tournament(agreed)
    table.config = replace(table.config, seats=seats, rules=rules, first="")
    table.people.have_seats(seats)
    for seat, called in enumerate(players):
        person = Person(
            called.key,
            called.name,
            table.now,
            letter=called.letter,
            colour=called.colour,
            heard=False,
            called=True,
        )
        table.people.take_seat(seat, person)
    for seat in range(len(players), seats):
        assert agreed.fill is not None, "only bots fill seats up"
        seat_bot(table, seat, agreed.fill, bots)
    table.due_game = table.number + 1


def remove(table: TableState, person: Person, request: Remove) -> None:
    """Kick a bot or a person; during a game a bot takes over the person's seat for good."""
    table.check_owner(person)
    table.check_seat(request.seat)
    place = table.people.places[request.seat]
    if place is None or place is person:
        raise table.no_such_seat(request.seat, "own" if place else "open")
    if isinstance(place, SeatedBot):
        table.check_stage("lobby", "result")
    else:
        kick(table, place.key)
    if table.stage == "game":
        seat_bot(table, request.seat, STAND_IN)
        table.tell_change(place.name, "replaced_by_bot")
    else:
        table.people.take_out(place)
        table.tell_change(place.name, "removed")


def remove_spectator(table: TableState, person: Person, request: RemoveSpectator) -> None:
    """Bar a spectator from the table for good, for the owner."""
    table.check_owner(person)
    others = (other for other in table.people.spectators.values() if other is not person)
    found = next((other for other in others if other.name == request.name), None)
    if found is None:
        raise RefusedError("no_such_spectator", name=clean_name(request.name))
    kick(table, found.key)
    table.people.take_out(found)
    table.tell_change(found.name, "removed")


def start(table: TableState, person: Person, _request: Start) -> None:
    """Start a game or a rematch with everybody who stays.

    Anybody with a seat may at a table where no owner has one, or they could only wait.
    """
    if table.owner_seat is not None or table.people.seat_of(person.key) is None:
        table.check_owner(person)
    table.check_stage("lobby", "result")
    if table.all_played:
        raise RefusedError("wrong_stage", stage=table.stage, reason="all_played")
    if table.is_held:
        raise RefusedError("wrong_stage", stage=table.stage, reason="tournament")
    have = len(table.people.staying())
    if have < MIN_PLAYERS:
        raise RefusedError("too_few_players", needs=MIN_PLAYERS, have=have)
    if missing := table.people.not_ready(person.key):
        raise RefusedError("not_ready", who=param_list(missing))
    lifecycle.begin(table)


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
    Queue: set_waiting,
    QueueFirst: put_first,
    StandUp: stand_up,
    Start: start,
    **OWNER_CHANGES,
}
"""Handlers of the requests answered with `Done`, except `Bye`."""
