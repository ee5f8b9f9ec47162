"""`coffeerush arena ladder`: the table of the bots' levels, as in the documentation."""

import shlex
from collections.abc import Iterator
from contextlib import closing
from math import ceil
from pathlib import Path
from typing import Any, Final

import click

from coffeerush import __version__
from coffeerush.arena.plan import ArenaPlan, digest
from coffeerush.arena.statistics import Comparison
from coffeerush.bots import BOTS
from coffeerush.cli import examples
from coffeerush.cli.deck import load_deck
from coffeerush.cli.options import bot_kinds
from coffeerush.errors import CoffeeRushError
from coffeerush.levels import LEVELS
from coffeerush.rules import Deck
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import percent
from protocol import MAX_PLAYERS, MIN_PLAYERS

from .run import MAX_GAMES, Run, check_bots, make_directory, run_options, where
from .tables import markdown, share_words

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
    help=_("Compare the levels with this bot, too; may be repeated."),
)
@run_options
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    help=_("Keep the results in this directory, and continue with those that it has."),
)
@click.pass_context
def ladder(context: click.Context, /, **options: Any) -> None:
    """Play the games and print the table."""
    found = _Ladder(**options)
    rows = [*found.rows()]
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
    click.echo("\n" + told.format(version=__version__, command=found.command))
    for line in found.complaints:
        click.echo(line, err=True)
    if found.has_failed:
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
        check_bots(self._others, self._deck)  # before the first game, not before each one's first
        if resume is not None:
            make_directory(resume)
        self.command = " ".join(
            (
                f"`coffeerush arena ladder --bots {bots} --games {games} --seed {seed}",
                *(f"--yardstick {as_typed(one)}" for one in yardsticks),
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
            (share_words(one.share, one.low, one.high) for one in summaries if not one.entry), "-"
        )


def _short(bot: str) -> str:
    """Return a name for a bot that may be part of a file's name, another one for each bot."""
    return bot if bot in BOTS else f"{Path(bot).name}-{digest(bot)}"
