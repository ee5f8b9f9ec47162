"""`coffeerush conformance host`: visit a table, and try everything that SPEC.md says of hosts."""

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from itertools import starmap
from os import urandom
from typing import Any, Final

import zmq
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.client.sanity import check
from coffeerush.errors import RecordError
from coffeerush.joining.enrolment import WrongCode
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair, new_keys
from coffeerush.records.entries import read_record
from coffeerush.table_rules import TableRules
from protocol import (
    MAX_PART_BYTES,
    MAX_PLAYERS,
    NO_ID,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    RUSH_TOKENS,
    SUPPLY,
    Accepted,
    AddBot,
    AskTerm,
    BeginTournament,
    Bye,
    Chat,
    CloseTable,
    Current,
    Done,
    DoorRefused,
    Emote,
    Emoted,
    EndTournament,
    EndTurn,
    Enrol,
    Enter,
    Event,
    GameStarted,
    GetHandover,
    GetRecord,
    GetTables,
    GetView,
    HandOver,
    HandoverFailed,
    Hello,
    Intent,
    IntentUndone,
    LetIn,
    Listening,
    LookAt,
    MoveSeat,
    Moving,
    OwnView,
    PeopleChanged,
    PlaceMeeple,
    Queue,
    QueueFirst,
    Ready,
    RecordPart,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Renamed,
    RenameTable,
    Request,
    Said,
    SeatsMoved,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    Snapshot,
    Standby,
    StandUp,
    Start,
    Step,
    Submit,
    Sync,
    Tables,
    TakeOver,
    TermProof,
    Tick,
    TournamentRules,
    Undo,
    Update,
    View,
    WireError,
    clean_speaker,
    decode_banner,
    decode_door_answer,
    encode,
    encode_line,
    is_curve_key,
)

from .rules import Departure, NotTried, Rule, Rules, Say, expect, try_rules
from .visitors import (
    FIRST_TABLE,
    DoorLine,
    Heard,
    Peers,
    Role,
    Visitor,
    described,
    enrolled,
    events,
    expected,
    new_id,
)

# The door, the sockets, and what the bytes of a request may be


_BAD_LINES: Final = (
    b"{}\n",
    b"GET / HTTP/1.1\n",
    b'{"type":"enrol","key":"short"}\n',
    b'{"type":"enrol","key":"%s"}\n' % (b" " * 40),
    b'{"type":"enrol","key":"%s","share":"%s"}\n' % (b"0" * 40, b"x" * 64),
    b'{"type":"enrol","key":"%s","more":1}\n' % (b"0" * 40),
)
_BURST: Final = 30
"""Requests that one key may send at once; a few less than the rate limit allows."""
DOOR_RULES: Final = Rules()
LAST_DOOR_RULES: Final = Rules()


def _vectors(name: str) -> Iterator[dict[str, Any]]:
    """Yield the requests in a file of vectors."""
    text = files("protocol").joinpath(f"vectors/{name}.json").read_text(encoding="utf-8")
    yield from (case for case in json.loads(text) if case["kind"] == "request")


@DOOR_RULES("Banner", "the first line of the door is a banner")
def _banner(peers: Peers) -> None:
    with DoorLine(peers.address) as door:
        line = door.read()
    try:
        told = decode_banner(line)
    except WireError as error:
        raise Departure(f"the banner cannot be decoded: {error}") from None
    expect(line.endswith(b"\n"), "the banner does not end with a newline")
    expect(told.game == PROTOCOL_NAME, f"game is {told.game}")
    expect(is_curve_key(told.key), f"key is {told.key}")
    spoken = told.oldest <= PROTOCOL_VERSION and told.newest >= PROTOCOL_OLDEST
    expect(spoken, f"versions {told.oldest} to {told.newest}, without {PROTOCOL_VERSION}")


def _check_door(peers: Peers, sent: bytes | KeyPair, wanted: str) -> None:
    """Check what the door answers to a line, or to a client with these keys and no code.

    Args:
        peers: has the address.
        sent: the line, or the keys.
        wanted: the code of a refusal, or `enrolled`.
    """
    line = sent if isinstance(sent, bytes) else encode_line(Enrol(sent.public.decode()))
    with DoorLine(peers.address) as door:
        door.read()
        try:
            answer = decode_door_answer(door.tell(line))
        except WireError as error:
            raise Departure(f"the answer to {line[:40]!r} cannot be decoded: {error}") from None
        expect(not door.read(), "the door stays open after its last line")
    code = answer.refusal.code if isinstance(answer, DoorRefused) else "enrolled"
    expect(code == wanted, f"{line[:40]!r} gets {code} instead of {wanted}")


@DOOR_RULES("The door", "a malformed line gets `bad_key`, and the door closes")
def _bad_lines(peers: Peers) -> None:
    for line in _BAD_LINES:
        _check_door(peers, line, "bad_key")


@DOOR_RULES("The host that comes back", "the host proves no term of a game that it does not have")
def _no_term(peers: Peers) -> None:
    asked = AskTerm(urandom(8).hex(), 1, urandom(32).hex())
    with DoorLine(peers.address) as door:
        door.read()
        try:
            answer = decode_door_answer(door.tell(encode_line(asked)))
        except WireError as error:
            raise Departure(f"the answer cannot be decoded: {error}") from None
        expect(not door.read(), "the door stays open after its last line")
    expect(answer == TermProof(1), f"it answers with {answer}")


@DOOR_RULES("The join code", "the host proves the code that the client proves")
def _code_is_proved(peers: Peers) -> None:
    if not peers.code:
        raise NotTried("needs the join code")
    enrolled(peers.address, new_keys(), peers.code)


