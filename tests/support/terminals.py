"""A coffeerush command in its own terminal, whose state is checked after the exit."""

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
    2004: b"l",  # arrow keys, cursor, full screen, bracketed paste
}
"""Terminal modes that are unchanged or were restored."""


class Terminal:
    """A command that is its terminal's session leader, as in a newly opened window."""

    def __init__(self, state: Path, *arguments: str, ignored: tuple[int, ...] = ()) -> None:
        self._state = state
        self._ours, self._theirs = os.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        self._before = termios.tcgetattr(self._theirs)
        self._errors = (state / "errors").open("wb")
        self.output = b""
        """All output so far."""

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
        deadline = Deadline()
        while wanted.encode() not in self.output:
            assert self._read(deadline), self.output[-2000:]

    def type(self, data: bytes) -> None:
        """Type bytes while the command accepts them."""
        os.set_blocking(self._ours, False)
        deadline = Deadline()
        while data and self.process.poll() is None:
            reading, writing, _none = select.select([self._ours], [self._ours], [], deadline.left())
            if reading and not self._read(deadline):
                return
            with suppress(BlockingIOError):
                data = data[os.write(self._ours, data) :] if writing else data

    def hang_up(self) -> None:
        """Hang up, as when a window is closed."""
        os.close(self._ours)
        self._ours = -1

    def wait(self) -> int:
        """Read the rest of the output, wait for the exit, and return the exit code."""
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
        """The terminal settings that the command failed to restore."""
        modes = self._modes().items()
        found = [f"mode {number} is {on!r}" for number, on in modes if on != AT_REST[number]]
        return found + (["termios"] if termios.tcgetattr(self._theirs) != self._before else [])

    def _modes(self) -> Mapping[int, bytes]:
        written = _MODES.findall(self.output)
        found = {int(one): state for many, state in written for one in many.split(b";")}
        return {number: state for number, state in found.items() if number in AT_REST}

    @property
    def errors(self) -> str:
        return (self._state / "errors").read_text()

    def await_nobody(self) -> None:
        """Wait until all processes that it started have exited; raises `TimeoutError`."""
        deadline = Deadline()
        while left := self._left():
            try:
                deadline.left()
            except TimeoutError:
                raise TimeoutError(f"still there: {left}") from None
            for pid in left:  # readable once the process has exited
                with suppress(OSError):
                    watched = os.pidfd_open(pid)
                    select.select([watched], [], [], 1)
                    os.close(watched)

    def _left(self) -> list[int]:
        """Return the processes that use the same state directory."""
        ours = f"COFFEERUSH_STATE={self._state}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # another user's, or gone in the meantime
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
        except OSError:  # the other end is closed
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
