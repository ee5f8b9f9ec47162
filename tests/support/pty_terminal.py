"""A program in a pty: keys in, bytes or a rendered screen out."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Final, Self

import pyte

from tests.support.hosts_and_clients import SECONDS

_MOST: Final = 65536


class Silence(Exception):
    """The expected output did not appear in time; the text is the current screen."""


class Terminal:
    """A program in a pty; `read` returns its raw output."""

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
    ) -> None:
        self.end, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            env={"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def write(self, keys: str) -> None:
        """Type without waiting for the effect."""
        os.write(self.end, keys.encode())

    def read(self, seconds: float) -> bytes:
        """Return new output; empty on timeout or if the program has exited."""
        if not select.select([self.end], [], [], max(seconds, 0.0))[0]:
            return b""
        try:
            return os.read(self.end, _MOST)
        except OSError:  # Linux: the other end is closed
            return b""

    def close(self) -> None:
        """Hang up, as when a terminal window is closed, and wait for the exit."""
        os.close(self.end)
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Screen(Terminal):
    """A terminal whose output is rendered by pyte."""

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
    ) -> None:
        super().__init__(command, columns, rows, environment)
        self.cells = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.cells)

    @property
    def lines(self) -> list[str]:
        """The screen's lines, with trailing blanks."""
        # not pyte's own `display`, which fails on half a wide character within a frame
        across = range(self.cells.columns)
        return [
            "".join(self.cells.buffer[row][column].data for column in across)
            for row in range(self.cells.lines)
        ]

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    def look(self, seconds: float = 0.0) -> bool:
        """Render output that arrives within that time; return whether there was any."""
        came = self.read(seconds)
        self._stream.feed(came)
        return bool(came)

    def until(self, seen: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Render output until `seen` is true.

        Raises:
            Silence: it timed out.
        """
        end = monotonic() + seconds
        while not seen():
            left = end - monotonic()
            if left <= 0:
                raise Silence(self.text)
            self.look(min(left, 0.5))

    def see(self, text: str) -> None:
        """Render output until a text is shown."""
        self.until(lambda: text in self.text)

    def settle(self, seconds: float) -> None:
        """Render output until there has been none for that long."""
        while self.look(seconds):
            pass
