"""`coffeerush conformance client`: scenes that a client is taken through, and what it has to do."""

from itertools import pairwise
from secrets import token_bytes
from typing import Final

from protocol import (
    PROTOCOL_VERSION,
    Bye,
    Hello,
    encode,
)

from .rules import NotTried, Rule, Say, expect, try_rules
from .scenes import INTENT_RULES, crashes, in_game, plays
from .stage import GUEST, REACTION_SECONDS, TURN_SECONDS, Stage
from .update_scenes import UPDATE_RULES

_JOIN_SECONDS: Final = 3600.0
_QUIET_SECONDS: Final = 2.5
_SILENCE_SECONDS: Final = 3.5
"""A keepalive is due every 2 seconds; the rest is for slow machines."""


def _joins(stage: Stage) -> None:
    stage.own(Hello(token_bytes(16), PROTOCOL_VERSION, "Guest", "player"), GUEST)
    stage.cast.append(GUEST)
    stage.wait(lambda: stage.name, "nobody joined", _JOIN_SECONDS)


def _gets_ready(stage: Stage) -> None:
    stage.wait(lambda: stage.is_ready, "no `ready` came", TURN_SECONDS)


def _is_renumbered(stage: Stage) -> None:
    if not stage.is_ready:
        raise NotTried("the client is not ready")
    stage.own(Bye(token_bytes(16)), GUEST)
    stage.cast.remove(GUEST)
    stage.start()
    plays(stage, 2)


def _keeps_alive(stage: Stage) -> None:
    in_game(stage)
    times = [one.at for one in stage.heard]
    longest = max(after - before for before, after in pairwise(times))
    expect(longest < _SILENCE_SECONDS, f"the client was silent for {longest:.1f} seconds")


def _is_removed(stage: Stage) -> None:
    in_game(stage)
    start = len(stage.heard)
    stage.kick()
    stage.wait(lambda: len(stage.heard) > start, "the client asked no more", REACTION_SECONDS)
    stage.pump(lambda: False, _QUIET_SECONDS)
    more = [one for one in stage.heard[start + 1 :] if not isinstance(one.request, Bye)]
    expect(len(more) <= 2, f"{len(more)} more requests came after `removed`")


def _host_stops(stage: Stage) -> None:
    if not stage.client:
        raise NotTried("nobody plays")
    stage.say("Start the client again, please.")
    stage.begin_again()
    stage.wait(lambda: stage.name, "nobody joined", _JOIN_SECONDS)
    if not stage.pump(lambda: stage.subscribes, _QUIET_SECONDS):
        raise NotTried("the client does not subscribe")
    stage.publish_all([encode(one) for one in stage.table.stop()])
    stage.pump(lambda: False, _QUIET_SECONDS / 5)
    start = len(stage.heard)
    stage.pump(lambda: False, _QUIET_SECONDS)
    more = [one for one in stage.heard[start:] if not isinstance(one.request, Bye)]
    expect(not more, f"{len(more)} more requests came after `host_stopping`")


def _well_formed(stage: Stage) -> None:
    expect(not stage.wrong, "; ".join(stage.wrong[:3]))


CLIENT_RULES: Final = (
    Rule("Joining", "the client joins as a player", _joins),
    Rule("A bot in short", "it gets ready", _gets_ready),
    Rule("Seats", "it plays on when the seats are numbered anew", _is_renumbered),
    *INTENT_RULES,
    *UPDATE_RULES,
    Rule("Presence", "it says something every 2 seconds", _keeps_alive),
    Rule("Staying in step", "it comes back to a resumed host, and resends its intent", crashes),
    Rule("Presence", "it stops asking once it is removed", _is_removed),
    Rule("HostStopping", "it stops asking once the host stops", _host_stops),
    Rule("Requests", "all its requests are well-formed, and their ids unique", _well_formed),
)


def check_client(stage: Stage, say: Say) -> bool:
    """Take a client through all scenes; tell whether it did what it has to."""
    return try_rules(CLIENT_RULES, stage, say)
