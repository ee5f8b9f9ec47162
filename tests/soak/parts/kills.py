"""Kills: a host with four players is killed again and again, and resumed from its record."""

import asyncio
import tempfile
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from coffeerush.records.writing import load_record
from coffeerush.rules import view_for
from scripts.programs.bench.conditions import percentile
from tests.soak.clients import Client, Party, check_acknowledged
from tests.soak.hall_killing import HallKilling
from tests.soak.killing import (
    Kill,
    cut_everywhere,
    kill_while_it_starts,
    newest_record,
    wait_busily,
)
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Host

SECONDS: Final = 1200.0
HOUSES: Final = ((0, 220), (2, 20))
"""How many spectators, who take longer to reconnect, and the number of kills with them."""
HALL: Final = (8, 100)
"""The number of tables, and of kills with them."""
KINDS: Final = (
    *("soon", "when written", "in mid-line", "in mid-write"),
    *("at the start", "at the deal"),
)
MOVES_BETWEEN: Final = 12
MOST_DEAL_SECONDS: Final = 0.005
"""Usually enough for a game to be on record once everybody is ready."""


def run(soak: Soak) -> None:
    """Kill hosts until there were enough kills."""
    for spectators, kills in HOUSES:
        run_house(soak, spectators, kills)
    run_hall(soak, *HALL)


def run_hall(soak: Soak, tables: int, kills: int) -> None:
    """Kill a host at all of whose tables people play this many times, or until the time is up."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(HallKilling(soak, Path(folder), tables).run(kills))


def run_house(soak: Soak, spectators: int, kills: int) -> None:
    """Kill a host this many times, or until the time is up."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_Killing(soak, Path(folder)).run(spectators, kills))


class _Killing:
    """A host that is killed, its clients, and the results."""

    def __init__(self, soak: Soak, state: Path) -> None:
        self._soak = soak
        self._chance = soak.chance
        self._state = state
        self._kills: Counter[str] = Counter()
        self._torn: Counter[str] = Counter()
        self._dealt: Counter[str] = Counter()
        self._unanswered = 0
        self._back: list[float] = []

    async def run(self, spectators: int, kills: int) -> None:
        self._host = await self._start(self._new_table())
        try:
            async with Party(self._host.port, spectators=spectators) as party:
                self._party = party
                for kind in islice(cycle(KINDS), kills):
                    if not self._soak.left():
                        break
                    await party.play(self._chance.randint(1, MOVES_BETWEEN), self._chance)
                    await self._kill(kind)
                await asyncio.to_thread(self._host.stop)
        finally:
            self._host.close()
        if self._back:
            self._check_records()

    async def _start(self, options: dict[str, Any]) -> Host:
        return await asyncio.to_thread(Host, self._state, **options)

    def _new_table(self, port: int = 0) -> dict[str, Any]:
        return {"port": port, "seats": 4}

    def _again(self) -> dict[str, Any]:
        """Return the options of the next host: it resumes the record if the game is not over."""
        path = newest_record(self._state)
        if load_record(path).end:
            return self._new_table(self._host.port)
        return {"port": self._host.port, "resume": str(path)}

    async def _kill(self, kind: str) -> None:
        mover = await self._party.until(self._party.mover)
        epoch = mover.model.epoch
        path = newest_record(self._state)
        asked = len(mover.asked)
        kill = Kill(self._host, path, mover, self._chance)
        match kind:
            case "soon":
                kill.soon()
            case "when written":
                kill.when_written()
            case "in mid-line":
                kill.in_mid_line()
            case "in mid-write":
                kill.in_mid_write()
            case "at the start":
                self._host.kill()
                kill_while_it_starts(self._state, self._again(), self._chance)
            case "at the deal":
                epoch = await self._kill_while_it_deals(epoch)
        began = perf_counter()
        self._host.close()
        self._kills[kind] += 1
        self._look_at(kind, path, mover, asked)
        self._host = await self._start(self._again())
        self._soak.hold("the host resumes", self._host.port, log=self._host.text())
        await self._party.until(lambda: self._party.together(unlike=epoch))
        self._back.append(perf_counter() - began)
        self._check_views(mover)

    async def _kill_while_it_deals(self, epoch: bytes) -> bytes:
        """Replace the game by a new one, kill the host during the deal, and return its epoch."""
        self._host.close()
        self._host = await self._start(self._new_table(self._host.port))
        dealing = await self._party.until(lambda: self._party.together(unlike=epoch))
        for one in self._party.players:
            one.get_ready()
        wait_busily(lambda: False, self._chance.uniform(0, MOST_DEAL_SECONDS))
        return dealing

    def _look_at(self, kind: str, path: Path, mover: Client, asked: int) -> None:
        """Count what a kill left behind."""
        if kind == "at the deal":
            newest = newest_record(self._state)
            self._soak.hold("a record has its head", _is_whole(newest), path=newest)
            self._dealt["not begun" if newest == path else "dealt"] += 1
            return
        self._torn[kind] += not path.read_bytes().endswith(b"\n")
        record = load_record(path)
        sent = [*mover.asked][asked:]
        written = bool(sent and record.moves and record.moves[-1].id == sent[0])
        self._unanswered += written and sent[0] not in mover.accepted

    def _check_views(self, mover: Client) -> None:
        """Check everybody's state against the replayed record."""
        model = mover.model
        if model.view is None:  # the game was over, so its host started a new one
            return
        record = load_record(newest_record(self._state))
        state = [*record.states()][-1]
        self._soak.hold("everybody is where the record is", model.rev == len(record.moves))
        for one in self._party.everybody:
            seen = one.model.view
            right = view_for(state, one.model.seat)
            self._soak.hold("everybody sees what is right", seen == right, seen=seen, right=right)

    def _check_records(self) -> None:
        paths = sorted((self._state / "records").glob("*.record"))
        records = [load_record(path) for path in paths]
        for path, record in zip(paths, records, strict=True):
            self._soak.hold("a record is whole", path.stat().st_size == record.good, path=path)
        check_acknowledged(self._soak, self._party.players, records)
        self._soak.report(
            "kills",
            kills=self._kills.total(),
            players=len(self._party.players),
            spectators=len(self._party.spectators),
            **{kind.replace(" ", "_").replace("-", "_"): self._kills[kind] for kind in KINDS},
            deals=self._dealt,
            torn_records=self._torn.total(),
            torn_by_the_host=self._torn["in mid-write"],
            cuts_of_a_line=cut_everywhere(paths[0]),
            on_record_and_unanswered=self._unanswered,
            acknowledged=sum(len(one.accepted) for one in self._party.players),
            recorded=sum(len(record.moves) for record in records),
            by_stand_ins=sum(not move.key for record in records for move in record.moves),
            games=sum(record.end is not None for record in records),
            back_after_p50=round(percentile(self._back, 0.5), 2),
            back_after_max=round(max(self._back), 2),
        )


def _is_whole(path: Path) -> bool:
    """Return whether a game was dealt: its head is on record."""
    return b"\n" in path.read_bytes()
