"""A short form of `scripts/soak strangers`, and a check that it notices a stranger who gets in."""

import socket
from contextlib import suppress
from random import Random
from threading import Thread

import pytest

from tests.soak.lan.network import unavailable
from tests.soak.parts.strangers import TOGETHER, besiege
from tests.soak.soak import Soak
from tests.soak.strangers.crowds import Crowd, Script
from tests.soak.strangers.stranger import ENROLLED, GOT_IN, Orders, Stranger
from tests.soak.strangers.strangers import ATTACKS
from tests.support.hosts_and_clients import SECONDS

SHORT_SECONDS = 2.0


@pytest.fixture
def network() -> None:
    """Skip if such a network cannot be made, and say why."""
    if why := unavailable():
        pytest.skip(why)


@pytest.mark.usefixtures("network")
def test_strangers_do_not_get_in() -> None:
    soak = Soak("strangers", SHORT_SECONDS)
    done = besiege(soak, {TOGETHER: [*ATTACKS]}, SHORT_SECONDS)
    assert not soak.broken
    assert done["connections"]
    assert done["tries"] or done["door_busy"], "on a busy machine none gets its turn"
    assert done["datagrams"]


@pytest.mark.usefixtures("network")
def test_it_is_noticed_where_the_door_lets_strangers_in() -> None:
    soak = Soak("strangers", SHORT_SECONDS)
    besiege(soak, {"handshakes": ["handshakes"]}, SHORT_SECONDS, open=True)
    assert [line.partition(":")[0] for line in soak.broken] == ["the door lets nobody in"]


def test_it_is_noticed_where_a_socket_is_talked_to() -> None:
    orders = Orders(port=1, key="", routes=(), known=(), streams=(), seed=1, kept="")
    stranger = Stranger(orders, Random(1))
    stranger.hear(2, b"\x04\x19\x07WELCOME")
    assert not stranger.done
    stranger.hear(2, b"\x04\x06\x05READY")
    stranger.hear(1, b'{"type":"enrolled","proof":""}')
    assert stranger.done == {GOT_IN: 1, ENROLLED: 1}


def test_a_script_says_and_hears_line_after_line() -> None:
    heard: list[bytes] = []

    def talk() -> Script:
        for line in (b"one\n", b"two\n"):
            yield line
            heard.append((yield None))

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        echo = Thread(target=_echo, args=(server,))
        echo.start()
        route = ("127.0.0.1", "127.0.0.1")
        with Crowd([route], 1, lambda: (port, talk()), lambda _port, _data: None) as crowd:
            while len(heard) < 2:
                crowd.go_on()
        echo.join(SECONDS)
    assert heard == [b"one\n", b"two\n"]
    assert crowd.done["connections"] >= 1


def _echo(server: socket.socket) -> None:
    """Echo everything that the first client sends, until it disconnects."""
    visitor, _address = server.accept()
    with visitor, suppress(ConnectionResetError):
        while data := visitor.recv(100):
            visitor.sendall(data)