@DOOR_RULES("The door", "a new key without the code")
def _new_key(peers: Peers) -> None:
    is_needed = peers.stranger.banner.code and not peers.is_here
    _check_door(peers, new_keys(), "code_needed" if is_needed else "enrolled")


@DOOR_RULES("Transport", "keys that the door has not admitted cannot connect")
def _unknown_key(peers: Peers) -> None:
    connected = any(peers.stranger.can_connect(kind, new_keys()) for kind in (zmq.DEALER, zmq.SUB))
    expect(not connected, "a key that was not enrolled can connect")


@DOOR_RULES("Tick", "ticks come every second")
def _tick(peers: Peers) -> None:
    peer = peers.stranger
    peer.wait(lambda heard: len([t for t in heard if isinstance(t, Tick)]) > 1, "a second tick")
    expect(len({message.epoch for message in peer.heard}) == 1, "the epoch changes")


_SYNC: Final = encode(Sync(b"0123456789abcdef"))
_ID: Final = "30313233343536373839616263646566"
_ZEROS: Final = NO_ID.hex()
FRAMES: Final[tuple[tuple[str, str, tuple[bytes, ...], str], ...]] = (
    ("Framing", "frames before the empty one are sent back",
     (b"1234", b"", _SYNC), f"refused, say_hello, id {_ID}"),
    ("Framing", "a request has a body", (b"",), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Framing", "a request has no second body",
     (b"", _SYNC, _SYNC), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Framing", "a request has an empty frame",
     (_SYNC, _SYNC), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Requests", "an id of zeros is malformed",
     (b"", encode(Sync(NO_ID))), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Joining", "a version not supported gets `wrong_version`",
     (b"", encode(Hello(b"0123456789abcdef", 65535, "Ann", "player"))),
     f"malformed, wrong_version, id {_ID}"),
)  # fmt: skip
"""Section, text, the frames of a request, and its answer."""


def check_answer(peer: Visitor, frames: Sequence[bytes], wanted: str, name: str = "") -> None:
    """Check the answer to the frames of a request, and that those before the body come back."""
    envelope, answer = peer.ask_raw(*frames)
    given = f"{described(answer)}, id {answer.id.hex()}"
    expect(given == wanted, f"{name}{': ' * bool(name)}{given}, not {wanted}")
    sent = [*frames[: frames.index(b"") + 1]] if b"" in frames[:-1] else [b""]
    expect(envelope == sent, f"{envelope} comes back instead of {sent}")


def _framing(section: str, text: str, frames: Sequence[bytes], wanted: str) -> Rule:
    """Return the rule that a request gets an answer."""
    return Rule(section, text, lambda peers: check_answer(peers.stranger, frames, wanted))


DOOR_RULES.extend(starmap(_framing, FRAMES))


@DOOR_RULES("Joining", "before `hello`, requests get `say_hello`")
def _say_hello(peers: Peers) -> None:
    id_ = new_id()
    for request in (Sync(id_), GetView(id_), Bye(id_), Chat(id_, "hi"), Ready(id_, True)):
        peers.check_refused(peers.stranger, request, "say_hello")


@DOOR_RULES("Framing", "a message of more than 4 frames is dropped")
def _many_frames(peers: Peers) -> None:
    request = Sync(new_id())
    peers.stranger.send(b"", *[b"x"] * 8)
    answer = peers.stranger.ask_raw(b"", encode(request))[1]
    expect(answer.id == request.id, "a request of 9 frames is answered")


@DOOR_RULES("Wire errors", "malformed requests get their codes and ids")
def _malformed(peers: Peers) -> None:
    cases = [*_vectors("malformed")]
    for start in range(0, len(cases), _BURST):
        peer = peers.new_visitor()
        for case in cases[start : start + _BURST]:
            wanted = f"malformed, {case['error']}, id {case['id']['$bin']}"
            check_answer(peer, (b"", bytes.fromhex(case["hex"])), wanted, case["name"])
        peers.part(peer)


@DOOR_RULES("Values", "unusual but valid bytes are read")
def _loose(peers: Peers) -> None:
    for case in _vectors("loose"):
        wanted = f"refused, say_hello, id {case['value']['id']['$bin']}"
        check_answer(peers.stranger, (b"", bytes.fromhex(case["hex"])), wanted, case["name"])


@LAST_DOOR_RULES("The door", "a key that has joined needs no code")
def _known_key(peers: Peers) -> None:
    _check_door(peers, peers.spectator.keys, "enrolled")


@LAST_DOOR_RULES("The join code", "a wrong code gets `wrong_code`")
def _wrong_code(peers: Peers) -> None:
    if not peers.stranger.banner.code:
        raise NotTried("the table is open")
    try:
        enrolled(peers.address, new_keys(), "wrong-wrong-wrong")
    except WrongCode:
        return
    raise Departure("a wrong code is accepted")


# The people at a table, outside a game


_INVISIBLE: Final = "\u200b"
TABLE_RULES: Final = Rules()


@TABLE_RULES("Hello", "players get the open seats, and names of their own")
def _take_seats(peers: Peers) -> None:
    first = peers.new_visitor(peers.owner)
    answer = peers.hello(first, "Conny")
    if isinstance(answer, Snapshot) and not answer.owner:
        peers.owner = None
    if isinstance(answer, Refused) and answer.refusal.code == "table_full":
        raise NotTried("no seat is open")
    while isinstance(answer, Snapshot) and answer.seat is not None:
        expect(len(peers.players) < MAX_PLAYERS, "more players than a table has seats")
        peers.players.append(peers.all[-1])
        expect(answer.table.seats[answer.seat].status == "person", "the seat is not taken")
        names = [seat.name for seat in answer.table.seats if seat.name]
        expect(len({name.casefold() for name in names}) == len(names), f"names: {names}")
        if all(seat.status != "open" for seat in answer.table.seats):
            return
        answer = peers.hello(peers.new_visitor(), "Conny")
    raise Departure(described(answer))


