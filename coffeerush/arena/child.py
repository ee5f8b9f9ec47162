"""Run the games of an arena in child processes: whatever a bot does ends its child at most.

The parent sends an `ArenaPlan` and then game numbers. The child answers each with its `GameResult`
or an error; before another bot acts, it sends which one does, so that the parent knows which bot
failed or ended the process.
"""

import os
import select
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.bots.load import load_bot
from coffeerush.errors import BotError, CoffeeRushError
from coffeerush.local.processes import LinkedChild
from protocol import Intent, View

from .plan import ArenaPlan, FailedGame, GameResult, failed, play
from .recording import write_record

MAX_DEATHS: Final = 3
"""A game that ends its process as often is not played again: the bot that acted has failed."""


class Death(Struct, frozen=True):
    """A process that ended in the middle of a game, which another one played again."""

    worker: str
    game: int


class ArenaChild:
    """The parent's handle of a child; starts it on demand, again after it has ended."""

    def __init__(self, plan: ArenaPlan) -> None:
        self.plan = plan
        self.deaths: list[Death] = []
        self._child: LinkedChild | None = None
        self._closed = False
        self._lock = threading.Lock()

    def load(self) -> None:
        """Check that all bots can be loaded.

        Raises:
            BotError: one cannot.
        """
        answer, entry = self._ask(None)
        if isinstance(answer, BotError):
            self.stop()
            raise answer
        if answer is EOFError:
            raise self._exited(entry)

    def play(self, game: int) -> GameResult | FailedGame:
        """Play a game, again if its process ends.

        Raises:
            RecordError: its record cannot be written.
        """
        for _attempt in range(MAX_DEATHS):
            answer, entry = self._ask(game)
            if isinstance(answer, GameResult):
                return answer
            if isinstance(answer, BotError):
                return failed(self.plan, game, entry, answer)
        return failed(self.plan, game, entry, self._exited(entry))

    def _exited(self, entry: int) -> BotError:
        return BotError("{bot} exited unexpectedly; fix the bot.", bot=self.plan.bots[entry])

    def _ask(self, game: int | None) -> tuple[GameResult | BotError | type[EOFError] | None, int]:
        """Return the answer, `EOFError` if the child has ended, and the entry that acted last."""
        entry = 0 if game is None else self.plan.seating(game)[1][0]
        try:
            pipe = self._connection()
            pipe.send(game)
            while isinstance(answer := pipe.recv(), int):
                entry = answer
        except (EOFError, OSError):
            child = self._child
            if child is not None and game is not None:
                self.deaths.append(Death(f"{socket.gethostname()} {child.pid}", game))
            self.stop()
            return EOFError, entry
        if isinstance(answer, CoffeeRushError) and not isinstance(answer, BotError):
            raise answer
        return answer, entry

    def _connection(self) -> Connection:
        """Return the connection to the child; raises `OSError`, or `EOFError` once closed."""
        with self._lock:
            if self._closed:
                raise EOFError
            if self._child is None:
                self._child = LinkedChild(__name__, stdout=None, stderr=None)
                self._pipe = Connection(self._child.link.dup().detach())
                self._pipe.send(self.plan)
            return self._pipe

    def close(self) -> None:
        """Kill it for good, even while another thread plays."""
        self.stop(for_good=True)

    def stop(self, for_good: bool = False) -> None:
        """Kill it, and whatever a bot has started."""
        with self._lock:
            self._closed = self._closed or for_good
            if self._child is not None:
                self._child.end()
                self._child = None


class _Traced:
    """A bot that calls a function before it acts."""

    def __init__(self, bot: Bot, before: Callable[[], None]) -> None:
        self._bot = bot
        self._before = before

    def choose(self, view: View, chance: Random) -> Intent:
        """Return what the bot chooses."""
        self._before()
        return self._bot.choose(view, chance)


def serve(parent: Connection) -> None:
    """Load the bots or play a game, as often as the parent asks, until it is gone."""
    acting: int | None = None

    def loaded(entry: int) -> Bot:
        def act() -> None:
            nonlocal acting
            if acting != entry:
                acting = entry
                parent.send(entry)

        act()
        return _Traced(load_bot(plan.bots[entry], sources[entry]), act)

    plan: ArenaPlan = parent.recv()
    sources = plan.sources or (None,) * len(plan.bots)
    while True:
        game: int | None = parent.recv()
        acting = None
        try:
            if game is None:
                for entry in range(len(plan.bots)):
                    loaded(entry)
                parent.send(None)
                continue
            result, seated, played = play(plan, game, loaded)
            if plan.record is not None:
                write_record(plan, plan.record, game, seated, played)
            parent.send(result)
        except CoffeeRushError as error:
            parent.send(error)


def _exit_with(parent: int) -> None:
    """Exit once the other end of a socket is closed, whatever a bot is doing then."""
    hangup = select.poll()
    hangup.register(parent, 0)  # a hangup is reported without being asked for
    hangup.poll()
    os._exit(1)


if __name__ == "__main__":
    link = int(sys.argv[1])
    threading.Thread(target=_exit_with, args=[link], daemon=True).start()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
        serve(Connection(link))
