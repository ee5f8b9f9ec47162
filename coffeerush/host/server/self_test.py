"""Startup self-test: verify that both ports are reachable and refuse an unknown CURVE key.

Nothing else would reveal a ZAP handler that does not answer, or a domain that is not enforced.
"""

import socket
import time
from collections.abc import Container
from typing import Final

import zmq
from zmq.utils.monitor import parse_monitor_message

from coffeerush.errors import HostError
from coffeerush.local.keys import KeyPair

from .sockets import Sockets, endpoint
from .zap import zap_reply

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
        outcome = next((one for one in outcomes if one is not None), None)
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
            event: int = parse_monitor_message(monitor.recv_multipart())["event"]
            return event
    return None
