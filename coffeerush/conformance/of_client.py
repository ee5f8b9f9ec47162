"""`coffeerush conformance client`: a table for a client, from joining to the host's end."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from secrets import token_bytes
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from coffeerush.host.server.sockets import RawRequest
from coffeerush.local.keys import KeyPair, new_keys
from coffeerush.moving.gathering import Gathering
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Current,
    GetSealed,
    GetView,
    Hello,
    Lend,
    LetIn,
    Moved,
    MoveSeat,
    Publication,
    QueueFirst,
    Ready,
    Refusal,
    Refused,
    Remove,
    RemoveSpectator,
    SetFirst,
    SetPause,
    SetRules,
    Snapshot,
    StandUp,
    Start,
    Submit,
    Successor,
    Sync,
    Update,
    decode_answer,
    encode,
    padded,
)

from .rules import NotTried, Rules, Say, expect, try_rules
from .stage import GUEST, KEEPER, TURN_SECONDS, Heard, Publish, Reply, Stage

# Scenes in a game: messages that are lost, doubled, late, refused, or of a later version


REACTION_SECONDS: Final = 8.0
"""How long a client may take to retry, or to come back."""
_REMATCH_SECONDS: Final = 30.0
"""How long it may take to be ready again after a game; people read the result first."""
_BETWEEN_SECONDS: Final = 0.3
"""How far a message on one socket is ahead of the next one on the other."""
_LATER_EVENT: Final = {"type": "of_a_later_version", "seat": 0, "news": [1, 2]}
SCENES: Final = Rules()


@contextmanager
def _tampering(
    stage: Stage, reply: Reply | None = None, publish: Publish | None = None
) -> Iterator[None]:
    """Reply and publish in another way for a while."""
    before = stage.reply, stage.publish
    stage.reply, stage.publish = reply or stage.reply, publish or stage.publish
    try:
        yield
    finally:
        stage.reply, stage.publish = before


def in_game(stage: Stage) -> None:
    """See to it that a game is played; raise `NotTried` if the client does not want one."""
    if not stage.name:
        raise NotTried("nobody plays")
    # nobody owns a seat, so that a rematch starts as soon as the client is ready for it
    seconds = _REMATCH_SECONDS if stage.wants_rematch else 0
    if not stage.pump(lambda: stage.stage == "game", seconds):
        stage.wants_rematch = False
        raise NotTried("the game is over, and the client is not ready for a rematch")


def subscribed(stage: Stage) -> None:
    """See to it that a game is played; raise `NotTried` for a client without publications."""
    in_game(stage)
    if not stage.subscribes:
        raise NotTried("the client does not subscribe")


def _wait(stage: Stage, done: Callable[[], object], what: str, seconds: float) -> None:
    """Wait for what the client does in a game; in the next one, if somebody's turn ends this one.

    Raises `NotTried` if it wants no rematch.
    """
    stage.wait(lambda: done() or stage.stage != "game", what, seconds)
    if not done():
        in_game(stage)
        _wait(stage, done, what, seconds)


def _plays(stage: Stage) -> None:
    """Wait until the client has played an intent."""
    in_game(stage)
    before = stage.accepted
    _wait(stage, lambda: stage.accepted > before, "no intent was accepted", TURN_SECONDS)


def _plays_on(stage: Stage) -> None:
    """Wait until the client has played an intent in a game that is not over with it."""
    _plays(stage)
    while stage.stage != "game":
        _plays(stage)


def _answer_submits(stage: Stage, *script: Reply, later: float = TURN_SECONDS) -> list[Heard]:
    """Answer the next `Submit`s by a script; return them once all have come.

    Args:
        stage: where the client plays.
        script: how to answer each of them.
        later: how long those after the first may take.
    """
    in_game(stage)
    come: list[Heard] = []

    def reply(heard: Heard) -> Sequence[bytes]:
        if not isinstance(heard.request, Submit) or len(come) == len(script):
            return stage.handle(heard)
        come.append(heard)
        return script[len(come) - 1](heard)

    with _tampering(stage, reply):
        _wait(stage, lambda: come, "no intent came", TURN_SECONDS)
        _wait(stage, lambda: len(come) == len(script), "no further intent came", later)
    return come


def _plays_without_sync(
    stage: Stage, reply: Reply | None = None, publish: Publish | None = None
) -> None:
    """Wait until the client has played two intents, and check that it found nothing missing."""
    start = len(stage.heard)
    with _tampering(stage, reply, publish):
        _plays(stage)
        _plays(stage)
    expect(not stage.since(start, Sync), "a `sync` came, though nothing was lost")


# Intents that are lost, refused, or late


@SCENES("Intents exactly once", "it resends the same bytes until they are answered")
def _resends(stage: Stage) -> None:
    def lose(_heard: Heard) -> Sequence[bytes]:
        return []

    def mute(heard: Heard) -> Sequence[bytes]:
        stage.handle(heard)
        return []

    come = _answer_submits(stage, lose, mute, stage.handle, later=REACTION_SECONDS)
    expect(len({heard.body for heard in come}) == 1, "other bytes were sent instead")
    _plays(stage)


@SCENES("Intents exactly once", "it passes over late and double answers")
def _late_and_twice(stage: Stage) -> None:
    late: list[tuple[RawRequest, list[bytes]]] = []

    def keep(heard: Heard) -> Sequence[bytes]:
        late.append((heard.raw, stage.handle(heard)))
        return []

    def double(heard: Heard) -> Sequence[bytes]:
        stage.send(*late[0])
        return stage.handle(heard) * 2

    _answer_submits(stage, keep, double, later=REACTION_SECONDS)
    _plays(stage)
    _plays(stage)


def _refuses(code: str) -> Callable[[Stage], None]:
    """Return the scene that refuses an intent."""

    def scene(stage: Stage) -> None:
        def refuse(heard: Heard) -> Sequence[bytes]:
            look = stage.own(GetView(token_bytes(16)), stage.client)
            assert isinstance(look, Current), look
            refusal = Refusal(code, "This refusal belongs to a test; please try again.")
            view = look.view if code == "stale" else None
            return [encode(padded(Refused(heard.id, refusal, look.game, look.rev, view)))]

        first, second = _answer_submits(stage, refuse, stage.handle)
        is_new = second.id != first.id or code == "too_fast"
        expect(is_new, "the refused request was sent again, not one with a new id")
        _plays(stage)

    return scene


SCENES("Intents exactly once", "it uses a new id after `stale`")(_refuses("stale"))
SCENES("Intents exactly once", "it asks again after `too_fast`")(_refuses("too_fast"))
SCENES("Rules for later versions", "it accepts unknown codes")(_refuses("of_a_later_version"))


@SCENES("The turn clock", "it plays on after its time ran out")
def _time_runs_out(stage: Stage) -> None:
    def too_late(heard: Heard) -> Sequence[bytes]:
        stage.let_time_run_out()
        return stage.handle(heard)

    _answer_submits(stage, too_late)
    _plays(stage)


# Publications that are lost, doubled, late, or of a later version


def _later_version(body: bytes) -> bytes:
    """Return a message with an event that no version knows."""
    message: dict[str, Any] = msgspec.msgpack.decode(body)
    for name in ("events", "log"):
        if name in message:
            message[name] = [_LATER_EVENT, *message[name][1 - 32 :]]
    return msgspec.msgpack.encode(message)


@SCENES("Rules for later versions", "it passes over unknown events")
def _unknown_events(stage: Stage) -> None:
    _plays_without_sync(
        stage,
        lambda heard: [_later_version(body) for body in stage.handle(heard)],
        lambda message: [_later_version(encode(message))],
    )


def _losing_one() -> Publish:
    """Return how a host publishes that loses its first update."""
    lost: list[Update] = []

    def publish(message: Publication) -> Sequence[bytes]:
        if isinstance(message, Update) and not lost:
            lost.append(message)
            return []
        return [encode(message)]

    return publish


@SCENES("Staying in step", "it syncs after a lost update, and again")
def _loses_updates(stage: Stage) -> None:
    subscribed(stage)
    syncs: list[Heard] = []

    def reply(heard: Heard) -> Sequence[bytes]:
        if isinstance(heard.request, Sync | Hello):
            syncs.append(heard)
        return [] if syncs == [heard] else stage.handle(heard)

    with _tampering(stage, reply, _losing_one()):
        stage.own(Chat(token_bytes(16), "This update is lost."))
        stage.wait(lambda: syncs, "no `sync` came after a lost update", REACTION_SECONDS)
        stage.wait(lambda: len(syncs) > 1, "the `sync` was not repeated", REACTION_SECONDS)
    expect(syncs[1].at - syncs[0].at > 0.1, "a second `sync` came at once")
    _plays(stage)


@SCENES("Staying in step", "it buffers updates while it waits for a snapshot")
def _publishes_before_the_snapshot(stage: Stage) -> None:
    subscribed(stage)
    asked: list[Heard] = []
    snapshots: list[Snapshot] = []

    def reply(heard: Heard) -> Sequence[bytes]:
        if not isinstance(heard.request, Sync | Hello):
            return stage.handle(heard)
        answer = decode_answer(stage.handle(heard)[0])
        assert isinstance(answer, Snapshot), answer
        asked.append(heard)
        snapshots.append(answer)
        return []

    with _tampering(stage, reply, _losing_one()):
        stage.own(Chat(token_bytes(16), "This update is lost."))
        stage.wait(lambda: asked, "no `sync` came after a lost update", REACTION_SECONDS)
        stage.own(Chat(token_bytes(16), "This one comes before the snapshot."))
        stage.pump(lambda: False, _BETWEEN_SECONDS)
    start = len(stage.heard)
    for heard in asked:  # with a snapshot from before that update, whenever it asked again
        stage.send(heard.raw, [encode(replace(snapshots[0], id=heard.id))])
    stage.own(Chat(token_bytes(16), "This one comes after it."))
    _plays(stage)
    known = {heard.id for heard in asked}  # which it may have repeated meanwhile
    more = [heard for heard in stage.since(start, Sync) if heard.id not in known]
    expect(not more, "an update from before the snapshot was forgotten")


@SCENES("Staying in step", "it drops updates that it has had")
def _doubles_updates(stage: Stage) -> None:
    subscribed(stage)
    sent: list[bytes] = []

    def publish(message: Publication) -> Sequence[bytes]:
        if not isinstance(message, Update):
            return [encode(message)]
        sent.append(encode(message))
        return [sent[-1], *sent[-2:]]

    _plays_without_sync(stage, publish=publish)


@SCENES("Staying in step", "it syncs after updates in the wrong order")
def _reorders_updates(stage: Stage) -> None:
    subscribed(stage)
    start, held = len(stage.heard), list[bytes]()

    def hold(message: Publication) -> Sequence[bytes]:
        held.append(encode(message))
        return []

    with _tampering(stage, publish=hold):
        for word in ("first", "second"):
            stage.own(Chat(token_bytes(16), word))
    stage.publish_all(held[::-1])
    what = "no `sync` came after updates in the wrong order"
    stage.wait(lambda: stage.since(start, Sync, Hello), what, REACTION_SECONDS)
    _plays(stage)


@SCENES("Staying in step", "it plays on while updates come late")
def _delays_updates(stage: Stage) -> None:
    subscribed(stage)
    held: list[bytes] = []

    def publish(message: Publication) -> Sequence[bytes]:
        held.append(encode(message))
        return [] if isinstance(message, Update) else [held.pop(0) for _ in [*held]]

    _plays_without_sync(stage, publish=publish)
    stage.publish_all(held)


@SCENES("A tournament", "it says hello again when it is called to a seat")
def _is_called(stage: Stage) -> None:
    in_game(stage)
    start = len(stage.heard)
    stage.call()
    what = "no `hello` came after `say_hello`"
    stage.wait(lambda: stage.since(start, Hello), what, REACTION_SECONDS)
    _plays(stage)


# The whole course: from joining to the host's end


_JOIN_SECONDS: Final = 3600.0
_QUIET_SECONDS: Final = 2.5
_SILENCE_SECONDS: Final = 3.5
"""A keepalive is due every 2 seconds; the rest is for slow machines."""
_ONCE: Final = (
    *(Ready, Start, AddBot, Remove, RemoveSpectator),
    *(MoveSeat, SetFirst, SetRules, SetPause, LetIn, QueueFirst, StandUp),
)
CLIENT_RULES: Final = Rules()


def check_client(stage: Stage, say: Say) -> bool:
    """Take a client through all scenes; return whether it did what it has to."""
    return try_rules(CLIENT_RULES, stage, say)


@CLIENT_RULES("Joining", "the client joins as a player")
def _joins(stage: Stage) -> None:
    stage.own(Hello(token_bytes(16), PROTOCOL_VERSION, "Guest", "player"), GUEST)
    stage.cast.append(GUEST)
    stage.wait(lambda: stage.name, "nobody joined", _JOIN_SECONDS)


@CLIENT_RULES("A bot in short", "it gets ready")
def _gets_ready(stage: Stage) -> None:
    stage.wait(lambda: stage.is_ready, "no `ready` came", TURN_SECONDS)


@CLIENT_RULES("Seats", "it plays on when the seats are renumbered")
def _is_renumbered(stage: Stage) -> None:
    if not stage.is_ready:
        raise NotTried("the client is not ready")
    stage.keep()
    stage.own(Bye(token_bytes(16)), GUEST)
    stage.cast.remove(GUEST)
    stage.start()
    _plays(stage)


CLIENT_RULES.extend(SCENES)


def _check_no_more(stage: Stage, start: int, most: int, after: str) -> None:
    """Check that hardly any request comes after the first `start`, but for a `Bye`."""
    stage.pump(lambda: False, _QUIET_SECONDS)
    more = [heard for heard in stage.heard[start:] if not isinstance(heard.request, Bye)]
    expect(len(more) <= most, f"{len(more)} more requests came after {after}")


@CLIENT_RULES("Presence", "it says something every 2 seconds")
def _keeps_alive(stage: Stage) -> None:
    in_game(stage)
    times = [heard.at for heard in stage.heard]
    longest = max(after - before for before, after in pairwise(times))
    expect(longest < _SILENCE_SECONDS, f"the client was silent for {longest:.1f} seconds")


@CLIENT_RULES("Staying in step", "it comes back to a resumed host, and resends its intent")
def _crashes(stage: Stage) -> None:
    def crash(heard: Heard) -> Sequence[bytes]:
        stage.handle(heard)  # recorded, and not answered
        return []

    [last] = _answer_submits(stage, crash)
    while stage.stage != "game":  # its game has ended with it: there is nothing to resume
        [last] = _answer_submits(stage, crash)
    start = len(stage.heard)
    earlier = {heard.id for heard in stage.since(0, *_ONCE)}
    stage.restart()
    stage.wait(lambda: len(stage.heard) > start, "the client did not come back", TURN_SECONDS)
    what = "the intent without an answer was not sent again"
    stage.wait(
        lambda: last.body in [heard.body for heard in stage.heard[start:]], what, REACTION_SECONDS
    )
    expect(not earlier & {heard.id for heard in stage.heard[start:]}, "`ready` was sent again")
    _plays(stage)


# A table that moves


@CLIENT_RULES("Moving a table", "it follows to a host of a higher term, and to no other")
def _follows(stage: Stage) -> None:
    subscribed(stage)
    nowhere = replace(stage.destination(stage.table.term), key=new_keys().public.decode())
    stage.publish_all([encode(Moved(nowhere))])
    _plays_on(stage)
    start = len(stage.heard)
    stage.move()
    what = "the client did not come to the new host"
    stage.wait(lambda: stage.since(start, Hello), what, TURN_SECONDS)
    stage.forget_old()
    _plays(stage)


@CLIENT_RULES("Going on without the host", "it lends what it has to a standby, and follows no liar")
def _lends(stage: Stage) -> None:
    subscribed(stage)
    hello = next((heard.request for heard in reversed(stage.since(0, Hello))), None)
    if not isinstance(hello, Hello) or not hello.keeps:
        raise NotTried("the client keeps no record")
    keys, liar = new_keys(), stage.liar()
    try:
        _loses_host(stage, keys, liar)
    finally:
        liar.close()


def _loses_host(stage: Stage, keys: KeyPair, liar: Stage) -> None:
    """Let the client lose its host, and find first a liar, and then one that goes on."""
    start, port = len(stage.heard), stage.free_port()
    there = (("Liar", liar.key, liar.port), ("Keeper", keys.public.decode(), port))
    stage.standbys = tuple(
        Successor(name, key, stage.addresses[0], door) for name, key, door in there
    )
    with _tampering(stage, publish=_losing_one()):
        stage.own(Chat(token_bytes(16), "This update is lost."))
        what = "no `sync` came after a lost update"
        stage.wait(lambda: stage.since(start, Sync, Hello), what, REACTION_SECONDS)
    stage.wait(lambda: stage.since(0, GetSealed), "no `sealed` came", REACTION_SECONDS)
    _plays_on(stage)
    replica = stage.replica()
    stage.fall_silent(keys, port)
    try:
        liar.wait(lambda: liar.client, "the client asked no standby", TURN_SECONDS)
        liar.pump(lambda: False, _BETWEEN_SECONDS)
    finally:
        stage.open(resumes=True)
    seen, start = len(liar.heard), len(stage.heard)
    gathering = Gathering(replica, KEEPER)

    def reply(heard: Heard) -> Sequence[bytes]:
        return [encode(gathering.answer(heard.raw.sender.key, heard.request))]

    with _tampering(stage, reply):
        stage.wait(lambda: stage.since(start, Lend), "the client lends nothing", TURN_SECONDS)
        what = "the record did not open with what the client lends"
        stage.wait(gathering.opened, what, REACTION_SECONDS)
    _plays(stage)
    liar.pump(lambda: False, _BETWEEN_SECONDS)
    asked = [heard for heard in liar.heard[seen:] if not isinstance(heard.request, Bye)]
    expect(not asked, "it went on asking a standby that shows another game")


@CLIENT_RULES("Presence", "it stops asking once it is removed")
def _is_removed(stage: Stage) -> None:
    in_game(stage)
    start = len(stage.heard)
    stage.kick()
    stage.wait(lambda: len(stage.heard) > start, "the client asked no more", REACTION_SECONDS)
    # a `sync`, a `sealed` and a keepalive may have been under way
    _check_no_more(stage, start + 1, 3, "`removed`")


@CLIENT_RULES("HostStopping", "it stops asking once the host stops")
def _host_stops(stage: Stage) -> None:
    if not stage.client:
        raise NotTried("nobody plays")
    if not stage.subscribes:
        raise NotTried("the client does not subscribe")
    stage.say("Start the client again, please.")
    stage.begin_again()
    stage.wait(lambda: stage.name, "nobody joined", _JOIN_SECONDS)
    stage.wait(lambda: stage.subscribes, "nobody subscribed", REACTION_SECONDS)
    stage.publish_all([encode(message) for message in stage.table.stop()])
    stage.pump(lambda: False, _QUIET_SECONDS / 5)  # requests that are under way
    _check_no_more(stage, len(stage.heard), 0, "`host_stopping`")


@CLIENT_RULES("Requests", "all its requests are well-formed, and their ids unique")
def _well_formed(stage: Stage) -> None:
    expect(not stage.wrong, "; ".join(stage.wrong[:3]))