@TABLE_RULES("Hello", "spectators join, and everybody is told")
def _watch(peers: Peers) -> None:
    peer, since = peers.new_visitor(), peers.mark()
    answer = peers.hello(peer, "Vera", "spectator")
    if isinstance(answer, Refused) and answer.refusal.code == "too_many_spectators":
        raise NotTried("there are too many spectators")
    table = expected(Snapshot, answer).table
    expect(peer.seat is None, f"a spectator has seat {peer.seat}")
    expect(peer.name in table.spectators, "the spectator is not at the table")
    peer.wait(bool, "a tick")
    peers.watching.append(peer)
    peers.hear_event(PeopleChanged(peer.name, "watching"), since)


@TABLE_RULES("Hello", "a key that has a seat keeps it, and its name")
def _come_again(peers: Peers) -> None:
    peer = peers.player
    seat, name = peer.seat, peer.name
    peers.hello(peer, "Somebody else")
    expect((peer.seat, peer.name) == (seat, name), f"seat {peer.seat} of {peer.name}")


@TABLE_RULES("Intents exactly once", "a repeat gets the same answer and is done once")
def _repeat(peers: Peers) -> None:
    peer, since = peers.player, peers.mark()
    line = Chat(new_id(), "once")
    expect(peer.ask(line) == peer.ask(line) == Done(line.id), "a repeat gets another answer")
    peers.check_refused(peer, Chat(line.id, "twice"), "id_reused")
    peers.check_refused(peer, Start(line.id), "id_reused")
    peers.check_done(peers.spectator, Chat(line.id, "my own id"))
    peers.hear_event(said := Said(peer.name, "once"), since)
    heard = peers.stranger.heard
    peers.stranger.wait(lambda _new: isinstance(heard[-1], Tick), "a tick")
    expect(events(heard[since:]).count(said) == 1, "a repeat is published again")


@TABLE_RULES("Text", "the host sanitizes chat lines")
def _sanitize(peers: Peers) -> None:
    peer = peers.spectator
    peers.check_told(peer, Chat(new_id(), f"a{_INVISIBLE} \t b"), Said(peer.name, "a b"))


@TABLE_RULES("Rename", "a new name is told to everybody")
def _rename(peers: Peers) -> None:
    peers.check_lobby()
    peer, name = peers.spectator, "Vera Vera"
    peers.check_told(peer, Rename(new_id(), name), Renamed(peer.name, name))
    peers.check_done(peer, Rename(new_id(), peer.name))


Case = tuple[str, str, str, Callable[[Peers], Request], str]
"""Section, text, who of the peers asks, for what, and the code."""


_A_KEY: Final = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"


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
    ("Queue", "a player in the queue", "second", lambda t: Queue(new_id(), True), "seated"),
    ("QueueFirst", "ordering the queue without being the owner", "second",
     lambda t: QueueFirst(new_id(), "Nobody"), "not_owner"),
    ("QueueFirst", "somebody who is not in the queue", "owning",
     lambda t: QueueFirst(new_id(), "Nobody"), "no_such_spectator"),
    ("StandUp", "a spectator who stands up", "spectator",
     lambda t: StandUp(new_id()), "not_seated"),
    ("StandUp", "freeing a seat without being the owner", "second",
     lambda t: StandUp(new_id(), t.owning.seat), "not_owner"),
    ("SetRules", "changing rules without being the owner", "second",
     lambda t: SetRules(new_id(), 60, 0, False), "not_owner"),
    ("LetIn", "letting a guest in without being the owner", "second",
     lambda t: LetIn(new_id(), 1), "not_owner"),
    ("LetIn", "letting a guest in who does not ask", "owning",
     lambda t: LetIn(new_id(), 999), "no_such_guest"),
    ("HandOver", "handing the tables over without being the owner", "second",
     lambda t: HandOver(new_id(), t.owning.name), "not_owner"),
    ("HandOver", "handing the tables to somebody who cannot host", "owning",
     lambda t: HandOver(new_id(), "Nobody"), "no_standby"),
    ("TakeOver", "agreeing without being asked", "second",
     lambda t: TakeOver(new_id(), True), "no_handover"),
    ("GetHandover", "asking for the tables without being asked", "second",
     lambda t: GetHandover(new_id(), 0), "no_handover"),
    ("Listening", "hosting without being asked", "second",
     lambda t: Listening(new_id(), _A_KEY, ("127.0.0.1",), 1), "no_handover"),
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

    def check(peers: Peers) -> None:
        peers.check_refused(getattr(peers, who), request(peers), code)

    return Rule(section, f"{text}: `{code}`", check)


TABLE_RULES.extend(map(refusal, LOBBY_REFUSALS))


def _standby_hello(peers: Peers, standby: Standby | None) -> tuple[str, ...]:
    """Let the second player say hello as a standby, or not as one; return the standbys."""
    peer = peers.second
    hello = Hello(new_id(), PROTOCOL_VERSION, peer.name, "player", FIRST_TABLE, standby)
    return expected(Snapshot, peer.ask(hello)).table.standbys


def _asked(peers: Peers) -> int:
    """Let the owner ask the second player to host; return the mark from before."""
    since, name = peers.mark(), peers.second.name
    expect(name in _standby_hello(peers, Standby(_A_KEY, 1)), "a standby is not listed")
    peers.check_done(peers.owning, HandOver(new_id(), name))
    shown = Moving(name)
    peers.stranger.wait(
        lambda heard: any(
            isinstance(message, Update) and message.table.moving == shown for message in heard
        ),
        "that somebody is asked",
        since,
    )
    return since


