"""A host's answers on its sockets: to members, to strangers, and to malformed requests."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgpack
import pytest
import zmq
from zmq.utils.monitor import parse_monitor_message

from tests.support.hosts_and_clients import SECONDS, Fields, Host, Peer, door_handshake, hosting


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A table of two seats, one a bot's, so that a game starts when a person is ready."""
    state = tmp_path_factory.mktemp("wire")
    with hosting(state, seats=3, bots=("random",)) as host:
        yield host


@pytest.fixture
def peer(host: Host) -> Iterator[Peer]:
    with Peer(host.port) as peer:
        yield peer
        peer.ask("bye")


def test_the_door_says_where_the_sockets_are(host: Host) -> None:
    banner, answer = door_handshake(host.port, zmq.curve_keypair()[0])
    assert answer == {"type": "enrolled", "proof": ""}
    assert banner["game"] == "coffeerush"
    assert (banner["requests"], banner["updates"]) == (host.port + 1, host.port + 2)
    assert (banner["requests"], banner["updates"]) == (
        host.ready["requests"],
        host.ready["updates"],
    )


def test_hello_gives_a_seat_and_everything_there_is_to_know(peer: Peer) -> None:
    snapshot = peer.hello("Ann")
    assert snapshot["seat"] == 1
    assert [seat["status"] for seat in snapshot["table"]["seats"]] == ["bot", "person", "open"]
    again = peer.ask("sync")
    assert again["type"] == "snapshot"
    assert (again["epoch"], again["seat"]) == (snapshot["epoch"], 1)


def test_a_spectator_has_no_seat(peer: Peer) -> None:
    snapshot = peer.hello("Wim", "spectator")
    assert snapshot["seat"] is None
    assert "Wim" in snapshot["table"]["spectators"]
    refused = peer.ask("ready", ready=True)
    assert refused["refusal"]["code"] == "not_seated"


def test_a_new_player_is_published(host: Host, peer: Peer) -> None:
    peer.hello("Wim", "spectator")
    peer.hear()
    with Peer(host.port) as other:
        other.hello("Ben")
        joined = {"type": "people_changed", "name": "Ben", "change": "joined"}
        peer.hear_until(lambda heard: heard.get("events") == [joined])
        assert other.ask("bye")["type"] == "done"


def test_a_tick_comes_each_second(peer: Peer) -> None:
    first, second = (peer.hear_until(lambda heard: heard["type"] == "tick") for _tick in range(2))
    assert first["epoch"] == second["epoch"]


def test_without_a_hello_requests_are_refused(peer: Peer) -> None:
    for kind in ("sync", "view"):
        answer = peer.ask(kind)
        assert answer["refusal"]["code"] == "say_hello"


def test_a_req_socket_is_answered(host: Host, peer: Peer) -> None:
    with zmq.Context() as context, context.socket(zmq.REQ) as req:
        req.linger = 0
        req.rcvtimeo = int(SECONDS * 1000)
        req.setsockopt(zmq.REQ_RELAXED, 1)
        req.setsockopt(zmq.REQ_CORRELATE, 1)
        req.curve_serverkey = peer.banner["key"].encode()
        req.curve_publickey, req.curve_secretkey = peer.keys
        req.connect(f"tcp://127.0.0.1:{host.ready['requests']}")
        ask = {"type": "hello", "id": os.urandom(16), "protocol": 5, "name": "Rex"}
        req.send(msgpack.packb({**ask, "role": "spectator"}))
        answer = msgpack.unpackb(req.recv())
    assert answer["type"] == "snapshot"
    assert answer["id"] == ask["id"]


