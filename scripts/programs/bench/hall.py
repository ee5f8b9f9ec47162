"""Many tables at one host: latency of a move, beside that at one table, and memory of a table."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter, sleep

from coffeerush.host.children import HostProcess, spawn_host
from coffeerush.host.server.parent import HostOptions

from .conditions import computed, figures, memory, ratios, report
from .crowd import SEATS, Crowd
from .people import Players

ONE = 1
TABLES = (8, 50, 100, 200, 400)
"""More than people can have `coffeerush host` open: see `MAX_TABLES`."""
GAMES = 8
"""At the first table, in turns with a host that has only one."""
SECONDS = 10.0
"""After that, only the busy tables play."""


def run() -> None:
    """Report the latency at one table, alone and beside busy ones, for several numbers of these."""
    for tables in TABLES:
        run_one(tables)


def run_one(tables: int) -> None:
    """Let a host with one table and one with many take turns at the first table of each.

    The busy tables rest while the other host is measured: so that whatever else the machine does
    slows both alike.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        hosts = {count: _host(stack, Path(folder, str(count)), count) for count in (ONE, tables)}
        small = memory(hosts[tables].pid)
        crowd = Crowd(hosts[tables].port, range(ONE + 1, tables + 1))
        stack.callback(crowd.close)
        players = {count: Players(host.port) for count, host in hosts.items()}
        took: dict[int, list[float]] = {count: [] for count in hosts}
        for each in players.values():
            stack.callback(each.close)
            each.play_game()  # warm-up
        for _game in range(GAMES):
            for count in hosts:
                crowd.play(count == tables)
                took[count] += players[count].play_game()
        crowd.play(True)
        began, cpu = perf_counter(), computed(hosts[tables].pid)
        sleep(SECONDS)
        cores = (computed(hosts[tables].pid) - cpu) / (perf_counter() - began)
        played = crowd.finish()
        grown = (memory(hosts[tables].pid) - small) / (tables - 1)
    for count in hosts:
        case = {"tables": count, "players": count * SEATS, "spectators": 1}
        report("move seen by all", **case, **figures(took[count]), **ratios(took[count], took[ONE]))
    report(
        "move at a busy table",
        tables=tables - 1,
        players=(tables - 1) * SEATS,
        **figures(played.took),
        max_ms=round(max(played.took) * 1000, 1),
        lost=played.lost,
        late=played.late,
        host_cores=round(cores, 2),
        generator_cores=round(played.busy, 2),
        megabytes_a_table=round(grown, 2),
    )


def _host(stack: ExitStack, folder: Path, tables: int) -> HostProcess:
    options = HostOptions(
        tables=tables, seats=SEATS, port=0, bind="127.0.0.1", seed=1, record=str(folder)
    )
    return stack.enter_context(spawn_host(options))
