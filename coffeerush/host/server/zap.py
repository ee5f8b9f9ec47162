"""ZAP handler: tells libzmq whether a CURVE key may connect (ZeroMQ RFC 27).

It runs in the server's own loop and never raises: after a dead handler every later handshake
would hang.
"""

from collections.abc import Callable, Container, Sequence
from typing import Final

from zmq.utils import z85

ENDPOINT: Final = "inproc://zeromq.zap.01"
DOMAIN: Final = b"coffeerush"

_VERSION: Final = b"1.0"
_CURVE: Final = b"CURVE"
_FRAMES: Final = 7
"""Version, request id, domain, address, identity, mechanism and, for CURVE, the key."""
_ADDRESS: Final = 3
_KEY_BYTES: Final = 32
_STATUS: Final = 2
_ADMITTED: Final = b"200"
_LATER: Final = b"300"
"""libzmq cuts the connection without a word, and a client connects again by itself."""
_INCIDENTS: Final = {_LATER: "too_often", b"400": "stranger"}


def domain_of(port: int) -> bytes:
    """Return the ZAP domain of a port."""
    return b"%s:%d" % (DOMAIN, port)


def zap_reply(
    frames: Sequence[bytes],
    admitted: Container[str],
    may_connect: Callable[[str, int], bool] = lambda _key, _port: True,
) -> list[bytes]:
    """Answer a ZAP request; refuse everything but an admitted key in our domain.

    The User-Id of an admitted peer is its key in Z85; it comes with every frame of that peer.

    Args:
        frames: of the request.
        admitted: the keys that the door let in.
        may_connect: whether an admitted key may have one more connection to a port.
    """
    request = frames[1] if len(frames) > 1 else b""
    key, port = _key_and_port(frames)
    if not key or key not in admitted:
        return [_VERSION, request, b"400", b"not enrolled at the door", b"", b""]
    if not may_connect(key, port):
        return [_VERSION, request, _LATER, b"too many connections", b"", b""]
    return [_VERSION, request, _ADMITTED, b"OK", key.encode(), b""]


def refusal(frames: Sequence[bytes], reply: Sequence[bytes]) -> tuple[str, str] | None:
    """Return the incident and the address of a refused peer; None if it was admitted."""
    if reply[_STATUS] == _ADMITTED:
        return None
    address = frames[_ADDRESS].decode(errors="replace") if len(frames) > _ADDRESS else ""
    return _INCIDENTS[reply[_STATUS]], address


def _key_and_port(frames: Sequence[bytes]) -> tuple[str, int]:
    if len(frames) != _FRAMES or frames[0] != _VERSION:
        return "", 0
    _version, _request, domain, _address, _identity, mechanism, key = frames
    ours, _colon, port = domain.partition(b":")
    if ours != DOMAIN or mechanism != _CURVE or len(key) != _KEY_BYTES:
        return "", 0
    return z85.encode(key).decode(), int(port)
