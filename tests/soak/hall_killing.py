"""Kill a host with several tables, at all of which people play, and resume all of them."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from coffeerush.records.entries import Record
from coffeerush.records.writing import load_record, newest_records
from coffeerush.rules import view_for
from scripts.programs.bench.conditions import percentile
from tests.soak.clients import Party, check_acknowledged
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Fields, Host

PLAYERS: Final = 2
"""At each table."""
MOVES: Final = 40
"""At each table around a kill."""
MOST_DELAY_SECONDS: Final = 0.25
"""All tables are in the middle of their moves until then."""


class HallKilling:
    """A host with several tables that is killed while all of them play, and the results."""

    def __init__(self, soak: Soak, state: Path, tables: int) -> None:
        self._soak = soak
        self._chance = soak.chance
        self._state = state
        self._options: Fields = {"tables": tables, "seats": PLAYERS, "resume_latest": True}
        self._kills = 0
        self._torn = 0
        self._resumed: Counter[str] = Counter()
        self._back: list[float] = []

    async def run(self, kills: int) -> None:
        """Kill the host this many times, or until the time is up, and check all records."""
        self._host = await self._start(0)
        tables = range(1, self._options["tables"] + 1)
        try:
            async with AsyncExitStack() as stack:
                self._parties = {
                    number: await stack.enter_async_context(
                        Party(self._host.port, players=PLAYERS, table=number)
                    )
                    for number in tables
                }
                while self._kills < kills and (self._soak.left() or not self._kills):
                    await self._kill()
                await asyncio.to_thread(self._host.stop)
        finally:
            self._host.close()
        self._check_records()

    async def _start(self, port: int) -> Host:
        return await asyncio.to_thread(partial(Host, self._state, port=port, **self._options))

    async def _kill(self) -> None:
        """Kill the host at a random moment while everybody plays on, and wait for all tables."""
        epochs = {number: one.players[0].model.epoch for number, one in self._parties.items()}
        playing = [
            asyncio.create_task(party.play(MOVES, self._chance)) for party in self._parties.values()
        ]
        await asyncio.sleep(self._chance.uniform(0, MOST_DELAY_SECONDS))
        self._host.kill()
        began = perf_counter()
        self._host.close()
        self._kills += 1
        torn = [not path.read_bytes().endswith(b"\n") for path in self._paths()]
        self._torn += sum(torn)
        going_on = {record.head.number for record in self._latest().values() if not record.end}
        self._host = await self._start(self._host.port)
        self._soak.hold("the hall resumes", self._host.port, log=self._host.text())
        for number, party in self._parties.items():
            await party.until(partial(_is_back, party, epochs[number]))
        self._back.append(perf_counter() - began)
        resumed = self._host.text().count("was resumed after move")
        self._soak.hold("all tables come back", resumed == len(going_on), resumed=resumed)
        self._resumed[str(resumed)] += 1
        await asyncio.gather(*playing)
        await self._check_views()

    def _paths(self) -> list[Path]:
        return newest_records(self._state / "records")

    def _latest(self) -> dict[int, Record]:
        """Return the record of the latest game at each table."""
        latest: dict[int, Record] = {}
        for path in self._paths():
            record = load_record(path)
            latest.setdefault(record.head.number, record)
        return latest

    async def _check_views(self) -> None:
        """Check that everybody is at their table, and sees there what is on record."""
        for party in self._parties.values():
            await party.until(party.together)
        latest = self._latest()
        for number, party in self._parties.items():
            at = {one.model.number for one in party.everybody}
            self._soak.hold("everybody is at the same table again", at == {number}, at=at)
            if party.players[0].model.view is None or latest[number].end:
                continue
            state = [*latest[number].states()][-1]
            for one in party.everybody:
                seen, right = one.model.view, view_for(state, one.model.seat)
                self._soak.hold("everybody sees what is right", seen == right, table=number)

    def _check_records(self) -> None:
        paths = self._paths()
        records = [load_record(path) for path in paths]
        for path, record in zip(paths, records, strict=True):
            self._soak.hold("a record is whole", path.stat().st_size == record.good, path=path)
        players = [one for party in self._parties.values() for one in party.players]
        check_acknowledged(self._soak, players, records)
        self._soak.report(
            "kills of a hall",
            kills=self._kills,
            tables=len(self._parties),
            players=len(players),
            torn_records=self._torn,
            tables_resumed=self._resumed,
            acknowledged=sum(len(one.accepted) for one in players),
            recorded=sum(len(record.moves) for record in records),
            games=sum(record.end is not None for record in records),
            back_after_p50=round(percentile(self._back, 0.5), 2),
            back_after_max=round(max(self._back), 2),
        )


def _is_back(party: Party, old: bytes) -> bool:
    """Return whether everybody at a table is connected with the host that was started again."""
    models = [one.model for one in party.everybody]
    return all(model.status == "here" and model.epoch != old for model in models)
