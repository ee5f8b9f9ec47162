"""`coffeerush arena`: play many games between bots in process, and compare them."""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain, count
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import click
import msgspec
from msgspec import Struct

from coffeerush.bots.arena import (
    BotResult,
    PlayedGame,
    block_orders,
    estimate,
    play_game,
    results_of,
    seating,
    win_shares,
)
from coffeerush.bots.load import load_bot
from coffeerush.cli import examples
from coffeerush.errors import BotError, RecordError, UsageError
from coffeerush.records.entries import End, Entry, Head, Move, Seated, check_bot, encode_entry
from coffeerush.rules import Deck, Setup
from coffeerush.ui.terminal.canvas import pad, width
from coffeerush.ui.words.i18n import _, pgettext
from protocol import MAX_PLAYERS, MIN_PLAYERS, clean_name

from .deck import load_deck
from .options import bot_kinds


class ArenaPlan(Struct, frozen=True):
    """The parameters that all games of an arena share."""

    bots: tuple[str, ...]
    block: int
    """The number of games in a block."""
    seed: int
    starters: bool
    deck: Deck
    record: Path | None


class GameResult(Struct, frozen=True):
    """One game of an arena, as `--json` prints it."""

    game: int
    seed: int
    rounds: int
    intents: int
    results: tuple[BotResult, ...]


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
    """`low` to `high` is the 95 % confidence interval of the share."""
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
    help=_("Random seed of the first block; each further block adds one."),
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
    for spec in entries:  # report a broken bot before the first game
        if record is not None:
            check_bot(spec)
        load_bot(spec)
    if record is not None:
        _make_directory(record)
    block = len(block_orders(entries))
    games = ceil(games / block) * block
    plan = ArenaPlan(entries, block, seed, starters, load_deck(deck), record)
    played: list[GameResult] = []
    games_played = _play_all(plan, games, min(jobs, games))
    with click.progressbar(
        games_played, length=games, label=_("Playing"), file=sys.stderr
    ) as progress:
        for result in progress:
            played.append(result)
            if as_json:
                click.echo(msgspec.json.encode(result))
    summaries = [_summary(plan, entry, played) for entry in range(len(entries))]
    if as_json:
        for summary in summaries:
            click.echo(msgspec.json.encode(summary))
    else:
        click.echo("\n".join(_table(summaries)))
        told = _("Games: {games}, in blocks of {block}; wins with a 95% confidence interval.")
        click.echo(told.format(games=games, block=block))


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordError(
            "{path} cannot be created ({reason}); choose another directory.",
            path=path,
            reason=error,
        ) from None


def _play_all(plan: ArenaPlan, games: int, jobs: int) -> Iterator[GameResult]:
    """Yield the games in order, played by `jobs` processes."""
    play = partial(_play_one, plan)
    if jobs == 1:
        yield from map(play, range(games))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(play, game) for game in range(games)]
        try:
            for future in waiting:
                yield future.result()
        except BrokenProcessPool:
            raise BotError("The bot process ended.") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _play_one(plan: ArenaPlan, game: int) -> GameResult:
    block, seated = seating(plan.bots, game)
    setup = Setup(len(seated), plan.deck, plan.seed + block, plan.starters)
    played = play_game(setup, [load_bot(plan.bots[entry]) for entry in seated])
    if plan.record is not None:
        _write_record(plan, game, seated, played)
    return GameResult(
        game=game,
        seed=setup.seed,
        rounds=played.final.round,
        intents=len(played.moves),
        results=results_of(played, seated),
    )


def _write_record(plan: ArenaPlan, game: int, seated: Sequence[int], played: PlayedGame) -> None:
    assert plan.record is not None
    names = [clean_name(f"{Path(plan.bots[entry]).name} {entry + 1}") for entry in seated]
    head = Head(
        table="Arena",
        game=game + 1,
        setup=played.setup,
        seats=tuple(
            Seated(name, bot=plan.bots[entry]) for name, entry in zip(names, seated, strict=True)
        ),
    )
    moves = [Move(rev, seat, one) for rev, (seat, one) in enumerate(played.moves, start=1)]
    entries: list[Entry] = [head, *moves, End(played.standings)]
    _write_new(
        plan.record / f"arena-{played.setup.seed}-{head.game}.record",
        b"".join(encode_entry(entry) for entry in entries),
    )


def _write_new(path: Path, data: bytes) -> None:
    """Write a new file; append a number to its name if that is taken."""
    names = chain([path], (path.with_stem(f"{path.stem}-{n}") for n in count(2)))
    for each in names:
        try:
            file = each.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            raise _unwritable(each, error) from None
        try:
            with file:
                file.write(data)
        except OSError as error:
            each.unlink(missing_ok=True)
            raise _unwritable(each, error) from None
        return


def _unwritable(path: Path, error: OSError) -> RecordError:
    return RecordError(
        "{path} cannot be written: {reason}; free some space or choose another path.",
        path=path,
        reason=error,
    )


def _summary(plan: ArenaPlan, entry: int, played: list[GameResult]) -> Summary:
    bot = plan.bots[entry]
    results = [one for game in played for one in game.results]
    own = [one for one in results if plan.bots[one.entry] == bot]
    shares = [win_shares(plan.bots, game.results)[entry] for game in played]
    blocks = [fmean(shares[at : at + plan.block]) for at in range(0, len(shares), plan.block)]
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
                *(f"{mean:.2f}" for mean in _means(one)),
            )
            for one in sorted(summaries, key=lambda one: (-one.share, -one.score))
        ),
    )


def _means(summary: Summary) -> tuple[float, ...]:
    return summary.score, summary.completed, summary.penalties, summary.upgrades


def _aligned(*rows: tuple[str, ...]) -> Iterator[str]:
    """Align the cells of all rows in columns, numbers to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(pad(cell, room, at > 1) for at, (cell, room) in enumerate(cells)).rstrip()
