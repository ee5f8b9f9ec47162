"""The host's sockets: the door, ROUTER and XPUB with CURVE, and the ZAP socket that guards both.

Every option is set before bind; each one is needed, as measured.
"""

import errno
import socket
import sys
import time
from collections.abc import Callable, Container, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, NamedTuple

import zmq
from msgspec import Struct
from zmq.utils import z85

from coffeerush.errors import HostError
from coffeerush.joining.admission import origin
from coffeerush.local.keys import KeyPair
from coffeerush.tcp_keepalive import keep_alive
from protocol import TOPIC_BYTES, TableNumber, split_publication

# ZAP handler: tells libzmq whether a CURVE key may connect (ZeroMQ RFC 27)
#
# It runs in the server's own loop and never raises: after a dead handler every later handshake
# would hang.


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


# The host's sockets: the door, ROUTER and XPUB with CURVE, and the ZAP socket that guards both


OLDEST_LIBZMQ: Final = (4, 3, 5)
"""Older ones have buffer overflows that peers can trigger before they are admitted."""
MAX_FRAME_BYTES: Final = 16384
MAX_SUBSCRIPTION_BYTES: Final = 512
"""A client's largest frame of a handshake has 300; a topic is shorter."""
UPDATES_BUFFER_BYTES: Final = 4096
"""Bounds what still comes in over a connection that is being cut."""
LINGER_MS: Final = 1000
"""What is said last needs time on a busy machine; a peer that is gone must not hold up the end."""
IO_THREADS: Final = 2
"""With two, thousands of handshakes per second by strangers delay members only half as much."""
REQUESTS_AFTER_DOOR: Final = 1
UPDATES_AFTER_DOOR: Final = 2
_LAST_DOOR_PORT: Final = 65535 - UPDATES_AFTER_DOOR
_TRIES: Final = 20


@dataclass(frozen=True)
class Sockets:
    """The sockets that a host listens on; only the server's thread uses the ZeroMQ ones."""

    context: zmq.Context[zmq.Socket[bytes]]
    zap: zmq.Socket[bytes]
    requests: zmq.Socket[bytes]
    updates: zmq.Socket[bytes]
    door: socket.socket
    port: int

    @property
    def ports(self) -> tuple[int, int]:
        """The ports of requests and updates."""
        return self.port + REQUESTS_AFTER_DOOR, self.port + UPDATES_AFTER_DOOR

    @property
    def local_address(self) -> str:
        """The address by which this machine reaches them."""
        bound: str = self.door.getsockname()[0]
        return "127.0.0.1" if bound in ("::", "0.0.0.0") else bound

    def close(self) -> None:
        """Close all sockets, lingering for at most `LINGER_MS` to send what is queued."""
        self.door.close()
        for each in (self.requests, self.updates, self.zap):
            each.close()
        self.context.destroy()  # `term` would hang if a socket, such as a probe's, were still open


def endpoint(address: str, port: int) -> str:
    """Return the ZeroMQ endpoint for a numeric address and a port."""
    return f"tcp://[{address}]:{port}" if ":" in address else f"tcp://{address}:{port}"


def open_sockets(address: str, port: int, keys: KeyPair) -> Sockets:
    """Open the sockets on three consecutive ports; raises `HostError`.

    Args:
        address: one of this machine's, or `*`, `::` or `0.0.0.0` for all of them.
        port: the door's; 0 to find three free ones.
        keys: the host's.
    """
    _check_libzmq()
    if port:
        return _open(address, port, keys)
    for _try in range(_TRIES):
        try:
            return _open(address, 0, keys)
        except PortInUse:
            continue  # one of the next two ports is taken
    raise HostError("No three consecutive ports are free; choose the first one with --port.")


class PortInUse(HostError):
    """The port is in use by another program."""


