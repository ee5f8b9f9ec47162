"""Typed lines: one thread reads standard input for menu and table, so that no line is lost."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread
from typing import Final, TextIO

_CHUNK: Final = 4096
_MAX_LINE: Final = 65536


class TypedLines:
    """The lines of a stream, for one reader at a time; reading starts with the first call."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._lock = Lock()
        self._lines: deque[str] = deque()
        self._ended = False
        self._wake: Callable[[], object] = lambda: None
        self._thread: Thread | None = None

    async def next(self) -> str | None:
        """Wait for the next line; return None at the end of the input."""
        if self._thread is None:
            # not every event loop can wait for a file or a pipe
            self._thread = Thread(target=self._read, name="typing", daemon=True)
            self._thread.start()
        loop, typed = asyncio.get_running_loop(), asyncio.Event()
        while True:
            with self._lock:
                if self._lines:
                    return self._lines.popleft()
                if self._ended:
                    return None
                typed.clear()
                self._wake = lambda: loop.call_soon_threadsafe(typed.set)
            await typed.wait()

    def ask(self, show: Callable[[], object]) -> str | None:
        """Show a question, and wait for the next line; return None at the end of the input.

        The event loop runs by then: a Ctrl-C while one begins would leave warnings behind.
        """

        async def answer() -> str | None:
            show()
            return await self.next()

        return asyncio.run(answer())

    def _read(self) -> None:
        rest = b""
        while chunk := _bytes_of(self._stream):
            *lines, rest = (rest + chunk).split(b"\n")
            self._put(*lines)
            rest = rest[:_MAX_LINE]
        self._put(*[rest] if rest else [], ended=True)

    def _put(self, *lines: bytes, ended: bool = False) -> None:
        with self._lock:
            self._lines += (line.decode(errors="replace") for line in lines)
            self._ended = ended
            with suppress(RuntimeError):  # the last reader's event loop is closed
                self._wake()


STANDARD_INPUT: Final = TypedLines(sys.stdin)


def _bytes_of(stream: TextIO | None) -> bytes:
    """Wait for input and return it; b"" at the end.

    It reads from the descriptor: a thread blocked in `sys.stdin` would hold its lock at exit.
    """
    if stream is None:  # closed before the start: its descriptor may be in use for something else
        return b""
    try:
        return os.read(stream.fileno(), _CHUNK)
    except OSError:  # the terminal is gone
        return b""