@TABLE_RULES("Moving a table", "a player who could host is listed, and who cannot any more is not")
def _standbys(peers: Peers) -> None:
    name = peers.second.name
    expect(name in _standby_hello(peers, Standby(_A_KEY, 1)), "a standby is not listed")
    expect(name not in _standby_hello(peers, None), "who is no standby is listed")


@TABLE_RULES("Moving a table", "who is asked to host may decline")
def _declines(peers: Peers) -> None:
    since = _asked(peers)
    peers.check_done(peers.second, TakeOver(new_id(), False))
    peers.hear_event(HandoverFailed(peers.second.name, "declined"), since)
    peers.check_refused(peers.second, GetHandover(new_id(), 0), "no_handover")


@TABLE_RULES("Moving a table", "the tables go to no host that cannot be reached, or is another one")
def _lying_standby(peers: Peers) -> None:
    peer = peers.second
    for key, port in ((_A_KEY, 1), (_A_KEY, peers.address.port)):
        since = _asked(peers)
        peers.check_done(peer, TakeOver(new_id(), True))
        data, size = b"", 1
        while len(data) < size:
            part = expected(RecordPart, peer.ask(GetHandover(new_id(), len(data))))
            data, size = data + part.part, part.size
        late, before = Chat(new_id(), "late"), peers.mark()
        expect(not peers.spectator.hears(late), "a table that stands still answers")
        peers.check_done(peer, Listening(new_id(), key, (peer.host,), port))
        peers.hear_event(HandoverFailed(peer.name, "unreachable"), since)
        peers.check_done(peers.spectator, late)
        # it may have been on its way until the table went on
        peers.hear_event(Said(peers.spectator.name, "late"), before)
    _standby_hello(peers, None)


@TABLE_RULES("Going on without the host", "players at one machine get no shares of a key")
def _no_shares(peers: Peers) -> None:
    for peer in peers.players:
        hello = Hello(new_id(), PROTOCOL_VERSION, peer.name, "player", FIRST_TABLE)
        answer = expected(Snapshot, peer.ask(replace(hello, id=new_id(), keeps=True)))
        expect(not answer.table.failover, "the game could go on with one machine")
        peer.ask(hello)


@TABLE_RULES("MoveSeat", "seats change places, and everybody is told")
def _move_seats(peers: Peers) -> None:
    peers.check_lobby()
    owner, other = peers.owning, peers.second
    seats = (owner.seat or 0, other.seat or 0)
    old_seats = [*range(len(peers.table().seats))]
    old_seats[seats[0]], old_seats[seats[1]] = seats[1], seats[0]
    request = MoveSeat(new_id(), *seats)
    peers.check_told(owner, request, SeatsMoved(tuple(old_seats)))
    moved = (peers.snapshot(owner).seat, peers.snapshot(other).seat)
    expect(moved == seats[::-1], f"the seats {seats} are now {moved}")
    peers.check_done(owner, replace(request, id=new_id()))


@TABLE_RULES("SetFirst", "the table shows who will begin")
def _set_first(peers: Peers) -> None:
    for seat in (peers.owning.seat, None):
        peers.check_done(peers.owning, SetFirst(new_id(), seat))
        first = peers.table().next_game.first
        expect(first == seat, f"{first} begins instead of {seat}")


@TABLE_RULES("Emote", "an emote is told to everybody, and not kept")
def _emote(peers: Peers) -> None:
    peer = peers.player
    event = Emoted(peer.name, "wow")
    peers.check_told(peer, Emote(new_id(), "wow"), event)
    expect(event not in peers.snapshot(peer).log, "the log has an emote")


@TABLE_RULES("Marks", "no two seats have the same letter, or the same colour")
def _set_marks(peers: Peers) -> None:
    peers.check_lobby()
    for peer, letter in ((peers.player, 25), (peers.second, 0)):
        peers.check_done(peer, SetMark(new_id(), 25, 3))
        seat = peers.table().seats[peer.seat or 0]
        expect(seat.letter == letter, f"the letter is not {letter}: {seat}")
    colours = [seat.colour for seat in peers.table().seats if seat.colour is not None]
    expect(3 in colours, f"nobody has colour 3: {colours}")
    expect(len(colours) == len(set(colours)), f"two seats have the same colour: {colours}")
    for peer in (peers.player, peers.second):
        peers.check_done(peer, SetMark(new_id()))


@TABLE_RULES("Waiting for a seat", "the first in the queue gets the seat that a player gives up")
def _change_seats(peers: Peers) -> None:
    peers.check_lobby()
    player, spectator = peers.second, peers.spectator
    seat = player.seat
    for stands, waits in ((player, spectator), (spectator, player)):
        peers.check_done(waits, Queue(new_id(), True))
        queue = peers.table().next_game.queue
        expect(queue == (waits.name,), f"the queue is {queue}")
        peers.check_done(stands, StandUp(new_id()))
        seats = (peers.snapshot(waits).seat, peers.snapshot(stands).seat)
        expect(seats == (seat, None), f"the seats are now {seats}")


@TABLE_RULES("SetRules", "the table shows the rules that its owner sets")
def _set_rules(peers: Peers) -> None:
    was = TableRules.shown(peers.table())
    others = TableRules(was.starters, 90, 1, not was.hints, not was.anybody_lets_in)
    for wanted in (others, was):
        peers.check_done(peers.owning, wanted.request(new_id()))
        shown = TableRules.shown(peers.table())
        expect(shown == wanted, f"the rules are {shown} instead of {wanted}")


@TABLE_RULES("Start", "starting while somebody is not ready: `not_ready`")
def _start_early(peers: Peers) -> None:
    owner, _not_ready = peers.owning, peers.second
    peers.check_refused(owner, Start(new_id()), "not_ready")


