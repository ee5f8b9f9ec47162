"""What a network sees of a ZeroMQ connection, read by the grammar of ZMTP 3.1 and CurveZMQ."""

from collections.abc import Iterator

_GREETING = 64
_HANDSHAKE = (b"HELLO", b"WELCOME", b"INITIATE", b"READY", b"ERROR")
_LONG = 2
_NONCE = 8


class PlainText(Exception):
    """Something crossed the network that is neither handshake nor sealed."""


def sealed(stream: bytes) -> Iterator[bytes]:
    """Yield the sealed box of each message that one side of a connection sent.

    Raises:
        PlainText: a byte is there that belongs to nothing that CURVE seals.
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
    """Yield the bodies of the frames that came whole."""
    at = 0
    while at + 2 <= len(stream):
        head = 9 if stream[at] & _LONG else 2
        size = int.from_bytes(stream[at + 1 : at + head])
        if at + head + size > len(stream):
            return
        yield stream[at + head : at + head + size]
        at += head + size
