"""Rules for hosts: the people at a table, outside a game."""

from collections.abc import Callable, Sequence
from typing import Final

from protocol import (
    MAX_PLAYERS,
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Done,
    EndTurn,
    Event,
    GetView,
    Hello,
    PeopleChanged,
    Publication,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Renamed,
    Request,
    Said,
    Snapshot,
    Start,
    Submit,
    Tick,
    Update,
)

from .door_rules import door_refusal, enrol_line
from .rules import Departure, NotTried, Rule, expect
from .tour import Tour, described, expected
from .visitor import new_id

_INVISIBLE: Final = "\u200b"


def events(heard: Sequence[Publication]) -> list[Event]:
    """Return the events that were published."""
    return [event for one in heard if isinstance(one, Update) for event in one.events]


def hear_event(tour: Tour, event: Event, since: int) -> None:
    """Wait until an event is published."""
    tour.stranger.wait(lambda heard: event in events(heard), f"{event}", since)


def mark(tour: Tour) -> int:
    """Return how much the stranger has heard so far."""
    tour.stranger.hear()
    return len(tour.stranger.heard)


def _take_seats(tour: Tour) -> None:
    first = tour.new_visitor(tour.owner)
    answer = tour.hello(first, "Conny")
    if isinstance(answer, Snapshot) and not answer.owner:
        tour.owner = None
    if isinstance(answer, Refused) and answer.refusal.code == "table_full":
        raise NotTried("no seat is open")
    while isinstance(answer, Snapshot) and answer.seat is not None:
        expect(len(tour.players) < MAX_PLAYERS, "more players than a table has seats")
        peer = tour.all[-1]
        tour.players.append(peer)
        expect(answer.table.seats[answer.seat].status == "person", "the seat is not taken")
        names = [one.name for one in answer.table.seats if one.name]
        expect(len({name.casefold() for name in names}) == len(names), f"names: {names}")
        if all(one.status != "open" for one in answer.table.seats):
            return
        answer = tour.hello(tour.new_visitor(), "Conny")
    raise Departure(described(answer))


def _watch(tour: Tour) -> None:
    peer, since = tour.new_visitor(), mark(tour)
    answer = tour.hello(peer, "Vera", "spectator")
    if isinstance(answer, Refused) and answer.refusal.code == "too_many_spectators":
        raise NotTried("there are too many spectators")
    table = expected(Snapshot, answer).table
    expect(peer.seat is None, f"a spectator has seat {peer.seat}")
    expect(peer.name in table.spectators, "the spectator is not at the table")
    peer.wait(bool, "a tick")
    tour.watching.append(peer)
    hear_event(tour, PeopleChanged(peer.name, "watching"), since)


def _come_again(tour: Tour) -> None:
    peer = tour.player
    seat, name = peer.seat, peer.name
    tour.hello(peer, "Somebody else")
    expect((peer.seat, peer.name) == (seat, name), f"seat {peer.seat} of {peer.name}")


def _repeat(tour: Tour) -> None:
    peer, since = tour.player, mark(tour)
    line = Chat(new_id(), "once")
    expect(peer.ask(line) == peer.ask(line) == Done(line.id), "a repeat gets another answer")
    tour.check_refused(peer, Chat(line.id, "twice"), "id_reused")
    tour.check_refused(peer, Start(line.id), "id_reused")
    tour.check_done(tour.spectator, Chat(line.id, "my own id"))
    hear_event(tour, said := Said(peer.name, "once"), since)
    heard = tour.stranger.heard
    tour.stranger.wait(lambda _new: isinstance(heard[-1], Tick), "a tick")
    expect(events(heard[since:]).count(said) == 1, "a repeat is published again")


def _sanitize(tour: Tour) -> None:
    since = mark(tour)
    tour.check_done(tour.spectator, Chat(new_id(), f"a{_INVISIBLE} \t b"))
    hear_event(tour, Said(tour.spectator.name, "a b"), since)


def _rename(tour: Tour) -> None:
    peer, since = tour.spectator, mark(tour)
    tour.check_done(peer, Rename(new_id(), "Vera Vera"))
    hear_event(tour, Renamed(peer.name, "Vera Vera"), since)
    tour.check_done(peer, Rename(new_id(), peer.name))


