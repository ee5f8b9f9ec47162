"""Whole dialogues of a client with its host."""

from collections.abc import Iterator
from typing import Final, get_args

from msgspec.structs import replace

from coffeerush.conformance.of_host import hasty
from coffeerush.moving.fencing import proof_of
from coffeerush.table_rules import TableRules
from protocol import (
    MAX_SHARED_BYTES,
    AddBot,
    AskTerm,
    Bye,
    Challenge,
    Chat,
    Elsewhere,
    Emote,
    EndTurn,
    Enrol,
    Enrolled,
    GetRecord,
    GetView,
    HandoverFailed,
    HandoverFault,
    MoveSeat,
    Moving,
    Proof,
    Ready,
    Remove,
    Rename,
    SetFirst,
    SetMark,
    SetPause,
    Standby,
    Start,
    Submit,
    Sync,
    TermProof,
    Undo,
    decode_banner,
)

from .join_code import join_codes
from .played import ANN, BOB, CID, DEE, NAMES, Line, Played, Sender, Step
from .valid import TO

Dialogue = tuple[str, list[Step]]
"""Name and steps."""

TURN_SECONDS: Final = 60


def dialogues() -> Iterator[Dialogue]:
    """Yield the dialogues."""
    yield "the door, with the join code", _door()
    yield "the door, to a client that the host knows", _known_at_the_door()
    yield "the door, to a host whose game goes on here", _fenced(is_here=True)
    yield "the door, to a host whose game does not", _fenced(is_here=False)
    yield "hello, ready, and a start that gives another seat", _start()
    yield "the owner moves seats, and says who begins", seats_moved()
    yield "a turn, with a repeat, an undo and refusals", _turn()
    yield "a gap, and a sync", _gap()
    yield "a host that is killed and resumes its record", _resume()
    yield "of two refusals the earlier one", _refusals()
    yield "a pause, and a host that is killed in it", paused()
    yield "a game that goes on at another player's computer", moved()
    yield "kicked during a game", _kicked()
    yield "the record of a game, before and after its end", _record()


def _door() -> list[Step]:
    case = next(join_codes())
    enrol = Enrol(case["client_key"], case["client_share"])
    lines: tuple[tuple[Sender, Line], ...] = (
        ("host", decode_banner(f"{case['banner']}\n".encode())),
        ("client", enrol),
        ("host", Challenge(case["host_share"])),
        ("client", Proof(case["client_proof"])),
        ("host", Enrolled(case["host_proof"])),
    )
    return [Step(sender, "door", line) for sender, line in lines]


def _known_at_the_door() -> list[Step]:
    banner = decode_banner(f"{next(join_codes())['banner']}\n".encode())
    return [
        Step("host", "door", banner),
        Step("client", "door", Enrol(ANN)),
        Step("host", "door", Enrolled()),
    ]


def _fenced(*, is_here: bool) -> list[Step]:
    """The asker is the client; `term_proof.json` has the key."""
    banner = decode_banner(f"{next(join_codes())['banner']}\n".encode())
    asked = AskTerm("00112233aabbccdd", 1, bytes(range(32)).hex())
    proof = proof_of(bytes(range(16)), asked, 2, 1, banner.key)
    return [
        Step("host", "door", banner),
        Step("client", "door", asked),
        Step("host", "door", TermProof(2, 1, proof) if is_here else TermProof(1)),
    ]


