"""ZAP handler: tells libzmq whether a CURVE key may connect (ZeroMQ RFC 27).

It runs in the server's own loop and never raises: after a dead handler every later handshake
would hang.
"""

from collections.abc import Container, Sequence
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


def zap_reply(frames: Sequence[bytes], admitted: Container[str]) -> list[bytes]:
    """Answer a ZAP request; refuse everything but an admitted key in our domain.

    The User-Id of an admitted peer is its key in Z85; it comes with every frame of that peer.
    """
    request = frames[1] if len(frames) > 1 else b""
    key = _key_of(frames)
    if key and key in admitted:
        return [_VERSION, request, _ADMITTED, b"OK", key.encode(), b""]
    return [_VERSION, request, b"400", b"not enrolled at the door", b"", b""]


def refused_address(frames: Sequence[bytes], reply: Sequence[bytes]) -> str | None:
    """Return the address of a refused peer; None if it was admitted."""
    if reply[_STATUS] == _ADMITTED:
        return None
    return frames[_ADDRESS].decode(errors="replace") if len(frames) > _ADDRESS else ""


def _key_of(frames: Sequence[bytes]) -> str:
    if len(frames) != _FRAMES or frames[0] != _VERSION:
        return ""
    _version, _request, domain, _address, _identity, mechanism, key = frames
    if domain != DOMAIN or mechanism != _CURVE or len(key) != _KEY_BYTES:
        return ""
    return z85.encode(key).decode()
