"""Bots think in a process of their own: a slow or broken one delays nobody and harms nothing.

The host sends one `Task` at a time over a socket and gets one `BotReply` back; each is MessagePack
after its length in four bytes. Run as a module, this is the other end. It ends with its host,
however that ends: the socket then does.
"""

import contextlib
import os
import signal
import socket
import sys
import time
import traceback
from multiprocessing.connection import wait
from pathlib import Path
from random import Random
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct

from coffeerush.errors import BotError
from coffeerush.local.processes import LinkedChild, lift_memory_limit
from coffeerush.records.entries import check_bot
from protocol import Intent, View, clean_line, clip

from .bot import Bot
from .load import load_bot

MOVE_TIME_LIMIT_SECONDS: Final = 10
"""A bot that needs longer for one intent is stopped."""
_ORPHAN_SECONDS: Final = MOVE_TIME_LIMIT_SECONDS + 2
"""A bot that thinks on while its host is gone ends by itself."""
_SEND_SECONDS: Final = 1.0
"""A process that does not take a task by then gets no more."""
_LENGTH_BYTES: Final = 4
_MAX_BYTES: Final = 1 << 20
_VALUE: Final = 160
"""Characters of each thing that a bot's error names."""


class Task(Struct, frozen=True):
    """What the host asks: choose for this View, or without one, whether there is such a bot."""

    bot: str
    """A name or `path/to/file.py:Class`, for `load_bot`."""
    game: int
    seed: int
    view: View | None


class BotReply(Struct, frozen=True):
    """What the bot chose; None and the text and values of a `BotError` where it could not."""

    intent: Intent | None
    problem: str = ""
    values: dict[str, str] = {}

    @property
    def error(self) -> BotError | None:
        """Return what kept the bot from choosing."""
        return BotError(self.problem, **self.values) if self.problem else None


def _framed(message: Task | BotReply) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


def _whole(heard: bytes) -> bytes | None:
    """Return the message in a frame; None if more must come; raises `ValueError`."""
    length = int.from_bytes(heard[:_LENGTH_BYTES], "big")
    body = heard[_LENGTH_BYTES:]
    if length > _MAX_BYTES or len(body) > length:
        raise ValueError("a frame is too long, or more follows it")
    return body if len(heard) >= _LENGTH_BYTES and len(body) == length else None


class BotProcess:
    """The host's end of the process in which bots think; starts it when it is needed."""

    def __init__(self) -> None:
        self._child: LinkedChild | None = None
        self._heard = b""
        """What has come of the answer so far."""

    def fileno(self) -> int | None:
        """Return the descriptor on which the answer is announced; None while nothing runs."""
        return None if self._child is None else self._child.link.fileno()

    def check(self, bot: str) -> None:
        """Wait until `bot` is found to be one whose games can be recorded.

        Raises:
            BotError: it is not, or it takes too long to say.
        """
        check_bot(bot)
        deadline = time.monotonic() + MOVE_TIME_LIMIT_SECONDS
        self.ask(Task(bot, 0, 0, None))
        while (choice := self._receive_until(deadline)) is None:
            if time.monotonic() >= deadline:
                self.stop()
                raise BotError(
                    "{bot} was not loaded within {seconds} seconds; mend the bot.",
                    bot=bot,
                    seconds=MOVE_TIME_LIMIT_SECONDS,
                )
        if choice.error:
            raise choice.error

    def _receive_until(self, deadline: float) -> BotReply | None:
        assert self._child is not None, "only what was asked is answered"
        wait([self._child.link], max(0.0, deadline - time.monotonic()))
        return self.receive()

    def ask(self, task: Task) -> None:
        """Send a task; the one before must have been answered.

        Raises:
            BotError: the process cannot be started, or has just ended.
        """
        if self._child is not None and wait([self._child.link], 0):
            self.stop()  # it has ended, or says what nobody asked for
        try:
            if self._child is None:
                # A bot may say what is in its cups (R-INFO-2): nobody reads its standard error.
                self._child = LinkedChild(__name__)
            self._child.link.settimeout(_SEND_SECONDS)
            self._child.link.sendall(_framed(task))
            self._child.link.setblocking(False)
        except OSError as error:
            self.stop()
            raise BotError("The bots' process does not run: {reason}.", reason=error) from None

    def receive(self) -> BotReply | None:
        """Return the answer; None if it is not whole yet. Never blocks.

        Raises:
            BotError: the process ended or wrote nonsense; the next task starts another.
        """
        assert self._child is not None, "only what was asked is answered"
        try:
            heard = self._child.link.recv(_MAX_BYTES)
            self._heard += heard
            body = _whole(self._heard)
            if body is not None:
                self._heard = b""
                return msgspec.msgpack.decode(body, type=BotReply)
            if heard:
                return None
            error = BotError("The bots' process ended.")
        except BlockingIOError:
            return None
        except OSError:  # it ended before it read the task
            error = BotError("The bots' process ended.")
        except (ValueError, msgspec.MsgspecError):
            error = BotError("The bots' process wrote nonsense.")
        self.stop()
        raise error

    def stop(self) -> None:
        """End the process at once, thinking or not, and whatever a bot has started."""
        if self._child is not None:
            self._child.end()
        self._child = None
        self._heard = b""


