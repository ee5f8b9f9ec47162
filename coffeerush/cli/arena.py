"""`coffeerush arena`: play many games between bots, compare them, and show the result."""

import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from math import ceil, isfinite
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from coffeerush import __version__
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
from coffeerush.arena.plan import ArenaPlan, BlockResult, digest, source_of
from coffeerush.arena.statistics import Comparison, SequentialTest, Summary, block_shares, ranking
from coffeerush.bots import BOTS
from coffeerush.errors import CoffeeRushError, UsageError, unwritable
from coffeerush.levels import LEVELS
from coffeerush.local.figures import check_plot, csv_text, save_figure
from coffeerush.records.entries import check_bot
from coffeerush.rules import Deck
from coffeerush.tournament.pairing import Player, Table
from coffeerush.tournament.tournament import Score, Tournament, scores, usual_rounds
from coffeerush.ui.terminal.canvas import aligned, pad, width
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import bot_level, decimal, percent
from protocol import MAX_PLAYERS, MIN_PLAYERS

from . import examples
from .options import bot_kinds
from .records import load_deck

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Play the games of a command, with progress, and report whatever failed


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
            "Warning: anyone who reaches that port can run programs on all machines of "
            "the cluster. Use certificates (tls://) or an SSH tunnel to 127.0.0.1."
        )
        click.echo(told, err=True)
    return Where(jobs, cluster, None if tls is None else Tls(*tls))


def _run_options(command: Decorated) -> Decorated:
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


def _check_bots(bots: Sequence[str], deck: Deck) -> None:
    """Raise `BotError` if a bot cannot be loaded."""
    with closing(Team()) as team:
        team.load(ArenaPlan(tuple(bots), MIN_PLAYERS, 0, False, deck))


@contextmanager
def _executor(where: Where, team: Team) -> Iterator[tuple[Executor, _Play, Callable[[], int]]]:
    """Open an executor; yield it, what it is to run, and how many tasks it runs at once."""
    if where.cluster is not None:
        with Cluster(where.cluster, where.tls, _tell_lost, _tell_none) as cluster:
            yield cluster, play_blocks, cluster.threads
        return
    pool = ThreadPoolExecutor(where.jobs)
    try:
        yield pool, team.play, lambda: where.jobs
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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
            executor, play, workers = stack.enter_context(_executor(self._where, team))
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

    def _in_order(self, early: dict[int, BlockResult]) -> Iterator[BlockResult]:
        """Move and yield the blocks that follow those that have been yielded."""
        while len(self.blocks) < self._count and len(self.blocks) in early:
            block = early.pop(len(self.blocks))
            self.blocks.append(block)
            yield block

    def complaints(self) -> Iterator[str]:
        """Yield a line about each bot that failed, and one about processes that were replaced."""
        return _complaints(self.plan, self.blocks, self.deaths)

    @property
    def has_failed(self) -> bool:
        """Whether a bot has failed."""
        return any(block.failed for block in self.blocks)


def _complaints(
    plan: ArenaPlan, blocks: Sequence[BlockResult], deaths: Sequence[Death]
) -> Iterator[str]:
    """Yield a line about each bot that failed, and one about processes that were replaced."""
    if deaths:
        first = deaths[0]
        told = ngettext(
            "{count} process ended while it played and was replaced: {worker}, in game {game}",
            "{count} processes ended while they played and were replaced, first {worker}, in "
            "game {game}",
            len(deaths),
        )
        yield told.format(count=len(deaths), worker=first.worker, game=first.game + 1)
    failed = [failure for block in blocks for failure in block.failed]
    for entry in sorted({failure.entry for failure in failed}):
        its = [failure for failure in failed if failure.entry == entry]
        told = _(
            "{bot} failed in {count} of {games} games, first in game {game} (seat {seat}, "
            "seed {seed}): {reason}"
        )
        yield _("Error: {text}").format(
            text=told.format(
                bot=plan.bots[entry],
                count=len(its),
                games=len(blocks) * plan.games,
                game=its[0].game + 1,
                seat=its[0].seat + 1,
                seed=its[0].seed,
                reason=error_line(its[0].error),
            )
        )


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
        raise unwritable(path, error) from None


