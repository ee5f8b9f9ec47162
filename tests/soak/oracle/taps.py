"""Recording TCP proxies, one in front of each port of a host."""

import selectors
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Self

_CHUNK = 65536


class Stream:
    """One connection through a proxy, with everything that both sides have sent."""

    def __init__(self, port: int) -> None:
        self.port = port
        """The host's port behind the proxy."""
        self.up = bytearray()
        self.down = bytearray()


class Taps:
    """Proxies on loopback, each in front of one port; they run in a thread of their own.

    At most `most` bytes are recorded of each side of a connection.
    """

    def __init__(self, host: str = "127.0.0.1", most: int = sys.maxsize) -> None:
        self._host = host
        self._most = most
        self.streams: list[Stream] = []
        """All connections so far."""
        self._selector = selectors.DefaultSelector()
        self._asleep, self._wake = socket.socketpair()
        self._selector.register(self._asleep, selectors.EVENT_READ)
        self._doors: list[socket.socket] = []
        self._carrying = Lock()
        self._thread = Thread(target=self._carry, name="taps", daemon=True)
        self._thread.start()

    def front(self, ports: Iterable[int]) -> dict[int, int]:
        """Start a proxy for each port of a host; return their ports by the host's."""
        return {port: self._open(port) for port in ports}

    def _open(self, port: int) -> int:
        door = socket.create_server(("127.0.0.1", 0))
        self._doors.append(door)
        self._selector.register(door, selectors.EVENT_READ, port)
        own: int = door.getsockname()[1]
        return own

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Carry nothing for a while, like a network that is gone; connections stay open."""
        with self._carrying:
            yield

    def close(self) -> None:
        self._wake.close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _carry(self) -> None:
        running = True
        while running:
            found = self._selector.select()
            with self._carrying:
                for key, _events in found:
                    assert isinstance(key.fileobj, socket.socket)
                    if key.fileobj is self._asleep:
                        running = bool(self._asleep.recv(1))
                    elif isinstance(key.data, int):
                        self._accept(key.fileobj, key.data)
                    else:
                        self._forward(key.fileobj, *key.data)
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    def _accept(self, door: socket.socket, port: int) -> None:
        near, _address = door.accept()
        try:
            far = socket.create_connection((self._host, port))
        except OSError:
            near.close()
            return
        stream = Stream(port)
        self.streams.append(stream)
        for one, other, kept in ((near, far, stream.up), (far, near, stream.down)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(one, selectors.EVENT_READ, (other, kept))

    def _forward(self, one: socket.socket, other: socket.socket, kept: bytearray) -> None:
        data = b""
        with suppress(OSError):
            data = one.recv(_CHUNK)
            kept += data[: self._most - len(kept)]
            other.sendall(data)
        if not data:
            for each in (one, other):
                with suppress(KeyError, ValueError):  # it is already closed
                    self._selector.unregister(each)
                each.close()