def _open(address: str, port: int, keys: KeyPair) -> Sockets:
    with ExitStack() as failed:
        door = failed.enter_context(listen(address, port))
        port = door.getsockname()[1]
        if port > _LAST_DOOR_PORT:  # there are no two ports after it
            raise _reason(errno.EADDRINUSE, address, port)
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context(IO_THREADS)
        failed.callback(context.destroy)
        sockets = Sockets(
            context,
            context.socket(zmq.REP),
            context.socket(zmq.ROUTER),
            context.socket(zmq.XPUB),
            door,
            port,
        )
        # Bound first: a handshake without a ZAP handler hangs.
        sockets.zap.linger = 0
        sockets.zap.bind(ENDPOINT)
        for each, its_port in zip((sockets.requests, sockets.updates), sockets.ports, strict=True):
            _guard(each, its_port, keys)
        sockets.requests.router_handover = False  # else strangers could steal answers
        sockets.requests.router_mandatory = True
        sockets.requests.sndhwm = 64
        sockets.updates.sndhwm = 256
        sockets.updates.xpub_verboser = True  # tells of each subscription, and of its end
        sockets.updates.maxmsgsize = MAX_SUBSCRIPTION_BYTES
        sockets.updates.rcvbuf = UPDATES_BUFFER_BYTES
        host = door.getsockname()[0]  # resolves a name, as in --bind localhost
        for each, its_port in zip((sockets.requests, sockets.updates), sockets.ports, strict=True):
            try:
                each.bind(endpoint(host, its_port))
            except zmq.ZMQError as error:
                raise _reason(error.errno, host, its_port) from None
        failed.pop_all()
    return sockets


def listening(address: str, port: int) -> socket.socket:
    """Return a listening socket, dual-stack if for all addresses; raises `OSError`."""
    if address in ("*", "::"):
        if socket.has_dualstack_ipv6():
            return socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
        address = "0.0.0.0"
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.create_server((address, port), family=family)


def listen(address: str, port: int) -> socket.socket:
    """Return a listening socket; raises `HostError` with a sentence for the user."""
    try:
        return listening(address, port)
    except OSError as error:
        raise _reason(error.errno, address, port) from None


def _guard(guarded: zmq.Socket[bytes], port: int, keys: KeyPair) -> None:
    guarded.linger = LINGER_MS
    guarded.ipv6 = True
    guarded.maxmsgsize = MAX_FRAME_BYTES
    guarded.rcvhwm = 0  # a full queue, a PING and the end of the connection would abort libzmq
    keep_alive(guarded)
    guarded.handshake_ivl = 3000
    guarded.curve_server = True
    guarded.curve_publickey = keys.public
    guarded.curve_secretkey = keys.secret
    guarded.zap_domain = domain_of(port)
    guarded.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)


def _reason(number: int | None, address: str, port: int) -> HostError:
    if number == errno.EADDRINUSE:
        return PortInUse(
            "Port {port} is in use, perhaps by another table on this machine: choose another with "
            "--port, such as --port 47830.",
            port=port,
        )
    if number == errno.EACCES:
        return HostError(
            "You are not allowed to listen on port {port}; choose one above 1023.", port=port
        )
    return HostError(
        "{address} is not an address of this machine; leave out --bind to listen on "
        "all its addresses.",
        address=address,
    )


def _check_libzmq() -> None:
    found = zmq.zmq_version_info()
    if found < OLDEST_LIBZMQ:
        wanted = ".".join(map(str, OLDEST_LIBZMQ))
        raise HostError(
            "libzmq {found} is not safe for hosting: install pyzmq with libzmq "
            "{wanted} or newer (pip install --upgrade pyzmq).",
            found=zmq.zmq_version(),
            wanted=wanted,
        )


# Startup self-test: verify that both ports are reachable and refuse an unknown CURVE key
#
# Nothing else would reveal a ZAP handler that does not answer, or a domain that is not enforced.


PROBE_SECONDS: Final = 5.0
PROBES: Final = 3
"""The most for each port: a machine that was suspended meanwhile, or is busy, is asked again."""
_OUTCOMES: Final = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
)


