"""The screen in tmux: whole games, and the same cells as in the tests' own terminal."""

import os
import shlex
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from msgspec import json

from coffeerush.local.settings import FILE_NAME
from protocol import NO_ID, Start
from tests.support.hosts_and_clients import coffeerush
from tests.support.local import LocalTable
from tests.support.screen_reader import IGNORED_SECONDS, Hand, play
from tests.support.screen_terminal import (
    DOWN,
    ENTER,
    ESCAPE,
    LEFT,
    QUIET,
    RIGHT,
    TAB,
    UP,
    run,
    shown,
)
from tests.support.tmux import Tmux, needs_tmux, tmux

pytestmark = needs_tmux

SEED = 5
PLAY = ("play", "--bots", "regular,regular", "--seed", str(SEED), "--name", "Ann")
NAMES = {
    ENTER: "Enter",
    ESCAPE: "Escape",
    TAB: "Tab",
    " ": "Space",
    UP: "Up",
    DOWN: "Down",
    LEFT: "Left",
    RIGHT: "Right",
}
"""tmux key names by the bytes sent to the tests' own terminal."""
MOMENTS = (
    ("", "place here"),
    (RIGHT, "place here"),
    (ENTER, "3 steps left"),
    (TAB, ""),
    ("g", "Double corners"),
    (ESCAPE, ""),
    ("?", "this help"),
    (ESCAPE, ""),
    (UP, "2 steps left"),
    (LEFT, "1 step left"),
    ("u", "2 steps left"),
    (LEFT, "1 step left"),
    (DOWN, "Space"),
    (" ", "end turn"),
    ("t", "Say:"),
    ("민", "Say: 민"),
    (ESCAPE, "end turn"),
)
"""Keys, each with the text shown once all its effects have happened."""


@contextmanager
def at_table(folder: Path, *more: str, columns: int = 80, rows: int = 24) -> Iterator[Tmux]:
    """Play in tmux with the settings of the tests' own terminal."""
    (folder / FILE_NAME).write_bytes(json.encode(QUIET))
    with tmux(folder, coffeerush(*PLAY, *more), columns, rows) as terminal:
        yield terminal


def seen_here(
    columns: int, rows: int, moments: Sequence[tuple[str, str]] = MOMENTS
) -> list[list[str]]:
    """Return the lines after each key in the tests' own terminal."""
    found: list[list[str]] = []

    async def main() -> None:
        local = LocalTable(3, ("regular", "regular"), seed=f"{SEED} games")
        link = local.link("Ann")
        async with shown(link, columns, rows) as terminal:
            link.wish(Start(NO_ID))
            for key, wanted in moments:
                if key:
                    await terminal.press(key)
                await terminal.see(wanted)
                found.append(list(terminal.pyte_output.screen.display))

    run(main())
    return found


def shows(terminal: Tmux, lines: list[str], _text: str) -> bool:
    return terminal.lines == lines


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36)])
def test_tmux_shows_the_same_cells(tmp_path: Path, columns: int, rows: int) -> None:
    with at_table(tmp_path, columns=columns, rows=rows) as terminal:
        for (key, wanted), lines in zip(MOMENTS, seen_here(columns, rows), strict=True):
            before = terminal.text
            if key:
                terminal.press(NAMES.get(key, key))
            if key == ENTER and terminal.until_changed(before, IGNORED_SECONDS) == before:
                terminal.press("Enter")
            with suppress(TimeoutError):
                terminal.until(partial(shows, terminal, lines))
            assert terminal.lines == lines, wanted


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_a_whole_game(tmp_path: Path, by: str) -> None:
    with at_table(tmp_path, "--bots", "regular") as terminal:
        terminal.see("place here")
        text = play(terminal, terminal.press if by == "keys" else Hand(terminal).act)
        assert "Ann" in text
        terminal.press("q")
        terminal.see("Leave the table?")
        terminal.press("C-c")
        assert terminal.wait() == 0
        assert "The game records are in" in terminal.text


def test_a_screen_can_be_suspended_and_resumed(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(json.encode(QUIET))
    (lines,) = seen_here(80, 24, MOMENTS[:1])
    pid = tmp_path / "pid"
    with tmux(tmp_path, ["bash", "--norc", "-i"]) as terminal:
        terminal.type(f"{shlex.join(coffeerush(*PLAY))} & echo $! >{shlex.quote(str(pid))}; fg\r")
        terminal.until(lambda _text: terminal.lines == lines)
        os.kill(int(pid.read_text()), signal.SIGTSTP)
        assert "place here" not in terminal.see("Stopped")
        terminal.type("clear; fg\r")
        terminal.until(lambda _text: terminal.lines == lines)
        terminal.press("C-z")
        assert "place here" not in terminal.see("Stopped")
        terminal.type("fg\r")
        terminal.until(lambda _text: terminal.lines == lines)
        terminal.press("q")
        terminal.see("Leave the table?")
        terminal.press("C-c")
        terminal.see("The game records are in")
        terminal.type("exit\r")
        assert terminal.wait() == 0
