"""Ask the bots' child process for moves, one intent at a time, with timeout and retry."""

import logging
from collections.abc import Callable, Container
from random import Random
from typing import Final, Protocol

from coffeerush.bots import BOTS
from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS, BotProcess, Task
from coffeerush.errors import BotError
from coffeerush.host.hall.hall import Hall, Published
from coffeerush.host.table.config import SUSPENDED_SECONDS, BotTurn
from protocol import Intent, TableNumber

MAX_ATTEMPTS: Final = 2
"""Attempts for one intent, should the bots' process die."""
_log: Final = logging.getLogger(__name__)


class Seats(Protocol):
    """What `BotTurns` needs of the tables that it serves."""

    number: TableNumber
    """Of the table whose turn `bot_turn` has returned last."""

    def bot_turn(self) -> BotTurn | None:
        """Return the turn in which a bot has to move now."""

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Published, ...]:
        """Play a bot's intent; None if it has none."""


class BotTurns:
    """Runs bots in one process, one at a time."""

    def __init__(self, seats: Seats, chance: Random) -> None:
        self._seats = seats
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

    def begin(self, now: float) -> tuple[Published, ...]:
        """Ask the next bot for a move if one is due and none is asked already."""
        self._set_time(now)
        turn = None if self._turn else self._seats.bot_turn()
        if turn is None:
            return ()
        self._turn, self._seed, self._attempts = turn, self._chance.getrandbits(64), 0
        return self._ask(now)

    def _ask(self, now: float) -> tuple[Published, ...]:
        assert self._turn is not None, "a bot is to be asked"
        turn = self._turn
        self._attempts += 1
        self._deadline = now + MOVE_TIME_LIMIT_SECONDS
        try:
            self._worker.ask(Task(turn.bot, turn.game, self._seed, turn.view, self._seats.number))
        except BotError as error:
            return self._ask_again(now, error)
        return ()

    def _ask_again(self, now: float, error: BotError) -> tuple[Published, ...]:
        """Retry with a new process: the last one may have died through no fault of the bot."""
        return self._end(now, None, error) if self._attempts == MAX_ATTEMPTS else self._ask(now)

    def receive(self, now: float) -> tuple[Published, ...]:
        """Play the bot's choice once it has been received whole."""
        self._set_time(now)
        try:
            choice = self._worker.receive()
        except BotError as error:
            return self._ask_again(now, error)
        return () if choice is None else self._end(now, choice.intent, choice.error)

    def tick(self, now: float) -> tuple[Published, ...]:
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

    def _end(
        self, now: float, intent: Intent | None, error: BotError | None
    ) -> tuple[Published, ...]:
        turn, self._turn = self._turn, None
        assert turn is not None, "a bot is being asked"
        if error and (turn.bot, str(error)) not in self._logged:
            self._logged.add((turn.bot, str(error)))  # log once: it may fail like this every turn
            _log.warning("Bot %s failed: %s", turn.bot, error)
        return self._seats.bot_move(now, turn, intent)


class _OwnBots:
    """The bots from files at one table."""

    def __init__(self, hall: Hall, number: TableNumber) -> None:
        self._hall = hall
        self.number = number

    def bot_turn(self) -> BotTurn | None:
        """Return the turn in which one of them has to move now."""
        turn = self._hall.bot_turn(self.number)
        return None if turn is None or turn.bot in BOTS else turn

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Published, ...]:
        """Play its intent."""
        return self._hall.bot_move(now, self.number, turn, intent)


class _BuiltInBots:
    """The program's own bots at all tables, which take turns."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self.number: TableNumber = 1
        self.waiting: dict[TableNumber, None] = {}
        """The tables where one of them may have to move; first come, first served."""

    def bot_turn(self) -> BotTurn | None:
        """Return the turn in which one of them has to move now."""
        while self.waiting:
            self.number = next(iter(self.waiting))
            turn = self._hall.bot_turn(self.number)
            if turn is not None and turn.bot in BOTS:
                return turn
            del self.waiting[self.number]
        return None

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Published, ...]:
        """Play its intent; then it is the turn of the next table."""
        self.waiting.pop(self.number, None)
        return self._hall.bot_move(now, self.number, turn, intent)


class HallBots:
    """Runs the bots of a hall.

    Those of the program share a process. Those from files have one for each table: one that hangs
    or breaks delays no other table.
    """

    def __init__(self, hall: Hall, chance: Random) -> None:
        self._hall = hall
        self._chance = chance
        self._built_in = _BuiltInBots(hall)
        self._all = [BotTurns(self._built_in, chance)]
        """The process that is shared, and then the others."""
        self._own: dict[TableNumber, BotTurns] = {}

    def filenos(self) -> tuple[int | None, ...]:
        """Return the file descriptors to poll; None for a process in which no bot is asked."""
        return tuple([each.fileno() for each in self._all])

    def begin(self, now: float) -> tuple[Published, ...]:
        """Ask for the moves that are due, of each process at most one."""
        for number in self._hall.take_touched():
            turn = self._hall.bot_turn(number)
            if turn is not None and turn.bot in BOTS:
                self._built_in.waiting.setdefault(number)
            elif turn is not None and number not in self._own:
                self._own[number] = BotTurns(_OwnBots(self._hall, number), self._chance)
                self._all.append(self._own[number])
        return self._each(BotTurns.begin, now)

    def receive(self, now: float, ready: Container[object]) -> tuple[Published, ...]:
        """Play the choices that have been received whole from the descriptors that are ready."""
        published: tuple[Published, ...] = ()
        for each in self._all:
            if each.fileno() in ready:
                published += each.receive(now)
        return published

    def tick(self, now: float) -> tuple[Published, ...]:
        """Time out bots that take too long, and end the processes of tables that have closed."""
        for number in self._own.keys() - self._hall.tables.keys():
            gone = self._own.pop(number)
            gone.stop()
            self._all.remove(gone)
        return self._each(BotTurns.tick, now)

    def stop(self) -> None:
        """End all processes."""
        for each in self._all:
            each.stop()

    def _each(
        self, step: Callable[[BotTurns, float], tuple[Published, ...]], now: float
    ) -> tuple[Published, ...]:
        published: tuple[Published, ...] = ()
        for each in self._all:
            published += step(each, now)
        return published
