"""Screen benchmark in a real terminal: output while idle, and latency from key to frame."""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from random import Random
from time import monotonic, perf_counter
from typing import Final

from coffeerush.host.children import spawn_host
from coffeerush.host.server.parent import HostOptions
from tests.support.hosts_and_clients import SECONDS
from tests.support.pty_terminal import Screen, Silence, Terminal

from .people import Players

COLUMNS, ROWS = 120, 36
IDLE_SECONDS: Final = 5.0
QUIET_SECONDS: Final = 1.5
"""A screen without output for this long is idle; longer than the time between two ticks."""
SPEECH_SECONDS: Final = 5.0
"""Longer than what a bot says stays beside its name."""
LETTERS: Final = "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμνξπρστφχψω"
"""Letters found nowhere else on the screen, which identify the frame of each key."""
LINES: Final = 12
"""How often all the letters are typed."""
PLAY: Final = ("play", "--bots", "regular,regular", "--seed", "5", "--name", "Ann")


def idle() -> dict[str, object]:
    """Return what an idle screen sends and consumes, next to a host that ticks."""
    with _state() as environment, Screen(_command(*PLAY), COLUMNS, ROWS, environment) as screen:
        screen.see("YOUR TURN")
        screen.settle(SPEECH_SECONDS)
        end, before = monotonic() + IDLE_SECONDS, _cpu_seconds(screen.process.pid)
        came = []
        while (left := end - monotonic()) > 0:
            if sent := screen.read(left):
                came.append(len(sent))
        spent = _cpu_seconds(screen.process.pid) - before
    return {
        "seconds": IDLE_SECONDS,
        "bytes": sum(came),
        "frames": len(came),
        "cpu_ms": round(spent * 1000, 1),
    }


def key_to_frame() -> Iterator[tuple[str, list[float], dict[str, object]]]:
    """Yield the seconds per key, with a quiet host and with one that floods updates."""
    with _state() as environment, Screen(_command(*PLAY), COLUMNS, ROWS, environment) as screen:
        screen.see("YOUR TURN")
        screen.settle(QUIET_SECONDS)
        yield "quiet", typed(screen), {}
    with _state() as environment, _flood(Path(environment["COFFEERUSH_STATE"])) as (port, moves):
        watch = _command("watch", f"127.0.0.1:{port}", "--name", "Eve")
        with Screen(watch, COLUMNS, ROWS, environment) as screen:
            screen.see("watching")
            began, before = perf_counter(), moves.value
            seconds = typed(screen)
            rate = (moves.value - before) / (perf_counter() - began)
            yield "flooding", seconds, {"updates_a_second": round(rate)}


def _pauses() -> Iterator[float]:
    """Yield the seconds between two keys: a fast typist, never in step with frames."""
    chance = Random(1)
    while True:
        yield chance.uniform(0.03, 0.08)


def typed(terminal: Terminal, lines: int = LINES) -> list[float]:
    """Type into the chat line; return the seconds from each key until its letter is shown."""
    took: list[float] = []
    pauses = _pauses()
    for _ in range(lines):
        terminal.write("t")
        _rest(terminal)
        for letter in LETTERS:
            took.append(_shown(terminal, letter))
            _rest(terminal, next(pauses))
        terminal.write("\x1b")
        _rest(terminal)
    return took


def _shown(terminal: Terminal, letter: str) -> float:
    wanted, seen = letter.encode(), b""
    began = perf_counter()
    terminal.write(letter)
    while wanted not in seen:
        came = terminal.read(SECONDS)
        if not came:
            raise Silence(f"the letter {letter} is not shown")
        seen += came
    return perf_counter() - began


def _rest(terminal: Terminal, seconds: float = 0.2) -> None:
    """Read output for a moment."""
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        terminal.read(left)


@contextmanager
def _state() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        yield {**os.environ, "COFFEERUSH_STATE": folder, "LANGUAGE": "en"}


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "coffeerush", *arguments]


@contextmanager
def _flood(folder: Path) -> Iterator[tuple[int, "Synchronized[int]"]]:
    """Run a host with four players moving nonstop; yield its port and their move count."""
    options = HostOptions(seats=4, port=0, bind="127.0.0.1", seed=1, record=str(folder))
    with spawn_host(options) as host:
        context = multiprocessing.get_context("spawn")
        moves = context.Value("i", 0)
        players = context.Process(target=_play_on, args=(host.port, moves), daemon=True)
        players.start()
        try:
            yield host.port, moves
        finally:
            players.kill()
            players.join()


def _play_on(port: int, moves: "Synchronized[int]") -> None:
    players = Players(port)
    while True:
        moves.value += len(players.play_game())


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process; 0 if the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
