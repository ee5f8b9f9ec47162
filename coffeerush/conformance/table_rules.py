"""Rules for hosts: the people at a table, outside a game."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from protocol import (
    MAX_PLAYERS,
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Done,
    Emote,
    Emoted,
    EndTurn,
    GetView,
    Hello,
    LetIn,
    MoveSeat,
    PeopleChanged,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Renamed,
    Request,
    Said,
    SeatsMoved,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    Snapshot,
    Start,
    Submit,
    Tick,
)

from .door_rules import check_door
from .rules import Departure, NotTried, Rule, Rules, expect
from .tour import Role, Tour, described, expected
from .visitor import events, new_id

_INVISIBLE: Final = "\u200b"
TABLE_RULES: Final = Rules()


@TABLE_RULES("Hello", "players get the open seats, and names of their own")
def _take_seats(tour: Tour) -> None:
    first = tour.new_visitor(tour.owner)
    answer = tour.hello(first, "Conny")
    if isinstance(answer, Snapshot) and not answer.owner:
        tour.owner = None
    if isinstance(answer, Refused) and answer.refusal.code == "table_full":
        raise NotTried("no seat is open")
    while isinstance(answer, Snapshot) and answer.seat is not None:
        expect(len(tour.players) < MAX_PLAYERS, "more players than a table has seats")
        tour.players.append(tour.all[-1])
        expect(answer.table.seats[answer.seat].status == "person", "the seat is not taken")
        names = [one.name for one in answer.table.seats if one.name]
        expect(len({name.casefold() for name in names}) == len(names), f"names: {names}")
        if all(one.status != "open" for one in answer.table.seats):
            return
        answer = tour.hello(tour.new_visitor(), "Conny")
    raise Departure(described(answer))


@TABLE_RULES("Hello", "spectators join, and everybody is told")
def _watch(tour: Tour) -> None:
    peer, since = tour.new_visitor(), tour.mark()
    answer = tour.hello(peer, "Vera", "spectator")
    if isinstance(answer, Refused) and answer.refusal.code == "too_many_spectators":
        raise NotTried("there are too many spectators")
    table = expected(Snapshot, answer).table
    expect(peer.seat is None, f"a spectator has seat {peer.seat}")
    expect(peer.name in table.spectators, "the spectator is not at the table")
    peer.wait(bool, "a tick")
    tour.watching.append(peer)
    tour.hear_event(PeopleChanged(peer.name, "watching"), since)


@TABLE_RULES("Hello", "a key that has a seat keeps it, and its name")
def _come_again(tour: Tour) -> None:
    peer = tour.player
    seat, name = peer.seat, peer.name
    tour.hello(peer, "Somebody else")
    expect((peer.seat, peer.name) == (seat, name), f"seat {peer.seat} of {peer.name}")


@TABLE_RULES("Intents exactly once", "a repeat gets the same answer and is done once")
def _repeat(tour: Tour) -> None:
    peer, since = tour.player, tour.mark()
    line = Chat(new_id(), "once")
    expect(peer.ask(line) == peer.ask(line) == Done(line.id), "a repeat gets another answer")
    tour.check_refused(peer, Chat(line.id, "twice"), "id_reused")
    tour.check_refused(peer, Start(line.id), "id_reused")
    tour.check_done(tour.spectator, Chat(line.id, "my own id"))
    tour.hear_event(said := Said(peer.name, "once"), since)
    heard = tour.stranger.heard
    tour.stranger.wait(lambda _new: isinstance(heard[-1], Tick), "a tick")
    expect(events(heard[since:]).count(said) == 1, "a repeat is published again")


@TABLE_RULES("Text", "the host sanitizes chat lines")
def _sanitize(tour: Tour) -> None:
    peer = tour.spectator
    tour.check_told(peer, Chat(new_id(), f"a{_INVISIBLE} \t b"), Said(peer.name, "a b"))


@TABLE_RULES("Rename", "a new name is told to everybody")
def _rename(tour: Tour) -> None:
    tour.check_lobby()
    peer, name = tour.spectator, "Vera Vera"
    tour.check_told(peer, Rename(new_id(), name), Renamed(peer.name, name))
    tour.check_done(peer, Rename(new_id(), peer.name))


Case = tuple[str, str, str, Callable[[Tour], Request], str]
"""Section, text, who of the tour asks, for what, and the code."""


LOBBY_REFUSALS: Final[tuple[Case, ...]] = (
    ("Hello", "a name of nothing", "stranger",
     lambda t: Hello(new_id(), PROTOCOL_VERSION, _INVISIBLE, "spectator"), "bad_text"),
    ("Hello", "a table without an open seat", "stranger",
     lambda t: Hello(new_id(), PROTOCOL_VERSION, "Late", "player"), "table_full"),
    ("Submit", "an intent of a spectator", "spectator",
     lambda t: Submit(new_id(), 1, 0, EndTurn()), "not_seated"),
    ("Submit", "an intent before the game", "player",
     lambda t: Submit(new_id(), 9, 9, EndTurn()), "wrong_stage"),
    ("Chat", "a line of nothing", "player", lambda t: Chat(new_id(), _INVISIBLE), "bad_text"),
    ("Ready", "a spectator who is ready", "spectator",
     lambda t: Ready(new_id(), True), "not_seated"),
    ("Rename", "a name that is taken", "spectator",
     lambda t: Rename(new_id(), t.player.name.swapcase()), "name_taken"),
    ("Rename", "a name of nothing", "player",
     lambda t: Rename(new_id(), _INVISIBLE), "bad_text"),
    ("Start", "starting without being the owner", "spectator",
     lambda t: Start(new_id()), "not_owner"),
    ("AddBot", "adding a bot without being the owner", "spectator",
     lambda t: AddBot(new_id(), 3, "nothing"), "not_owner"),
    ("Remove", "removing without being the owner", "spectator",
     lambda t: Remove(new_id(), 3), "not_owner"),
    ("RemoveSpectator", "removing a spectator without being the owner", "second",
     lambda t: RemoveSpectator(new_id(), "Nobody"), "not_owner"),
    ("MoveSeat", "moving seats without being the owner", "second",
     lambda t: MoveSeat(new_id(), 0, 1), "not_owner"),
    ("SetFirst", "choosing who begins without being the owner", "spectator",
     lambda t: SetFirst(new_id(), None), "not_owner"),
    ("Emote", "an emote of a spectator", "spectator",
     lambda t: Emote(new_id(), "wow"), "not_seated"),
    ("SetMark", "a mark of a spectator", "spectator",
     lambda t: SetMark(new_id(), 0, 0), "not_seated"),
    ("SetRules", "changing rules without being the owner", "second",
     lambda t: SetRules(new_id(), 60, 0, False), "not_owner"),
    ("LetIn", "letting a guest in without being the owner", "second",
     lambda t: LetIn(new_id(), 1), "not_owner"),
    ("LetIn", "letting a guest in who does not ask", "owning",
     lambda t: LetIn(new_id(), 999), "no_such_guest"),
    ("SetPause", "a pause without being the owner", "second",
     lambda t: SetPause(new_id(), True, "?"), "not_owner"),
    ("SetPause", "a pause outside a game", "owning",
     lambda t: SetPause(new_id(), True, "?"), "wrong_stage"),
    ("AddBot", "a kind of bot that there is not", "owning",
     lambda t: AddBot(new_id(), 0, "nothing"), "unknown_bot"),
    ("AddBot", "a bot on a seat that is taken", "owning",
     lambda t: AddBot(new_id(), t.owning.seat or 0, t.table().bots[0]), "seat_not_free"),
    ("Remove", "the owner's own seat", "owning",
     lambda t: Remove(new_id(), t.owning.seat or 0), "no_such_seat"),
    ("RemoveSpectator", "a spectator who is not there", "owning",
     lambda t: RemoveSpectator(new_id(), "Nobody"), "no_such_spectator"),
)  # fmt: skip


def refusal(case: Case) -> Rule:
    """Return the rule that a request is refused with a code."""
    section, text, who, request, code = case

    def check(tour: Tour) -> None:
        tour.check_refused(getattr(tour, who), request(tour), code)

    return Rule(section, f"{text}: `{code}`", check)


TABLE_RULES.extend(map(refusal, LOBBY_REFUSALS))


@TABLE_RULES("MoveSeat", "seats change places, and everybody is told")
def _move_seats(tour: Tour) -> None:
    tour.check_lobby()
    owner, other = tour.owning, tour.second
    seats = (owner.seat or 0, other.seat or 0)
    old_seats = [*range(len(tour.table().seats))]
    old_seats[seats[0]], old_seats[seats[1]] = seats[1], seats[0]
    request = MoveSeat(new_id(), *seats)
    tour.check_told(owner, request, SeatsMoved(tuple(old_seats)))
    moved = (tour.snapshot(owner).seat, tour.snapshot(other).seat)
    expect(moved == seats[::-1], f"the seats {seats} are now {moved}")
    tour.check_done(owner, replace(request, id=new_id()))


@TABLE_RULES("SetFirst", "the table shows who will begin")
def _set_first(tour: Tour) -> None:
    for seat in (tour.owning.seat, None):
        tour.check_done(tour.owning, SetFirst(new_id(), seat))
        expect(tour.table().first == seat, f"{tour.table().first} begins instead of {seat}")


@TABLE_RULES("Emote", "an emote is told to everybody, and not kept")
def _emote(tour: Tour) -> None:
    peer = tour.player
    event = Emoted(peer.name, "wow")
    tour.check_told(peer, Emote(new_id(), "wow"), event)
    expect(event not in tour.snapshot(peer).log, "the log has an emote")


@TABLE_RULES("Marks", "no two seats have the same letter, or the same colour")
def _set_marks(tour: Tour) -> None:
    tour.check_lobby()
    for peer, marks in ((tour.player, (25, 3)), (tour.second, (0, 0))):
        tour.check_done(peer, SetMark(new_id(), 25, 3))
        seat = tour.table().seats[peer.seat or 0]
        expect((seat.letter, seat.colour) == marks, f"the marks are not {marks}: {seat}")
    for peer in (tour.player, tour.second):
        tour.check_done(peer, SetMark(new_id()))


@TABLE_RULES("SetRules", "the table shows the rules that its owner sets")
def _set_rules(tour: Tour) -> None:
    was = tour.table()
    back = SetRules(
        new_id(), was.turn_seconds, was.bot_seconds, was.hints, was.letting_in.by_anybody
    )
    for rules in (SetRules(new_id(), 90, 1, not was.hints, not was.letting_in.by_anybody), back):
        tour.check_done(tour.owning, rules)
        now = tour.table()
        shown = (now.turn_seconds, now.bot_seconds, now.hints, now.letting_in.by_anybody)
        wanted = (rules.turn_seconds, rules.bot_seconds, rules.hints, rules.anybody_lets_in)
        expect(shown == wanted, f"the rules are {shown} instead of {wanted}")


@TABLE_RULES("Start", "starting while somebody is not ready: `not_ready`")
def _start_early(tour: Tour) -> None:
    owner, _not_ready = tour.owning, tour.second
    tour.check_refused(owner, Start(new_id()), "not_ready")


@TABLE_RULES("Bye", "who leaves the lobby has to say hello again")
def _leave(tour: Tour) -> None:
    peer = tour.players[-1] if len(tour.players) > 1 else tour.spectator
    tour.check_told(peer, Bye(new_id()), PeopleChanged(peer.name, "left"))
    tour.check_refused(peer, GetView(new_id()), "say_hello")
    role: Role = "spectator" if peer.seat is None else "player"
    expected(Snapshot, tour.hello(peer, peer.name, role))


@TABLE_RULES("Staying in step", "a snapshot is the latest update")
def _sync(tour: Tour) -> None:
    peer = tour.spectator
    tour.check_done(peer, Chat(new_id(), "sync"))
    answer = tour.snapshot(peer)
    peer.wait(lambda heard: heard and heard[-1].seq >= answer.seq, "an update")
    latest, parts = tour.latest(), ("epoch", "seq", "game", "rev", "table")
    other = [name for name in parts if getattr(latest, name, None) != getattr(answer, name)]
    expect(not other, f"the latest update differs from the snapshot in {', '.join(other)}")


@TABLE_RULES("Limits", "too many requests get `too_fast`, and may be sent again")
def _too_fast(tour: Tour) -> None:
    peer, bodies = tour.spectator, [GetView(new_id()) for _ in range(70)]
    answers = [peer.ask(one, patient=False) for one in bodies]
    refused = [one for one in answers if isinstance(one, Refused)]
    expect({one.refusal.code for one in refused} <= {"too_fast"}, "another refusal than too_fast")
    if not refused:
        raise NotTried("this connection is too slow to exceed the limit")
    expect(not isinstance(peer.ask(bodies[-1]), Refused), "it stays too fast")


@TABLE_RULES("Presence", "who is kicked gets `removed`; a bot can have the seat")
def _kick(tour: Tour) -> None:
    owner, _not_alone, guest = tour.owning, tour.second, tour.new_visitor()
    gone = tour.players[-1]
    tour.hello(guest, "Gast", "spectator")
    seat, bot = gone.seat or 0, tour.table().bots[0]
    tour.kick(guest, RemoveSpectator(new_id(), guest.name))
    tour.kick(gone, Remove(new_id(), seat))
    for one in (guest, gone):
        check_door(tour, one.keys, "removed")
    tour.check_done(owner, AddBot(new_id(), seat, bot))
    tour.check_done(owner, Remove(new_id(), seat))
    tour.check_refused(owner, Remove(new_id(), seat), "no_such_seat")
    tour.check_done(owner, AddBot(new_id(), seat, bot))
    tour.catch_up()
