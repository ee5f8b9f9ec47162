"""Check and file the records that a link gets, and count the games of those who played.

Both happen in threads: replaying a game takes a while, and the league may have to read many.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Final

from msgspec.structs import replace

from coffeerush.errors import LeagueError, RecordError

from .model import Model, RecordFetch

MAX_FILED: Final = 100
"""Records of a visit: a hostile host could end one game after another."""


class RecordKeeper:
    """Files each record once it is whole.

    Args:
        directory: of the user's records; None to keep none.
        settle: is told what has come of a record.
    """

    def __init__(self, directory: Path | None, settle: Callable[[RecordFetch], None]) -> None:
        self.filed: list[Path] = []
        """Where the records of this visit's games are."""
        self._directory = directory
        self._settle = settle
        self._filing: asyncio.Task[None] | None = None
        self._begun: dict[int, datetime] = {}
        """When the latest two games began, as far as this client knows."""

    def follow(self, model: Model) -> None:
        """Note when a game begins, and file its record once it is whole."""
        if model.game not in self._begun:
            before = list(self._begun.items())[-1:]
            self._begun = dict([*before, (model.game, datetime.now())])
        if self._directory and self._filing is None and model.record and model.record.is_whole:
            self._filing = asyncio.create_task(self._file(self._directory, model.record))

    async def close(self) -> None:
        """Wait for what is being filed."""
        if self._filing:
            await self._filing

    async def _file(self, directory: Path, fetch: RecordFetch) -> None:
        # imported late so that a screen's first frame does not wait for the rules
        from coffeerush.records.listing import file_copy

        begun = self._begun.get(fetch.game) or datetime.now()
        try:
            if len(self.filed) >= MAX_FILED:
                raise RecordError("This host has sent too many records; no more of them are kept.")
            path = await asyncio.to_thread(file_copy, directory, fetch.data, fetch.witness, begun)
        except RecordError as error:
            done = fetch.failed(error)
        except Exception as bug:  # noqa: BLE001 - the game goes on, and later records are filed
            reason = repr(bug)
            done = fetch.failed(
                RecordError("The record of this game could not be kept: {reason}.", reason=reason)
            )
        else:
            self.filed.append(path)
            done = fetch.filed(str(path))
        self._filing = None
        self._settle(done)
        if done.path:
            # the program need not wait for it: another one may have locked the league
            loop = asyncio.get_running_loop()
            Thread(target=self._count, args=(directory, done, loop), daemon=True).start()

    def _count(self, directory: Path, fetch: RecordFetch, loop: asyncio.AbstractEventLoop) -> None:
        """Count the games of those who played; `coffeerush league` explains errors."""
        from coffeerush.league.store import load_together

        with suppress(LeagueError):
            counted = replace(fetch, together=load_together(directory, Path(fetch.path)))
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._settle, counted)
