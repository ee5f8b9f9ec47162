"""Scenes for clients: intents that are lost, refused, late, or answered by a host that crashes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from secrets import token_bytes
from typing import Final

from protocol import (
    AddBot,
    Current,
    GetView,
    Ready,
    Refusal,
    Refused,
    Remove,
    RemoveSpectator,
    Start,
    Submit,
    encode,
)

from .rules import NotTried, Rule, expect
from .stage import REACTION_SECONDS, TURN_SECONDS, Heard, Publish, Reply, Stage

_ONCE: Final = (Ready, Start, AddBot, Remove, RemoveSpectator)


@contextmanager
def tampering(
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
    if stage.stage == "game":
        return
    if not stage.pump(lambda: stage.is_ready, REACTION_SECONDS):
        raise NotTried("the game is over, and the client is not ready for a rematch")
    stage.start()


def plays(stage: Stage, times: int = 1) -> None:
    """Wait until the client has played so many intents."""
    for _ in range(times):
        in_game(stage)
        before = stage.accepted
        stage.wait(lambda: stage.accepted > before, "no intent was accepted", TURN_SECONDS)  # noqa: B023


def answer_submits(stage: Stage, *script: Reply, later: float = TURN_SECONDS) -> list[Heard]:
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

    with tampering(stage, reply):
        stage.wait(lambda: come, "no intent came", TURN_SECONDS)
        for number in range(2, len(script) + 1):
            stage.wait(lambda: len(come) >= number, "no further intent came", later)  # noqa: B023
    return come


def lose(_heard: Heard) -> Sequence[bytes]:
    """Lose a request."""
    return []


def _resends(stage: Stage) -> None:
    def mute(heard: Heard) -> Sequence[bytes]:
        stage.handle(heard)
        return []

    come = answer_submits(stage, lose, mute, stage.handle, later=REACTION_SECONDS)
    expect(len({one.body for one in come}) == 1, "other bytes were sent instead")
    plays(stage)


def _late_and_twice(stage: Stage) -> None:
    late: list[tuple[Heard, Sequence[bytes]]] = []

    def keep(heard: Heard) -> Sequence[bytes]:
        late.append((heard, stage.handle(heard)))
        return []

    def double(heard: Heard) -> Sequence[bytes]:
        stage.send(*late[0])
        return stage.handle(heard) * 2

    answer_submits(stage, keep, double, later=REACTION_SECONDS)
    plays(stage, 2)


def refuses(code: str, same_id: bool = False) -> Callable[[Stage], None]:
    """Return the scene that refuses an intent."""

    def scene(stage: Stage) -> None:
        def refuse(heard: Heard) -> Sequence[bytes]:
            look = stage.table.handle(stage.now(), stage.client, GetView(token_bytes(16))).answer
            assert isinstance(look, Current), look
            refusal = Refusal(code, "This refusal belongs to a test; please try again.")
            view = look.view if code == "stale" else None
            return [encode(Refused(heard.id, refusal, look.game, look.rev, view))]

        first, second = answer_submits(stage, refuse, stage.handle)
        again = second.id == first.id
        expect(same_id or not again, "the refused request was sent again, not one with a new id")
        plays(stage)

    return scene


def _time_runs_out(stage: Stage) -> None:
    def too_late(heard: Heard) -> Sequence[bytes]:
        stage.let_time_run_out()
        return stage.handle(heard)

    answer_submits(stage, too_late)
    plays(stage)


def crashes(stage: Stage) -> None:
    """Crash after an intent is recorded, before its answer; then resume the game."""

    def crash(heard: Heard) -> Sequence[bytes]:
        stage.handle(heard)
        return []

    last = answer_submits(stage, crash)
    start = len(stage.heard)
    earlier = {one.id for one in stage.heard if isinstance(one.request, _ONCE)}
    stage.close()
    stage.open(resumes=True)
    stage.wait(lambda: len(stage.heard) > start, "the client did not come back", TURN_SECONDS)
    stage.wait(
        lambda: any(one.body == last[0].body for one in stage.heard[start:]),
        "the intent without an answer was not sent again", REACTION_SECONDS,
    )  # fmt: skip
    expect(not earlier & {one.id for one in stage.heard[start:]}, "`ready` was sent again")
    plays(stage)


INTENT_RULES: Final = (
    Rule("Intents exactly once", "it resends the same bytes until they are answered", _resends),
    Rule("Intents exactly once", "it passes over late and double answers", _late_and_twice),
    Rule("Intents exactly once", "it uses a new id after `stale`", refuses("stale")),
    Rule("Intents exactly once", "it asks again after `too_fast`", refuses("too_fast", True)),
    Rule("Rules for later versions", "it accepts unknown codes", refuses("of_a_later_version")),
    Rule("The turn clock", "it plays on after its time ran out", _time_runs_out),
)
