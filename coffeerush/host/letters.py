"""The frames of a request and of its answer, on the ROUTER."""

from collections.abc import Sequence
from typing import Final

import zmq
from msgspec import Struct

MAX_FRAMES: Final = 4
"""Routing id, a REQ's correlation id, the empty frame, the body."""


class Letter(Struct, frozen=True):
    """A request as it came."""

    envelope: tuple[bytes, ...]
    """Goes before the answer: all up to and including the first empty frame."""
    key: str
    """The sender's CURVE key in Z85, as ZAP admitted it: the only thing that says who asks."""
    body: bytes | None
    """The one frame after the envelope; None where there is none, or another."""


def receive(requests: zmq.Socket[bytes]) -> Letter | None:
    """Return the next request, None where it has too many frames to be answered.

    Raises:
        zmq.Again: there is none.
    """
    frames = [requests.recv(zmq.NOBLOCK, copy=False)]
    while frames[-1].more:
        # ZeroMQ hands over whole messages, so the rest is there; what is too much is not kept.
        frames[MAX_FRAMES:] = [requests.recv(zmq.NOBLOCK, copy=False)]
    if len(frames) > MAX_FRAMES:
        return None
    key = frames[-1].get("User-Id")
    assert isinstance(key, str), "ZAP admits nobody without a key"
    return letter([frame.bytes for frame in frames], key)


def letter(frames: Sequence[bytes], key: str) -> Letter:
    """Return the frames of a message apart; a sender without an empty frame is answered with one.

    The first frame is the routing id, which ZeroMQ sets.
    """
    route, *rest = frames
    end = rest.index(b"") + 1 if b"" in rest[:-1] else 0
    envelope = (route, *rest[:end]) if end else (route, b"")
    bodies = rest[end:] if end else []
    return Letter(envelope, key, bodies[0] if len(bodies) == 1 else None)
