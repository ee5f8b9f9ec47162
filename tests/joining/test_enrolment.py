"""A name may resolve to several addresses: the first that answers wins."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from coffeerush.joining.enrolment import connected
from coffeerush.joining.hosts import Address

CAFE = "cafe.local"
ELSEWHERE = "127.0.0.2"
NO_WAY = "255.255.255.255"
"""The broadcast address: the kernel refuses to connect to it."""


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def called(monkeypatch: pytest.MonkeyPatch, *numbers: str) -> None:
    """Resolve the host name to these addresses."""
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *more: Any, **named: Any) -> Any:
        hosts = numbers if host == CAFE else (host,)
        return [one for each in hosts for one in real(each, port, *more, **named)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def reached(port: int) -> tuple[str, int]:
    async def connect() -> tuple[str, int]:
        with await connected(Address(CAFE, port)) as link:
            name: tuple[str, int] = link.getpeername()
            return name

    return asyncio.run(connect())


@pytest.mark.parametrize("others", [(), (ELSEWHERE,), (NO_WAY, ELSEWHERE)])
def test_unreachable_addresses_do_not_hide_a_reachable_one(
    monkeypatch: pytest.MonkeyPatch, listening: socket.socket, others: tuple[str, ...]
) -> None:
    called(monkeypatch, *others, "127.0.0.1")
    name = listening.getsockname()
    assert reached(name[1]) == name


def test_one_of_many_connections_is_kept(
    monkeypatch: pytest.MonkeyPatch, listening: socket.socket
) -> None:
    called(monkeypatch, *["127.0.0.1"] * 3)
    listening.setblocking(False)
    port = listening.getsockname()[1]
    reached(port)
    while True:
        try:
            link, _name = listening.accept()
        except BlockingIOError:
            break
        with link:
            assert link.recv(1) == b""


def test_connection_refused_takes_precedence_over_unreachable(
    monkeypatch: pytest.MonkeyPatch, listening: socket.socket
) -> None:
    port = listening.getsockname()[1]
    called(monkeypatch, NO_WAY, ELSEWHERE)
    with pytest.raises(ConnectionRefusedError):
        reached(port)
    called(monkeypatch, NO_WAY)
    with pytest.raises(OSError, match=r"Permission denied|unreachable"):
        reached(port)
