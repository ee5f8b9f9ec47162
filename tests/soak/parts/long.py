"""A long session of four bots and all spectators: memory and latency of the host must not grow."""

import os
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Final

from coffeerush.records.writing import load_record
from protocol import MAX_SPECTATORS, Current, GetView, Standing
from scripts.programs.bench.conditions import percentile
from scripts.programs.bench.people import Players, shares
from tests.soak.oracle.playing import Vitals
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Host

SECONDS: Final = 600.0
SHARES: Final = 10
"""The first tenth is compared with the last."""
TELLING_SECONDS: Final = 60.0
"""A shorter run says nothing about growth."""
MOST_GROWTH: Final = 1.1
"""The limit for memory, from the first tenth to the last."""
MOST_DELAY: Final = 1.5
"""The limit for the median latency: the machine also has other things to do."""


def run(soak: Soak) -> None:
    """Play whole games until the time is up."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        host = Host(state, seats=4, seed=1)
        players = Players(host.port, MAX_SPECTATORS)
        try:
            _play(soak, host.process.pid, players, state)
            host.stop()
        finally:
            players.close()
            host.close()


def _play(soak: Soak, pid: int, players: Players, state: Path) -> None:
    took: list[float] = []
    memory: list[float] = []
    descriptors: list[float] = []
    results: list[tuple[Standing, ...]] = []
    players.play_game()  # warm-up
    results.append(_result(players))
    began = perf_counter()
    while soak.left() or not took:
        took += players.play_game()
        results.append(_result(players))
        vitals = Vitals.from_now(pid)
        vitals.look(pid)
        memory.append(vitals.megabytes)
        descriptors.append(vitals.descriptors)
    _check_records(soak, state, results)
    soak.report(
        "long session",
        spectators=MAX_SPECTATORS,
        bots=len(players.players),
        games=len(results),
        moves=len(took),
        took_seconds=round(perf_counter() - began, 1),
    )
    early, late = shares(took, SHARES)
    delays = [percentile(part, 0.5) for part in (early, late)]
    worst = [percentile(part, 0.99) for part in (early, late)]
    _compare(soak, "milliseconds until all have seen a move, median", [d * 1e3 for d in delays])
    _compare(soak, "milliseconds until all have seen a move, 99%", [d * 1e3 for d in worst])
    sizes = [max(part) for part in shares(memory, SHARES)]
    _compare(soak, "megabytes", sizes)
    files = [max(part) for part in shares(descriptors, SHARES)]
    _compare(soak, "descriptors", files)
    soak.hold("descriptors are flat", files[0] == files[1], first=files[0], last=files[1])
    if soak.seconds >= TELLING_SECONDS:
        soak.hold("memory is flat", sizes[1] <= sizes[0] * MOST_GROWTH, megabytes=sizes)
        soak.hold("latency is flat", delays[1] <= delays[0] * MOST_DELAY, seconds=delays)


def _compare(soak: Soak, what: str, parts: list[float]) -> None:
    first, last = (round(part, 3) for part in parts)
    soak.report(what, first_tenth=first, last_tenth=last)


def _result(players: Players) -> tuple[Standing, ...]:
    """Return the result as every guest sees it."""
    seen = set()
    for guest in players.guests:
        answer = guest.ask(GetView(os.urandom(16)))
        assert isinstance(answer, Current), answer
        assert answer.view is not None
        seen.add(answer.view.standings)
    (result,) = seen
    return result


def _check_records(soak: Soak, state: Path, results: list[tuple[Standing, ...]]) -> None:
    """Check the replayed records against the guests' results."""
    records = [load_record(path) for path in (state / "records").glob("*.record")]
    ends = {record.head.game: record.end for record in records}
    for game, result in enumerate(results, 1):
        end = ends.get(game)
        soak.hold("each game is on record as it was seen", end and end.standings == result)
    soak.hold("there is a record for each game and no other", len(records) == len(results))
