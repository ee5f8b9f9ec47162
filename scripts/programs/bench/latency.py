"""Latency from a move until everybody has it, next to bare pyzmq echoes, and in a long session."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from coffeerush.host.children import HostProcess, spawn_host
from coffeerush.host.server.parent import HostOptions

from .conditions import figures, memory, ratios, report
from .echo import Echo
from .people import Players, shares

GAMES = 12
GAMES_WITH_BOTS = 40
FEW, MANY = 1, 16
"""Spectators."""
LONG_GAMES = 200
MEMORY_AT = (1, 50, 100, 150, 200)
IN_MEMORY = Path("/dev/shm")
"""A directory in which fdatasync is free, if the system has one."""


def run() -> None:
    """Report the latency with few and many spectators, and with the record in memory."""
    _run("disk", None, FEW)
    _run("disk", None, MANY)
    if IN_MEMORY.is_dir():
        _run("memory", IN_MEMORY, FEW)


def _run(kept: str, parent: Path | None, spectators: int) -> None:
    """Report the latency of a host and, of the same minute, of an echo without and with a record.

    They take turns, so that whatever else the machine does slows all three alike.
    """
    with tempfile.TemporaryDirectory(dir=parent) as folder, ExitStack() as stack:
        host = stack.enter_context(_host(Path(folder)))
        players = Players(host.port, spectators)
        stack.callback(players.close)
        moves = len(players.play_game())  # warm-up
        took: list[float] = []
        echoes = {
            name: Echo(players.sample, len(players.everybody), record)
            for name, record in (
                ("bare pyzmq echo", None),
                ("pyzmq echo that syncs", Path(folder, "echo")),
            )
        }
        for echo in echoes.values():
            stack.callback(echo.close)
        for _ in range(GAMES):
            took += players.play_game()
            for echo in echoes.values():
                echo.play(moves)
    case = {"record": kept, "players": 4, "spectators": spectators}
    report("move seen by all", **case, **figures(took))
    for name, echo in echoes.items():
        report(name, **case, **figures(echo.took), **ratios(took, echo.took))


def run_bots() -> None:
    """Report what people wait for at a table with two Experts, and with two Casuals.

    The two tables take turns, so that whatever else the machine does slows both alike.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        tables: dict[str, Players] = {}
        moves: dict[str, list[float]] = {}
        for bot in ("casual", "expert"):
            host = stack.enter_context(_host(Path(folder, bot), bots=(bot, bot)))
            tables[bot] = Players(host.port, bots=2)
            stack.callback(tables[bot].close)
            tables[bot].play_game()  # warm-up
            tables[bot].asked.clear()
            moves[bot] = []
        for _ in range(GAMES_WITH_BOTS):
            for bot, table in tables.items():
                moves[bot] += table.play_game()
        for bot, table in tables.items():
            case = {"bots": bot, "players": 4}
            base = tables["casual"].asked, moves["casual"]
            report(
                "answer in a bot's turn",
                **case,
                **figures(table.asked),
                **ratios(table.asked, base[0]),
            )
            report("move seen by all", **case, **figures(moves[bot]), **ratios(moves[bot], base[1]))


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
                    report("host memory", games=players.games, megabytes=memory(host.pid))
        finally:
            players.close()
            host.stop()
        for name, part in zip(("first", "last"), shares(took, 20), strict=True):
            report("move seen by all, long session", part=f"{name} 5%", **figures(part))
        report("long session", games=LONG_GAMES, moves=len(took), seconds=perf_counter() - began)


def _host(folder: Path, bots: tuple[str, ...] = ()) -> HostProcess:
    return spawn_host(
        HostOptions(seats=4, bots=bots, port=0, bind="127.0.0.1", seed=1, record=str(folder))
    )
