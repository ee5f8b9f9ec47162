"""People who play whole games in plain mode through pipes, from the printed lines alone."""

import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import SECONDS, Person
from tests.support.plain_reader import Reader

GAME_SECONDS = 2 * SECONDS
SILENT_SECONDS = 10.0
"""After so long without news, a person types an empty line, which asks for the prompt again."""


class Gamer(Person):
    """A plain-mode process whose prompts are answered automatically."""

    def __init__(self, state: Path, *arguments: str) -> None:
        super().__init__(state, *arguments)
        self.reader = Reader()
        self._read = 0
        self._heard_at = time.monotonic()

    def fileno(self) -> int:
        return self._stdout.fileno()

    def play(self) -> None:
        """Read new output and answer it."""
        assert self.read_more(), f"{self.process.args!r} ended: {self.text[-2000:]}"
        self._heard_at = time.monotonic()
        self.catch_up()

    def play_what_came(self) -> None:
        """Read the output that is there, if any, and answer it; after a silence ask again."""
        if select.select([self], [], [], 0)[0]:
            self.play()
        elif time.monotonic() - self._heard_at > SILENT_SECONDS:
            self._heard_at = time.monotonic()
            self.ask_again()

    def close_input(self) -> None:
        self._stdin.close()

    def catch_up(self) -> None:
        """Answer the lines that were read but not answered yet."""
        *lines, rest = self.text[self._read :].split("\n")
        self._read = len(self.text) - len(rest)
        for line in lines:
            if typed := self.reader.hear(line):
                self.say(typed)

    def ask_again(self) -> None:
        """Type an empty line, and answer the prompt that it brings."""
        self.reader.forget()
        self.say("")

    def result(self) -> list[str]:
        """Return the lines of the latest result screen."""
        return [line for line in self.text.splitlines() if line.startswith("Rank ")]


def play_until(gamers: Sequence[Gamer], enough: Callable[[], bool]) -> None:
    """Let people play until `enough` is true."""
    end = time.monotonic() + GAME_SECONDS
    for gamer in gamers:
        gamer.catch_up()
    while not enough():
        ready, _nothing, _nothing = select.select(gamers, [], [], SILENT_SECONDS)
        for gamer in ready:
            gamer.play()
        if time.monotonic() > end:
            pytest.fail("\n\n".join(gamer.text[-2000:] for gamer in gamers))
        for gamer in () if ready else gamers:
            gamer.ask_again()


def play_to_the_end(gamers: Sequence[Gamer], players: int) -> None:
    """Let people play until everybody has the result, with `players` players."""
    play_until(gamers, lambda: all(len(gamer.result()) == players for gamer in gamers))
