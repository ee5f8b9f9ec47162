"""Play what a command of the arena compares, with progress, and report whatever failed."""

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.arena.child import Death, PlayedBlocks, Team, run_blocks
from coffeerush.arena.cluster import (
    BlockLog,
    Cluster,
    Tls,
    check_report,
    head_of,
    is_exposed,
    play_blocks,
)
from coffeerush.arena.plan import ArenaPlan, BlockResult, source_of
from coffeerush.errors import RecordError, UsageError
from coffeerush.rules import Deck
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from protocol import MIN_PLAYERS

MAX_GAMES: Final = 1_000_000
"""The results of all of them are kept in memory."""
_Play = Callable[[ArenaPlan, Sequence[int]], PlayedBlocks]
_PEM: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Where(Struct, frozen=True):
    """Where the games are played."""

    jobs: int
    cluster: str | None = None
    """The address of a scheduler; None to play on this machine."""
    tls: Tls | None = None


def where(jobs: int, cluster: str | None, tls: tuple[Path, Path, Path] | None) -> Where:
    """Return the place to play, from the values of the options, and warn if others can reach it.

    Raises:
        UsageError: the address and the certificates do not fit together.
    """
    is_tls = (cluster or "").startswith("tls://")
    if is_tls and tls is None:
        raise UsageError("An address with tls:// needs --tls with three PEM files.")
    if tls is not None and not is_tls:
        raise UsageError("--tls needs --cluster with an address such as tls://10.0.0.7:8786.")
    if cluster is not None and is_exposed(cluster):
        told = _(
            "Warning: whoever reaches that port can run programs on all machines of the cluster. "
            "Use certificates (tls://) or an SSH tunnel to 127.0.0.1."
        )
        click.echo(told, err=True)
    return Where(jobs, cluster, None if tls is None else Tls(*tls))


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
            click.option(
                "--cluster",
                metavar=pgettext("argument", "ADDRESS"),
                help=_("Play on the workers of the Dask scheduler at this address."),
            ),
            click.option(
                "--tls",
                type=(_PEM, _PEM, _PEM),
                metavar=pgettext("argument", "CA CERTIFICATE KEY"),
                help=_("PEM files for a scheduler that requires certificates (tls://ADDRESS)."),
            ),
            click.option("--starters", is_flag=True, help=_("Play with starter orders.")),
            click.option("--deck", type=click.Path(), help=_("Play with the deck in this file.")),
        )
    ):
        command = option(command)
    return command


def check_bots(bots: Sequence[str], deck: Deck) -> None:
    """Raise `BotError` if a bot cannot be loaded."""
    with closing(Team()) as team:
        team.load(ArenaPlan(tuple(bots), MIN_PLAYERS, 0, False, deck))


class Run:
    """Plays the blocks of a plan.

    Args:
        plan: what to play.
        blocks: how many blocks at most.
        where: to play them.
        resume: the file that has what was played before, and gets what is played now.
        label: of the progress bar.

    Attributes:
        blocks: the results of the blocks, in their order; those after the last one that `each`
            yielded are missing.
        deaths: of processes that others replaced.
    """

    def __init__(
        self,
        plan: ArenaPlan,
        blocks: int,
        where: Where,
        resume: Path | None = None,
        label: str = "",
    ) -> None:
        self.plan = plan
        self.blocks: list[BlockResult] = []
        self.deaths: list[Death] = []
        self._count = blocks
        self._where = where
        self._resume = resume
        self._label = label or _("Playing")

    def each(self) -> Generator[BlockResult, None, None]:
        """Play the blocks and yield them in order; raises `CoffeeRushError`."""
        sources = tuple(map(source_of, self.plan.bots))
        if self._where.cluster is not None:
            self.plan = replace(self.plan, sources=sources)
        with ExitStack() as stack:
            team = Team()
            stack.callback(team.close)
            team.load(self.plan)  # report a broken bot before the first game
            log = None
            early: dict[int, BlockResult] = {}
            if self._resume is not None:
                log = stack.enter_context(BlockLog(self._resume, head_of(self.plan, sources)))
                early = {block.block: block for block in log.blocks}
            left = [number for number in range(self._count) if number not in early]
            executor, play, workers = stack.enter_context(self._executor(team))
            bar = stack.enter_context(
                click.progressbar(
                    length=len(left) * self.plan.games,
                    label=self._label,
                    file=sys.stderr,
                    show_pos=True,
                )
            )
            yield from self._in_order(early)
            for played in run_blocks(executor, play, self.plan, left, workers):
                check_report(played.worker, self._where.cluster or "")  # a worker may join late
                self.deaths += played.deaths
                for block in played.blocks:
                    if log is not None:
                        log.append(block)
                    early[block.block] = block
                bar.update(len(played.blocks) * self.plan.games)
                yield from self._in_order(early)

    @contextmanager
    def _executor(self, team: Team) -> Iterator[tuple[Executor, _Play, Callable[[], int]]]:
        """Open an executor; yield it, what it is to run, and how many tasks it runs at once."""
        where = self._where
        if where.cluster is not None:
            with Cluster(where.cluster, where.tls, _tell_lost, _tell_none) as cluster:
                yield cluster, play_blocks, cluster.threads
            return
        pool = ThreadPoolExecutor(where.jobs)
        try:
            yield pool, team.play, lambda: where.jobs
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

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


def _tell_lost(worker: str) -> None:
    told = _("The worker {worker} left the cluster; others play its games.")
    click.echo("\n" + told.format(worker=worker), err=True)


def _tell_none() -> None:
    click.echo(_("No worker is left in the cluster. Waiting for another one…"), err=True)


def make_directory(path: Path) -> None:
    """Create a directory and its parents unless it exists; raises `RecordError`.

    Also if no file can be created in it, which would be noticed only after the first game.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise RecordError(
            "{path} cannot be written: {reason}; free some space or choose another path.",
            path=path,
            reason=error,
        ) from None
