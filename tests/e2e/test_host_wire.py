"""A host over the wire, beyond what `coffeerush conformance host` asks of every host."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import msgspec
import pytest
import zmq
from zmq.utils.monitor import parse_monitor_message

from coffeerush.joining.code_words import WORDS
from coffeerush.records.entries import Record
from coffeerush.records.writing import load_record
from coffeerush.rules.board import unpack
from tests.support.hosts_and_clients import (
    SECONDS,
    Deadline,
    Fields,
    Host,
    KeyPair,
    Peer,
    curve_client,
    door_handshake,
    hosting,
)
from tests.support.players import Player, is_over, play, public


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("wire"), seats=3, bots=("random",)) as host:
        yield host


@pytest.fixture
def peer(host: Host) -> Iterator[Peer]:
    with Peer(host.port) as peer:
        yield peer
        peer.ask("bye")


def test_the_door_says_where_the_sockets_are(host: Host) -> None:
    banner, answer = door_handshake(host.port, zmq.curve_keypair()[0])
    assert answer == {"type": "enrolled", "proof": ""}
    ports = (banner["requests"], banner["updates"])
    assert ports == (host.port + 1, host.port + 2)
    assert ports == (host.ready["requests"], host.ready["updates"])


def test_a_req_socket_is_answered(host: Host, peer: Peer) -> None:
    key = peer.banner["key"].encode()
    with zmq.Context() as context, curve_client(context, zmq.REQ, key, peer.keys) as req:
        req.rcvtimeo = int(SECONDS * 1000)
        req.setsockopt(zmq.REQ_RELAXED, 1)
        req.setsockopt(zmq.REQ_CORRELATE, 1)
        req.connect(f"tcp://127.0.0.1:{host.ready['requests']}")
        ask = {"type": "hello", "id": os.urandom(16), "protocol": 6, "name": "Rex"}
        req.send(msgpack.packb({**ask, "role": "spectator"}))
        answer = msgpack.unpackb(req.recv())
    assert answer["type"] == "snapshot"
    assert answer["id"] == ask["id"]


def test_an_oversized_frame_closes_its_senders_connection(host: Host, peer: Peer) -> None:
    with Peer(host.port) as glutton:
        glutton.hello("Max", "spectator")
        monitor = glutton.dealer.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        glutton.dealer.send_multipart([b"", bytes(20_000)])
        assert monitor.poll(int(SECONDS * 1000))
        assert parse_monitor_message(monitor.recv_multipart())["event"] == zmq.EVENT_DISCONNECTED
        glutton.dealer.disable_monitor()
        monitor.close()
    assert peer.hello("Wim", "spectator")["type"] == "snapshot"  # others are not affected


@pytest.mark.parametrize("keyed", [False, True], ids=["without CURVE", "another host's key"])
def test_the_handshake_needs_the_hosts_key(host: Host, peer: Peer, keyed: bool) -> None:
    """An admitted key alone is not enough."""
    server = zmq.curve_keypair()[0] if keyed else b""
    assert handshake(host.ready["requests"], server, peer.keys) != zmq.EVENT_HANDSHAKE_SUCCEEDED


def handshake(port: int, server: bytes, keys: KeyPair) -> int | None:
    """Return how a handshake ends; None if the connection just breaks."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as client:
        client.linger = 0
        if server:
            client.curve_serverkey = server
            client.curve_publickey, client.curve_secretkey = keys
        monitor = client.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED
            | zmq.EVENT_HANDSHAKE_FAILED_AUTH
            | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | zmq.EVENT_DISCONNECTED
        )
        client.connect(f"tcp://127.0.0.1:{port}")
        assert monitor.poll(int(SECONDS * 1000))
        event = parse_monitor_message(monitor.recv_multipart())["event"]
        client.disable_monitor()
        monitor.close()
        return None if event == zmq.EVENT_DISCONNECTED else event


# Many wrong codes at one table: its code changes, and the parent process gets the new one


WRONG = "-".join([WORDS[0][0]] * 3)
KEY = b"k" * 40
TRIES_OF_AN_ADDRESS = 5
TRIES_OF_A_TABLE = 50


def door_reply(host: Host, code: str, source: str) -> str:
    """Return the door's final reply to a client at `source` with `code`."""
    _banner, answer = door_handshake(host.port, KEY, code, source)
    return str(answer["refusal"]["code"] if answer["type"] == "refused" else answer["type"])


def door_reply_once_free(host: Host, code: str, source: str) -> str:
    """Return the door's reply once it is not busy any more."""
    deadline = Deadline()
    while (answer := door_reply(host, code, source)) == "door_busy":
        deadline.left()
    return answer


def test_fifty_wrong_codes_change_the_code(tmp_path: Path) -> None:
    with hosting(tmp_path, seats=2) as host, host.link.makefile("rb") as lines:
        code = host.ready["code"]
        assert door_reply(host, code, "127.0.1.1") == "enrolled"
        for _each in range(TRIES_OF_AN_ADDRESS):
            assert door_reply_once_free(host, WRONG, "127.0.1.2") == "wrong_code"
        assert door_reply(host, code, "127.0.1.2") == "too_many_tries"
        sources = (f"127.0.2.{number}" for number in count(1))
        for _each in range(TRIES_OF_A_TABLE - TRIES_OF_AN_ADDRESS):
            assert door_reply_once_free(host, WRONG, next(sources)) == "wrong_code"
        news = json.loads(lines.readline())
        assert news["type"] == "new_code"
        assert news["code"] != code
        assert door_reply_once_free(host, code, next(sources)) == "wrong_code"
        assert door_reply_once_free(host, news["code"], next(sources)) == "enrolled"
        host.stop()
        assert news["code"] in host.text()
        counted = re.findall(r"[:,] wrong codes: (\d+)", host.text())
        assert sum(map(int, counted)) == TRIES_OF_A_TABLE + 1


def test_an_open_table_says_so_and_has_no_code(tmp_path: Path) -> None:
    with hosting(tmp_path, open=True) as host:
        assert host.ready["code"] == ""
        assert door_handshake(host.port, KEY)[0]["code"] is False
        assert "No join code is needed: anybody who can reach port" in host.text()


# Nobody sees other players' cups


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
        last = spectator.hear_of_its_end()
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
