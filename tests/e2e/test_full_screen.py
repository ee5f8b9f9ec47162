"""The full screen as a process: what it loads first, whole games in tmux, the smallest terminal."""

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from msgspec import json

from coffeerush.local.settings import FILE_NAME
from protocol import NO_ID, Start
from tests.support.hosts_and_clients import SECONDS, coffeerush, environment
from tests.support.local import LocalTable
from tests.support.pty_terminal import Screen, Silence, Terminal
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

# The screen in tmux: whole games, and the same cells as in the tests' own terminal


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
    ("?", "On the board"),
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


@needs_tmux
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


@needs_tmux
def test_a_whole_game_by_mouse_and_keys(tmp_path: Path) -> None:
    with at_table(tmp_path, "--bots", "regular") as terminal:
        terminal.see("place here")
        play(terminal, Hand(terminal).act, "round 4")
        assert "Ann" in play(terminal, terminal.press)
        terminal.press("q")
        assert terminal.wait() == 0
        assert "The game records are in" in terminal.text


@needs_tmux
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
        terminal.follow(("q", "Leave the table?"), ("C-c", "The game records are in"))
        terminal.type("exit\r")
        assert terminal.wait() == 0


# Lazy imports: before its first frame a screen loads nothing that the frame does not need


FULL_SCREEN = b"\x1b[?1049h"
"""Sent immediately before the first frame."""
LATER = (
    *("zmq", "zeroconf", "spake2", "segno", "multiprocessing"),
    *("coffeerush.bots", "coffeerush.host", "coffeerush.rules"),
)
"""Packages that a table needs and that are slow to import."""
LOADED = re.compile(r"import time: +\d+ \| +\d+ \| +(\S+)")


def loaded_before_a_frame(folder: Path, arguments: tuple[str, ...]) -> list[str]:
    """Return the modules that the program loads before it draws anything."""
    command = [sys.executable, "-X", "importtime", "-m", "coffeerush", *arguments]
    came = b""
    with Terminal(command, 80, 24, environment(folder)) as terminal:
        while FULL_SCREEN not in came:
            more = terminal.read(SECONDS)
            assert more, came
            came += more
    return LOADED.findall(came.partition(FULL_SCREEN)[0].decode())


@pytest.mark.parametrize("arguments", [(), ("play",), ("join",), ("join", "127.0.0.1")])
def test_the_first_frame_does_not_load_what_only_a_table_needs(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    loaded = loaded_before_a_frame(tmp_path, arguments)
    assert "coffeerush.ui.terminal.fullscreen" in loaded
    assert [name for name in loaded if name.startswith(LATER)] == []


def test_who_joins_with_a_name_sees_so_before_what_only_hosts_need_is_loaded(
    tmp_path: Path,
) -> None:
    loaded = loaded_before_a_frame(tmp_path, ("join", "127.0.0.1", "--name", "Ann"))
    assert "coffeerush.ui.table.table_app" in loaded
    assert not {"zmq", "coffeerush.host.run", "coffeerush.cli.host"} & {*loaded}


# The smallest terminal: the real program in 40x12 cells, where a turn is played by keys


PLACED = "place a meeple"
TURN = (
    (UP, "2 steps left"),
    (LEFT, "1 step left"),
    ("u", "2 steps left"),
    (LEFT, "1 step left"),
    (LEFT, "no steps left"),
    (" ", "YOUR TURN: end your turn"),
)
"""Keys, each with the text shown once its effects have happened."""


def enter(screen: Screen, before: str) -> None:
    """Press Enter until a text is gone: right after a turn begins, the key is ignored."""
    while before in screen.text:
        screen.write(ENTER)
        try:
            screen.until(lambda: before not in screen.text, IGNORED_SECONDS)
        except Silence:
            assert screen.process.poll() is None, screen.text


def test_a_turn_is_played_to_its_end(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(json.encode(QUIET))
    with Screen(coffeerush(*PLAY), 40, 12, environment(tmp_path)) as screen:
        screen.see(PLACED)
        screen.write(RIGHT)
        enter(screen, PLACED)
        screen.see("3 steps left")
        for key, wanted in TURN:
            screen.write(key)
            screen.see(wanted)
            assert screen.lines[-1].split()[0] == "?", screen.text
        enter(screen, "end your turn")
        screen.see("3 steps left")
        screen.write("t")
        screen.see("Say:")
        screen.write(f"Hello{ENTER}")
        screen.see("<Ann> Hello")