# Charts of win shares with their intervals: in the terminal, or in an SVG or PNG file


_CELLS: Final = 50
_NAME_CELLS: Final = 24


def _share_chart(ranked: Sequence[Summary]) -> Iterator[str]:
    """Yield a line per bot, `[=o=]` for an interval and `:` for an equal share, and the axis."""
    most = min(1.0, ceil(10 * max(bot.high for bot in ranked)) / 10)
    names = [_short_name(bot.entry, bot.bot) for bot in ranked]
    room = max(map(width, names))

    def cell(share: float) -> int:
        return round(share / most * (_CELLS - 1))

    for name, bot in zip(names, ranked, strict=True):
        line = ["."] * _CELLS
        line[min(cell(1 / len(ranked)), _CELLS - 1)] = ":"
        low, high = cell(bot.low), cell(bot.high)
        line[low : high + 1] = "=" * (high + 1 - low)
        line[low], line[high] = "[", "]"
        line[cell(bot.share)] = "o"
        yield f"{pad(name, room)}  {''.join(line)}"
    yield f"{' ' * room}  {percent(0)}{percent(most):>{_CELLS - len(percent(0))}}"


def _short_name(entry: int, bot: str) -> str:
    """Return the number and the level of a bot, or the end of its file's name."""
    return f"{entry + 1} {_end_of(bot_level(bot))}"


def _end_of(name: str) -> str:
    """Return as much of the end of a name, which may be a path, as there is room for."""
    while width(name) > _NAME_CELLS:
        name = name[1:]
    return name


def plot(summaries: Sequence[Summary], path: Path) -> None:
    """Draw the win share of each bot with its interval into an SVG or PNG file.

    Raises:
        RecordError: the file cannot be written.
    """
    save_figure(_figure(ranking(summaries)[::-1]), path)