@TABLE_RULES("Bye", "who leaves the lobby has to say hello again")
def _leave(peers: Peers) -> None:
    peer = peers.players[-1] if len(peers.players) > 1 else peers.spectator
    peers.check_told(peer, Bye(new_id()), PeopleChanged(peer.name, "left"))
    peers.check_refused(peer, GetView(new_id()), "say_hello")
    role: Role = "spectator" if peer.seat is None else "player"
    expected(Snapshot, peers.hello(peer, peer.name, role))


@TABLE_RULES("The hall", "everybody may ask which tables there are")
def _tables(peers: Peers) -> None:
    at = peers.snapshot(peers.spectator)
    told = expected(Tables, peers.stranger.ask(GetTables(new_id()))).tables
    found = next((summary for summary in told if summary.number == at.number), None)
    if found is None:
        raise Departure(f"table {at.number} is not among them")
    shown = (found.name, found.stage, found.seats, found.spectators)
    table = at.table
    expect(
        shown == (table.name, table.stage, table.seats, len(table.spectators)),
        f"{shown} of a table that is {table}",
    )


@TABLE_RULES("A tournament", "its owner announces it, and others enter and withdraw")
def _tournament(peers: Peers) -> None:
    owner, peer = peers.owning, peers.spectator
    rules = TournamentRules(3, 30)
    announced = BeginTournament(new_id(), rules)
    peers.check_refused(peer, announced, "not_owner")
    peers.check_done(owner, announced)
    for entered in (True, True, False):
        peers.check_done(peer, Enter(new_id(), entered))
        told = expected(Tables, peer.ask(GetTables(new_id()))).tournament
        if told is None or (told.stage, told.rules) != ("entry", rules):
            raise Departure(f"{told} instead of a tournament with {rules}")
        names = [player.name for player in told.players]
        expect((told.entered in names) == entered, f"{told.entered} has entered, of {names}")
    peers.check_done(owner, EndTournament(new_id()))
    peers.check_refused(peer, Enter(new_id(), True), "no_tournament")


@TABLE_RULES("LookAt", "it shows what spectators see, and moves nobody")
def _look(peers: Peers) -> None:
    peer = peers.player
    at = peers.snapshot(peer)
    seen = expected(Snapshot, peer.ask(LookAt(new_id(), at.number)))
    expect(seen.seat is None and not seen.owner, f"a look has seat {seen.seat}")
    expect(seen.view is None or seen.view.own is None, "a look has a private part")
    expect(seen.number == at.number, f"a look at table {at.number} shows {seen.number}")
    expect(peers.snapshot(peer).seat == at.seat, "a look has moved the player")
    peers.check_refused(peer, LookAt(new_id(), 2**32 - 1), "no_such_table")
    peers.check_refused(peers.stranger, LookAt(new_id(), at.number), "say_hello")


@TABLE_RULES("Chat", "a line for the whole hall names the table")
def _say_to_all(peers: Peers) -> None:
    peer, table = peers.spectator, clean_speaker(peers.table().name)
    peers.check_told(peer, Chat(new_id(), "to all", hall=True), Said(peer.name, "to all", table))


@TABLE_RULES("RenameTable", "the owner renames the table in its lobby")
def _rename_table(peers: Peers) -> None:
    peers.check_lobby()
    name = peers.table().name
    peers.check_refused(peers.spectator, RenameTable(new_id(), "Garden"), "not_owner")
    owner = peers.owning
    peers.check_done(owner, RenameTable(new_id(), "Garden"))
    expect(peers.snapshot(owner).table.name == "Garden", "the table has another name")
    peers.check_done(owner, RenameTable(new_id(), name))


@TABLE_RULES("CloseTable", "only the owner of the hall closes tables")
def _close_table(peers: Peers) -> None:
    number = peers.snapshot(peers.spectator).number
    peers.check_refused(peers.spectator, CloseTable(new_id(), number), "not_owner")


@TABLE_RULES("Staying in step", "a snapshot is the latest update")
def _sync(peers: Peers) -> None:
    peer = peers.spectator
    peers.check_done(peer, Chat(new_id(), "sync"))
    answer = peers.snapshot(peer)
    peer.wait(lambda heard: heard and heard[-1].seq >= answer.seq, "an update")
    latest, parts = peers.latest(), ("epoch", "seq", "game", "rev", "table")
    other = [name for name in parts if getattr(latest, name, None) != getattr(answer, name)]
    expect(not other, f"the latest update differs from the snapshot in {', '.join(other)}")


@TABLE_RULES("Limits", "too many requests get `too_fast`, and may be sent again")
def _too_fast(peers: Peers) -> None:
    peer, bodies = peers.spectator, [GetView(new_id()) for _ in range(70)]
    answers = [peer.ask(body, patient=False) for body in bodies]
    refused = {answer.refusal.code for answer in answers if isinstance(answer, Refused)}
    expect(refused <= {"too_fast"}, "another refusal than too_fast")
    if not refused:
        raise NotTried("this connection is too slow to exceed the limit")
    expect(not isinstance(peer.ask(bodies[-1]), Refused), "it stays too fast")


@TABLE_RULES("Presence", "who is kicked gets `removed`; a bot can have the seat")
def _kick(peers: Peers) -> None:
    owner, _not_alone, guest = peers.owning, peers.second, peers.new_visitor()
    gone = peers.players[-1]
    peers.hello(guest, "Gast", "spectator")
    seat, bot = gone.seat or 0, peers.table().bots[0]
    peers.kick(guest, RemoveSpectator(new_id(), guest.name))
    peers.kick(gone, Remove(new_id(), seat))
    for visitor in (guest, gone):
        _check_door(peers, visitor.keys, "removed")
    peers.check_done(owner, AddBot(new_id(), seat, bot))
    peers.check_done(owner, Remove(new_id(), seat))
    peers.check_refused(owner, Remove(new_id(), seat), "no_such_seat")
    peers.check_done(owner, AddBot(new_id(), seat, bot))
    peers.catch_up()


