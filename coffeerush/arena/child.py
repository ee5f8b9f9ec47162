"""Run the games of an arena in child processes: whatever a bot does ends its child at most.

The parent sends an `ArenaPlan` and then game numbers. The child answers each with its `GameResult`
or an error; before a bot from a file acts, it sends which one does, so that the parent knows which
bot ended the process.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from random import Random

from msgspec import Struct

from coffeerush.bots import BOTS, Bot
from coffeerush.bots.load import load_bot
from coffeerush.errors import BotError, CoffeeRushError
from coffeerush.local.processes import LinkedChild
from protocol import Intent, View

from .plan import ArenaPlan, GameResult, play


class FailedGame(Struct, frozen=True):
    """A game that a bot did not let end."""

    game: int
    entry: int
    """The bot, as its index in the line-up."""
    error: BotError


class ArenaChild:
    """The parent's handle of a child; starts it on demand, again after a bot has ended it."""

    def __init__(self, plan: ArenaPlan) -> None:
        self._plan = plan
        self._child: LinkedChild | None = None

    def load(self) -> None:
        """Check that all bots can be loaded.

        Raises:
            BotError: one cannot.
        """
        if isinstance(answer := self._ask(None), FailedGame):
            self.stop()
            raise answer.error

    def play(self, game: int) -> GameResult | FailedGame:
        """Play a game.

        Raises:
            RecordError: its record cannot be written.
        """
        answer = self._ask(game)
        assert answer is not None, "a game has a result"
        return answer

    def _ask(self, game: int | None) -> GameResult | FailedGame | None:
        entry = 0
        try:
            pipe = self._connection()
            pipe.send(game)
            while isinstance(answer := pipe.recv(), int):
                entry = answer
        except (EOFError, OSError):
            self.stop()
            bot = self._plan.bots[entry]
            answer = BotError("{bot} exited unexpectedly; fix the bot.", bot=bot)
        if isinstance(answer, BotError):
            return FailedGame(game or 0, entry, answer)
        if isinstance(answer, CoffeeRushError):
            raise answer
        result: GameResult | None = answer
        return result

    def _connection(self) -> Connection:
        """Return the connection to the child; raises `OSError`."""
        if self._child is None:
            self._child = LinkedChild(__name__, stdout=None, stderr=None)
            self._pipe = Connection(self._child.link.dup().detach())
            self._pipe.send(self._plan)
        return self._pipe

    def stop(self) -> None:
        """Kill it, and whatever a bot has started."""
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

        if plan.bots[entry] in BOTS:
            return load_bot(plan.bots[entry])
        act()
        return _Traced(load_bot(plan.bots[entry]), act)

    plan: ArenaPlan = parent.recv()
    while True:
        game: int | None = parent.recv()
        acting = None
        try:
            if game is None:
                for entry in range(len(plan.bots)):
                    loaded(entry)
                parent.send(None)
            else:
                parent.send(play(plan, game, loaded))
        except CoffeeRushError as error:
            parent.send(error)


if __name__ == "__main__":
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
        serve(Connection(int(sys.argv[1])))