def _start() -> list[Step]:
    """The client is on seat 2; seat 1 is open again when the owner starts."""
    played = Played(1, CID, seats=4, owner=ANN)
    played.hello(ANN)
    played.hello(BOB)
    played.steps.clear()
    played.tick()
    played.hello(CID)
    played.ask(BOB, Bye(played.new_id()))
    played.ask(CID, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    played.ask(CID, GetView(played.new_id()))
    played.tick()
    return played.steps


def seats_moved() -> list[Step]:
    """Return a dialogue: the client moves from seat 1 to seat 2, which begins, and is then 1."""
    played = Played(7, BOB, seats=3, owner=ANN)
    played.hello(ANN)
    played.hello(BOB)
    played.steps.clear()
    played.ask(BOB, Sync(played.new_id()))
    played.ask(ANN, MoveSeat(played.new_id(), 1, 2))
    played.ask(ANN, SetFirst(played.new_id(), 2))
    played.ask(BOB, SetMark(played.new_id(), 25, 3))
    played.ask(ANN, SetMark(played.new_id(), 25, 3))
    played.ask(BOB, SetFirst(played.new_id(), None))
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    played.ask(BOB, GetView(played.new_id()))
    return played.steps


def in_game(seed: int, client: str, *keys: str, turns: int = 0) -> Played:
    """Return a game of people, some rounds after its start."""
    played = Played(seed, client, seats=len(keys), rules=TableRules(turn_seconds=TURN_SECONDS))
    for key in keys:
        played.hello(key)
    for key in keys:
        played.ask(key, Ready(played.new_id(), True))
    while (view := played.look(client).view) is not None and view.round < turns:
        played.act(*keys)
    return played


def _turn() -> list[Step]:
    played = in_game(2, ANN, ANN, BOB, turns=2)
    while not played.options(ANN):
        played.act(BOB)
    played.steps.clear()
    played.ask(ANN, Sync(played.new_id()))
    first = played.wish(ANN, played.options(ANN)[0])
    played.ask(ANN, first)
    played.ask(ANN, first)
    played.ask(ANN, replace(first, intent=EndTurn()))
    played.ask(ANN, replace(first, id=played.new_id()))
    played.ask(ANN, played.wish(ANN, Undo()))
    played.ask(ANN, played.wish(ANN, EndTurn()))
    while played.options(ANN):
        played.act(ANN)
    played.ask(ANN, played.wish(ANN, EndTurn()))
    played.act(BOB)
    played.ask(ANN, GetView(played.new_id()))
    return played.steps


def _gap() -> list[Step]:
    """The second of three updates is lost, and then the third but for its tick."""
    played = in_game(3, DEE, DEE, BOB)
    played.steps.clear()
    played.ask(DEE, Sync(played.new_id()))
    played.ask(BOB, Chat(played.new_id(), "Olá!"))
    kept = played.steps.copy()
    played.act(BOB, DEE)
    played.steps.clear()
    played.ask(BOB, Chat(played.new_id(), "☕"))
    kept += played.steps
    played.steps = kept
    played.ask(DEE, Sync(played.new_id()))
    kept = played.steps.copy()
    played.ask(BOB, Chat(played.new_id(), "?"))
    played.steps = kept
    played.tick()
    played.ask(DEE, Sync(played.new_id()))
    return played.steps


def _resume() -> list[Step]:
    """The answer to the last intent is lost with the host."""
    played = in_game(4, ANN, ANN, BOB, turns=1)
    while not played.options(ANN):
        played.act(BOB)
    played.steps.clear()
    played.ask(ANN, Sync(played.new_id()))
    intent = played.wish(ANN, played.options(ANN)[0])
    kept = [*played.steps, Step("client", "requests", intent)]
    played.ask(ANN, intent)
    played.steps = kept
    played.restart()
    played.tick()
    played.hello(ANN)
    played.ask(ANN, intent)
    played.ask(ANN, GetView(played.new_id()))
    return played.steps


def _refusals() -> list[Step]:
    """Each request could be refused for more than one reason: see *The order of refusals*."""
    played = Played(5, BOB, seats=3, owner=ANN)
    played.ask(BOB, Start(played.new_id()))
    played.hello(ANN)
    played.hello(BOB)
    id_ = played.new_id()
    played.ask(BOB, Chat(id_, "Oi"))
    for request in (
        Start(id_),
        Start(played.new_id()),
        AddBot(played.new_id(), 0, "?"),
        Submit(played.new_id(), 7, 7, EndTurn()),
    ):
        played.ask(BOB, request)
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    played.ask(BOB, Rename(played.new_id(), "\u200b"))
    played.ask(BOB, Submit(played.new_id(), 7, 7, EndTurn()))
    return played.steps


def moved() -> list[Step]:
    """Return what a player sees of two handovers: one that fails, and one that does not."""
    played = Played(11, CID, seats=3, owner=ANN)
    played.hello(ANN)
    played.hello(BOB, standby=Standby(TO.key, TO.port))
    played.hello(CID)
    for key in (BOB, CID):
        played.ask(key, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    name = NAMES[BOB]
    for reason in get_args(HandoverFault):
        played.show_moving(Moving(name))
        played.show_moving(None, HandoverFailed(name, reason))
    played.show_moving(Moving(name))
    played.show_moving(Moving(name, agreed=True))
    late = GetView(played.new_id())
    played.steps.append(Step("client", "requests", late))
    to = replace(TO, name=name)
    played.steps.append(Step("host", "requests", Elsewhere(late.id, to)))
    played.move(to, BOB)
    played.hello(CID)
    played.ask(CID, late)
    return played.steps


def _kicked() -> list[Step]:
    played = Played(6, BOB, seats=2, owner=ANN)
    for key in (ANN, BOB):
        played.hello(key)
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    played.steps.clear()
    played.ask(BOB, Sync(played.new_id()))
    played.ask(ANN, Remove(played.new_id(), 1))
    played.ask(BOB, GetView(played.new_id()))
    played.hello(BOB)
    return played.steps


def _record() -> list[Step]:
    played = in_game(7, ANN, ANN, BOB)
    while (at := played.look(ANN)).view and at.view.phase != "over":
        key = ANN if played.options(ANN) else BOB
        played.ask(key, played.wish(key, hasty(played.look(key))))
        played.steps.clear()
        if played.look(ANN).rev == 1:
            kept = _parts(played)
    played.steps = kept
    played.ask(ANN, Sync(played.new_id()))
    _parts(played)
    return played.steps


def _parts(played: Played) -> list[Step]:
    """Let the client ask for the record of its game, and then for more than there is."""
    for offset in (0, MAX_SHARED_BYTES - 1):
        played.ask(ANN, GetRecord(played.new_id(), 1, offset))
    return played.steps.copy()


def paused() -> list[Step]:
    """Return a dialogue: an intent is refused in a pause, and accepted with a new id after it."""
    played = Played(8, BOB, seats=2, owner=ANN, rules=TableRules(turn_seconds=TURN_SECONDS))
    for key in (ANN, BOB):
        played.hello(key)
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    while not played.options(BOB):
        played.act(ANN)
    played.steps.clear()
    played.ask(BOB, Sync(played.new_id()))
    played.ask(ANN, SetPause(played.new_id(), True, "Pizza!"))
    intent = played.wish(BOB, played.options(BOB)[0])
    played.ask(BOB, intent)
    played.restart()
    played.tick()
    played.hello(BOB)
    played.hello(ANN)
    played.ask(ANN, SetPause(played.new_id(), False))
    played.ask(ANN, Emote(played.new_id(), "hurry"))
    played.ask(BOB, replace(intent, id=played.new_id()))
    return played.steps