def _figure(rising: Sequence[Summary]) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.2 + 0.4 * len(rising)), layout="constrained")
    axes = figure.add_subplot()
    shares = [100 * bot.share for bot in rising]
    below = [100 * (bot.share - bot.low) for bot in rising]
    above = [100 * (bot.high - bot.share) for bot in rising]
    places = range(len(rising))
    axes.axvline(100 / len(rising), color="0.7", linestyle=":")
    axes.errorbar(shares, places, xerr=[below, above], fmt="o", capsize=4)
    axes.set_yticks(places, [f"{bot.entry + 1} {bot_level(bot.bot)}" for bot in rising])
    axes.set_ylim(-0.5, len(rising) - 0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(_("share of all victories in %, with 95% confidence intervals"))
    return figure


# The result of an arena as a text table, JSON lines, CSV or Markdown


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def result_lines(found: Comparison, output: Format) -> Iterator[str]:
    """Yield the lines of a result with at least one finished game."""
    summaries = found.summaries
    ranked = ranking(summaries)
    if output is Format.JSON:
        yield from (msgspec.json.encode(summary).decode() for summary in summaries)
        return
    if output is Format.CSV:
        yield _as_csv(ranked)
        return
    if output is Format.MARKDOWN:
        yield from markdown(_rows(ranked))
        yield ""
    else:
        yield from aligned(*_rows(ranked))
    yield _("Games: {games}, in blocks of {block}; wins with a 95% confidence interval.").format(
        games=found.games, block=found.plan.games
    )
    for pair in found.undecided(ranked):
        better, worse = map(bot_level, pair)
        yield _("No difference found between {bot} and {other}.").format(bot=better, other=worse)
    if output is Format.TABLE:
        yield ""
        yield from _share_chart(ranked)


def _as_csv(lines: Sequence[Struct]) -> str:
    """Return a table as CSV, with the names of the fields above it; at least one line."""
    rows = [lines[0].__struct_fields__, *map(msgspec.structs.astuple, lines)]
    return csv_text(rows).rstrip("\n")


def _rows(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """Return the cells of the result table, below those of its head."""
    head = (
        *("", pgettext("title of a column", "bot"), pgettext("title of a column", "wins")),
        *(pgettext("title of a column", "score"), pgettext("title of a column", "strength")),
        pgettext("title of a column", "orders"),
        pgettext("title of a column", "penalties"),
        pgettext("title of a column", "upgrades"),
    )
    return [
        head,
        *(
            (
                *(str(summary.entry + 1), bot_level(summary.bot)),
                _share_words(summary.share, summary.low, summary.high),
                f"{decimal(summary.score, 2)}{_margin(summary.score_low, summary.score_high, 2)}",
                f"{summary.strength:+.0f}{_margin(summary.strength_low, summary.strength_high, 0)}",
                *(
                    decimal(mean, 2)
                    for mean in (summary.completed, summary.penalties, summary.upgrades)
                ),
            )
            for summary in summaries
        ),
    ]


def _share_words(share: float, low: float, high: float) -> str:
    """Return a share and its interval in per cent."""
    return f"{percent(share, 1)} ({decimal(100 * low, 1)}-{decimal(100 * high, 1)})"


def _margin(low: float, high: float, digits: int) -> str:
    """Return half the width of an interval, nothing if it is not known."""
    return f" ±{decimal((high - low) / 2, digits)}" if isfinite(high - low) else ""


def markdown(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; its first two columns hold text, the others numbers."""
    head, *body = (tuple(cell.replace("|", "\\|") for cell in row) for row in rows)
    ruler = ("---" if at < 2 else "---:" for at in range(len(head)))
    for row in (head, ruler, *body):
        yield f"| {' | '.join(row)} |"


# `coffeerush arena ladder`: the table of the bots' levels, as in the documentation


_RANDOM: Final = "random"
"""The built-in bot that is no level, only something to compare with."""
_TABLES: Final = tuple(range(MAX_PLAYERS, MIN_PLAYERS - 1, -1))


@click.command(
    name="ladder",
    short_help=_("Compare the levels of the built-in bots."),
    help=_(
        "Compare each level of the built-in bots with every other one, with random and with your "
        "own bots: one of it against three, two and one of the others. Print its share of the "
        "victories as a Markdown table."
    ),
    epilog=examples(
        "coffeerush arena ladder --games 1000 --seed 1000000",
        "coffeerush arena ladder --yardstick my_bot.py:MyBot --resume ladder",
    ),
)
@click.option(
    "--bots",
    default=",".join(LEVELS),
    show_default=True,
    help=_("The levels to compare, separated by commas."),
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    default=100,
    show_default=True,
    help=_("Minimum number of games for each share; the last block is always finished."),
)
@click.option(
    "--yardstick",
    "yardsticks",
    multiple=True,
    metavar=pgettext("argument", "FILE.py:Class"),
    help=_("Also compare the levels with this bot; may be repeated."),
)
@_run_options
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    help=_("Keep the results in this directory, and continue with those that it has."),
)
@click.pass_context
def ladder(context: click.Context, /, **options: Any) -> None:
    """Play the games and print the table."""
    played = _Ladder(**options)
    rows = [*played.rows()]
    for line in markdown(
        [
            (
                pgettext("title of a column", "bot"),
                pgettext("title of a column", "against"),
                *(f"1 : {players - 1} ({percent(1 / players)})" for players in _TABLES),
            ),
            *rows,
        ]
    ):
        click.echo(line)
    told = _(
        "Win share with its 95% confidence interval; in brackets, that of an equal bot. Coffee "
        "Rush {version}, {command}"
    )
    click.echo("\n" + told.format(version=__version__, command=played.command))
    for line in played.complaints:
        click.echo(line, err=True)
    if played.has_failed:
        context.exit(CoffeeRushError.exit_code)


def as_typed(path: str) -> str:
    """Return a path as one would type it; it may not be UTF-8."""
    return shlex.quote(click.format_filename(path))


class _Ladder:
    """The comparisons of a ladder.

    Attributes:
        command: the command line that plays the same games.
        complaints: lines about what failed.
    """

    def __init__(
        self,
        bots: str,
        games: int,
        yardsticks: tuple[str, ...],
        seed: int,
        starters: bool,
        deck: str | None,
        resume: Path | None,
        jobs: int,
        cluster: str | None,
        tls: tuple[Path, Path, Path] | None,
    ) -> None:
        self._levels = bot_kinds(bots)
        self._others = [*self._levels, *yardsticks, _RANDOM]
        self._games, self._seed, self._starters = games, seed, starters
        self._deck: Deck = load_deck(deck)
        self._resume = resume
        self._where = where(jobs, cluster, tls)
        _check_bots(self._others, self._deck)  # before the first game, not before each one's first
        if resume is not None:
            make_directory(resume)
        self.command = " ".join(
            (
                f"`coffeerush arena ladder --bots {bots} --games {games} --seed {seed}",
                *(f"--yardstick {as_typed(bot)}" for bot in yardsticks),
                *(["--starters"] if starters else []),
                *([f"--deck {as_typed(deck)}"] if deck else []),
            )
        )
        self.command += "`"
        self.complaints: list[str] = []
        self.has_failed = False

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Play, and yield the row of each level and each other bot."""
        for level in self._levels:
            for other in self._others:
                if level != other:
                    shares = [self._share(level, other, players) for players in _TABLES]
                    yield level, other, *shares

    def _share(self, level: str, other: str, players: int) -> str:
        """Return the win share of one bot against others of one kind."""
        bots = (level, *[other] * (players - 1))
        plan = ArenaPlan(bots, players, self._seed, self._starters, self._deck)
        file = None
        if self._resume is not None:
            file = self._resume / f"{_short(level)}-{_short(other)}-{players}.jsonl"
        label = _("{bot} against {others}").format(bot=level, others=f"{players - 1} {other}")
        run = Run(plan, ceil(self._games / plan.games), self._where, file, label)
        with closing(run.each()) as blocks:
            for _block in blocks:
                pass
        self.complaints += run.complaints()
        self.has_failed = self.has_failed or run.has_failed
        summaries = Comparison(run.plan, run.blocks).summaries
        return next(
            (
                _share_words(summary.share, summary.low, summary.high)
                for summary in summaries
                if not summary.entry
            ),
            "-",
        )


def _short(bot: str) -> str:
    """Return a name for a bot that may be part of a file's name, another one for each bot."""
    return bot if bot in BOTS else f"{Path(bot).name}-{digest(bot)}"


# `coffeerush arena tournament`: rounds of tables that are paired by the standings


MAX_ROUNDS: Final = 100
MAX_ENTRANTS: Final = 200


@click.command(
    name="tournament",
    short_help=_("Let bots play a tournament."),
    help=_(
        "Let any number of bots play a tournament: in each round, those with similar "
        "results play together, at tables of three and four, with as few rematches as "
        "possible. At a table, the cards stay the same while the bots change seats."
    ),
    epilog=examples(
        "coffeerush arena tournament --bots expert,regular,regular,casual,casual,casual",
        "coffeerush arena tournament --bots regular,one.py:A,two.py:B,three.py:C --rounds 5",
    ),
)
@click.option(
    "--bots",
    required=True,
    help=_("The bots, separated by commas: {known}, or FILE.py:Class.").format(
        known=", ".join(LEVELS)
    ),
)
@click.option(
    "--rounds",
    type=click.IntRange(1, MAX_ROUNDS),
    show_default=_("depends on the number of bots"),
    help=_("How many rounds to play."),
)
@_run_options
@click.option(
    "--format",
    "output",
    type=click.Choice([format_.value for format_ in Format]),
    default=Format.TABLE.value,
    show_default=True,
    help=_("How to print the result."),
)
@click.pass_context
def tournament(
    context: click.Context,
    bots: str,
    rounds: int | None,
    output: str,
    jobs: int,
    cluster: str | None,
    tls: tuple[Path, Path, Path] | None,
    seed: int,
    starters: bool,
    deck: str | None,
) -> None:
    """Play the rounds, and print the results of each and the standings."""
    kinds = bot_kinds(bots)
    if not MIN_PLAYERS <= len(kinds) <= MAX_ENTRANTS:
        raise UsageError(
            "A tournament has {least} to {most} bots: give them separated by commas.",
            least=MIN_PLAYERS,
            most=MAX_ENTRANTS,
        )
    printed = Format(output)
    played = _BotTournament(kinds, seed, starters, load_deck(deck), where(jobs, cluster, tls))
    with closing(played.rounds(rounds or usual_rounds(len(kinds)))) as each:
        for lines in each:
            if printed is Format.TABLE:
                click.echo("\n".join([*lines, ""]))
    for line in played.standing_lines(printed):
        click.echo(line)
    for line in played.complaints:
        click.echo(line, err=True)
    if played.has_failed:
        context.exit(CoffeeRushError.exit_code)


class Ranked(Struct, frozen=True):
    """How a bot did in a tournament, as it is printed; `Ranking` with numbers instead of fractions.

    Attributes:
        entry: the index of the bot in `--bots`, from 0.
    """

    place: int
    entry: int
    bot: str
    wins: float
    points: float
    penalties: float
    rounds: int


class _BotTournament:
    """A tournament of bots: each table plays a block of games with the same cards.

    Attributes:
        complaints: lines about what failed.
    """

    def __init__(
        self, kinds: tuple[str, ...], seed: int, starters: bool, deck: Deck, where: Where
    ) -> None:
        self._kinds = kinds
        self._ids = [f"{entry:03}" for entry in range(len(kinds))]  # ties are in this order
        self._tournament = Tournament(self._ids, seed)
        self._seed, self._starters, self._deck, self._where = seed, starters, deck, where
        self.complaints: list[str] = []
        self.has_failed = False
        _check_bots(kinds, deck)  # before the first game, not before each one's first

    def rounds(self, count: int) -> Generator[list[str], None, None]:
        """Play rounds, and yield lines about each; raises `CoffeeRushError`."""
        tables = 0
        with ExitStack() as stack:
            team = stack.enter_context(closing(Team()))
            executor, play, _workers = stack.enter_context(_executor(self._where, team))
            for number in range(1, count + 1):
                begun = self._tournament.begin_round()
                plans = [
                    self._plan(table, self._seed + at)
                    for at, table in enumerate(begun.tables, start=tables)
                ]
                tables += len(plans)
                title = _("Round {number} of {count}").format(number=number, count=count)
                futures = [executor.submit(play, plan, (0,)) for plan in plans]
                with click.progressbar(
                    as_completed(futures), len(futures), label=title, file=sys.stderr, show_pos=True
                ) as bar:
                    for _future in bar:
                        pass
                yield [
                    title,
                    *(
                        self._finish(table, plan, future.result())
                        for table, plan, future in zip(begun.tables, plans, futures, strict=True)
                    ),
                    *(_("{bot} sits out").format(bot=self._name(each)) for each in begun.resting),
                ]

    def _plan(self, table: Table, seed: int) -> ArenaPlan:
        bots = tuple(self._kinds[int(player)] for player in table)
        sources = () if self._where.cluster is None else tuple(map(source_of, bots))
        return ArenaPlan(bots, len(bots), seed, self._starters, self._deck, sources=sources)

    def _finish(self, table: Table, plan: ArenaPlan, played: PlayedBlocks) -> str:
        """Take the result of a table; return the line about it, best bot first."""
        check_report(played.worker, self._where.cluster or "")
        (block,) = played.blocks
        self.complaints += _complaints(plan, played.blocks, played.deaths)
        self.has_failed = self.has_failed or bool(block.failed)
        totals = [Score() for _player in table]
        for results in [game.results for game in block.games]:
            gained = scores([(bot.rank, bot.score, bot.penalties) for bot in results])
            for bot, score in zip(results, gained, strict=True):
                totals[bot.entry] += score
        for failure in block.failed:  # lost by who failed, and shared by the others
            seats = [(1 + (entry == failure.entry), 0, 0) for entry in range(len(table))]
            for entry, score in enumerate(scores(seats)):
                totals[entry] += score
        gained = [total / plan.games for total in totals]
        self._tournament.finish(table, dict(zip(table, gained, strict=True)))
        best = sorted(zip(table, gained, strict=True), key=lambda two: two[1].order)
        return "  " + ", ".join(
            f"{self._name(player)} {percent(float(score.wins))}" for player, score in best
        )

    def _name(self, player: Player) -> str:
        entry = int(player)
        return _short_name(entry, self._kinds[entry])

    def standing_lines(self, output: Format) -> Iterator[str]:
        """Yield the lines of the standings."""
        lines = [
            Ranked(
                place=line.place,
                entry=int(line.player),
                bot=self._kinds[int(line.player)],
                wins=float(line.score.wins),
                points=float(line.score.points),
                penalties=float(line.score.penalties),
                rounds=line.rounds,
            )
            for line in self._tournament.standings()
        ]
        if output is Format.JSON:
            yield from (msgspec.json.encode(line).decode() for line in lines)
            return
        if output is Format.CSV:
            yield _as_csv(lines)
            return
        cells = [
            (
                *("", pgettext("title of a column", "bot"), pgettext("title of a column", "wins")),
                pgettext("title of a column", "points"),
                pgettext("title of a column", "penalties"),
            ),
            *(
                (
                    *(str(line.place), f"{line.entry + 1} {bot_level(line.bot)}"),
                    *(decimal(each, 2) for each in (line.wins, line.points, line.penalties)),
                )
                for line in lines
            ),
        ]
        yield from markdown(cells) if output is Format.MARKDOWN else aligned(*cells)


# `coffeerush arena`


_UNTIL: Final = " better than "
_FILE: Final = pgettext("argument", "FILE")
_PATIENCE: Final = 100
"""How many times the usual number of games `--until` plays at most."""


@click.group(
    name="arena",
    invoke_without_command=True,
    help=_(
        "Let bots play many games against each other, and compare them. Games are played in "
        "blocks: the cards of a block stay the same while the bots change seats."
    ),
    epilog=examples(
        "coffeerush arena --bots regular,casual,casual,casual --games 100",
        "coffeerush arena --bots regular,my_bot.py:MyBot --games 50 --seed 7 --jobs 2",
        'coffeerush arena --bots regular,casual --until "regular better than casual"',
        "coffeerush arena --bots regular,regular --games 10 --json | tail -n 2",
    ),
)
@click.option(
    "--bots",
    help=_("The bots, separated by commas: {known}, or FILE.py:Class.").format(
        known=", ".join(LEVELS)
    ),
)
@click.option(
    "--players",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    help=_("How many bots play each game; if there are more, they take turns."),
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    default=100,
    show_default=True,
    help=_("Minimum number of games; the last block is always finished."),
)
@click.option(
    "--until",
    metavar='"A better than B"',
    help=_(
        "Stop as soon as the answer is known; it is wrong with a probability of at most 5% "
        "either way."
    ),
)
@_run_options
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    help=_("Write a record of each game to this directory."),
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path, dir_okay=False),
    help=_("Keep the results in this file, and continue with those that it has."),
)
@click.option(
    "--format",
    "output",
    type=click.Choice([format_.value for format_ in Format]),
    show_default="table",
    help=_("How to print the result."),
)
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON lines: one per game, then one per bot.")
)
@click.option(
    "--plot",
    "chart",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar=f"{_FILE}.svg|png",
    help=_("Draw a chart of the result into this file."),
)
@click.pass_context
def arena_command(context: click.Context, /, **options: Any) -> None:
    """Compare the bots, unless a subcommand was typed."""
    if context.invoked_subcommand is not None:
        return
    if options["bots"] is None:
        option = next(param for param in context.command.params if param.name == "bots")
        raise click.MissingParameter(ctx=context, param=option)
    if options["until"] and context.get_parameter_source("games") is ParameterSource.DEFAULT:
        options["games"] *= _PATIENCE
    _compare(context, **options)


