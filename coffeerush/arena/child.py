"""Play blocks of an arena in child processes: whatever a bot does ends its child at most."""

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from functools import partial
from math import ceil
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.bots.load import load_bot
from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS, unforked
from coffeerush.errors import BotError, CoffeeRushError, RecordError
from coffeerush.local.processes import LineLink, LinkedChild, first_message, parent_socket
from protocol import Intent, View

from .plan import (
    ArenaPlan,
    BlockResult,
    FailedGame,
    GameResult,
    WorkerReport,
    failed,
    play,
    report,
    write_record,
)

MAX_DEATHS: Final = 3
"""A game that ends its process as often is not played again: the bot that acted has failed."""
_ANNOUNCED_SECONDS: Final = 0.1
"""How long the moves of a bot after an announced one need not be announced."""


class Death(Struct, frozen=True):
    """A process that ended in the middle of a game, which another one played again."""

    worker: str
    game: int


class GameTask(Struct, frozen=True):
    """A parent's request: play a game, or without a number, only load the bots."""

    game: int | None


class Acting(Struct, frozen=True, tag="acting"):
    """A child's announcement that a bot, as its index in the line-up, acts from now on."""

    entry: int


class TaskDone(Struct, frozen=True, tag="task_done"):
    """A child's answer to a task: the result of its game, or the error that it raised."""

    game: int | None
    result: GameResult | None = None
    problem: str = ""
    """The text and the values of the error."""
    values: dict[str, str] = {}
    unwritable: str = ""
    """The system's reason in a `RecordError`; without one, it is a `BotError`."""

    @property
    def error(self) -> BotError | RecordError | None:
        """The error, if there is one."""
        if self.unwritable:
            reason = OSError(0, self.unwritable)
            return RecordError(self.problem, **{**self.values, "reason": reason})
        return BotError(self.problem, **self.values) if self.problem else None

    def answers(self, game: int | None) -> bool:
        """Return whether it answers a task; a bot may have sent it."""
        try:
            str(self.error)
        except Exception:  # noqa: BLE001 - a text without its values, or else
            return False
        of_game = self.result.game if self.result else None
        return self.game == game and (bool(self.problem) or of_game == game)


class ArenaChild:
    """The parent's handle of a child; starts it on demand, again after it has ended.

    Args:
        plan: of the arena.
        seconds: how long a bot may take to load, and for each move.
    """

    def __init__(self, plan: ArenaPlan, seconds: int = MOVE_TIME_LIMIT_SECONDS) -> None:
        self.plan = plan
        self.deaths: list[Death] = []
        self._seconds = seconds
        self._child: LinkedChild[Acting | TaskDone] | None = None
        self._acting = 0
        """The entry that acted last."""
        self._closed = False
        self._lock = threading.Lock()

    def load(self) -> None:
        """Check that all bots can be loaded.

        Raises:
            BotError: one cannot.
        """
        try:
            self._ask(None)
        except EOFError:
            raise self._exited() from None
        except BotError:
            self.stop()
            raise

    def play(self, game: int) -> GameResult | FailedGame:
        """Play a game, again if its process ends.

        Raises:
            RecordError: its record cannot be written.
        """
        known = len(self.deaths)
        for _attempt in range(MAX_DEATHS):
            try:
                result = self._ask(game)
            except BotError as error:
                problem = error
                break
            except EOFError:
                problem = self._exited()
            else:
                assert result is not None
                return result
        del self.deaths[known:]  # no other process has played that game
        return failed(self.plan, game, self._acting, problem)

    def _exited(self) -> BotError:
        bot = self.plan.bots[self._acting]
        return BotError("{bot} exited unexpectedly; fix the bot.", bot=bot)

    def _late(self, game: int | None) -> BotError:
        if game is not None:
            return BotError("No answer came within {seconds} seconds.", seconds=self._seconds)
        return BotError(
            "{bot} did not load within {seconds} seconds; fix the bot.",
            bot=self.plan.bots[self._acting],
            seconds=self._seconds,
        )

    def _ask(self, game: int | None) -> GameResult | None:
        """Return the result of a game; without a number, None once the bots are loaded.

        Raises:
            BotError: a bot failed, or took too long.
            EOFError: the child has ended, or a bot has written to its link.
            RecordError: the record cannot be written.
        """
        entries = range(len(self.plan.bots)) if game is None else self.plan.seating(game)[1]
        self._acting = entries[0]
        try:
            link = self._link()
            link.send(GameTask(game))
            while isinstance(line := link.receive_within(self._seconds), Acting):
                if line.entry not in entries:
                    raise EOFError
                self._acting = line.entry
            if line and not line.answers(game):
                raise EOFError
        except (EOFError, OSError, ValueError):
            if self._child is not None and game is not None:
                self.deaths.append(Death(f"{socket.gethostname()} {self._child.pid}", game))
            self.stop()
            raise EOFError from None
        if line is None:
            self.stop()
            raise self._late(game)
        if line.error:
            raise line.error
        return line.result

    def _link(self) -> LineLink[Acting | TaskDone]:
        """Return the link to the child; raises `OSError`, or `EOFError` once closed."""
        with self._lock:
            if self._closed:
                raise EOFError
            if self._child is None:
                self._child = LinkedChild(__name__, Acting | TaskDone, stderr=None)
                self._child.link.send(self.plan)
            return self._child.link

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


