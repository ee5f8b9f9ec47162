"""Attacks by strangers on the ZeroMQ ports: endless frames, and unknown keys."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from typing import Final, TypeAlias

import zmq

from tests.soak.strangers.crowds import Script
from tests.soak.strangers.stranger import GOT_IN, Attack, Stranger
from tests.soak.strangers.zmtp import COMMAND, MORE, frame, greeting, hello_to

FEW: Final = 20
SOCKETS: Final = 200
POLL_MS: Final = 200
SUBSCRIPTIONS: Final = 100_000
PAYLOAD: Final = bytes(16000)
TOPIC: Final = bytes(100)
_READY: Final = frame(b"\x05READY\x0bSocket-Type\0\0\0\x03SUB", COMMAND)
_OLD: Final = (
    b"\xff" + bytes(7) + b"\1\x7f\1\2" + frame(b""),  # ZMTP 2.0: a SUB without a name
    b"\1\0",  # ZMTP 1.0: all that there is of a greeting
)


_Context: TypeAlias = "zmq.Context[zmq.Socket[bytes]]"


def multipart(stranger: Stranger) -> None:
    """Send endless messages, and absurd frame lengths."""
    first = hello_to(stranger.orders.key.encode())
    ports = stranger.ports[1:]
    stranger.crowd(FEW, lambda: (stranger.chance.choice(ports), _multipart(stranger, first)))


def _multipart(stranger: Stranger, first: bytes) -> Script:
    chance = stranger.chance
    yield chance.choice(_beginnings(first))
    flags = chance.choice((MORE, COMMAND, MORE | COMMAND))
    if chance.random() < 0.3:
        yield bytes([flags | 2]) + (1 << chance.randrange(14, 64)).to_bytes(8)
    while True:
        yield frame(PAYLOAD, flags)


def _beginnings(first: bytes) -> list[bytes]:
    """Return ways to begin a connection, of which we accept only the one with CURVE."""
    plain = greeting(b"NULL") + _READY
    named = greeting(b"PLAIN") + frame(b"\x05HELLO\x05admin\x05admin", COMMAND)
    return [plain, named, *_OLD, greeting(b"CURVE"), greeting(b"CURVE") + first]


def subscriptions(stranger: Stranger) -> None:
    """Subscribe to everything, before or during the handshake."""
    first = hello_to(stranger.orders.key.encode())
    port = stranger.ports[2]
    stranger.crowd(FEW, lambda: (port, _subscriptions(stranger, first)))


def _subscriptions(stranger: Stranger, first: bytes) -> Script:
    yield stranger.chance.choice(_beginnings(first))
    for number in count():
        many = (b"%08d" % each + TOPIC for each in range(100 * number, 100 * (number + 1)))
        yield b"".join(frame(b"\1" + topic) for topic in many)
        stranger.done["subscriptions"] += 100


def unknown_keys(stranger: Stranger) -> None:
    """Open hundreds of connections with keys that no door has admitted, and request everything."""
    while stranger.goes_on():
        _connect_hundreds(stranger, _socket)


def wrong_mechanisms(stranger: Stranger) -> None:
    """Connect without encryption, with a password, to another host's key, and as a known key."""
    while stranger.goes_on():
        _connect_hundreds(stranger, _odd_socket)


def _connect_hundreds(
    stranger: Stranger, make: Callable[[Stranger, _Context, int], "zmq.Socket[bytes]"]
) -> None:
    # terminating a context waits until all descriptors of its sockets are free again
    with zmq.Context() as context, ExitStack() as stack:
        poller = zmq.Poller()
        for number in range(SOCKETS):
            made = stack.enter_context(make(stranger, context, number))
            poller.register(made, zmq.POLLIN)
        _hear(stranger, poller)


def queued(stranger: Stranger) -> None:
    """Queue a hundred thousand subscriptions for the moment after the handshake."""
    with zmq.Context() as context, _keyed(stranger, context, zmq.SUB) as sub:
        sub.sndhwm = 0
        for number in range(SUBSCRIPTIONS):
            sub.subscribe(b"%08d" % number + TOPIC)
        stranger.done["subscriptions"] += SUBSCRIPTIONS
        poller = zmq.Poller()
        poller.register(sub, zmq.POLLIN)
        where = f"tcp://{_far_end(stranger)}:{stranger.ports[2]}"
        while stranger.goes_on():
            sub.connect(where)
            _hear(stranger, poller)
            sub.disconnect(where)


def _hear(stranger: Stranger, poller: zmq.Poller) -> None:
    """Count everything received: anything at all means that somebody got in."""
    for ready, _event in poller.poll(POLL_MS):
        stranger.done[GOT_IN] += 1
        stranger.hear(stranger.ports[1], b"".join(ready.recv_multipart()))


def _far_end(stranger: Stranger) -> str:
    """Return one of our addresses and the host's, as a ZeroMQ endpoint."""
    source, target = stranger.chance.choice(stranger.orders.routes)
    if ":" in source:
        return f"[{source}]:0;[{target}]"
    return f"{source}:0;{target}"


def _socket(stranger: Stranger, context: _Context, number: int) -> "zmq.Socket[bytes]":
    """Return a socket with a key of its own: a DEALER with a request, or a SUB."""
    kind = (zmq.DEALER, zmq.SUB)[number % 2]
    made = _keyed(stranger, context, kind)
    _connect(stranger, made, kind)
    return made


def _keyed(stranger: Stranger, context: _Context, kind: int) -> "zmq.Socket[bytes]":
    made = _bare(context, kind)
    made.curve_serverkey = stranger.orders.key.encode()
    made.curve_publickey, made.curve_secretkey = zmq.curve_keypair()
    return made


def _odd_socket(stranger: Stranger, context: _Context, number: int) -> "zmq.Socket[bytes]":
    kind = (zmq.DEALER, zmq.SUB)[number % 2]
    made = _bare(context, kind)
    way = stranger.chance.choice(("none", "plain", "host", "known"))
    if way == "plain":
        made.plain_username, made.plain_password = b"admin", b"admin"
    elif way != "none":
        public, made.curve_secretkey = zmq.curve_keypair()
        known = stranger.chance.choice(stranger.orders.known).encode()
        made.curve_publickey = known if way == "known" else public
        made.curve_serverkey = public if way == "host" else stranger.orders.key.encode()
    _connect(stranger, made, kind)
    return made


def _bare(context: _Context, kind: int) -> "zmq.Socket[bytes]":
    made: zmq.Socket[bytes] = context.socket(kind)
    made.linger = 0
    made.ipv6 = True
    if kind == zmq.SUB:
        made.subscribe(b"")
    return made


def _connect(stranger: Stranger, made: "zmq.Socket[bytes]", kind: int) -> None:
    port = stranger.ports[2 if kind == zmq.SUB else 1]
    made.connect(f"tcp://{_far_end(stranger)}:{port}")
    if kind == zmq.DEALER:
        with suppress(zmq.Again):
            made.send_multipart([b"", PAYLOAD[:100]], zmq.NOBLOCK)
    stranger.done["sockets"] += 1


ATTACKS: Final[tuple[Attack, ...]] = (
    multipart,
    subscriptions,
    unknown_keys,
    wrong_mechanisms,
    queued,
)
