"""Play blocks of an arena, in one child process per thread."""

import threading
import time
from collections.abc import Sequence

from msgspec import Struct

from .child import ArenaChild, Death
from .fingerprint import WorkerReport, report
from .plan import ArenaPlan, BlockResult, FailedGame, GameResult


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
    games = [child.play(game) for game in range(block * size, (block + 1) * size)]
    return BlockResult(
        block,
        tuple(one for one in games if isinstance(one, GameResult)),
        tuple(one for one in games if isinstance(one, FailedGame)),
    )