# The record of a finished game, while the next one is played


RECORD_RULES: Final = Rules()


def _finished_game(peers: Peers) -> int:
    """Return the number of the latest game that is over; raise `NotTried` if there is none."""
    snapshot = peers.snapshot(peers.player)
    game = snapshot.game - (snapshot.table.stage == "game")
    if not game:
        raise NotTried("no game has been played")
    return game


@RECORD_RULES("Records", "nobody gets the record of a game in progress, or of none")
def _no_record(peers: Peers) -> None:
    snapshot = peers.snapshot(peers.player)
    wrong = snapshot.game + (snapshot.table.stage != "game")
    for peer in (peers.player, peers.spectator):
        peers.check_refused(peer, GetRecord(new_id(), wrong, 0), "no_record")
    peers.check_refused(peers.stranger, GetRecord(new_id(), wrong, 0), "say_hello")


@RECORD_RULES("Records", "players and spectators get the record of the latest finished game")
def _record(peers: Peers) -> None:
    game = _finished_game(peers)
    first = peers.player.ask(GetRecord(new_id(), game, 0))
    if isinstance(first, Refused) and first.refusal.code == "no_record":
        raise NotTried("the host keeps no record")
    size, data = expected(RecordPart, first).size, b""
    for peer in (peers.player, peers.spectator):
        before, data = data, b""
        while not data or len(data) < size:
            answer = expected(RecordPart, peer.ask(GetRecord(new_id(), game, len(data))))
            expect(answer.size == size, "the size has changed")
            data += answer.part
            is_whole = len(answer.part) == MAX_PART_BYTES or len(data) == size
            expect(is_whole and len(data) <= size, f"{len(answer.part)} of {size} bytes")
        expect(before in (b"", data), "the record has changed")
    peers.check_refused(peers.player, GetRecord(new_id(), game, size), "no_record")
    try:
        record = read_record(data)
    except RecordError as error:
        raise Departure(f"{error}") from None
    expect(record.end and record.head.game == game, "it is not the record of that game")


# What holds in every View, such as the sums of *The game* in SPEC.md


_PRIVATE: Final = ("cup", "ingredient")
"""Fields of events that only the player on the seat may know."""


def _public_event(event: Event) -> Event:
    """Return an event as publications show it."""
    return replace(event, **{name: None for name in _PRIVATE if hasattr(event, name)})


def _faults(view: View, owns: Sequence[OwnView]) -> Iterator[str]:
    """Yield what is wrong with a View, of which some or all seats' private parts are known."""
    players, is_over = view.players, view.phase == "over"
    if is_over != (view.active is None) or is_over != bool(view.standings):
        yield f"phase {view.phase} with active {view.active} and {len(view.standings)} standings"
    rush = view.rush_supply + sum(player.rush for player in players)
    if rush != RUSH_TOKENS:
        yield f"{rush} rush tokens instead of {RUSH_TOKENS}"
    orders = sum(len(slot) for player in players for slot in player.orders)
    piles = sum(player.completed + player.penalties for player in players)
    cards = orders + piles + view.deck + len(view.discards) + len(view.removed)
    if cards != (deck := sum(drink.count for drink in view.menu)):
        yield f"{cards} cards instead of {deck}"
    for seat, player in enumerate(players):
        if player.score != player.completed + 2 * sum(player.upgrades) - player.penalties:
            yield f"seat {seat} has a score of {player.score}"
    hand = next((own.hand for own in owns if own.seat == view.active), view.hand)
    counts = [view.supply, hand or (0,) * len(SUPPLY), *(cup for own in owns for cup in own.cups)]
    held = [sum(kind) for kind in zip(*counts, strict=True)]
    if any(map(int.__gt__, held, SUPPLY)) or (len(owns) == len(players) and held != [*SUPPLY]):
        yield f"{held} tokens instead of {SUPPLY}"


# A game, played to its end and checked position by position


Position = Current | Accepted
"""Somebody's View at a game and rev."""
TURN_SECONDS: Final = 60.0
_VARIED: Final = 60
"""Intents that are drawn from all options; afterwards the game is brought to its end."""
_LONGEST: Final = 3000
"""Intents after which a host is taken for one whose games never end."""
_EVERY: Final = 8
"""Revs between two counts of all tokens: it takes everybody's View."""
_HASTE: Final = ("end_turn", "return_rest", "place_meeple", "step", "pour", "serve")
GAME_RULES: Final = Rules()
LAST_RULES: Final = Rules()


def view_of(at: Position) -> View:
    """Return the View; raise `Departure` if there is none."""
    if at.view is None:
        raise Departure("there is no view in a game")
    return at.view


def _own_of(at: Position) -> OwnView:
    """Return the private part of a player's View; raise `Departure` if there is none."""
    if (own := view_of(at).own) is None:
        raise Departure("there is no private part in a player's view")
    return own


def _intents_of(at: Position) -> list[Intent]:
    """Return the options without undo."""
    return [option.intent for option in _own_of(at).options if not isinstance(option.intent, Undo)]


def _position(peer: Visitor) -> Position:
    """Ask for somebody's View."""
    return expected(Current, peer.ask(GetView(new_id())))


def _submit(peer: Visitor, at: Position, intent: Intent) -> Accepted:
    """Have an intent accepted."""
    answer = expected(Accepted, peer.ask(Submit(new_id(), at.game, at.rev, intent)))
    expect((answer.game, answer.rev) == (at.game, at.rev + 1), f"rev {answer.rev} after {at.rev}")
    return answer


