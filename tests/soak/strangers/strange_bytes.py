"""Attacks by strangers on all three ports: other protocols, and garbage."""

import ssl
from functools import partial
from typing import Final

from tests.soak.strangers.crowds import Script
from tests.soak.strangers.stranger import Attack, Stranger
from tests.soak.strangers.zmtp import greeting, hello_to

FEW: Final = 40
"""The number of connections at once."""
HUNDREDS: Final = 300
CHUNK: Final = 4096
_REQUESTS: Final = (
    b"GET / HTTP/1.1\r\nHost: coffee\r\nUser-Agent: browser\r\n\r\n",
    b"GET /" + b"a" * 8000 + b" HTTP/1.1\r\n\r\n",
    b"OPTIONS * HTTP/1.0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
    b"CONNECT coffee:443 HTTP/1.1\r\n\r\n",
)
_POST: Final = b"POST / HTTP/1.1\r\nHost: coffee\r\nContent-Length: 1000000000\r\n\r\n"


def garbage(stranger: Stranger) -> None:
    stranger.crowd(FEW, lambda: (stranger.chance.choice(stranger.ports), _garbage(stranger)))


def _garbage(stranger: Stranger) -> Script:
    chance = stranger.chance
    for _each in range(chance.randrange(20)):
        yield chance.randbytes(chance.randint(1, CHUNK))
    while chance.random() < 0.5:
        yield None


def http(stranger: Stranger) -> None:
    stranger.crowd(FEW, lambda: (stranger.chance.choice(stranger.ports), _http(stranger)))


def _http(stranger: Stranger) -> Script:
    if stranger.chance.random() < 0.5:
        yield _POST
        while True:
            yield bytes(CHUNK)
    while True:
        yield stranger.chance.choice(_REQUESTS)
        yield None


def tls(stranger: Stranger) -> None:
    stranger.crowd(FEW, lambda: (stranger.chance.choice(stranger.ports), _tls()))


def _tls() -> Script:
    came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
    talk = ssl.create_default_context().wrap_bio(came, goes, server_hostname="coffee")
    while True:
        try:
            talk.do_handshake()
        except ssl.SSLWantReadError:
            yield goes.read()
        except ssl.SSLError:
            return
        came.write((yield None))


def half(stranger: Stranger) -> None:
    """Open hundreds of connections, start a handshake and fall silent."""
    first = greeting(b"CURVE") + hello_to(stranger.orders.key.encode())
    line = b'{"type":"enrol","key":"' + stranger.orders.key.encode()
    stranger.crowd(
        HUNDREDS,
        lambda: (
            (port := stranger.chance.choice(stranger.ports)),
            _half(stranger, line if port == stranger.orders.port else first),
        ),
    )


def _half(stranger: Stranger, whole: bytes) -> Script:
    yield whole[: stranger.chance.choice((0, 1, 12, 63, 64, 66, len(whole)))]
    while True:
        yield None


def storm(stranger: Stranger) -> None:
    """Connect and disconnect as fast as possible."""
    stranger.crowd(FEW, lambda: (stranger.chance.choice(stranger.ports), _bye()))


def _bye() -> Script:
    yield b"\xff"


def replay(stranger: Stranger) -> None:
    """Replay what people at the table have sent."""
    stranger.crowd(FEW, partial(_replayed, stranger))


def _replayed(stranger: Stranger) -> tuple[int, Script]:
    number, said = stranger.chance.choice(stranger.orders.streams)
    return stranger.ports[number], _said_again(bytes.fromhex(said))


def _said_again(said: bytes) -> Script:
    """Send a stream in parts, because a host may answer before it is complete."""
    for end in (64, 266, 700, len(said)):
        yield said[:end]
        said = said[end:]
        yield None


ATTACKS: Final[tuple[Attack, ...]] = (garbage, http, tls, half, storm, replay)
