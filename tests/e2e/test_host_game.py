"""A whole game over the wire: nobody sees other players' cups."""

from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import msgspec

from coffeerush.records.entries import Record
from coffeerush.records.writing import load_record
from coffeerush.rules.board import unpack
from tests.support.hosts_and_clients import Fields, Host, Peer, hosting
from tests.support.players import Player, is_over, play, public

HIDDEN = {"cups", "options", "undo", "intent", "preview"}
"""Field names that a spectator must never receive (R-INFO-2)."""
PRIVATE_FIELDS = {"poured": {"ingredient", "cup"}, "cup_emptied": {"cup"}, "order_served": {"cup"}}
"""Event fields that only the seat's owner receives (R-INFO-2)."""


def record_of(host: Host, state: Path) -> Record:
    (path,) = (state / "records").glob("*.record")
    return load_record(path)


def test_no_byte_of_a_cup_reaches_anybody_else(tmp_path: Path) -> None:  # R-INFO-2
    with ExitStack() as stack:
        host = stack.enter_context(hosting(tmp_path, seats=2))
        spectator = stack.enter_context(Peer(host.port))
        spectator.hello("Wim", "spectator")
        players = {}
        for name in "AB":
            player = stack.enter_context(Player(host.port))
            players[player.sit_down(name)] = player
        for player in players.values():
            assert player.ask("ready", ready=True)["type"] == "done"

        too_fast = False

        def look(view: Fields) -> bool:
            nonlocal too_fast
            heard = spectator.hear_rest()
            if not too_fast or "tick" in [each["type"] for each in heard]:
                spectator.send("sync")
                too_fast = spectator.receive()["type"] == "refused"
            return is_over(view)

        play(players, Random(2), look)
        views = [player.view() for player in players.values()]
        assert public(views[0]) == public(views[1])
        for seat, player in players.items():
            player.hear_rest()
            for body in filter(None, player.raw):
                owners = {view["own"]["seat"] for view in views_in(msgspec.msgpack.decode(body))}
                assert owners <= {seat}
        host.stop()
        last = spectator.hear_until(
            lambda heard: {"type": "host_stopping"} in heard.get("events", [])
        )
        assert is_over(last["view"])
        secrets = secret_bytes(record_of(host, tmp_path))
    assert len(secrets) >= 10
    bodies = [frame for frame in spectator.raw if frame]
    assert len(bodies) > 50
    for body in bodies:
        assert not any(secret in body for secret in secrets)
        check_nothing_is_private(msgspec.msgpack.decode(body))


def secret_bytes(record: Record) -> set[bytes]:
    """Return the encoded cups of every seat and position, if they hold enough to be recognised."""
    cups = {
        tuple(unpack(cup) for cup in player.cups)
        for state in record.states()
        for player in state.players
        if sum(bool(cup) for cup in player.cups) > 1
    }
    return {msgpack.packb(each) for each in cups}


def check_nothing_is_private(value: Any) -> None:
    """Search a decoded message for anything private (R-INFO-2), without using our types."""
    if isinstance(value, list):
        for each in value:
            check_nothing_is_private(each)
    if not isinstance(value, dict):
        return
    assert not HIDDEN & value.keys()
    assert value.get("own") is None
    if value.get("phase") in ("pouring", "filling"):
        assert value["hand"] is None
    private = PRIVATE_FIELDS.get(value.get("type", ""), set())
    assert not [name for name in private if value.get(name) is not None]
    for each in value.values():
        check_nothing_is_private(each)


def views_in(message: Fields) -> list[Fields]:
    """Return the Views in a message that have a private part."""
    view = message.get("view")
    return [view] if view and view.get("own") else []
