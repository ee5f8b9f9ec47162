"""Has the bots' process choose for the seat whose bot must move, one intent at a time."""

import logging
from random import Random
from typing import Final, Protocol

from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS, BotProcess, Task
from coffeerush.errors import BotError
from coffeerush.host.table.config import BotTurn
from coffeerush.host.table.limits import SUSPENDED_SECONDS
from protocol import Intent, Update

MAX_ASKED: Final = 2
"""A bot is asked so often for one intent, if its process ends."""
_log: Final = logging.getLogger(__name__)


class Seats(Protocol):
    """The table, as far as bots concern it."""

    def bot_turn(self) -> BotTurn | None:
        """Return what a bot must decide now."""

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Update, ...]:
        """Play a bot's intent; None where it found none."""


class BotTurns:
    """The bots of a table.

    Args:
        table: whose bots these are.
        chance: where the seeds for bots come from.
    """

    def __init__(self, table: Seats, chance: Random) -> None:
        self._table = table
        self._chance = chance
        self._worker = BotProcess()
        self._turn: BotTurn | None = None
        self._seed = 0
        self._asked = 0
        self._deadline = 0.0
        self._now = 0.0
        self._told: set[tuple[str, str]] = set()

    def fileno(self) -> int | None:
        """Return the descriptor to poll; None while nobody thinks."""
        return self._worker.fileno() if self._turn else None

    def begin(self, now: float) -> tuple[Update, ...]:
        """Have the next bot think, if none does and one has to move."""
        self._set_time(now)
        turn = self._table.bot_turn()
        if self._turn or turn is None:
            return ()
        self._turn, self._seed, self._asked = turn, self._chance.getrandbits(64), 0
        return self._ask(now)

    def _ask(self, now: float) -> tuple[Update, ...]:
        assert self._turn is not None, "there is somebody to ask"
        turn = self._turn
        self._asked += 1
        self._deadline = now + MOVE_TIME_LIMIT_SECONDS
        try:
            self._worker.ask(Task(turn.bot, turn.game, self._seed, turn.view))
        except BotError as error:
            return self._ask_again(now, error)
        return ()

    def _ask_again(self, now: float, error: BotError) -> tuple[Update, ...]:
        """Ask a new process once more: the last one may have ended through no fault of the bot."""
        return self._end(now, None, error) if self._asked == MAX_ASKED else self._ask(now)

    def receive(self, now: float) -> tuple[Update, ...]:
        """Play what the bot that thinks has chosen, once all of it is there."""
        self._set_time(now)
        try:
            choice = self._worker.receive()
        except BotError as error:
            return self._ask_again(now, error)
        if choice is None:
            return ()
        return self._end(now, choice.intent, choice.error)

    def tick(self, now: float) -> tuple[Update, ...]:
        """Stop a bot that thinks too long."""
        self._set_time(now)
        if self._turn is None or now < self._deadline:
            return ()
        self._worker.stop()
        late = BotError("No answer came in {seconds} seconds.", seconds=MOVE_TIME_LIMIT_SECONDS)
        return self._end(now, None, late)

    def _set_time(self, now: float) -> None:
        gap = now - self._now
        if gap > SUSPENDED_SECONDS:
            self._deadline += gap  # the bots' process was suspended as well
        self._now = now

    def stop(self) -> None:
        """End the bots' process."""
        self._worker.stop()

    def _end(self, now: float, intent: Intent | None, error: BotError | None) -> tuple[Update, ...]:
        turn, self._turn = self._turn, None
        assert turn is not None, "only who was asked answers"
        if error and (turn.bot, str(error)) not in self._told:
            self._told.add((turn.bot, str(error)))  # it will have it again at each turn
            _log.warning("The bot %s has trouble: %s", turn.bot, error)
        return self._table.bot_move(now, turn, intent)
