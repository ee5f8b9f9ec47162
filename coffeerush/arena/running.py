"""Play the blocks of an arena with an executor, whichever that is."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from math import ceil
from typing import Final

from .plan import ArenaPlan
from .worker import PlayedBlocks

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
