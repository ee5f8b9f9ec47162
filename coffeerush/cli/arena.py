"""`coffeerush arena`: play many games between bots in child processes, and compare them."""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from math import ceil
from pathlib import Path
from queue import SimpleQueue
from statistics import fmean

import click
import msgspec
from msgspec import Struct

from coffeerush.arena.child import ArenaChild, FailedGame
from coffeerush.arena.game import block_orders, estimate, win_shares
from coffeerush.arena.plan import ArenaPlan, GameResult
from coffeerush.cli import examples
from coffeerush.errors import CoffeeRushError, RecordError, UsageError
from coffeerush.records.entries import check_bot
from coffeerush.ui.terminal.canvas import pad, width
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, pgettext
from protocol import MAX_PLAYERS, MIN_PLAYERS

from .deck import load_deck
from .options import bot_kinds


class Summary(Struct, frozen=True):
    """The results of one bot over all games, as `--json` prints it."""

    entry: int
    bot: str
    games: int
    blocks: int
    wins: int
    """Games with rank 1; a shared victory counts for each winner (R-END-3)."""
    share: float
    """The share of all victories; a shared one is split equally between the winners. Like the means
    below, it is averaged over all entries of this bot."""
    low: float
    """`low` to `high` is the 95% confidence interval of the share."""
    high: float
    score: float
    completed: float
    penalties: float
    upgrades: float


@click.command(
    name="arena",
    help=_(
        "Let bots play many games against each other on this machine, and compare "
        "them. Games are played in blocks: each block deals the same cards for every "
        "seating order of the bots."
    ),
    epilog=examples(
        "coffeerush arena --bots greedy,random,random,random --games 100",
        "coffeerush arena --bots greedy,my_bot.py:MyBot --games 50 --seed 7 --jobs 2",
        "coffeerush arena --bots greedy,greedy --games 10 --json | tail -n 2",
    ),
)
@click.option(
    "--bots",
    required=True,
    help=_("The bots, separated by commas: greedy, random, or FILE.py:Class."),
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help=_("Minimum number of games; the last block is always finished."),
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**62),
    default=0,
    show_default=True,
    help=_("Random seed of the first block; each later block uses the next number."),
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default=True,
    help=_("How many games to play in parallel."),
)
@click.option("--starters", is_flag=True, help=_("Play with starter orders."))
@click.option("--deck", type=click.Path(), help=_("Play with the deck in this file."))
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    help=_("Write a record of each game to this directory."),
)
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON lines: one per game, then one per bot.")
)
def command(
    bots: str,
    games: int,
    seed: int,
    jobs: int,
    starters: bool,
    deck: str | None,
    record: Path | None,
    as_json: bool,
) -> None:
    """Play the games and print the results."""
    entries = bot_kinds(bots)
    if not MIN_PLAYERS <= len(entries) <= MAX_PLAYERS:
        raise UsageError("A game has 2 to 4 players: give 2 to 4 bots, separated by commas.")
    if record is not None:
        for spec in entries:
            check_bot(spec)
        _make_directory(record)
    block = len(block_orders(entries))
    games = ceil(games / block) * block
    plan = ArenaPlan(entries, block, seed, starters, load_deck(deck), record)
    played: list[GameResult] = []
    failed: list[FailedGame] = []
    children = [ArenaChild(plan) for _number in range(min(jobs, games))]
    children[0].load()  # report a broken bot before the first game
    with click.progressbar(
        _play_all(children, games), length=games, label=_("Playing"), file=sys.stderr
    ) as progress:
        for result in progress:
            if isinstance(result, FailedGame):
                failed.append(result)
                continue
            played.append(result)
            if as_json:
                click.echo(msgspec.json.encode(result))
    if played:
        _print_summaries(plan, played, as_json)
    if failed:
        for line in _failures(plan, failed, games):
            click.echo(line, err=True)
        click.get_current_context().exit(CoffeeRushError.exit_code)


def _print_summaries(plan: ArenaPlan, played: Sequence[GameResult], as_json: bool) -> None:
    summaries = [_summary(plan, entry, played) for entry in range(len(plan.bots))]
    if as_json:
        for summary in summaries:
            click.echo(msgspec.json.encode(summary))
    else:
        click.echo("\n".join(_table(summaries)))
        told = _("Games: {games}, in blocks of {block}; wins with a 95% confidence interval.")
        click.echo(told.format(games=len(played), block=plan.block))


def _failures(plan: ArenaPlan, failed: Sequence[FailedGame], games: int) -> Iterator[str]:
    """Yield a line about each bot that failed."""
    for entry in sorted({one.entry for one in failed}):
        its = [one for one in failed if one.entry == entry]
        told = _("{bot} failed in {count} of {games} games, first in game {game}: {reason}")
        yield _("Error: {text}").format(
            text=told.format(
                bot=plan.bots[entry],
                count=len(its),
                games=games,
                game=its[0].game + 1,
                reason=error_line(its[0].error),
            )
        )


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordError(
            "{path} cannot be created ({reason}); choose another directory.",
            path=path,
            reason=error,
        ) from None


def _play_all(children: Sequence[ArenaChild], games: int) -> Iterator[GameResult | FailedGame]:
    """Yield the games in order, played by the children in parallel."""
    idle: SimpleQueue[ArenaChild] = SimpleQueue()
    for child in children:
        idle.put(child)

    def play(game: int) -> GameResult | FailedGame:
        child = idle.get()
        try:
            return child.play(game)
        finally:
            idle.put(child)

    with ThreadPoolExecutor(len(children)) as pool:
        try:
            yield from pool.map(play, range(games))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in children:
                child.stop()


def _summary(plan: ArenaPlan, entry: int, played: Sequence[GameResult]) -> Summary:
    bot = plan.bots[entry]
    results = [one for game in played for one in game.results]
    own = [one for one in results if plan.bots[one.entry] == bot]
    blocks = [
        fmean(win_shares(plan.bots, game.results)[entry] for game in block)
        for _number, block in groupby(played, lambda game: game.game // plan.block)
    ]
    share = estimate(blocks)
    return Summary(
        entry=entry,
        bot=bot,
        games=len(played),
        blocks=len(blocks),
        wins=sum(one.rank == 1 for one in results if one.entry == entry),
        share=share.mean,
        low=share.low,
        high=share.high,
        score=fmean(one.score for one in own),
        completed=fmean(one.completed for one in own),
        penalties=fmean(one.penalties for one in own),
        upgrades=fmean(one.upgrades for one in own),
    )


def _table(summaries: list[Summary]) -> Iterator[str]:
    """Yield the lines of the result table, best bot first."""
    yield from _aligned(
        (
            *("", pgettext("title of a column", "bot"), pgettext("title of a column", "wins")),
            pgettext("title of a column", "score"),
            pgettext("title of a column", "orders"),
            pgettext("title of a column", "penalties"),
            pgettext("title of a column", "upgrades"),
        ),
        *(
            (
                *(str(one.entry + 1), one.bot),
                f"{one.share:.1%} ({100 * one.low:.1f}-{100 * one.high:.1f})",
                *(f"{one.score:.2f}", f"{one.completed:.2f}"),
                *(f"{one.penalties:.2f}", f"{one.upgrades:.2f}"),
            )
            for one in sorted(summaries, key=lambda one: (-one.share, -one.score))
        ),
    )


def _aligned(*rows: tuple[str, ...]) -> Iterator[str]:
    """Align the cells of all rows in columns, numbers to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(pad(cell, room, at > 1) for at, (cell, room) in enumerate(cells)).rstrip()
