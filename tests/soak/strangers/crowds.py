"""Many plain connections at once, each running the script of a client without the code."""

import selectors
import socket
import struct
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Final, Self, TypeAlias

Script: TypeAlias = Generator[bytes | None, bytes, None]
"""Yields bytes to send, or None to receive some; its end closes the connection."""
Route: TypeAlias = tuple[str, str]
"""A source address, and the host's."""

_CHUNK: Final = 65536
_WAIT_SECONDS: Final = 0.05
_AT_ONCE: Final = struct.pack("ii", 1, 0)
"""Closed by a reset, so that its port is free at once."""


class _Line:
    """One connection, and the state of its script."""

    def __init__(self, connection: socket.socket, port: int, script: Script) -> None:
        self.connection = connection
        self.port = port
        self.script = script
        self.out = b""
        self.heard = b""
        self.listens = False

    def go_on(self) -> None:
        """Resume the script; raises `StopIteration` at its end."""
        if self.listens:
            heard, self.heard = self.heard, b""
            said = self.script.send(heard)
        else:
            said = next(self.script)
        self.out, self.listens = said or b"", said is None


class Crowd:
    """Keeps this many connections open to a host until it is closed, replacing those that end.

    Args:
        routes: to the host, used in turn.
        size: the number of connections.
        begin: returns the port and the script for a new connection.
        hear: called with everything received, and the port that it came from.
    """

    def __init__(
        self,
        routes: Sequence[Route],
        size: int,
        begin: Callable[[], tuple[int, Script]],
        hear: Callable[[int, bytes], None],
    ) -> None:
        self.done: Counter[str] = Counter()
        self._routes = cycle(routes)
        self._size = size
        self._begin = begin
        self._hear = hear
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for key in list(self._selector.get_map().values()):
            self._end(key.data)
        self._selector.close()

    def go_on(self) -> None:
        """Open missing connections, then send and receive as far as possible."""
        for _missing in range(self._size - len(self._selector.get_map())):
            if not self._open():
                break
        for key, events in self._selector.select(_WAIT_SECONDS):
            line: _Line = key.data
            if events & selectors.EVENT_READ and not self._read(line):
                continue
            if events & selectors.EVENT_WRITE or line.heard:
                self._write(line)

    def _open(self) -> bool:
        port, script = self._begin()
        source, target = next(self._routes)
        connection = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET)
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        try:
            connection.bind((source, 0))
            with suppress(BlockingIOError):
                connection.connect((target, port))
        except OSError:
            connection.close()
            self.done["not_connected"] += 1
            return False
        self.done["connections"] += 1
        both = selectors.EVENT_READ | selectors.EVENT_WRITE
        self._selector.register(connection, both, _Line(connection, port, script))
        return True

    def _read(self, line: _Line) -> bool:
        try:
            data = line.connection.recv(_CHUNK)
        except OSError:
            data = b""
        if not data:
            self.done["cut"] += 1
            self._end(line)
            return False
        line.heard += data
        self._hear(line.port, data)
        return True

    def _write(self, line: _Line) -> None:
        try:
            while not line.out and (line.heard or not line.listens):
                line.go_on()
            if line.out:
                line.out = line.out[line.connection.send(line.out) :]
        except StopIteration:
            self._end(line)
            return
        except BlockingIOError:
            pass
        except OSError:
            self.done["cut"] += 1
            self._end(line)
            return
        waits = line.listens and not line.out
        wanted = selectors.EVENT_READ | (0 if waits else selectors.EVENT_WRITE)
        self._selector.modify(line.connection, wanted, line)

    def _end(self, line: _Line) -> None:
        line.script.close()
        self._selector.unregister(line.connection)
        line.connection.close()