def _turns(peers: Peers) -> Iterator[tuple[Visitor, Position]]:
    """Yield whose turn of ours it is, and the position, until the time for it is over."""
    deadline = time.monotonic() + TURN_SECONDS
    while time.monotonic() < deadline:
        peers.keep_alive()
        update = peers.latest()
        if update is None or update.table.stage != "game":
            raise NotTried("no game is being played")
        active = update.view.active if update.view else None
        peer = next((player for player in peers.players if player.seat == active), None)
        if peer is not None and _own_of(at := _position(peer)).options:
            yield peer, at
        else:
            peers.spectator.updates.poll(100)
    raise Departure("no turn of ours came")


def _turn(peers: Peers) -> tuple[Visitor, Position]:
    """Wait for the turn of one of our seats; return who it is, and the position."""
    return next(_turns(peers))


def _starts(heard: Sequence[Heard]) -> list[GameStarted]:
    """Return the events that tell of a new game."""
    return [event for event in events(heard) if isinstance(event, GameStarted)]


@GAME_RULES("Who starts a game", "a game begins once all are ready, with seats as told")
def _begin(peers: Peers) -> None:
    before = peers.snapshot(peers.player)
    watching = peers.spectator
    watching.hear()
    since = len(watching.heard)
    for peer in peers.players:
        peers.check_done(peer, Ready(new_id(), True))
    if peers.owner:
        peers.check_done(peers.owning, Start(new_id()))
    try:
        watching.wait(_starts, "game_started", since)
    except Departure:
        if peers.snapshot(peers.player).table.stage == "game":
            raise
        raise NotTried("the game does not start by itself: not all seats are ours") from None
    seats = _starts(watching.heard[since:])[0].old_seats
    for peer in peers.players:
        after = peers.snapshot(peer)
        expect(after.game == before.game + 1, f"game {after.game} after {before.game}")
        old, peer.seat = peer.seat, after.seat
        expect(old in seats, f"seat {old} is not in {seats}")
        now = seats.index(old or 0)
        expect(peer.seat == now, f"seat {peer.seat}, not {now} as old_seats say")


@GAME_RULES("The order of refusals", "what is not allowed in a game is refused")
def _refusals(peers: Peers) -> None:
    peer, at = _turn(peers)
    wrong: Intent = EndTurn() if view_of(at).phase == "placing" else PlaceMeeple(0)
    others = [player for player in peers.players if player is not peer][:1]
    owners = [peers.owning] if peers.owner else []
    late = Hello(new_id(), PROTOCOL_VERSION, "Late", "player")
    at_rev, later = (Submit(new_id(), at.game, rev, wrong) for rev in (at.rev, at.rev + 1))
    cases: list[tuple[Visitor, Request, str]] = [
        (peer, Ready(new_id(), True), "wrong_stage"),
        (peer, Rename(new_id(), "\u200b"), "wrong_stage"),
        (peers.spectator, later, "not_seated"),
        (peer, at_rev, "wrong_phase"),
        *((other, at_rev, "not_your_turn") for other in others),
        *((other, later, "stale") for other in others),
        *((owner, Start(new_id()), "wrong_stage") for owner in owners),
        (peers.stranger, late, "table_full"),
    ]
    for who, request, code in cases:
        peers.check_refused(who, request, code)
    after = _position(peer)
    expect((after.rev, after.view) == (at.rev, at.view), "a refused request changed something")


@GAME_RULES("Intents exactly once", "an intent for another rev gets `stale`, with the View")
def _stale(peers: Peers) -> None:
    peer, at = _turn(peers)
    intent = _intents_of(at)[0]
    for game, rev in ((at.game, at.rev + 1), (at.game + 1, at.rev)):
        answer = expected(Refused, peer.ask(Submit(new_id(), game, rev, intent)))
        expect(answer.refusal.code == "stale", described(answer))
        expect((answer.game, answer.rev) == (at.game, at.rev), "not the game and rev of the host")
        expect(answer.view == at.view, "not the current view")


@GAME_RULES("Intents exactly once", "an intent that is sent again is applied once")
def _repeat_move(peers: Peers) -> None:
    peer, at = _turn(peers)
    asked = Submit(new_id(), at.game, at.rev, _intents_of(at)[0])
    first, second = expected(Accepted, peer.ask(asked)), peer.ask(asked)
    expect(first == second, "a repeat gets another answer")
    expect(_position(peer).rev >= at.rev + 1, "the intent is not applied")
    peers.check_refused(peer, replace(asked, rev=at.rev + 1), "id_reused")
    _hear_update(peers, first)
    expect(len(_updates_of(peers, first)) == 1, "the move is published twice")


def _updates_of(peers: Peers, answer: Accepted) -> list[Update]:
    """Return the updates that the spectator heard of an accepted intent."""
    updates = [message for message in peers.spectator.heard if isinstance(message, Update)]
    return [update for update in updates if (update.game, update.rev) == (answer.game, answer.rev)]


def _hear_update(peers: Peers, answer: Accepted) -> Update:
    """Wait for the update of an accepted intent."""
    peers.spectator.wait(lambda _: _updates_of(peers, answer), f"an update for rev {answer.rev}")
    return _updates_of(peers, answer)[0]


@GAME_RULES("Undo", "undo restores the View before the last intent")
def _undo(peers: Peers) -> None:
    for peer, at in _turns(peers):
        steps = [intent for intent in _intents_of(at) if isinstance(intent, Step)]
        if steps and view_of(at).steps_left > 1:
            break
        _submit(peer, at, hasty(at))
    stepped = _submit(peer, at, steps[0])
    own = _own_of(stepped)
    is_possible = Undo() in [option.intent for option in own.options] and own.undo > 0
    expect(is_possible, "undo is not among the options")
    answer = _submit(peer, stepped, Undo())
    expect(answer.events == (IntentUndone(peer.seat or 0),), f"events: {answer.events}")
    expect(answer.view == at.view, "the view is not what it was before the step")


