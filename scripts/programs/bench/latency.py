"""Latency from a move until everybody has it, next to a bare pyzmq echo, and in a long session."""

import tempfile
from pathlib import Path
from time import perf_counter

from coffeerush.host.server.parent import HostOptions
from coffeerush.host.spawn import HostProcess, spawn_host

from .conditions import percentile, report
from .echo import bare_echo
from .people import Players, shares

GAMES = 12
ROUNDS = 1000
LONG_GAMES = 200
MEMORY_AT = (1, 50, 100, 150, 200)
IN_MEMORY = Path("/dev/shm")
"""A directory in which fdatasync is free, if the system has one."""


def run() -> None:
    """Report the latency with the record on disk and in memory, each followed by the baseline."""
    floor: list[float] = []
    for kept, parent in (("disk", None), ("memory", IN_MEMORY)):
        if parent is None or parent.is_dir():
            took, sample = _games(parent)
            report("move seen by all", record=kept, players=4, spectators=1, **_figures(took))
            floor += bare_echo(ROUNDS, sample)
    report("bare pyzmq echo", subscribers=5, **_figures(floor))


def run_session() -> None:
    """Report memory and latency of one host over many games."""
    with tempfile.TemporaryDirectory() as folder:
        host = _host(Path(folder))
        players = Players(host.port)
        took: list[float] = []
        began = perf_counter()
        try:
            while players.games < LONG_GAMES:
                took += players.play_game()
                if players.games in MEMORY_AT:
                    report("host memory", games=players.games, megabytes=_memory(host.pid))
        finally:
            players.close()
            host.stop()
        for name, part in zip(("first", "last"), shares(took, 20), strict=True):
            report("move seen by all, long session", part=f"{name} 5 %", **_figures(part))
        report("long session", games=LONG_GAMES, moves=len(took), seconds=perf_counter() - began)


def _games(parent: Path | None) -> tuple[list[float], tuple[bytes, bytes]]:
    """Return the seconds per move of some games, and the bytes of an answer and a publication."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        host = _host(Path(folder))
        players = Players(host.port)
        try:
            players.play_game()  # warm-up
            took = [seconds for _ in range(GAMES) for seconds in players.play_game()]
            return took, players.sample
        finally:
            players.close()
            host.stop()


def _host(folder: Path) -> HostProcess:
    return spawn_host(HostOptions(seats=4, port=0, bind="127.0.0.1", seed=1, record=str(folder)))


def _figures(seconds: list[float]) -> dict[str, object]:
    return {
        "n": len(seconds),
        "p50_ms": round(percentile(seconds, 0.5) * 1000, 3),
        "p99_ms": round(percentile(seconds, 0.99) * 1000, 3),
    }


def _memory(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0
