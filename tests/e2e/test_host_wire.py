"""A host's sockets, beyond what `coffeerush conformance host` asks of every host."""

import os
from collections.abc import Iterator

import msgpack
import pytest
import zmq
from zmq.utils.monitor import parse_monitor_message

from tests.support.hosts_and_clients import (
    SECONDS,
    Host,
    KeyPair,
    Peer,
    curve_client,
    door_handshake,
    hosting,
)


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
        ask = {"type": "hello", "id": os.urandom(16), "protocol": 5, "name": "Rex"}
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