@GAME_RULES("Presence", "a bot plays for who has left, until they say hello")
def _leave_game(peers: Peers) -> None:
    peer = peers.players[-1] if peers.players else peers.player
    seat = peer.seat or 0
    peers.check_done(peer, Bye(new_id(), stand_in=True))
    place = peers.table().seats[seat]
    expect(place.away and place.bot, f"the seat is {place}")
    peers.check_refused(peer, GetView(new_id()), "say_hello")
    peers.hello(peer, peer.name)
    expect(peer.seat == seat, f"seat {peer.seat} instead of {seat}")
    place = peers.table().seats[seat]
    expect(not place.away and not place.bot, f"the seat is {place}")


def hasty(at: Position) -> Intent:
    """Return an option that brings the game to its end."""
    kinds = [type(intent).__struct_config__.tag for intent in _intents_of(at)]
    best = min(kinds, key=lambda kind: _HASTE.index(kind) if kind in _HASTE else len(_HASTE))
    return _intents_of(at)[kinds.index(best)]


@GAME_RULES("View", "a game to its end: views agree and add up")
def _play(peers: Peers) -> None:
    chance, number = random.Random(4), 0
    peer, at = _turn(peers)
    while view_of(at).phase != "over":
        number += 1
        expect(number < _LONGEST, f"no end after {number} intents of ours")
        intent = chance.choice(_intents_of(at)) if number < _VARIED else hasty(at)
        at = _submit(peer, at, intent)
        _check_position(peers, at)
        if at.view.active not in (peer.seat, None):
            try:
                peer, at = _turn(peers)
            except NotTried:  # a bot made the last move
                return


def _check_position(peers: Peers, answer: Accepted) -> None:
    """Compare an answer with what is published, and with what the others may see."""
    at, view = f"rev {answer.rev}", answer.view
    update = _hear_update(peers, answer)
    expect(update.view == replace(view, own=None), f"{at}: published and own view differ")
    hidden = tuple(map(_public_event, answer.events))
    expect(set(hidden) <= set(update.events), f"{at}: published and own events differ")
    expect(update.events == tuple(map(_public_event, update.events)), f"{at}: private events")
    own = _own_of(answer)
    expect(update.private_revs[own.seat] <= answer.rev, f"{at}: a private rev in the future")
    seen = Model("player", "", seat=own.seat, table=update.table, view=view)
    everybody = answer.rev % _EVERY == 0 and len(peers.players) == len(view.players)
    _check_view(seen, [_own_of(_position(p)) for p in peers.players] if everybody else [own])


def _check_view(seen: Model, owns: list[OwnView]) -> None:
    """Check that a View can be: as our client does, and by its sums; also raises `LinkError`."""
    check(seen)
    if seen.view is None:
        raise Departure("there is no view")
    wrong = next(_faults(seen.view, owns), None)
    expect(wrong is None, f"{wrong}")


@GAME_RULES("Stages", "the result shows standings and tallies")
def _result(peers: Peers) -> None:
    snapshot = peers.snapshot(peers.spectator)
    table, view = snapshot.table, snapshot.view
    if table.stage == "lobby":
        raise NotTried("no game has been played")
    expect(table.stage == "result", f"stage {table.stage}")
    if view is None:
        raise Departure("there is no view in the result")
    _check_view(Model("spectator", "", table=table, view=view), [])
    scores = [player.score for player in view.players]
    best = [(-standing.score, standing.rank) for standing in view.standings]
    ranked = [-scores[standing.seat] for standing in view.standings]
    expect(ranked == [score for score, _rank in best], "scores of standings")
    expect(best == sorted(best), f"order of standings: {view.standings}")
    finals = [tally.scores[-1] for tally in table.tallies]
    expect(finals == scores, "tallies do not end in the scores")
    persons = [seat for seat in table.seats if seat.status == "person"]
    owner = None if table.owner is None else table.seats[table.owner]
    expect(not any(seat.ready for seat in persons if seat != owner), "somebody is ready already")


@GAME_RULES("Stages", "a rematch is the next game")
def _rematch(peers: Peers) -> None:
    if peers.snapshot(peers.player).table.stage != "result":
        raise NotTried("no game has been played")
    peers.check_refused(peers.player, Submit(new_id(), 1, 0, EndTurn()), "wrong_stage")
    _begin(peers)
    peer, at = _turn(peers)
    _submit(peer, at, _intents_of(at)[0])


@LAST_RULES("Update", "every update has the next seq, and ticks the latest")
def _publications(peers: Peers) -> None:
    for peer in peers.all:
        expect(not peer.faults, "; ".join(peer.faults[:3]))
        updates = [message for message in peer.heard if isinstance(message, Update)]
        expect(not any(update.view and update.view.own for update in updates), "a private view")


@LAST_RULES("Framing", "each request gets one answer")
def _answers(peers: Peers) -> None:
    extra = sum(peer.unasked() for peer in peers.all)
    expect(not extra, f"{extra} answers more than requests")


# All rules, in the order in which they are tried


HOST_RULES = (
    *(*DOOR_RULES, *TABLE_RULES, *GAME_RULES, *RECORD_RULES),
    *(*LAST_RULES, *LAST_DOOR_RULES),
)


def check_host(address: Address, code: str, owner: KeyPair | None, say: Say) -> bool:
    """Try all rules for hosts; return whether none was departed from.

    Args:
        address: of the door.
        code: the join code; empty for none.
        owner: the keys of the table's owner, to try what only they may do.
        say: gets a line for each rule.
    """
    peers = Peers(address, code, owner)
    try:
        return try_rules(HOST_RULES, peers, say)
    finally:
        peers.close()
