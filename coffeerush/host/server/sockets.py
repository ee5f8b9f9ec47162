"""The host's sockets: the door, ROUTER and XPUB with CURVE, and the ZAP socket that guards both.

Every option is set before bind; each one is needed, as measured.
"""

import errno
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import zmq

from coffeerush.errors import HostError
from coffeerush.local.keys import KeyPair

from .zap import ENDPOINT, domain_of

OLDEST_LIBZMQ: Final = (4, 3, 5)
"""Older ones have buffer overflows that peers can trigger before they are admitted."""
MAX_FRAME_BYTES: Final = 16384
MAX_SUBSCRIPTION_BYTES: Final = 512
"""A client's largest frame of a handshake has 300; what it subscribes to should be empty."""
UPDATES_BUFFER_BYTES: Final = 4096
"""Bounds what still comes in over a connection that is being cut."""
LINGER_MS: Final = 200
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
        sockets.requests.sndhwm = sockets.requests.rcvhwm = 64
        sockets.updates.sndhwm = 256
        sockets.updates.xpub_verbose = True  # tells of each subscription
        sockets.updates.maxmsgsize = MAX_SUBSCRIPTION_BYTES
        sockets.updates.rcvhwm = 4
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
    guarded.heartbeat_ivl = 1000
    guarded.heartbeat_timeout = 3000
    guarded.heartbeat_ttl = 4000
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
