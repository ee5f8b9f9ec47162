"""A command in a terminal of tmux, which is spoken to in its control mode.

That tells of every output, so that nobody has to ask again and again whether something has changed.
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
    """A terminal with one command in it."""

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
        """Lines that came and were not read, the last one unfinished."""
        self._answer()  # that of new-session

    def press(self, *keys: str) -> None:
        """Press keys by their names in tmux: `Up`, `Enter`, `Space`, `q`."""
        self._ask(join(["send-keys", *keys]))

    def type(self, text: str) -> None:
        """Send characters as they are, such as those of a mouse."""
        self._ask(f"send-keys -H {text.encode().hex(' ')}")

    def click(self, x: int, y: int) -> None:
        """Press and let go the left button on a cell; (0, 0) is at the top left."""
        for end in "Mm":
            self.type(f"\x1b[<0;{x + 1};{y + 1}{end}")

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._ask(f"refresh-client -C {columns}x{rows}")

    @property
    def lines(self) -> list[str]:
        """What is shown now, each line with its trailing blanks."""
        return self._ask("capture-pane -p -N")

    @property
    def text(self) -> str:
        """What is shown now."""
        return "\n".join(line.rstrip() for line in self.lines)

    def until(self, seen: Callable[[str], bool], seconds: float = SECONDS) -> str:
        """Return what is shown as soon as it is as wanted; raises `TimeoutError`."""
        deadline = Deadline(seconds)
        while not seen(text := self.text):
            try:
                while not self._line(deadline).startswith(b"%output"):
                    pass
            except TimeoutError:
                raise TimeoutError(f"the screen stays at\n{text}") from None
        return text

    def until_changed(self, before: str, seconds: float) -> str:
        """Return what is shown once it is something else, or at the end of that time."""
        with suppress(TimeoutError):
            return self.until(lambda text: text != before, seconds)
        return before

    def see(self, wanted: str) -> str:
        """Return what is shown as soon as that is in it."""
        return self.until(lambda text: wanted in text)

    def wait(self) -> int:
        """Return the exit code of the command as soon as it has ended."""
        _told, code = self.see(_ENDED).split(_ENDED)
        return int(code)

    def close(self) -> None:
        """End the command, and tmux with it."""
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
    """Run a command of ours in a terminal of tmux, with its files in `folder`.

    Args:
        folder: its state directory; made where it lacks.
        command: the whole command line.
        columns: of the terminal.
        rows: of the terminal.
        more: variables of its environment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    terminal = Tmux(command, columns, rows, environment(folder, {"LC_ALL": "C.UTF-8", **more}))
    try:
        yield terminal
    finally:
        terminal.close()
