"""What it costs that a table can move, and how long it stands still when it does.

Needs root, for machines of a simulated LAN.
"""

import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Final

from coffeerush.host.children import spawn_host
from coffeerush.host.server.parent import HostOptions
from tests.soak.lan.moving import MovingTable
from tests.soak.lan.network import Network, unavailable
from tests.soak.lan.standby import GO_ON

from .conditions import figures, memory, percentile, ratios, report
from .people import Lan, Players

GAMES: Final = 12
MOVES: Final = 5
"""Of a table that moves: as many failovers and handovers."""
_HOST, _PLAYERS = "host", "players"
_PORTS: Final = {"off": 47820, "on": 47920}


def run() -> None:
    """Report both."""
    if why := unavailable():
        sys.exit(f"The bench of moves {why}.")
    _run_moves()
    _run_price()


def _run_price() -> None:
    """Report the moves, bytes and memory of a host with standbys, and of one without.

    The two take turns, with the same games, so that whatever else the machine does slows both.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        network = stack.enter_context(Network([_HOST, _PLAYERS]))
        sources = tuple(network.crowd(_PLAYERS, 8)[:4])
        address = network.address(_HOST)
        hosts, tables = {}, {}
        took: dict[str, list[float]] = {"off": [], "on": []}
        for standbys, port in _PORTS.items():
            state = Path(folder, standbys)
            options = HostOptions(seats=4, port=port, bind=address, seed=1, record=str(state))
            with network.inside(_HOST):
                hosts[standbys] = stack.enter_context(spawn_host(options))
            with network.inside(_PLAYERS):
                lan = Lan(address, hosts[standbys].code, sources, standbys == "on")
                tables[standbys] = Players(port, 0, lan=lan)
            stack.callback(tables[standbys].close)
            tables[standbys].play_game()  # warm-up
        for _ in range(GAMES):
            for standbys, table in tables.items():
                took[standbys] += table.play_game()
        for standbys, table in tables.items():
            received = table.everybody[0].received
            report(
                "move seen by all, with standbys off and on",
                standbys=standbys,
                **figures(took[standbys]),
                **ratios(took[standbys], took["off"]),
                bytes_an_update=round(sum(received) / len(received)),
                largest_update=max(received),
                host_megabytes=memory(hosts[standbys].pid),
            )


def _run_moves() -> None:
    """Report how long a game stands still when its host is killed, cut off, or hands over.

    A person presses the key as soon as it is offered.
    """
    took: dict[str, list[float]] = {"host killed": [], "host hands over": []}
    with tempfile.TemporaryDirectory() as folder, MovingTable.open(Path(folder)) as table:
        clients = [memory(player.process.pid) for player in table.players]
        for _ in range(MOVES):
            for how, seconds in took.items():
                table.until(lambda: table.are_here(0) and table.are_safe())
                seconds.append(_move(table, how))
        hosts = [memory(table.host())]
    for how, seconds in took.items():
        report(
            "seconds until all play on",
            how=how,
            n=len(seconds),
            p50=round(percentile(seconds, 0.5), 2),
            slowest=round(max(seconds), 2),
        )
    report("memory of a standby", client_megabytes=max(clients), its_host_megabytes=max(hosts))


def _move(table: MovingTable, how: str) -> float:
    """Move a table, and return the seconds until all have seen a later move."""
    begun, term = monotonic(), table.term

    def is_moved() -> bool:
        if offered := table.offered():
            offered.say(GO_ON)
        return table.are_here(term + 1)

    if how == "host killed":
        table.signal_host(signal.SIGKILL)
        table.until(is_moved)
    else:
        table.hand_over(until=is_moved)
    table.note_host()
    table.play_past(table.newest())
    return monotonic() - begun
