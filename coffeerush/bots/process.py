"""Run bots in a child process: a slow or broken bot neither blocks nor crashes the host.

The host sends one `Task` at a time over a link and gets one `BotReply` back. Run as a module, this
is the child. It exits when the host does, however that ends, because the link closes.
"""

import contextlib
import os
import signal
import time
import traceback
from collections.abc import Iterator
from math import inf
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

from msgspec import Struct

from coffeerush.errors import BotError
from coffeerush.local.processes import (
    NICENESS,
    LineLink,
    LinkedChild,
    lift_memory_limit,
    parent_socket,
)
from coffeerush.records.entries import check_bot
from protocol import Intent, View, clean_line, clip

from .bot import Bot
from .load import load_bot

MOVE_TIME_LIMIT_SECONDS: Final = 10
"""A bot that takes longer for one intent is killed."""
_YIELD_SECONDS: Final = 0.0004
"""How often a bot that is choosing yields its core. Otherwise Linux may let it go on until the next
tick of the kernel's clock, whatever its niceness, and 1% of the requests take 3 ms more."""
_WAIT_SECONDS: Final = 0.5
"""The most that it waits for others so, for one intent. Beside many busy processes it would wait
for longer than the host waits for it."""
_ORPHAN_CPU_SECONDS: Final = (MOVE_TIME_LIMIT_SECONDS + 2) * (os.cpu_count() or 1)
"""A bot still choosing then has lost its host and is stuck in compiled code: SIGVTALRM ends it."""
_SEND_SECONDS: Final = 1.0
"""The send timeout of a task; a process that exceeds it is killed."""
_VALUE_CHARACTERS: Final = 160
"""The longest value in a bot's error."""


class Task(Struct, frozen=True):
    """A request of the host: choose for this View, or without one, only load the bot."""

    bot: str
    """A name or `path/to/file.py:Class`, for `load_bot`."""
    game: int
    seed: int
    view: View | None
    table: int = 1


class BotReply(Struct, frozen=True):
    """The bot's choice, or the text and values of a `BotError`; neither if it was only loaded."""

    intent: Intent | None
    problem: str = ""
    values: dict[str, str] = {}

    @property
    def error(self) -> BotError | None:
        """The error that kept the bot from choosing."""
        return BotError(self.problem, **self.values) if self.problem else None


class BotProcess:
    """The host's handle of the child process for bots; starts it on demand."""

    def __init__(self) -> None:
        self._child: LinkedChild[BotReply] | None = None

    def fileno(self) -> int | None:
        """Return the descriptor that becomes readable with a reply; None if no process runs."""
        return None if self._child is None else self._child.link.fileno()

    def check(self, bot: str) -> None:
        """Raise `BotError` if `bot` cannot be loaded and recorded; may block as long as a move."""
        check_bot(bot)
        self.ask(Task(bot, 0, 0, None))
        if reply := self.receive(MOVE_TIME_LIMIT_SECONDS):
            if reply.error:
                raise reply.error
            return
        self.stop()
        raise BotError(
            "{bot} did not load within {seconds} seconds; fix the bot.",
            bot=bot,
            seconds=MOVE_TIME_LIMIT_SECONDS,
        )

    def ask(self, task: Task) -> None:
        """Send a task, the previous one being answered; raises `BotError` if the process ended."""
        if self._child is not None and self._child.link.is_readable():
            self.stop()  # it has ended, or sent an unsolicited reply
        try:
            if self._child is None:
                # Its stderr goes to /dev/null: a bot may print what is in its cups (R-INFO-2).
                self._child = LinkedChild(__name__, BotReply)
            self._child.link.send(task, _SEND_SECONDS)
        except OSError as error:
            self.stop()
            raise BotError("The bot process is not running: {reason}.", reason=error) from None

    def receive(self, seconds: float = 0.0) -> BotReply | None:
        """Return the reply, or None while it is incomplete; blocks for `seconds` at most.

        Raises:
            BotError: the process ended or sent an invalid reply; the next task starts a new one.
        """
        assert self._child is not None, "a reply needs a task"
        try:
            reply = self._child.link.receive_within(seconds)
            str(reply and reply.error)
            return reply
        except EOFError:
            error = BotError("The bot process ended.")
        except Exception:  # noqa: BLE001 - a bot wrote it: no reply, a text without its values, or else
            error = BotError("The bot process sent an invalid message.")
        self.stop()
        raise error

    def stop(self) -> None:
        """Kill the process group at once: the process, and whatever a bot has started."""
        if self._child is not None:
            self._child.end()
        self._child = None


