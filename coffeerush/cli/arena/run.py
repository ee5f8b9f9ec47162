"""Play what a command of the arena compares, with progress, and report whatever failed."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from coffeerush.arena.child import ArenaChild, Death
from coffeerush.arena.fingerprint import source_of
from coffeerush.arena.plan import ArenaPlan, BlockResult
from coffeerush.arena.resuming import BlockLog, head_of
from coffeerush.arena.running import run_blocks
from coffeerush.arena.worker import PlayedBlocks, Team
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, ngettext

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Where(Struct, frozen=True):
    """Where the games are played."""

    jobs: int


def run_options(command: Decorated) -> Decorated:
    """Add the options of all commands that play games."""
    for option in reversed(
        (
            click.option(
                "--seed",
                type=click.IntRange(0, 2**62),
                default=0,
                show_default=True,
                help=_("Random seed of the first block; each later block uses the next number."),
            ),
            click.option(
                "--jobs",
                type=click.IntRange(min=1),
                default=os.cpu_count() or 1,
                show_default=True,
                help=_("How many games to play in parallel."),
            ),
            click.option("--starters", is_flag=True, help=_("Play with starter orders.")),
            click.option("--deck", type=click.Path(), help=_("Play with the deck in this file.")),
        )
    ):
        command = option(command)
    return command


class Run:
    """Plays the blocks of a plan.

    Args:
        plan: what to play.
        blocks: how many blocks at most.
        where: to play them.
        resume: the file that has what was played before, and gets what is played now.

    Attributes:
        blocks: the results of the blocks, in their order; those after the last one that `each`
            yielded are missing.
        deaths: of processes that others replaced.
    """

    def __init__(
        self, plan: ArenaPlan, blocks: int, where: Where, resume: Path | None = None
    ) -> None:
        self.plan = plan
        self.blocks: list[BlockResult] = []
        self.deaths: list[Death] = []
        self._count = blocks
        self._where = where
        self._resume = resume

    def each(self) -> Iterator[BlockResult]:
        """Play the blocks and yield them in order; raises `CoffeeRushError`."""
        sources = tuple(map(source_of, self.plan.bots))
        check = ArenaChild(self.plan)
        try:
            check.load()  # report a broken bot before the first game
        finally:
            check.close()
        with ExitStack() as stack:
            log = None
            early: dict[int, BlockResult] = {}
            if self._resume is not None:
                log = stack.enter_context(BlockLog(self._resume, head_of(self.plan, sources)))
                early = {block.block: block for block in log.blocks}
            left = [number for number in range(self._count) if number not in early]
            executor, play, workers = stack.enter_context(_executor(self._where))
            bar = stack.enter_context(
                click.progressbar(
                    length=len(left) * self.plan.games,
                    label=_("Playing"),
                    file=sys.stderr,
                    show_pos=True,
                )
            )
            yield from self._in_order(early)
            for played in run_blocks(executor, play, self.plan, left, workers):
                self.deaths += played.deaths
                for block in played.blocks:
                    if log is not None:
                        log.append(block)
                    early[block.block] = block
                bar.update(len(played.blocks) * self.plan.games)
                yield from self._in_order(early)

    def _in_order(self, early: dict[int, BlockResult]) -> Iterator[BlockResult]:
        """Move and yield the blocks that follow those that have been yielded."""
        while len(self.blocks) < self._count and len(self.blocks) in early:
            block = early.pop(len(self.blocks))
            self.blocks.append(block)
            yield block

    def complaints(self) -> Iterator[str]:
        """Yield a line about each bot that failed, and one about processes that were replaced."""
        if self.deaths:
            first = self.deaths[0]
            told = ngettext(
                "{count} process ended while it played and was replaced: {worker}, in game {game}",
                "{count} processes ended while they played and were replaced, first {worker}, in "
                "game {game}",
                len(self.deaths),
            )
            yield told.format(count=len(self.deaths), worker=first.worker, game=first.game + 1)
        failed = [one for block in self.blocks for one in block.failed]
        for entry in sorted({one.entry for one in failed}):
            its = [one for one in failed if one.entry == entry]
            told = _(
                "{bot} failed in {count} of {games} games, first in game {game} (seat {seat}, "
                "seed {seed}): {reason}"
            )
            yield _("Error: {text}").format(
                text=told.format(
                    bot=self.plan.bots[entry],
                    count=len(its),
                    games=len(self.blocks) * self.plan.games,
                    game=its[0].game + 1,
                    seat=its[0].seat + 1,
                    seed=its[0].seed,
                    reason=error_line(its[0].error),
                )
            )

    @property
    def has_failed(self) -> bool:
        """Whether a bot has failed."""
        return any(block.failed for block in self.blocks)


@contextmanager
def _executor(
    where: Where,
) -> Iterator[tuple[Executor, Callable[[ArenaPlan, Sequence[int]], PlayedBlocks], int]]:
    """Open an executor; yield it, what it is to run, and how many tasks it runs at once."""
    team = Team()
    pool = ThreadPoolExecutor(where.jobs)
    try:
        yield pool, team.play, where.jobs
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        team.close()
