"""Guests over ssh: the real OpenSSH client in a pty, at a host's gateway."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

import pytest

from tests.support.children import children
from tests.support.hosts_and_clients import Deadline, Fields, Host
from tests.support.pty_terminal import Screen
from tests.support.screen_reader import IGNORED_SECONDS, ScreenReader

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="needs OpenSSH's client")
KEYS = {
    "Enter": "\r",
    "Space": " ",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Right": "\x1b[C",
    "Left": "\x1b[D",
}


def ways_of(host: Host) -> Fields:
    """Wait until a host's gateway is there, and return how guests come in."""
    deadline = Deadline()
    with host.link.makefile("rb", buffering=0) as lines:
        while (line := json.loads(lines.readline()))["type"] != "ways":
            deadline.left()
    found: Fields = line
    return found


def gateway_pid(host: Host) -> int:
    """Return the process id of a host's gateway."""
    deadline = Deadline()
    while not (found := children(host.process.pid, "coffeerush.guests.process")):
        deadline.left()
    return found[0]


def new_key(directory: Path, name: str) -> Path:
    path = directory / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def ssh(port: int, *more: str, user: str = "Ann", key: Path | None = None) -> list[str]:
    """Return an ssh command that reads no file of the person who runs the tests."""
    settings = {
        "StrictHostKeyChecking": "no",
        "UserKnownHostsFile": "/dev/null",
        "LogLevel": "ERROR",
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "IdentityFile": str(key or "/dev/null"),
        "ConnectTimeout": "20",
        "SendEnv": "LANG LC_* COLORTERM",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    where = ["-p", str(port), f"{user}@127.0.0.1"]
    return ["ssh", "-F", "/dev/null", *options, *where, *more]


class SshScreen(Screen):
    """A guest's terminal."""

    def __init__(
        self,
        port: int,
        columns: int = 80,
        rows: int = 24,
        user: str = "Ann",
        key: Path | None = None,
        inside: Sequence[str] = (),
    ) -> None:
        """Start the client, after the words of `inside`: those lead to another machine."""
        known = {name: value for name, value in os.environ.items() if not name.startswith("L")}
        own = {**known, "TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}
        super().__init__([*inside, *ssh(port, user=user, key=key)], columns, rows, own)
        self._reader = ScreenReader()
        self._tried = 0.0

    def enter(self, code: str) -> None:
        """Type the code where it is asked for, and sit down."""
        self.see("Code")
        self.write(code.replace("-", " "))
        self.see(code.replace("-", " "))
        self.write("\r")
        self.see("Seat")

    def choose(self, setting: str, value: str) -> None:
        """Change one of this guest's settings."""
        self.write("\x1bOR")  # F3
        self.see(setting)
        self._press("Down", lambda: f"▸ {setting}" in self.text)
        self._press("Enter", lambda: self.marked == f"▸ {setting} ◂ {value} ▸")
        self.write("\x1b")
        self.see("Seat")

    @property
    def marked(self) -> str:
        """The marked line of a page, with one blank between words."""
        lines = (" ".join(line.split()) for line in self.text.splitlines()[1:])
        return next((line for line in lines if line.startswith("▸")), "")

    def _press(self, key: str, done: Callable[[], bool]) -> None:
        while not done():
            before = self.marked
            self.write(KEYS[key])
            self._change(before)

    def _change(self, marked: str) -> None:
        self.until(lambda: self.marked != marked)

    def play(self) -> None:
        """Look at the screen, and press the key that it asks for."""
        changed = self.look(0.02)
        while self.look():
            changed = True
        if self.is_over or not (changed or monotonic() - self._tried > IGNORED_SECONDS):
            return
        wanted = self._reader.wanted(self.text)
        if wanted:
            self.write(KEYS[wanted])
            self._tried = monotonic()

    @property
    def is_over(self) -> bool:
        return "The result" in self.text

    def cut(self) -> None:
        """Kill the guest's ssh."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
