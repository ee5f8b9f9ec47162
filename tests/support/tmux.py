"""A command in tmux, driven in tmux's control mode.

Control mode reports all output, so that no polling is needed.
"""

import os
import select
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from shlex import join

import pytest

from tests.support.hosts_and_clients import SECONDS, Deadline, environment

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux: install tmux")
_NUMBERS = count(1)
_ENDED = "It has ended with exit code "


class Tmux:
    """A tmux terminal that runs one command."""

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, env: Mapping[str, str]
    ) -> None:
        self._process = subprocess.Popen(
            [
                *("tmux", "-u", "-L", f"{os.getpid()}-{next(_NUMBERS)}", "-f", os.devnull, "-C"),
                *("new-session", "-x", str(columns), "-y", str(rows)),
                f"{join(command)}; echo {_ENDED}$?; read nothing",
            ],
            env={**env, "SHELL": "/bin/sh"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._begun: deque[bytes] = deque([b""])
        """Lines received but not read yet, the last one unfinished."""
        self._answer()  # to new-session

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names: `Up`, `Enter`, `Space`, `q`."""
        self._ask(join(["send-keys", *keys]))

    def follow(self, *steps: tuple[str, str]) -> None:
        """Press each key, and wait until what it brings is shown."""
        for key, wanted in steps:
            self.press(key)
            self.see(wanted)

    def enter(self, text: str) -> None:
        """Type a text into a field."""
        self.type(text)
        self.see(f"{text}▌")

    def erase(self, text: str) -> None:
        """Erase a text from a field."""
        for _character in text:
            self.press("BSpace")
        self.see("  ▌")

    def type(self, text: str) -> None:
        """Send raw characters, such as a mouse report."""
        self._ask(f"send-keys -H {text.encode().hex(' ')}")

    def click(self, x: int, y: int) -> None:
        """Click on a cell with the left button; (0, 0) is at the top left."""
        for end in "Mm":
            self.type(f"\x1b[<0;{x + 1};{y + 1}{end}")

    def resize(self, columns: int, rows: int) -> None:
        self._ask(f"refresh-client -C {columns}x{rows}")

    @property
    def lines(self) -> list[str]:
        """The screen's lines, with trailing blanks."""
        return self._ask("capture-pane -p -N")

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    def until(self, seen: Callable[[str], bool], seconds: float = SECONDS) -> str:
        """Wait until `seen` accepts the screen's text, and return it; raises `TimeoutError`."""
        deadline = Deadline(seconds)
        while not seen(text := self.text):
            try:
                while not self._line(deadline).startswith(b"%output"):
                    pass
            except TimeoutError:
                raise TimeoutError(f"the screen stays at\n{text}") from None
        return text

    def until_changed(self, before: str, seconds: float) -> str:
        """Wait until the screen changes, or for that long; return its text."""
        with suppress(TimeoutError):
            return self.until(lambda text: text != before, seconds)
        return before

    def see(self, wanted: str) -> str:
        """Wait until a text is shown; return the screen's text."""
        return self.until(lambda text: wanted in text)

    def wait(self) -> int:
        """Wait for the command's exit and return its exit code."""
        _told, code = self.see(_ENDED).split(_ENDED)
        return int(code)

    def close(self) -> None:
        """Kill the command and tmux."""
        self._stdin.write(b"kill-server\n")
        self._stdin.close()
        self._stdout.read()
        self._process.wait(SECONDS)
        self._stdout.close()

    def _ask(self, command: str) -> list[str]:
        self._stdin.write(f"{command}\n".encode())
        self._stdin.flush()
        return self._answer()

    def _answer(self) -> list[str]:
        deadline = Deadline()
        while not self._line(deadline).startswith(b"%begin"):
            pass
        found: list[str] = []
        while not (line := self._line(deadline)).startswith((b"%end ", b"%error ")):
            found.append(line.decode())
        assert line.startswith(b"%end "), found
        return found

    def _line(self, deadline: Deadline) -> bytes:
        while len(self._begun) < 2:
            if not select.select([self._stdout], [], [], deadline.left())[0]:
                continue
            came = os.read(self._stdout.fileno(), 65536)
            assert came, "tmux has ended"
            first, *others = came.split(b"\n")
            self._begun[-1] += first
            self._begun.extend(others)
        return self._begun.popleft()


@contextmanager
def tmux(
    folder: Path, command: Sequence[str], columns: int = 80, rows: int = 24, **more: str
) -> Iterator[Tmux]:
    """Run a command line in tmux, with its state directory in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    terminal = Tmux(command, columns, rows, environment(folder, {"LC_ALL": "C.UTF-8", **more}))
    try:
        yield terminal
    finally:
        terminal.close()
