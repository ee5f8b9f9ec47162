"""Receive requests on the ROUTER and subscriptions on the XPUB, and tell whose they are."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import zmq
from msgspec import Struct

from coffeerush.joining.admission import origin

MAX_FRAMES: Final = 4
"""Routing id, a REQ's correlation id, the empty frame, the body."""
MAX_ENVELOPE_BYTES: Final = 255
"""Of each frame before the body, which is kept with every answer that nobody reads."""
_EVERYTHING: Final = b"\x01"
"""A subscription to the empty prefix."""


class Sender(NamedTuple):
    """Who sent a message, and over which connection."""

    key: str
    """The CURVE key in Z85, as admitted by ZAP: the sender's only identity."""
    address: str
    """As returned by `origin`."""
    descriptor: int
    """Of the connection: another one may have it by now."""


class RawRequest(Struct, frozen=True):
    """A request as received, not decoded yet."""

    envelope: tuple[bytes, ...]
    """Prefix for the answer: all frames up to and including the first empty one; empty if the
    message had too many frames, or too long ones, to be answered."""
    sender: Sender
    body: bytes | None
    """The single frame after the envelope; None if there is no frame, or more than one."""


def receive(requests: zmq.Socket[bytes]) -> RawRequest:
    """Return the next request; raises `zmq.Again` if none is waiting."""
    frames = [requests.recv(zmq.NOBLOCK, copy=False)]
    while frames[-1].more:
        # ZeroMQ delivers whole messages, so the rest has arrived; excess frames are dropped.
        frames[MAX_FRAMES:] = [requests.recv(zmq.NOBLOCK, copy=False)]
    sender = _sender(frames[-1])
    if len(frames) > MAX_FRAMES or any(len(one) > MAX_ENVELOPE_BYTES for one in frames[:-1]):
        return RawRequest((), sender, None)
    return split_frames([frame.bytes for frame in frames], sender)


def receive_subscription(updates: zmq.Socket[bytes]) -> tuple[Sender | None, bool]:
    """Return the subscriber, and whether to everything; None as sender if a subscriber left.

    Raises:
        zmq.Again: none is waiting.
    """
    frame = updates.recv(zmq.NOBLOCK, copy=False)
    try:
        return _sender(frame), frame.bytes == _EVERYTHING
    except zmq.ZMQError:
        return None, False


def _sender(frame: zmq.Frame) -> Sender:
    """Return the sender of a frame; raises `ZMQError` if libzmq made it itself."""
    descriptor, key, address = (frame.get(what) for what in (zmq.SRCFD, "User-Id", "Peer-Address"))
    assert isinstance(descriptor, int), "every connection is TCP"
    assert isinstance(key, str), "ZAP admits no connection without a key"
    assert isinstance(address, str), "every connection is TCP"
    return Sender(key, origin(address), descriptor)


def split_frames(frames: Sequence[bytes], sender: Sender) -> RawRequest:
    """Split a message into envelope and body; the envelope always ends with an empty frame.

    The first frame is the routing id, set by ZeroMQ.
    """
    route, *rest = frames
    end = rest.index(b"") + 1 if b"" in rest[:-1] else 0
    envelope = (route, *rest[:end]) if end else (route, b"")
    bodies = rest[end:] if end else []
    return RawRequest(envelope, sender, bodies[0] if len(bodies) == 1 else None)