MALFORMED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not_messagepack"),
    "no MessagePack": (b"\xc1", "not_messagepack"),
    "cut off": (msgpack.packb({"type": "sync"})[:-1], "not_messagepack"),
    "too much": (msgpack.packb({"type": "sync"}) + b"\0", "not_messagepack"),
    "a number": (b"\x01", "wrong_shape"),
    "unknown type": (msgpack.packb({"type": "cheat", "id": bytes(16)}), "wrong_shape"),
    "a field too much": (
        msgpack.packb({"type": "sync", "id": bytes(16), "seat": 1}),
        "wrong_shape",
    ),
    "a short id": (msgpack.packb({"type": "sync", "id": b"1"}), "wrong_shape"),
    "a float": (msgpack.packb({"type": "sync", "id": bytes(16), "x": 1.5}), "wrong_shape"),
    "an extension": (msgpack.packb(msgpack.ExtType(1, b"")), "wrong_shape"),
    "too deep": (b"\x91" * 4000 + b"\x01", "too_deep"),
    "too many elements": (msgpack.packb(list(range(100))), "too_large"),
    "too many bytes": (bytes(4097), "too_large"),
    "another version": (
        msgpack.packb(
            {"type": "hello", "id": bytes(16), "protocol": 99, "name": "A", "role": "player"}
        ),
        "wrong_version",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_request_gets_a_typed_error(peer: Peer, name: str) -> None:
    body, code = MALFORMED[name]
    peer.dealer.send_multipart([b"", body])
    answer = peer.receive()
    assert (answer["type"], answer["code"]) == ("malformed", code)
    assert answer["text"]


def test_a_malformed_request_is_named_by_its_id(peer: Peer) -> None:
    peer.dealer.send_multipart([b"", msgpack.packb({"type": "sync", "id": b"i" * 16, "x": 1})])
    assert peer.receive()["id"] == b"i" * 16


@pytest.mark.parametrize("frames", [[b"x"], [b"", b"a", b"b"], [b"a", b"", b"b", b"c"][:3], [b""]])
def test_a_malformed_envelope(peer: Peer, frames: list[bytes]) -> None:
    peer.dealer.send_multipart(frames)
    answer = msgpack.unpackb(peer.dealer.recv_multipart()[-1])
    assert answer["type"] == "malformed"


def test_too_many_frames_are_dropped(peer: Peer) -> None:
    peer.dealer.send_multipart([b"", *(b"x" for _frame in range(1000))])
    peer.send("sync")
    assert peer.receive()["refusal"]["code"] == "say_hello"  # the first answer


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


def test_a_stranger_never_gets_in(host: Host) -> None:
    banner, _answer = door_handshake(host.port, zmq.curve_keypair()[0])
    with zmq.Context() as context:
        for kind, port in ((zmq.DEALER, banner["requests"]), (zmq.SUB, banner["updates"])):
            outcome = handshake(context, kind, port, banner["key"].encode(), zmq.curve_keypair())
            assert outcome == zmq.EVENT_HANDSHAKE_FAILED_AUTH


def test_nobody_gets_in_without_curve(host: Host, peer: Peer) -> None:
    with zmq.Context() as context, context.socket(zmq.DEALER) as plain:
        plain.linger = 0
        monitor = plain.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED
            | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | zmq.EVENT_HANDSHAKE_FAILED_AUTH
        )
        plain.connect(f"tcp://127.0.0.1:{host.ready['requests']}")
        assert monitor.poll(int(SECONDS * 1000))
        event = parse_monitor_message(monitor.recv_multipart())["event"]
        assert event != zmq.EVENT_HANDSHAKE_SUCCEEDED
        plain.disable_monitor()
        monitor.close()


def test_the_handshake_fails_with_another_hosts_key(host: Host, peer: Peer) -> None:
    other = zmq.curve_keypair()[0]
    with zmq.Context() as context:
        outcome = handshake(context, zmq.DEALER, host.ready["requests"], other, peer.keys)
    assert outcome is None or outcome != zmq.EVENT_HANDSHAKE_SUCCEEDED


def handshake(
    context: "zmq.Context[zmq.Socket[bytes]]",
    kind: int,
    port: int,
    server: bytes,
    keys: tuple[bytes, bytes],
) -> int | None:
    """Return how a handshake ends; None if the connection just breaks."""
    with context.socket(kind) as client:
        client.linger = 0
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
        with suppress(zmq.Again):
            monitor.rcvtimeo = int(SECONDS * 1000)
            event = parse_monitor_message(monitor.recv_multipart())["event"]
        client.disable_monitor()
        monitor.close()
        return None if event == zmq.EVENT_DISCONNECTED else event


def test_an_illegal_intent_is_refused_and_a_repeat_gets_the_same_answer(tmp_path: Path) -> None:
    with hosting(tmp_path, seats=2, bots=("random",)) as host, Peer(host.port) as ann:
        ann.hello("Ann")
        assert ann.ask("ready", ready=True)["type"] == "done"
        view = own_turn(ann)
        placed = ann.ask("sync")
        wrong = {"type": "end_turn"}
        refused = ann.ask("intent", game=1, rev=placed["rev"], intent=wrong)
        assert refused["refusal"]["code"] == "wrong_phase"
        assert refused["refusal"]["text"]
        assert ann.view() == view
        stale = ann.ask("intent", game=1, rev=placed["rev"] + 1, intent=wrong)
        assert stale["refusal"]["code"] == "stale"
        assert stale["view"] == view
        intent = view["own"]["options"][0]["intent"]
        body = ann.send("intent", game=1, rev=placed["rev"], intent=intent)
        accepted = ann.receive()
        assert accepted["type"] == "accepted"
        ann.dealer.send_multipart([b"", body])
        assert ann.receive() == accepted


def own_turn(peer: Peer) -> Fields:
    """Wait for this peer's turn, and return its View."""
    view: Fields = {}
    while not view or not view["own"]["options"]:
        peer.hear()
        view = peer.view()
    return view