class _Watched:
    """A bot that calls a function before it acts."""

    def __init__(self, before: Callable[[], None], load: Callable[[], Bot]) -> None:
        self._before = before
        before()
        with unforked():
            self._bot = load()

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the bot's choice."""
        self._before()
        with unforked():
            return self._bot.choose(view, chance)


def serve(parent: socket.socket) -> None:
    """Load the bots or play a game, as often as the parent asks, until it is gone."""
    plan = first_message(parent, ArenaPlan)
    link: LineLink[GameTask] = LineLink(parent, GameTask)
    sources = plan.sources or (None,) * len(plan.bots)
    acting, announced = -1, 0.0

    def announce(entry: int) -> None:
        nonlocal acting, announced
        now = time.monotonic()
        if entry != acting or now - announced > _ANNOUNCED_SECONDS:
            acting, announced = entry, now
            link.send(Acting(entry))

    def loaded(entry: int) -> Bot:
        load = partial(load_bot, plan.bots[entry], sources[entry])
        return _Watched(partial(announce, entry), load)

    while True:
        game = link.receive().game
        acting = -1
        try:
            if game is None:
                for entry in range(len(plan.bots)):
                    loaded(entry)
                link.send(TaskDone(game, None))
                continue
            result, seated, played = play(plan, game, loaded)
            if plan.record is not None:
                write_record(plan, Path(plan.record), game, seated, played)
            link.send(TaskDone(game, result))
        except CoffeeRushError as error:
            values = {  # a file name need not be UTF-8
                name: str(value).encode(errors="replace").decode()
                for name, value in error.values.items()
            }
            reason = error.values.get("reason") if isinstance(error, RecordError) else None
            unwritable = reason.strerror if isinstance(reason, OSError) else None
            link.send(TaskDone(game, None, error.text, values, unwritable or ""))


def _end_with(parent: socket.socket) -> None:
    """End the process group once the other end of a socket is closed, whatever a bot does then."""
    hangup = select.poll()
    hangup.register(parent, 0)  # a hangup is reported without being asked for
    hangup.poll()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    end = parent_socket()
    threading.Thread(target=_end_with, args=[end], daemon=True).start()
    # the parent is gone, or a bot has closed the link or raised what only Ctrl-C should
    with suppress(EOFError, OSError, KeyboardInterrupt):
        serve(end)
    os.killpg(0, signal.SIGKILL)  # also what bots have started


# Play blocks of an arena, in one child process per thread


class PlayedBlocks(Struct, frozen=True):
    """What a worker answers to a task."""

    blocks: tuple[BlockResult, ...]
    seconds: float
    """How long it took."""
    worker: WorkerReport
    deaths: tuple[Death, ...] = ()


