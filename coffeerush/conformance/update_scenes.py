"""Scenes for clients: publications that are lost, doubled, late, or of a later version."""

from collections.abc import Sequence
from secrets import token_bytes
from typing import Any, Final

import msgspec

from protocol import (
    Chat,
    Hello,
    Publication,
    Sync,
    Update,
    encode,
)

from .rules import NotTried, Rule, expect
from .scenes import in_game, plays, tampering
from .stage import REACTION_SECONDS, Heard, Stage

_LATER_EVENT: Final = {"type": "of_a_later_version", "seat": 0, "news": [1, 2]}


def needs_subscriber(stage: Stage) -> None:
    """Raise `NotTried` for a client that does without publications."""
    in_game(stage)
    if not stage.subscribes:
        raise NotTried("the client does not subscribe")


def later_version(body: bytes) -> bytes:
    """Return a message with an event that version 4 does not know."""
    message: dict[str, Any] = msgspec.msgpack.decode(body)
    for name in ("events", "log"):
        if name in message:
            message[name] = [_LATER_EVENT, *message[name][1 - 32 :]]
    return msgspec.msgpack.encode(message)


def _unknown_events(stage: Stage) -> None:
    start = len(stage.heard)
    with tampering(
        stage,
        lambda heard: [later_version(body) for body in stage.handle(heard)],
        lambda message: [later_version(encode(message))],
    ):
        plays(stage, 2)
    expect(not stage.since(Sync, start), "a `sync` came, though nothing was lost")


def _loses_updates(stage: Stage) -> None:
    needs_subscriber(stage)
    lost: list[Update] = []
    syncs: list[Heard] = []

    def publish(message: Publication) -> Sequence[bytes]:
        if isinstance(message, Update) and not lost:
            lost.append(message)
            return []
        return [encode(message)]

    def reply(heard: Heard) -> Sequence[bytes]:
        if isinstance(heard.request, Sync | Hello):
            syncs.append(heard)
        return [] if len(syncs) == 1 and syncs[0] is heard else stage.handle(heard)

    with tampering(stage, reply, publish):
        stage.own(Chat(token_bytes(16), "This update is lost."))
        stage.wait(lambda: syncs, "no `sync` came after a lost update", REACTION_SECONDS)
        stage.wait(lambda: len(syncs) > 1, "the `sync` was not repeated", REACTION_SECONDS)
    expect(syncs[1].at - syncs[0].at > 0.1, "a second `sync` came at once")
    plays(stage)


def _doubles_updates(stage: Stage) -> None:
    needs_subscriber(stage)
    start, sent = len(stage.heard), [b""]

    def publish(message: Publication) -> Sequence[bytes]:
        body = encode(message)
        if not isinstance(message, Update):
            return [body]
        sent.append(body)
        return [body, *filter(None, sent[-2:])]

    with tampering(stage, publish=publish):
        plays(stage, 2)
    expect(not stage.since(Sync, start), "a `sync` came, though nothing was lost")


def _reorders_updates(stage: Stage) -> None:
    needs_subscriber(stage)
    start, held = len(stage.heard), list[bytes]()

    def hold(message: Publication) -> Sequence[bytes]:
        held.append(encode(message))
        return []

    with tampering(stage, publish=hold):
        for word in ("first", "second"):
            stage.own(Chat(token_bytes(16), word))
    stage.publish_all(held[::-1])
    stage.wait(
        lambda: stage.since(Sync, start) or stage.since(Hello, start),
        "no `sync` came after updates in the wrong order", REACTION_SECONDS,
    )  # fmt: skip
    plays(stage)


def _delays_updates(stage: Stage) -> None:
    needs_subscriber(stage)
    held: list[bytes] = []

    def publish(message: Publication) -> Sequence[bytes]:
        held.append(encode(message))
        return [] if isinstance(message, Update) else [held.pop(0) for _ in [*held]]

    with tampering(stage, publish=publish):
        plays(stage, 2)
    stage.publish_all(held)


UPDATE_RULES: Final = (
    Rule("Rules for later versions", "it passes over unknown events", _unknown_events),
    Rule("Staying in step", "it syncs after a lost update, and again", _loses_updates),
    Rule("Staying in step", "it drops updates that it has had", _doubles_updates),
    Rule("Staying in step", "it syncs after updates in the wrong order", _reorders_updates),
    Rule("Staying in step", "it plays on while updates come late", _delays_updates),
)