class BotLoop:
    """The bots of the current game at each table, one for each seat."""

    def __init__(self) -> None:
        self._games: dict[int, int] = {}
        self._bots: dict[tuple[int, int, str], Bot] = {}

    def choose(self, task: Task) -> BotReply:
        """Let a seat's bot choose; an error is returned in the reply."""
        try:
            bot = self._bot(task)
        except BotError as error:
            return _error_reply(error)
        if task.view is None:
            return BotReply(None)
        try:
            return BotReply(bot.choose(task.view, Random(task.seed)))
        except BotError as error:
            cause = error.__cause__
            return _error_reply(_type_and_line(cause) if cause else error)

    def _bot(self, task: Task) -> Bot:
        if task.game != self._games.get(task.table):
            self._games[task.table] = task.game
            self._bots = {who: bot for who, bot in self._bots.items() if who[0] != task.table}
        seat = task.view.own.seat if task.view and task.view.own else 0
        who = task.table, seat, task.bot
        if who not in self._bots:
            self._bots[who] = load_bot(task.bot)
        return self._bots[who]


def _error_reply(error: BotError) -> BotReply:
    values = {
        name: clean_line(clip(str(value), _VALUE_CHARACTERS))
        for name, value in error.values.items()
    }
    return BotReply(None, error.text, values)


def _type_and_line(error: BaseException) -> BotError:
    """Reduce an exception to its type and line: its message might reveal what is in a cup."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return BotError(
        "{problem} on line {line} of {file}.",
        problem=type(error).__name__,
        line=last.lineno,
        file=Path(last.filename).name,
    )


@contextlib.contextmanager
def unforked() -> Iterator[None]:
    """Let a bot act; if it forks, the new process ends then: only the parent may answer."""
    pid = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != pid:
            os._exit(0)


def serve(link: LineLink[Task]) -> None:
    """Answer tasks until the host is gone."""
    loop = BotLoop()
    yields = _Yields()
    signal.signal(signal.SIGALRM, yields)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = link.receive()
            yields.begin()
            signal.setitimer(signal.ITIMER_REAL, _YIELD_SECONDS, _YIELD_SECONDS)
            signal.setitimer(signal.ITIMER_VIRTUAL, _ORPHAN_CPU_SECONDS)
            with unforked():
                choice = loop.choose(task)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            link.send(choice)


class _Yields:
    """Lets others run first, after each `_YIELD_SECONDS` of its own CPU time.

    On a busy machine, real time passes while it waits: a bot that gave way each time would not get
    on at all. Once the host is gone, it ends the process group, as after a game.
    """

    def __init__(self) -> None:
        self._host = os.getppid()
        self._at = 0.0
        self._waited = 0.0

    def begin(self) -> None:
        """Begin an intent."""
        self._waited = 0.0

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        if os.getppid() != self._host:
            os.killpg(0, signal.SIGKILL)
        if time.thread_time() - self._at < _YIELD_SECONDS or self._waited >= _WAIT_SECONDS:
            return
        self._at = inf  # the next signals come while it waits
        begun = time.monotonic()
        os.sched_yield()
        self._waited += time.monotonic() - begun
        self._at = time.thread_time()


if __name__ == "__main__":
    lift_memory_limit()
    os.nice(NICENESS)
    serve(LineLink(parent_socket(), Task))
    os.killpg(0, signal.SIGKILL)  # the host is gone: also end what bots have started