class Team:
    """The children of the threads of this process.

    Args:
        idle_seconds: how long a child waits for the next task before it is ended; None to keep it.
    """

    def __init__(self, idle_seconds: float | None = None) -> None:
        self._children: dict[int | None, ArenaChild] = {}
        """By the identifier of their thread; None for one that no thread has taken yet."""
        self._idle_seconds = idle_seconds
        self._ends: dict[int, threading.Timer] = {}
        """The timers of idle children, by the identifier of their thread."""
        self._closed = False
        self._lock = threading.Lock()

    def load(self, plan: ArenaPlan) -> None:
        """Check in a child that all bots can be loaded; raises `BotError`."""
        child = self._children[None] = ArenaChild(plan)
        child.load()

    def play(self, plan: ArenaPlan, blocks: Sequence[int]) -> PlayedBlocks:
        """Play blocks of games, one after another.

        Raises:
            RecordError: a record cannot be written.
            EOFError: the team is closed.
        """
        child, start = self._child(plan), time.monotonic()
        try:
            played = tuple(_play_block(child, block) for block in blocks)
        finally:
            self._end_when_idle()
        deaths = tuple(child.deaths)
        child.deaths.clear()
        return PlayedBlocks(played, time.monotonic() - start, report(), deaths)

    def _child(self, plan: ArenaPlan) -> ArenaChild:
        thread = threading.get_ident()
        with self._lock:
            if self._closed:
                raise EOFError
            if thread in self._ends:
                self._ends.pop(thread).cancel()
            child = self._children.get(thread) or self._children.pop(None, None)
            if child is None or child.plan != plan:
                if child is not None:
                    child.close()
                child = ArenaChild(plan)
            self._children[thread] = child
            return child

    def _end_when_idle(self) -> None:
        """Start the timer of this thread's child."""
        if self._idle_seconds is None:
            return
        thread = threading.get_ident()
        timer = threading.Timer(self._idle_seconds, self._end, [thread])
        timer.daemon = True
        with self._lock:
            self._ends[thread] = timer
        timer.start()

    def _end(self, thread: int) -> None:
        with self._lock:
            if self._ends.get(thread) is threading.current_thread():  # no task came meanwhile
                del self._ends[thread]
                self._children.pop(thread).close()

    def close(self) -> None:
        """Kill all children, even while they play."""
        with self._lock:
            self._closed = True
            for timer in self._ends.values():
                timer.cancel()
            for child in self._children.values():
                child.close()


def _play_block(child: ArenaChild, block: int) -> BlockResult:
    size = child.plan.games
    games = [child.play(number) for number in range(block * size, (block + 1) * size)]
    return BlockResult(
        block,
        tuple(game for game in games if isinstance(game, GameResult)),
        tuple(game for game in games if isinstance(game, FailedGame)),
    )


# Play the blocks of an arena with an executor, whichever that is


TASK_SECONDS: Final = 2.0
"""How long a task should take: short ones are mostly overhead, long ones delay the end."""
_CHECK_SECONDS: Final = 5.0
"""How often `workers` is asked, at least."""
_WAITING: Final = 2
"""Tasks per worker that have been submitted: the next one does not have to wait for us."""


def run_blocks(
    executor: Executor,
    play: Callable[[ArenaPlan, Sequence[int]], PlayedBlocks],
    plan: ArenaPlan,
    blocks: Sequence[int],
    workers: Callable[[], int],
) -> Iterator[PlayedBlocks]:
    """Play blocks, and yield the answers as they come; closing the generator cancels the rest.

    A task has one block at first, later as many as take about `TASK_SECONDS`.

    Args:
        executor: runs the tasks.
        play: what it runs.
        plan: of the arena.
        blocks: the numbers of the blocks.
        workers: returns how many tasks run at the same time, which may change.

    Raises:
        CoffeeRushError: whatever `play` or `workers` raises.
    """
    running: set[Future[PlayedBlocks]] = set()
    next_block, size = 0, 1
    try:
        while running or next_block < len(blocks):
            most = _WAITING * workers()
            while len(running) < most and next_block < len(blocks):
                fair = ceil((len(blocks) - next_block) / most)
                task = tuple(blocks[next_block : next_block + min(size, fair)])
                running.add(executor.submit(play, plan, task))
                next_block += len(task)
            done, running = wait(running, _CHECK_SECONDS, FIRST_COMPLETED)
            for future in done:
                played = future.result()
                seconds = max(played.seconds, 1e-3) / len(played.blocks)
                size = max(1, round(TASK_SECONDS / seconds))
                yield played
    finally:
        for future in running:
            future.cancel()
