"""Processes on machines of a simulated LAN, what they report, and waiting for it."""

import os
import select
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from tests.soak.lan.lan_guest import Account
from tests.soak.lan.network import Network
from tests.support.hosts_and_clients import SECONDS, environment

_MOST_BYTES: Final = 1 << 16
_LOOK_SECONDS: Final = 0.5
"""Between two looks at what all see, even if nobody reports anything."""


class StuckError(Exception):
    """Somebody does not come back, or a game does not end."""


class Reporter(ABC):
    """A process on a machine of its own, and its reports: a line of JSON each."""

    def __init__(
        self, network: Network, name: str, state: Path, errors: Path, words: Sequence[str]
    ) -> None:
        self.name = name
        self.account: Account | None = None
        """Its final report."""
        self._rest = b""
        self._errors = errors
        with errors.open("ab") as written:
            self.process = subprocess.Popen(
                network.command(name, sys.executable, "-m", *words),
                env=environment(state),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=written,
            )
        assert self.process.stdin
        assert self.process.stdout
        self._stdin, self._stdout = self.process.stdin, self.process.stdout

    @abstractmethod
    def note(self, line: bytes) -> None:
        """Note a report."""

    @property
    @abstractmethod
    def now(self) -> object:
        """What it sees now."""

    def fileno(self) -> int:
        """Return the descriptor that is readable when it has reported something or ended."""
        return self._stdout.fileno()

    def read(self) -> None:
        """Read its new reports."""
        data = os.read(self.fileno(), _MOST_BYTES)
        if not data and self.account is None:
            self.process.wait(SECONDS)
            raise StuckError(f"{self.told()} has ended")
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.note(line)

    def say(self, *words: str) -> None:
        """Send it a line."""
        self._stdin.write(" ".join(words).encode() + b"\n")
        self._stdin.flush()

    def leave(self) -> None:
        """Let it send its final report and end."""
        self._stdin.close()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait(SECONDS)
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._stdout.close()

    def told(self) -> str:
        """Return what it has reported last, and its errors."""
        return f"{self.name}: {self.now} {self._errors.read_text()}"


class Reports(ABC):
    """What several processes report."""

    @abstractmethod
    def reporters(self) -> Sequence[Reporter]:
        """Return the processes."""

    def until(self, happened: Callable[[], object], seconds: float = SECONDS) -> float:
        """Wait until something has happened, and return how long that took.

        Raises:
            StuckError: it did not; the text has the state of everybody.
        """
        begun = monotonic()
        while not happened():
            left = begun + seconds - monotonic()
            if left <= 0:
                raise StuckError([one.told() for one in self.reporters()])
            self._read(min(left, _LOOK_SECONDS))
        return monotonic() - begun

    def play_on(self, seconds: float) -> None:
        """Read what all see for so long."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self._read(left)

    def _read(self, seconds: float) -> None:
        telling = [one for one in self.reporters() if one.account is None]
        for one in select.select(telling, [], [], seconds)[0]:
            one.read()
