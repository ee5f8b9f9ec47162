"""Plain mode as a program: sentences to standard output, commands from standard input."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coffeerush.client.connection import Link
from coffeerush.client.model import RecordFetch
from coffeerush.client.turn import BELL_AFTER_SECONDS
from coffeerush.errors import CoffeeRushError
from coffeerush.local.settings import Settings
from coffeerush.ui.words.errors import error_line, status_line
from coffeerush.ui.words.i18n import Lines
from protocol import Bye, Seat

from .conversation import Call, Reply, Session
from .typed_lines import STANDARD_INPUT, TypedLines

if TYPE_CHECKING:
    from coffeerush.ui.replay.replay import Replay

QUIET_SECONDS: Final = 2.0
"""How long joining may take before a line says that it is in progress."""
SETTLED_SECONDS: Final = 2.0
"""How long what somebody turns step by step stays the same before it is told."""


class Plain:
    """Connects a session, a link and a terminal."""

    def __init__(
        self,
        link: Link,
        tell: Callable[[Lines], None],
        session: Session,
        keep: Callable[[Settings], None],
    ) -> None:
        self._link = link
        self._tell = tell
        self._session = session
        self._settings = session.settings
        self._keep = keep
        self._seen = link.model
        self._typed_at = float("-inf")
        self._leaving: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._settling: asyncio.TimerHandle | None = None
        self._slow: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Run until the table closes or the person leaves; raises `CoffeeRushError`.

        At the end of the input a player leaves once all commands are done; a spectator stays.
        """
        await self._joined()
        typing = asyncio.create_task(self._obey(STANDARD_INPUT))
        try:
            self._look()
            while self._link.model.status != "over":
                await self._link.changed(self._seen)
                self._look()
                for task in (typing, self._opening):
                    if task and task.done():
                        task.result()
        finally:
            typing.cancel()
            for running in (self._leaving, self._opening, self._settling, self._slow):
                if running:
                    running.cancel()

    async def _joined(self) -> None:
        """Wait until the table is joined, and say so if that takes long."""
        joining = Reply((status_line(self._link.model),))
        said = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._say, joining)
        try:
            await self._link.joined()
        finally:
            said.cancel()

    def _look(self) -> None:
        """Pass new models to the session, and act on its replies."""
        while self._link.model is not self._seen:
            self._seen = self._link.model
            self._say(reply := self._session.changed(self._seen, self._age()))
            if reply.settles:
                if self._settling:
                    self._settling.cancel()
                loop = asyncio.get_running_loop()
                self._settling = loop.call_later(SETTLED_SECONDS, self._settle)
            if reply.slow_after is not None:
                if self._slow:
                    self._slow.cancel()
                loop = asyncio.get_running_loop()
                self._slow = loop.call_later(reply.slow_after, self._say_slow)

    def _settle(self) -> None:
        self._say(self._session.settled(self._seen))

    def _say_slow(self) -> None:
        self._say(self._session.slow(self._seen))

    def _age(self) -> float:
        """Return the age of the table, in seconds."""
        return asyncio.get_running_loop().time() - self._link.table_at

    async def _obey(self, typed: TypedLines) -> None:
        while (line := await typed.next()) is not None:
            self._typed_at = asyncio.get_running_loop().time()
            self._look()
            self._say(self._session.line(self._link.model, line, self._age()))
            self._look()
        if self._link.model.role == "spectator":
            return
        while self._session.busy and self._link.model.status != "over":
            await self._link.changed(self._link.model)
            self._look()
        await self._link.leave()

    async def _open(self, what: str, fetch: RecordFetch) -> None:
        """Show the replay of a game, or print a review of it while the table goes on."""
        from coffeerush.ui.replay.replay import Steps

        try:
            replay = await asyncio.to_thread(_load_replay, fetch.path)
        except CoffeeRushError as error:
            self._say(Reply((error_line(error),)))
            return
        if what == "replay":
            self._say(self._session.show(Steps(replay)))
            return
        async for lines in review_lines_of(replay, fetch.witness.seat):
            self._say(Reply(tuple(lines)))

    def _ring(self, call: Call) -> None:
        """Ring the terminal's bell, but not at the turn of somebody who has just typed."""
        since = asyncio.get_running_loop().time() - self._typed_at
        wanted = call == "time" or since > BELL_AFTER_SECONDS
        if wanted and self._session.settings.bell and sys.stdout.isatty():
            sys.stdout.write("\a")
            sys.stdout.flush()

    def _say(self, reply: Reply) -> None:
        if reply.call:
            self._ring(reply.call)
        if reply.lines:
            self._tell(reply.lines)
        for wish in reply.wishes:
            if isinstance(wish, Bye):
                # a host that has died would never answer it
                self._leaving = asyncio.create_task(self._link.leave())
            else:
                self._link.wish(wish)
        fetch = self._link.model.record
        if reply.opens and fetch and not (self._opening and not self._opening.done()):
            self._opening = asyncio.create_task(self._open(reply.opens, fetch))
        if self._session.settings is not self._settings:
            self._settings = self._session.settings
            self._keep(self._settings)


# The review of a finished game in plain mode, line by line while a thread works on it;
# imports are late so that joining does not wait for the bots that review


PROGRESS_TURNS: Final = 5
"""Turns between two lines about the progress."""


def _load_replay(path: str) -> "Replay":
    """Return the replay of a record; raises `RecordError`."""
    from coffeerush.records.writing import load_record
    from coffeerush.ui.replay.replay import Replay

    return Replay(load_record(Path(path)))


async def review_lines_of(replay: "Replay", seat: Seat | None) -> AsyncIterator[Sequence[str]]:
    """Yield lines about the progress of a review, and at last the review.

    `seat` is the reader's own; without one, the first person's turns are reviewed.
    """
    from coffeerush.ui.replay.replay import Reviewing, added, notes, review_lines

    seat = replay.reviewer if seat is None else seat
    reviewing = Reviewing(seat, replay.turns_of(seat))
    while (turn := reviewing.next) is not None:
        if not len(reviewing.done) % PROGRESS_TURNS:
            yield [next(notes(replay, reviewing, 0))]
        done = await asyncio.to_thread(replay.review_turn, turn)
        reviewing = added(replay, reviewing, done)
    yield review_lines(replay, reviewing.review or replay.review((), seat))
