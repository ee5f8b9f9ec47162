"""Receive requests on the ROUTER and split their frames into envelope and body."""

from collections.abc import Sequence
from typing import Final

import zmq
from msgspec import Struct

from coffeerush.joining.sources import origin

MAX_FRAMES: Final = 4
"""Routing id, a REQ's correlation id, the empty frame, the body."""


class RawRequest(Struct, frozen=True):
    """A request as received, not decoded yet."""

    envelope: tuple[bytes, ...]
    """Prefix for the answer: all frames up to and including the first empty one; empty if the
    message had too many frames to be answered."""
    key: str
    """The sender's CURVE key in Z85, as admitted by ZAP: the sender's only identity."""
    address: str
    """The sender's address, as returned by `origin`."""
    body: bytes | None
    """The single frame after the envelope; None if there is no frame, or more than one."""


def receive(requests: zmq.Socket[bytes]) -> RawRequest:
    """Return the next request; raises `zmq.Again` if none is waiting."""
    frames = [requests.recv(zmq.NOBLOCK, copy=False)]
    while frames[-1].more:
        # ZeroMQ delivers whole messages, so the rest has arrived; excess frames are dropped.
        frames[MAX_FRAMES:] = [requests.recv(zmq.NOBLOCK, copy=False)]
    key, address = frames[-1].get("User-Id"), frames[-1].get("Peer-Address")
    assert isinstance(key, str), "ZAP admits no connection without a key"
    assert isinstance(address, str), "every connection is TCP"
    if len(frames) > MAX_FRAMES:
        return RawRequest((), key, origin(address), None)
    return split_frames([frame.bytes for frame in frames], key, origin(address))


def split_frames(frames: Sequence[bytes], key: str, address: str) -> RawRequest:
    """Split a message into envelope and body; the envelope always ends with an empty frame.

    The first frame is the routing id, set by ZeroMQ.
    """
    route, *rest = frames
    end = rest.index(b"") + 1 if b"" in rest[:-1] else 0
    envelope = (route, *rest[:end]) if end else (route, b"")
    bodies = rest[end:] if end else []
    return RawRequest(envelope, key, address, bodies[0] if len(bodies) == 1 else None)