class BotLoop:
    """The bots of the current game, one for each seat."""

    def __init__(self) -> None:
        self._game = 0
        self._bots: dict[tuple[int, str], Bot] = {}

    def choose(self, task: Task) -> BotReply:
        """Let a seat's bot choose; what goes wrong comes back as a sentence."""
        try:
            bot = self._bot(task)
        except BotError as error:
            return _trouble(error)
        if task.view is None:
            return BotReply(None)
        try:
            intent = bot.choose(task.view, Random(task.seed))
            return msgspec.convert(msgspec.to_builtins(BotReply(intent)), BotReply)
        except BotError as error:
            return _trouble(_whereabouts(error.__cause__ or error))
        except (msgspec.ValidationError, TypeError):
            return _trouble(BotError("What it chose is no intent."))

    def _bot(self, task: Task) -> Bot:
        if task.game != self._game:
            self._game = task.game
            self._bots.clear()
        seat = task.view.own.seat if task.view and task.view.own else 0
        if (seat, task.bot) not in self._bots:
            self._bots[seat, task.bot] = load_bot(task.bot)
        return self._bots[seat, task.bot]


def _trouble(error: BotError) -> BotReply:
    values = {name: clip(clean_line(str(one)), _VALUE) for name, one in error.values.items()}
    return BotReply(None, error.text, values)


def _whereabouts(error: BaseException) -> BotError:
    """Return what went wrong where; the error's own words might tell what is in a cup."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return BotError(
        "{problem} in line {line} of {file}.",
        problem=type(error).__name__,
        line=last.lineno,
        file=Path(last.filename).name,
    )


def serve(link: socket.socket) -> None:
    """Answer tasks until the host is gone."""
    thinker, own = BotLoop(), os.getpid()
    tasks = link.makefile("rb")
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = _next_task(tasks)
            signal.alarm(_ORPHAN_SECONDS)
            choice = thinker.choose(task)
            if os.getpid() != own:
                os._exit(0)  # a bot forked: the host waits for one answer
            signal.alarm(0)
            link.sendall(_framed(choice))


def _next_task(tasks: BinaryIO) -> Task:
    length = int.from_bytes(tasks.read(_LENGTH_BYTES), "big")
    body = tasks.read(length)
    if not body or len(body) < length:
        raise EOFError
    return msgspec.msgpack.decode(body, type=Task)


if __name__ == "__main__":
    lift_memory_limit()
    serve(socket.socket(fileno=int(sys.argv[1])))
    os.killpg(0, signal.SIGKILL)  # the host is gone, so what bots have started goes too
