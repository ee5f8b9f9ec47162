"""`coffeerush conformance client`: a table for a client, from joining to the host's end."""

from collections.abc import Sequence
from itertools import pairwise
from secrets import token_bytes
from typing import Final

from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Hello,
    LetIn,
    MoveSeat,
    Ready,
    Remove,
    RemoveSpectator,
    SetFirst,
    SetPause,
    SetRules,
    Start,
    encode,
)

from .rules import NotTried, Rules, Say, expect, try_rules
from .scenes import REACTION_SECONDS, SCENES, answer_submits, in_game, plays
from .stage import GUEST, TURN_SECONDS, Heard, Stage

_JOIN_SECONDS: Final = 3600.0
_QUIET_SECONDS: Final = 2.5
_SILENCE_SECONDS: Final = 3.5
"""A keepalive is due every 2 seconds; the rest is for slow machines."""
_ONCE: Final = (
    *(Ready, Start, AddBot, Remove, RemoveSpectator),
    *(MoveSeat, SetFirst, SetRules, SetPause, LetIn),
)
CLIENT_RULES: Final = Rules()


def check_client(stage: Stage, say: Say) -> bool:
    """Take a client through all scenes; tell whether it did what it has to."""
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
    stage.own(Bye(token_bytes(16)), GUEST)
    stage.cast.remove(GUEST)
    stage.start()
    plays(stage)


CLIENT_RULES.extend(SCENES)


def check_no_more(stage: Stage, start: int, most: int, after: str) -> None:
    """Check that hardly any request comes after the first `start`, but for a `Bye`."""
    stage.pump(lambda: False, _QUIET_SECONDS)
    more = [one for one in stage.heard[start:] if not isinstance(one.request, Bye)]
    expect(len(more) <= most, f"{len(more)} more requests came after {after}")


@CLIENT_RULES("Presence", "it says something every 2 seconds")
def _keeps_alive(stage: Stage) -> None:
    in_game(stage)
    times = [one.at for one in stage.heard]
    longest = max(after - before for before, after in pairwise(times))
    expect(longest < _SILENCE_SECONDS, f"the client was silent for {longest:.1f} seconds")


@CLIENT_RULES("Staying in step", "it comes back to a resumed host, and resends its intent")
def _crashes(stage: Stage) -> None:
    def crash(heard: Heard) -> Sequence[bytes]:
        stage.handle(heard)  # recorded, and not answered
        return []

    [last] = answer_submits(stage, crash)
    start = len(stage.heard)
    earlier = {one.id for one in stage.since(0, *_ONCE)}
    stage.close()
    stage.open(resumes=True)
    stage.wait(lambda: len(stage.heard) > start, "the client did not come back", TURN_SECONDS)
    what = "the intent without an answer was not sent again"
    stage.wait(
        lambda: last.body in [one.body for one in stage.heard[start:]], what, REACTION_SECONDS
    )
    expect(not earlier & {one.id for one in stage.heard[start:]}, "`ready` was sent again")
    plays(stage)


@CLIENT_RULES("Presence", "it stops asking once it is removed")
def _is_removed(stage: Stage) -> None:
    in_game(stage)
    start = len(stage.heard)
    stage.kick()
    stage.wait(lambda: len(stage.heard) > start, "the client asked no more", REACTION_SECONDS)
    check_no_more(stage, start + 1, 2, "`removed`")


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
    stage.publish_all([encode(one) for one in stage.table.stop()])
    stage.pump(lambda: False, _QUIET_SECONDS / 5)  # requests that are under way
    check_no_more(stage, len(stage.heard), 0, "`host_stopping`")


@CLIENT_RULES("Requests", "all its requests are well-formed, and their ids unique")
def _well_formed(stage: Stage) -> None:
    expect(not stage.wrong, "; ".join(stage.wrong[:3]))
