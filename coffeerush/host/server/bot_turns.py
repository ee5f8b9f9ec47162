"""Ask the bots' child process for moves, one intent at a time, with timeout and retry."""

import logging
from random import Random
from typing import Final, Protocol

from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS, BotProcess, Task
from coffeerush.errors import BotError
from coffeerush.host.table.config import SUSPENDED_SECONDS, BotTurn
from protocol import Intent, Update

MAX_ATTEMPTS: Final = 2
"""Attempts for one intent, should the bots' process die."""
_log: Final = logging.getLogger(__name__)


class Seats(Protocol):
    """What `BotTurns` needs of the table."""

    def bot_turn(self) -> BotTurn | None:
        """Return the turn in which a bot has to move now."""

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Update, ...]:
        """Play a bot's intent; None if it has none."""


class BotTurns:
    """Runs the bots of a table."""

    def __init__(self, table: Seats, chance: Random) -> None:
        self._table = table
        self._chance = chance
        self._worker = BotProcess()
        self._turn: BotTurn | None = None
        self._seed = 0
        self._attempts = 0
        self._deadline = 0.0
        self._now = 0.0
        self._logged: set[tuple[str, str]] = set()

    def fileno(self) -> int | None:
        """Return the file descriptor to poll; None while no bot is asked."""
        return self._worker.fileno() if self._turn else None

    def begin(self, now: float) -> tuple[Update, ...]:
        """Ask the next bot for a move if one is due and none is asked already."""
        self._set_time(now)
        turn = self._table.bot_turn()
        if self._turn or turn is None:
            return ()
        self._turn, self._seed, self._attempts = turn, self._chance.getrandbits(64), 0
        return self._ask(now)

    def _ask(self, now: float) -> tuple[Update, ...]:
        assert self._turn is not None, "a bot is to be asked"
        turn = self._turn
        self._attempts += 1
        self._deadline = now + MOVE_TIME_LIMIT_SECONDS
        try:
            self._worker.ask(Task(turn.bot, turn.game, self._seed, turn.view))
        except BotError as error:
            return self._ask_again(now, error)
        return ()

    def _ask_again(self, now: float, error: BotError) -> tuple[Update, ...]:
        """Retry with a new process: the last one may have died through no fault of the bot."""
        return self._end(now, None, error) if self._attempts == MAX_ATTEMPTS else self._ask(now)

    def receive(self, now: float) -> tuple[Update, ...]:
        """Play the bot's choice once it has been received whole."""
        self._set_time(now)
        try:
            choice = self._worker.receive()
        except BotError as error:
            return self._ask_again(now, error)
        return () if choice is None else self._end(now, choice.intent, choice.error)

    def tick(self, now: float) -> tuple[Update, ...]:
        """Time out a bot that takes too long."""
        self._set_time(now)
        if self._turn is None or now < self._deadline:
            return ()
        self._worker.stop()
        late = BotError("No answer came within {seconds} seconds.", seconds=MOVE_TIME_LIMIT_SECONDS)
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
        assert turn is not None, "a bot is being asked"
        if error and (turn.bot, str(error)) not in self._logged:
            self._logged.add((turn.bot, str(error)))  # log once: it may fail like this every turn
            _log.warning("Bot %s failed: %s", turn.bot, error)
        return self._table.bot_move(now, turn, intent)
