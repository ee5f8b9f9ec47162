"""How both sides notice a broken connection: by TCP alone, as ZMTP heartbeats are not safe.

libzmq 4.3.5 aborts the process if it sends a heartbeat, or answers one, over a connection that
the peer has closed while the queue of what it sent was full (libzmq issues 3937 and 4364).
"""

from typing import Any, Final

import zmq

IDLE_SECONDS: Final = 1
"""After which the kernel asks the other machine whether it is still there, each second."""
BROKEN_SECONDS: Final = 3
"""After which a connection is closed if the other machine has not answered."""


def keep_alive(socket: "zmq.Socket[Any]") -> None:
    """Let the kernel close connections to machines that are gone; call it before any is made."""
    socket.tcp_keepalive = 1
    socket.tcp_keepalive_idle = IDLE_SECONDS
    socket.tcp_keepalive_intvl = 1
    socket.tcp_keepalive_cnt = BROKEN_SECONDS
    socket.tcp_maxrt = BROKEN_SECONDS * 1000
