"""Check and keep the records that a link gets, and count the games of those who played.

Both happen in threads: replaying a game takes a while, and the league may have to read many.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from coffeerush.errors import LeagueError, RecordError

from .model import Model, RecordFetch

if TYPE_CHECKING:
    from coffeerush.league.table import LeagueGame, Together

MAX_KEPT: Final = 100
"""Records of a visit: a hostile host could end one game after another."""


# Where the records of finished games are kept. What they need is imported late, so that a screen's
# first frame does not wait for the rules


class Shelf(Protocol):
    """Keeps records; both methods take a while."""

    def keep(self, fetch: RecordFetch, begun: datetime) -> RecordFetch:
        """Check a whole record and keep it; raises `RecordError`."""

    def together(self, fetch: RecordFetch) -> "Together | None":
        """Return the results of those who played a kept game; raises `LeagueError`."""


class FileShelf:
    """Keeps records in a directory, and counts all games there."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, fetch: RecordFetch, begun: datetime) -> RecordFetch:
        """Check a whole record and file it; raises `RecordError`."""
        from coffeerush.records.listing import file_copy

        path = file_copy(self._directory, fetch.data, fetch.witness, begun)
        return fetch.filed(str(path))

    def together(self, fetch: RecordFetch) -> "Together | None":
        """Return the results of those who played a filed game; raises `LeagueError`."""
        from coffeerush.league.store import load_together

        return load_together(self._directory, Path(fetch.path))


class MemoryShelf:
    """Keeps the latest record in memory, and counts the games of one visit."""

    def __init__(self) -> None:
        self._games: list[LeagueGame] = []

    def keep(self, fetch: RecordFetch, begun: datetime) -> RecordFetch:
        """Check a whole record, and note the result; raises `RecordError`."""
        from coffeerush.league.table import league_game
        from coffeerush.records.sharing import sound_copy

        record = sound_copy(fetch.data, fetch.witness)
        if game := league_game(record, begun.timestamp()):
            self._games.append(game)
        return fetch.remembered()

    def together(self, fetch: RecordFetch) -> "Together | None":
        """Return the results of those who played the latest game."""
        from coffeerush.league.table import games_together
        from coffeerush.records.entries import read_record

        return games_together(self._games, {}, read_record(fetch.copy))


class RecordKeeper:
    """Puts each record on a shelf once it is whole.

    Args:
        shelf: for the records; None to keep none.
        settle: is told what has come of a record.
    """

    def __init__(self, shelf: Shelf | None, settle: Callable[[RecordFetch], None]) -> None:
        self.kept = 0
        """How many records of this visit's games are kept."""
        self._shelf = shelf
        self._settle = settle
        self._keeping: asyncio.Task[None] | None = None
        self._begun: dict[int, datetime] = {}
        """When the latest two games began, as far as this client knows."""
        self._others: tuple[tuple[int, str], ...] = ()
        """The other tables and their stages."""
        self._counts = 0
        """How often games have been counted."""

    def follow(self, model: Model) -> None:
        """Note when a game begins, and keep its record once it is whole.

        At a result, its players' games are counted again once another table has begun or ended one.
        """
        if model.game not in self._begun:
            before = list(self._begun.items())[-1:]
            self._begun = dict([*before, (model.game, datetime.now())])
        if self._shelf and self._keeping is None and model.record and model.record.is_whole:
            self._keeping = asyncio.create_task(self._keep(self._shelf, model.record))
        others = tuple(
            (table.number, table.stage) for table in model.tables if table.number != model.number
        )
        if others != self._others:
            self._others = others
            is_result = model.table is not None and model.table.stage == "result"
            if self._shelf and is_result and model.record and model.record.is_kept:
                self._begin_count(self._shelf, model.record)

    async def close(self) -> None:
        """Wait for what is being kept."""
        if self._keeping:
            await self._keeping

    async def _keep(self, shelf: Shelf, fetch: RecordFetch) -> None:
        begun = self._begun.get(fetch.game) or datetime.now()
        try:
            if self.kept >= MAX_KEPT:
                raise RecordError("This host has sent too many records; no more of them are kept.")
            done = await asyncio.to_thread(shelf.keep, fetch, begun)
        except RecordError as error:
            done = fetch.failed(error)
        except Exception as bug:  # noqa: BLE001 - the game goes on, and later records are kept
            reason = repr(bug)
            done = fetch.failed(
                RecordError("The record of this game could not be kept: {reason}.", reason=reason)
            )
        else:
            self.kept += 1
        self._keeping = None
        self._settle(done)
        if done.is_kept:
            self._begin_count(shelf, done)

    def _begin_count(self, shelf: Shelf, fetch: RecordFetch) -> None:
        self._counts += 1
        # the program need not wait for it: another one may have locked the league
        told = asyncio.get_running_loop(), self._counts
        Thread(target=self._count, args=(shelf, fetch, *told), daemon=True).start()

    def _count(
        self, shelf: Shelf, fetch: RecordFetch, loop: asyncio.AbstractEventLoop, number: int
    ) -> None:
        """Count the games of those who played; `coffeerush league` explains errors."""
        with suppress(LeagueError):
            counted = replace(fetch, together=shelf.together(fetch))
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._take_count, counted, number)

    def _take_count(self, counted: RecordFetch, number: int) -> None:
        """Tell the results, unless games have been counted again meanwhile."""
        if number == self._counts:
            self._settle(counted)