def _compare(
    context: click.Context,
    bots: str,
    players: int | None,
    games: int,
    until: str | None,
    record: Path | None,
    resume: Path | None,
    output: str | None,
    as_json: bool,
    chart: Path | None,
    jobs: int,
    cluster: str | None,
    tls: tuple[Path, Path, Path] | None,
    **rules: Any,
) -> None:
    """Play the games and print the result."""
    if as_json and output not in {None, Format.JSON}:
        raise UsageError("--json means --format json; leave out one of them.")
    printed = Format.JSON if as_json else Format(output or Format.TABLE)
    plan = _plan(bot_kinds(bots), players, record, **rules)
    test = None if until is None else _Until(until, plan)
    if chart is not None:
        check_plot(chart)
    if record is not None:
        _check_record(record, plan, cluster)
    run = Run(plan, ceil(games / plan.games), where(jobs, cluster, tls), resume)
    with closing(run.each()) as blocks:
        for block in blocks:
            if printed is Format.JSON:
                for game in block.games:
                    click.echo(msgspec.json.encode(game))
            if test is not None and block.games:
                test.add(block_shares(plan, block))
                if test.better is not None:
                    break
    compared = Comparison(plan, run.blocks)
    if compared.blocks:
        for line in result_lines(compared, printed):
            click.echo(line)
        if test is not None:
            click.echo(test.told(compared.games, printed), err=printed is Format.CSV)
        if chart is not None:
            plot(compared.summaries, chart)
    for line in run.complaints():
        click.echo(line, err=True)
    if run.has_failed:
        context.exit(CoffeeRushError.exit_code)


