"""Let tables of a hall fail one after the other, and check that each stops alone."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS
from coffeerush.host.server.parent import TABLE_NAME
from coffeerush.records.writing import load_record, newest_records
from protocol import HALL, NO_ID, Chat
from tests.soak.clients import Client, Party
from tests.soak.planted import FAULTY, FULL, NO_ROOM, SPELL, PlantedError
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Fields, Host, Peer

TABLES: Final = 8
PEOPLE: Final = 2
"""At each table, beside a bot."""
MOVES: Final = 5
HANGING: Final = "hang"
"""The file that lets the next bot that is asked hang."""
BOT: Final = """import os
import time

class Hangs:
    def choose(self, view, chance):
        try:
            os.rename("hang", "hanging")
        except FileNotFoundError:
            return view.own.options[0].intent
        time.sleep(3600)
"""


class FailingHall:
    """A host with several tables, each with two people and a bot, and with faults."""

    def __init__(self, soak: Soak, state: Path) -> None:
        self._soak = soak
        self._state = state
        state.joinpath("bots.py").write_text(BOT)
        self._options: Fields = {
            "tables": TABLES,
            "seats": PEOPLE + 1,
            "bots": ("bots.py:Hangs",),
            "resume_latest": True,
        }

    async def run(self, hangs: bool = True) -> None:
        """Let one table after the other fail; the host that is started again has all of them.

        A bot that `hangs` takes as long as a host gives it.
        """
        self._host = await self._start(0, "tests.soak.planted")
        try:
            async with AsyncExitStack() as stack:
                self._parties = [
                    await stack.enter_async_context(
                        Party(self._host.port, players=PEOPLE, table=number)
                    )
                    for number in range(1, TABLES + 1)
                ]
                await self._play(self._parties)
                await self._fill_a_record()
                if hangs:
                    await self._hang_a_bot()
                await self._run_into_the_bug()
        finally:
            self._host.close()
        await self._check_that_all_come_back()

    async def _start(self, port: int, module: str) -> Host:
        host = partial(Host, self._state, port=port, module=module, **self._options)
        return await asyncio.to_thread(host)

    async def _play(self, parties: Sequence[Party], moves: int = MOVES) -> None:
        await asyncio.gather(*(party.play(moves, self._soak.chance) for party in parties))

    async def _fill_a_record(self) -> None:
        """Leave no room for a table's record; the other tables play on, and it does later."""
        full = self._parties[FULL - 1]
        mover = await full.until(full.mover)
        no_room = self._state / NO_ROOM
        no_room.touch()
        sent = mover.act(self._soak.chance)
        await full.until(lambda: mover.model.waiting is not sent)
        codes = [one.refusal.code for one in mover.refused if one.id == sent.id]
        self._soak.hold(
            "what cannot be written is refused", codes == ["record_failed"], codes=codes
        )
        await self._play([party for party in self._parties if party is not full])
        no_room.unlink()
        await self._play([full])
        self._hold_said("The record could not be written")

    async def _hang_a_bot(self) -> None:
        """Let the bot of a table hang; the others play on meanwhile, and it does so later."""
        hanging = self._state / "hanging"
        self._state.joinpath(HANGING).touch()
        tasks = [asyncio.create_task(self._play_while(party, hanging)) for party in self._parties]
        for one in islice(asyncio.as_completed(tasks), TABLES - 1):
            await one
        asked = hanging.stat().st_ctime
        soon = time.time() - asked < MOVE_TIME_LIMIT_SECONDS
        self._soak.hold("the other tables play on", soon or not all(one.done() for one in tasks))
        await asyncio.gather(*tasks)
        self._hold_said("failed: No answer came within")

    async def _play_while(self, party: Party, hanging: Path) -> None:
        """Play at a table until a bot hangs somewhere, and some more."""
        while not hanging.exists():
            await party.play(1, self._soak.chance)
        await party.play(MOVES, self._soak.chance)

    async def _run_into_the_bug(self) -> None:
        """End a table by a bug; the others play on, and who was there is shown to another one."""
        faulty = self._parties[FAULTY - 1]
        others = [party for party in self._parties if party is not faulty]
        faulty.players[0].wish(Chat(NO_ID, SPELL))
        await faulty.until(lambda: all(_is_elsewhere(one) for one in faulty.players))
        await self._play(others)
        self._hold_said(f"{TABLE_NAME} {FAULTY} has ended because of an error; its game is on")
        self._hold_said(PlantedError.__name__)

    def _hold_said(self, text: str) -> None:
        self._soak.hold("the log says so", text in self._host.text(), text=text)

    async def _check_that_all_come_back(self) -> None:
        """Start the host again: all games that were not over come back, also the faulty one."""
        latest: dict[int, bool] = {}
        for path in newest_records(self._state / "records"):
            record = load_record(path)
            latest.setdefault(record.head.number, record.end is None)
        host = await self._start(self._host.port, "coffeerush.cli.host_child")
        try:
            with Peer(host.port) as asker:
                shown = asker.ask("tables")["tables"]
        finally:
            host.close()
        resumed = {table["number"] for table in shown if table["stage"] == "game"}
        wanted = {number for number, goes_on in latest.items() if goes_on}
        seen = {"resumed": resumed, "wanted": wanted}
        self._soak.hold("all tables come back", resumed == wanted, **seen)
        self._soak.hold("the table with the bug comes back", FAULTY in resumed, **seen)
        self._soak.report("tables that fail", tables=TABLES, resumed=len(resumed))


def _is_elsewhere(one: Client) -> bool:
    """Return whether somebody whose table has ended is at another one."""
    return one.model.status == "here" and one.model.number not in (HALL, FAULTY)
