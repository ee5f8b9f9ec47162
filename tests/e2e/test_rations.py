"""Members who send what libzmq would never send: each is cut off, and the others play on."""

import os
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from coffeerush.host.server.members import (
    MAX_OF_A_KEY,
    MAX_TOO_FAST,
    REQUESTS_ALLOWANCE,
    SUBSCRIPTIONS,
)
from protocol import HALL, topic
from tests.soak.lan.guests import Guest, body_of
from tests.soak.strangers.curve import RawConnection
from tests.support.hosts_and_clients import SECONDS, Deadline, Host, hosting

FRAME = bytes(1000)
PING = b"\4PING" + bytes(2)
HANG_UPS = 5
_RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which closing a connection resets it."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path, seats=2) as host:
        yield host


@pytest.fixture
def ann(host: Host) -> Iterator[Guest]:
    with Guest(host.port, "Ann") as ann:
        ann.come()
        ann.hear()
        yield ann


@pytest.fixture
def eve(host: Host) -> Iterator[Guest]:
    """Somebody with a seat whose own connections stay idle."""
    with Guest(host.port, "Eve") as eve:
        eve.come()
        yield eve


def connect(guest: Guest, kind: str = "DEALER") -> RawConnection:
    return RawConnection(guest, kind, SECONDS)


def connected(guest: Guest, kind: str = "DEALER") -> RawConnection:
    """Connect; one that the guest has just lost may count for a moment."""
    deadline = Deadline()
    while True:
        deadline.left()
        with suppress(ConnectionResetError):
            return connect(guest, kind)


def connect_too_often(stack: ExitStack, guest: Guest) -> None:
    """Connect until the host cuts; a busy one may have dropped some of those before."""
    for _each in range(MAX_OF_A_KEY + 1):
        stack.enter_context(connect(guest))


def pour(raw: RawConnection, data: bytes) -> None:
    """Send this, and wait until the connection is cut."""
    deadline = Deadline()
    with suppress(ConnectionError):
        raw.link.settimeout(deadline.left())
        raw.link.sendall(data)
        while raw.link.recv(1000):
            deadline.left()


def log_of(host: Host) -> str:
    host.stop()
    return host.text()


def test_a_message_without_an_end_is_cut(host: Host, ann: Guest, eve: Guest) -> None:
    with connect(eve) as raw:
        frames = REQUESTS_ALLOWANCE.bytes // len(FRAME) + 1
        pour(raw, b"".join(raw.sealed(FRAME, more=True) for _each in range(frames)))
    assert ann.request("view")["type"] == "current"
    assert "connections closed for sending too much: 1" in log_of(host)


def test_subscribing_to_anything_costs_all_connections(host: Host, ann: Guest, eve: Guest) -> None:
    with connect(eve) as requests, connect(eve, "SUB") as updates:
        view = requests.sealed(b"", more=True) + requests.sealed(body_of("view", bytes(16)))
        requests.link.sendall(view)
        assert requests.link.recv(1000), "an answer: the host knows whose connection it is"
        pour(updates, updates.sealed(b"\1" + os.urandom(200)))
        pour(requests, b"")
    ann.hear_rest()
    assert ann.hear()["type"] in ("tick", "update")
    assert "subscriptions that no client needs: 1" in log_of(host)


def test_subscribing_again_and_again_is_cut(host: Host, ann: Guest, eve: Guest) -> None:
    with connect(eve, "SUB") as updates:
        pour(
            updates,
            b"".join(updates.sealed(b"\1" + topic(HALL)) for _each in range(2 * SUBSCRIPTIONS)),
        )
    assert "subscriptions that no client needs" in log_of(host)


@pytest.mark.parametrize("kind", ["DEALER", "SUB"])
def test_hanging_up_after_pings_harms_nobody(host: Host, ann: Guest, kind: str) -> None:
    """libzmq aborts if it answers a PING that waited behind messages, to a peer that has gone."""
    for each in range(HANG_UPS):
        with Guest(host.port, f"Eve {each}") as eve:
            eve.come()
            with connected(eve, kind) as raw:
                said = [raw.sealed(b"\1x") for _each in range(100 if kind == "DEALER" else 6)]
                pings = [raw.sealed(PING, command=True) for _each in range(20)]
                raw.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                raw.link.sendall(b"".join(said + pings))
            assert ann.request("view")["type"] == "current"


def test_a_long_envelope_is_not_answered(host: Host, ann: Guest) -> None:
    ann.dealer.send_multipart([bytes(256), b"", body_of("view", bytes(16))])
    assert ann.request("view")["id"] != bytes(16)
    assert "requests with too many or too long frames: 1" in log_of(host)


def test_too_many_connections_of_a_key_are_put_off(host: Host, ann: Guest, eve: Guest) -> None:
    """Not those of another key, though it comes from the same address."""
    with ExitStack() as stack:
        for _each in range(MAX_OF_A_KEY - 1):
            stack.enter_context(connected(eve))
        with pytest.raises(OSError, match="cut in the handshake"):
            connect_too_often(stack, eve)
        stack.enter_context(connect(ann))
    assert "connections beyond the limit per key: " in log_of(host)


def test_who_goes_on_after_too_fast_is_cut(host: Host, ann: Guest, eve: Guest) -> None:
    with connect(eve) as raw, suppress(ConnectionError):
        deadline = Deadline()
        while ask_together(raw):
            deadline.left()
    assert ann.request("view")["type"] == "current"
    log = log_of(host)
    refused = re.findall(r"requests over the rate limit: (\d+)", log)
    assert sum(map(int, refused)) > MAX_TOO_FAST
    assert "sending too much" not in log


def ask_together(raw: RawConnection) -> bool:
    """Send short requests at once, and hear all answers; return False if it is cut before."""
    count = 10
    raw.link.sendall(b"".join(raw.sealed(b"") for _each in range(count)))
    heard = b""
    while heard.count(b"\x07MESSAGE") < 2 * count:  # an empty frame, and one with the answer
        data = raw.link.recv(1 << 16)
        if not data:
            return False
        heard += data
    return True
