"""A program in a terminal of this process's own: keys in, bytes or a drawn screen out."""

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

DEADLINE_SECONDS: Final = 20.0
_MOST: Final = 65536


class Silence(Exception):
    """The program did not show in time what was waited for; the text is what it shows."""


class Terminal:
    """A pty with a program in it; whoever reads gets the bytes as they come.

    Args:
        command: the program and its arguments.
        columns: the width that the program is told.
        rows: the height that the program is told.
        environment: all of its environment.
    """

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
        """Type, without waiting for what it does."""
        os.write(self.end, keys.encode())

    def read(self, seconds: float) -> bytes:
        """Return what came; empty if nothing did in that time, or the program has ended."""
        if not select.select([self.end], [], [], max(seconds, 0.0))[0]:
            return b""
        try:
            return os.read(self.end, _MOST)
        except OSError:  # how Linux tells that nobody holds the other end
            return b""

    def close(self) -> None:
        """End the program as a terminal does that is closed, and wait until it has."""
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
    """A terminal whose bytes are drawn."""

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
    ) -> None:
        super().__init__(command, columns, rows, environment)
        self.cells = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.cells)
        self.drawn: Callable[[], object] = lambda: None
        """Called whenever something new is shown."""

    @property
    def lines(self) -> list[str]:
        """What is shown, each line with its trailing blanks."""
        # not pyte's own display: it fails on half of a wide character, between two parts of a frame
        across = range(self.cells.columns)
        return [
            "".join(self.cells.buffer[row][column].data for column in across)
            for row in range(self.cells.lines)
        ]

    @property
    def text(self) -> str:
        """What is shown, lines parted by newlines."""
        return "\n".join(line.rstrip() for line in self.lines)

    def look(self, seconds: float = 0.0) -> bool:
        """Draw what came, or comes within that time; return whether anything did."""
        came = self.read(seconds)
        self._stream.feed(came)
        if came:
            self.drawn()
        return bool(came)

    def until(self, seen: Callable[[], bool], seconds: float = DEADLINE_SECONDS) -> None:
        """Draw until something is so.

        Raises:
            Silence: it was not in that time.
        """
        end = monotonic() + seconds
        while not seen():
            left = end - monotonic()
            if left <= 0:
                raise Silence(self.text)
            self.look(min(left, 0.5))

    def see(self, text: str) -> None:
        """Draw until a text is shown."""
        self.until(lambda: text in self.text)

    def settle(self, seconds: float) -> None:
        """Draw until nothing has come for that long."""
        while self.look(seconds):
            pass