def _leave(tour: Tour) -> None:
    peer = tour.players[-1] if len(tour.players) > 1 else tour.spectator
    since, role = mark(tour), "spectator" if peer.seat is None else "player"
    tour.check_done(peer, Bye(new_id()))
    hear_event(tour, PeopleChanged(peer.name, "left"), since)
    tour.check_refused(peer, GetView(new_id()), "say_hello")
    expected(Snapshot, tour.hello(peer, peer.name, role))


def _sync(tour: Tour) -> None:
    peer = tour.spectator
    tour.check_done(peer, Chat(new_id(), "sync"))
    answer = tour.snapshot(peer)
    peer.wait(lambda heard: heard and heard[-1].seq >= answer.seq, "an update")
    latest, parts = tour.latest(), ("epoch", "seq", "game", "rev", "table")
    other = [name for name in parts if getattr(latest, name, None) != getattr(answer, name)]
    expect(not other, f"the latest update differs from the snapshot in {', '.join(other)}")


def _too_fast(tour: Tour) -> None:
    peer, bodies = tour.spectator, [GetView(new_id()) for _ in range(70)]
    answers = [peer.ask(one, patient=False) for one in bodies]
    refused = [one for one in answers if isinstance(one, Refused)]
    expect({one.refusal.code for one in refused} <= {"too_fast"}, "another refusal than too_fast")
    if not refused:
        raise NotTried("this connection is too slow to exceed the limit")
    expect(not isinstance(peer.ask(bodies[-1]), Refused), "it stays too fast")


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
    ("Rename", "a name of nothing", "spectator",
     lambda t: Rename(new_id(), _INVISIBLE), "bad_text"),
    ("Start", "starting without being the owner", "spectator",
     lambda t: Start(new_id()), "not_owner"),
    ("AddBot", "adding a bot without being the owner", "spectator",
     lambda t: AddBot(new_id(), 3, "nothing"), "not_owner"),
    ("Remove", "removing without being the owner", "spectator",
     lambda t: Remove(new_id(), 3), "not_owner"),
    ("RemoveSpectator", "removing a spectator without being the owner", "second",
     lambda t: RemoveSpectator(new_id(), "Nobody"), "not_owner"),
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


def _start_early(tour: Tour) -> None:
    owner, _not_ready = tour.owning, tour.second
    tour.check_refused(owner, Start(new_id()), "not_ready")


def _kick(tour: Tour) -> None:
    owner, guest = tour.owning, tour.new_visitor()
    if len(tour.players) < 2:
        raise NotTried("fewer than two seats were open")
    tour.hello(guest, "Gast", "spectator")
    tour.check_done(owner, RemoveSpectator(new_id(), guest.name))
    gone = tour.players[-1]
    seat, bot = gone.seat or 0, tour.table().bots[0]
    tour.check_done(owner, Remove(new_id(), seat))
    tour.drop(guest, gone)
    for one in (guest, gone):
        code = door_refusal(tour, enrol_line(one.keys))
        expect(code == "removed", f"the door says {code or 'enrolled'} to a kicked key")
    tour.check_done(owner, AddBot(new_id(), seat, bot))
    tour.check_done(owner, Remove(new_id(), seat))
    tour.check_refused(owner, Remove(new_id(), seat), "no_such_seat")
    tour.check_done(owner, AddBot(new_id(), seat, bot))


TABLE_RULES: Final = (
    Rule("Hello", "players get the open seats, and names of their own", _take_seats),
    Rule("Hello", "spectators join, and everybody is told", _watch),
    Rule("Hello", "a key that has a seat keeps it, and its name", _come_again),
    Rule("Intents exactly once", "a repeat gets the same answer and is done once", _repeat),
    Rule("Text", "the host sanitizes chat lines", _sanitize),
    Rule("Rename", "a new name is told to everybody", _rename),
    *map(refusal, LOBBY_REFUSALS),
    Rule("Start", "starting while somebody is not ready: `not_ready`", _start_early),
    Rule("Bye", "who leaves the lobby has to say hello again", _leave),
    Rule("Staying in step", "a snapshot is the latest update", _sync),
    Rule("Limits", "too many requests get `too_fast`, and may be sent again", _too_fast),
    Rule("Presence", "who is kicked gets `removed`; a bot can have the seat", _kick),
)