def _check_record(directory: Path, plan: ArenaPlan, cluster: str | None) -> None:
    """Create the directory of the records; raises `CoffeeRushError` if there can be none."""
    if cluster is not None:
        raise UsageError("The workers of a cluster write no records; leave out --record.")
    for spec in plan.bots:
        check_bot(spec)
    make_directory(directory)


def _plan(
    entries: tuple[str, ...],
    players: int | None,
    record: Path | None,
    seed: int,
    starters: bool,
    deck: str | None,
) -> ArenaPlan:
    players = players or len(entries)
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise UsageError(
            "A game has 2 to 4 players: give 2 to 4 bots, separated by commas; with more bots, "
            "say with --players how many of them play each game."
        )
    if len(entries) < players:
        raise UsageError(
            "{players} players need at least as many bots; give more, separated by commas.",
            players=players,
        )
    where = None if record is None else str(record)
    return ArenaPlan(entries, players, seed, starters, load_deck(deck), where)


class _Until:
    """The question of `--until`: whether one bot is better than another."""

    def __init__(self, question: str, plan: ArenaPlan) -> None:
        one, _between, other = question.partition(_UNTIL)
        self._names = one.strip(), other.strip()
        if len({*plan.bots}) == 1:
            raise UsageError("--until needs two different bots.")
        if not {*self._names} <= {*plan.bots} or self._names[0] == self._names[1]:
            raise UsageError(
                "--until takes a question about two of the bots, such as “{bot} better than "
                "{other}”.",
                bot=plan.bots[0],
                other=next(bot for bot in plan.bots if bot != plan.bots[0]),
            )
        self._question = question
        self._entries = [plan.bots.index(name) for name in self._names]
        self._test = SequentialTest()
        self.better: bool | None = None
        """The answer, None until it is known."""

    def add(self, shares: tuple[float, ...]) -> None:
        """Take the win shares of the next block."""
        one, other = self._entries
        self.better = self._test.add(shares[one] - shares[other])

    def told(self, games: int, output: Format) -> str:
        """Return the answer, and after how many games it was known."""
        if output is Format.JSON:
            answer = {"until": self._question, "better": self.better, "games": games}
            return msgspec.json.encode(answer).decode()
        one, other = map(bot_level, self._names)
        if self.better is None:
            text = _("After {games} games it is not known whether {bot} is better than {other}.")
        elif self.better:
            text = _("{bot} is better than {other}: known after {games} games.")
        else:
            text = _(
                "{bot} does not win 5 percentage points more games than {other}; that "
                "was clear after {games} games."
            )
        return text.format(bot=one, other=other, games=games)


arena_command.add_command(ladder)
arena_command.add_command(tournament)
