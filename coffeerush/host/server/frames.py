"""The frames of a request and of its answer, on the ROUTER."""

from collections.abc import Sequence
from typing import Final

import zmq
from msgspec import Struct

from coffeerush.joining.sources import origin

MAX_FRAMES: Final = 4
"""Routing id, a REQ's correlation id, the empty frame, the body."""


class RawRequest(Struct, frozen=True):
    """A request as it came."""

    envelope: tuple[bytes, ...]
    """Goes before the answer: all up to and including the first empty frame; empty where there were
    too many frames to be answered."""
    key: str
    """The sender's CURVE key in Z85, as ZAP admitted it: the only thing that says who asks."""
    address: str
    """Whence it came, as told by `origin`."""
    body: bytes | None
    """The one frame after the envelope; None where there is none, or another."""


def receive(requests: zmq.Socket[bytes]) -> RawRequest:
    """Return the next request.

    Raises:
        zmq.Again: there is none.
    """
    frames = [requests.recv(zmq.NOBLOCK, copy=False)]
    while frames[-1].more:
        # ZeroMQ hands over whole messages, so the rest is there; what is too much is not kept.
        frames[MAX_FRAMES:] = [requests.recv(zmq.NOBLOCK, copy=False)]
    key, address = frames[-1].get("User-Id"), frames[-1].get("Peer-Address")
    assert isinstance(key, str), "ZAP admits nobody without a key"
    assert isinstance(address, str), "nobody is heard but over TCP"
    if len(frames) > MAX_FRAMES:
        return RawRequest((), key, origin(address), None)
    return letter([frame.bytes for frame in frames], key, origin(address))


def letter(frames: Sequence[bytes], key: str, address: str) -> RawRequest:
    """Return the frames of a message apart; a sender without an empty frame is answered with one.

    The first frame is the routing id, which ZeroMQ sets.
    """
    route, *rest = frames
    end = rest.index(b"") + 1 if b"" in rest[:-1] else 0
    envelope = (route, *rest[:end]) if end else (route, b"")
    bodies = rest[end:] if end else []
    return RawRequest(envelope, key, address, bodies[0] if len(bodies) == 1 else None)
