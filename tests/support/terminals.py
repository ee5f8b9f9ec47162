"""A command of ours in a terminal of its own, which is looked at once the command has ended."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from tests.support.hosts_and_clients import SECONDS, Deadline, coffeerush, environment

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="needs /proc, mounted: Linux"
)
_MODES = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
AT_REST = {
    **dict.fromkeys((1000, 1002, 1003, 1006, 1015), b"l"),  # the mouse
    1: b"l",
    25: b"h",
    1049: b"l",
    2004: b"l",  # arrows, cursor, full screen, pastes
}
"""Modes of a terminal that nobody has changed, or that were put back."""


class Terminal:
    """A command that leads the session of its terminal, as one does that a window is opened for.

    Args:
        state: where its files are.
        arguments: of `coffeerush`.
        ignored: signals that it ignores from the start.
    """

    def __init__(self, state: Path, *arguments: str, ignored: tuple[int, ...] = ()) -> None:
        self._state = state
        self._ours, self._theirs = os.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        self._before = termios.tcgetattr(self._theirs)
        self._errors = (state / "errors").open("wb")
        self.output = b""
        """All that was written to it."""

        def lead() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)

        self.process = subprocess.Popen(
            coffeerush(*arguments),
            env=environment(state, {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}),
            cwd=state,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._errors,
            start_new_session=True,
            preexec_fn=lead,
        )

    def see(self, wanted: str) -> None:
        """Return once that was written."""
        deadline = Deadline()
        while wanted.encode() not in self.output:
            assert self._read(deadline), self.output[-2000:]

    def type(self, data: bytes) -> None:
        """Type bytes for as long as the command takes them."""
        os.set_blocking(self._ours, False)
        deadline = Deadline()
        while data and self.process.poll() is None:
            reading, writing, _none = select.select([self._ours], [self._ours], [], deadline.left())
            if reading and not self._read(deadline):
                return
            with suppress(BlockingIOError):
                data = data[os.write(self._ours, data) :] if writing else data

    def hang_up(self) -> None:
        """Close the terminal, as a window is closed."""
        os.close(self._ours)
        self._ours = -1

    def wait(self) -> int:
        """Return the exit code once the command has ended; whatever it writes is read."""
        deadline = Deadline()
        while self.process.poll() is None:
            deadline.left()
            if self._ours < 0:
                self.process.wait(SECONDS)
            elif select.select([self._ours], [], [], 0.02)[0]:
                self._read(deadline)
        while self._ours >= 0 and select.select([self._ours], [], [], 0)[0]:
            self._read(deadline)
        return self.process.returncode

    @property
    def changed(self) -> list[str]:
        """What is otherwise than before the command, none of it wanted."""
        modes = self._modes().items()
        found = [f"mode {number} is {on!r}" for number, on in modes if on != AT_REST[number]]
        return found + (["termios"] if termios.tcgetattr(self._theirs) != self._before else [])

    def _modes(self) -> Mapping[int, bytes]:
        written = _MODES.findall(self.output)
        found = {int(one): state for many, state in written for one in many.split(b";")}
        return {number: state for number, state in found.items() if number in AT_REST}

    @property
    def errors(self) -> str:
        """What was written to standard error."""
        return (self._state / "errors").read_text()

    def await_nobody(self) -> None:
        """Return once none of the processes that it has started is left; raises `TimeoutError`."""
        deadline = Deadline()
        while left := self._left():
            try:
                deadline.left()
            except TimeoutError:
                raise TimeoutError(f"still there: {left}") from None
            for pid in left:  # it is ready to be read once the process has ended
                with suppress(OSError):
                    watched = os.pidfd_open(pid)
                    select.select([watched], [], [], 1)
                    os.close(watched)

    def _left(self) -> list[int]:
        """Return the processes whose files are in the same state directory."""
        ours = f"COFFEERUSH_STATE={self._state}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # of somebody else, or gone meanwhile
                if ours in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def _read(self, deadline: Deadline) -> bool:
        if not select.select([self._ours], [], [], deadline.left())[0]:
            return True
        try:
            came = os.read(self._ours, 65536)
        except BlockingIOError:
            return True
        except OSError:  # nobody has the other end open
            return False
        self.output += came
        return bool(came)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.wait(SECONDS)
        for pid in self._left():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for descriptor in (self._ours, self._theirs):
            if descriptor >= 0:
                os.close(descriptor)
        self._errors.close()
