"""Parse the network traffic of a ZeroMQ connection, by the grammar of ZMTP 3.1 and CurveZMQ."""

import socket
from collections.abc import Iterator

import zmq

from tests.support.hosts_and_clients import curve_client

MORE = 1
"""Flag of a frame that is followed by another one of the same message."""
COMMAND = 4
_GREETING = 64
_HELLO = 202
_HANDSHAKE = (b"HELLO", b"WELCOME", b"INITIATE", b"READY", b"ERROR")
_LONG = 2
_NONCE = 8


class PlainText(Exception):
    """Bytes on the network that are neither handshake nor encrypted."""


def sealed(stream: bytes) -> Iterator[bytes]:
    """Yield the encrypted box of each message that one side of a connection sent.

    Raises:
        PlainText: there is a byte that CURVE did not encrypt.
    """
    if not stream:
        return
    greeting = stream[:_GREETING]
    mechanism = greeting[12:32].rstrip(b"\0")
    if len(greeting) == _GREETING and (greeting[0] != 0xFF or mechanism != b"CURVE"):
        raise PlainText(f"a greeting of {mechanism!r}")
    for body in _frames(stream[_GREETING:]):
        name = body[1 : 1 + body[0]] if body else b""
        if name == b"MESSAGE":
            yield body[1 + len(name) + _NONCE :]
        elif name not in _HANDSHAKE:
            raise PlainText(f"a frame that begins with {body[:32]!r}")


def _frames(stream: bytes) -> Iterator[bytes]:
    """Yield the bodies of the complete frames."""
    at = 0
    while at + 2 <= len(stream):
        head = 9 if stream[at] & _LONG else 2
        size = int.from_bytes(stream[at + 1 : at + head])
        if at + head + size > len(stream):
            return
        yield stream[at + head : at + head + size]
        at += head + size


def greeting(mechanism: bytes, server: bool = False) -> bytes:
    """Return the greeting of one side."""
    signature = b"\xff" + bytes(7) + b"\1\x7f"
    return signature + b"\3\1" + mechanism.ljust(20, b"\0") + bytes([server]) + bytes(31)


def frame(body: bytes, flags: int = 0) -> bytes:
    """Return a frame."""
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | _LONG]) + len(body).to_bytes(8) + body


def hello_to(key: bytes) -> bytes:
    """Return the first frame of a client for a host with this public key (Z85).

    Anybody who has recorded one can replay it.
    """
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        zmq.Context() as context,
        curve_client(context, zmq.DEALER, key, zmq.curve_keypair()) as dealer,
    ):
        dealer.connect(f"tcp://127.0.0.1:{listening.getsockname()[1]}")
        server, _address = listening.accept()
        with server, server.makefile("rb") as said:
            server.sendall(greeting(b"CURVE", server=True))
            said.read(_GREETING)
            return said.read(_HELLO)