def check_strangers_are_refused(sockets: Sockets, keys: KeyPair, admitted: Container[str]) -> None:
    """Attempt a handshake on both ports with fresh keys.

    Keys in `admitted` are admitted: clients of a killed host reconnect within milliseconds
    of its restart, and a socket that is refused once never retries.

    Raises:
        HostError: a handshake succeeded, or all of a port's timed out, or the machine cannot reach
            itself.
    """
    _check_loopback(sockets)
    for port, kind in zip(sockets.ports, (zmq.DEALER, zmq.SUB), strict=True):
        outcomes = (_probe(sockets, port, kind, keys, admitted) for _each in range(PROBES))
        outcome = next((found for found in outcomes if found is not None), None)
        if outcome is None:
            raise HostError(
                "The host did not start, because port {port} did not answer the host's own test; "
                "this machine may be too busy: try again.",
                port=port,
            )
        if outcome == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            raise HostError(
                "The host did not start, because port {port} lets strangers in; report "
                "this, with the versions of pyzmq and libzmq.",
                port=port,
            )


def _check_loopback(sockets: Sockets) -> None:
    """Connect to the host's own address; the kernel accepts even if the process is busy."""
    try:
        socket.create_connection((sockets.local_address, sockets.ports[0]), PROBE_SECONDS).close()
    except OSError:
        raise HostError(
            "The host did not start, because the programs on this machine cannot reach each other: "
            "bring its loopback interface up (on Linux: ip link set lo up)."
        ) from None


def _probe(
    sockets: Sockets, port: int, kind: int, keys: KeyPair, admitted: Container[str]
) -> int | None:
    """Attempt a handshake with fresh keys; return how it ended, None on timeout."""
    with (
        sockets.context.socket(kind) as stranger,
        stranger.get_monitor_socket(_OUTCOMES) as monitor,
    ):
        _connect_stranger(stranger, sockets.local_address, port, keys)
        outcome = _outcome(sockets, monitor, admitted)
        stranger.disable_monitor()
    return outcome


def _connect_stranger(stranger: zmq.Socket[bytes], address: str, port: int, keys: KeyPair) -> None:
    stranger.linger = 0
    stranger.ipv6 = True
    stranger.curve_serverkey = keys.public
    stranger.curve_publickey, stranger.curve_secretkey = zmq.curve_keypair()
    stranger.connect(endpoint(address, port))


def _outcome(sockets: Sockets, monitor: zmq.Socket[bytes], admitted: Container[str]) -> int | None:
    """Return the event that ended the handshake, answering ZAP requests; None on timeout."""
    poller = zmq.Poller()
    poller.register(sockets.zap, zmq.POLLIN)
    poller.register(monitor, zmq.POLLIN)
    deadline = time.monotonic() + PROBE_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        ready = dict(poller.poll(int(left * 1000)))
        if sockets.zap in ready:
            sockets.zap.send_multipart(zap_reply(sockets.zap.recv_multipart(), admitted))
        if monitor in ready:
            event, _endpoint = monitor.recv_multipart()
            return int.from_bytes(event[:2], sys.byteorder)  # zmq's parser would import asyncio
    return None


# Receive requests on the ROUTER and subscriptions on the XPUB, each with its sender


MAX_FRAMES: Final = 4
"""Routing id, a REQ's correlation id, the empty frame, the body."""
MAX_ENVELOPE_BYTES: Final = 255
"""Of each frame before the body, which is kept with every answer that nobody reads."""


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
    if len(frames) > MAX_FRAMES or any(len(frame) > MAX_ENVELOPE_BYTES for frame in frames[:-1]):
        return RawRequest((), sender, None)
    return split_frames([frame.bytes for frame in frames], sender)


def receive_subscription(
    updates: zmq.Socket[bytes],
) -> tuple[Sender | None, TableNumber | None]:
    """Return the subscriber, and the topic; None as sender if a subscriber left.

    The topic is None if it is not a whole one. The same comes when a subscription ends.

    Raises:
        zmq.Again: none is waiting.
    """
    frame = updates.recv(zmq.NOBLOCK, copy=False)
    try:
        sender = _sender(frame)
    except zmq.ZMQError:
        return None, None
    wanted = frame.bytes[1:]
    return sender, split_publication(wanted)[0] if len(wanted) == TOPIC_BYTES else None


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
