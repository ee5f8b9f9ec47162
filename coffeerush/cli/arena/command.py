"""`coffeerush arena`: play many games between bots in child processes, and compare them."""

from contextlib import closing
from math import ceil
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from click.core import ParameterSource

from coffeerush.arena.plan import ArenaPlan
from coffeerush.arena.statistics import Comparison, SequentialTest, block_shares
from coffeerush.cli import examples
from coffeerush.cli.deck import load_deck
from coffeerush.cli.options import bot_kinds
from coffeerush.errors import CoffeeRushError, UsageError
from coffeerush.levels import LEVELS
from coffeerush.local.figures import check_plot
from coffeerush.records.entries import check_bot
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import bot_level
from protocol import MAX_PLAYERS, MIN_PLAYERS

from .charts import plot
from .ladder import ladder
from .run import MAX_GAMES, Run, make_directory, run_options, where
from .tables import Format, result_lines

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
    help=_("How many bots play each game, if there are more than that: they take turns."),
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
@run_options
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
    type=click.Choice([one.value for one in Format]),
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
def command(context: click.Context, /, **options: Any) -> None:
    """Compare the bots, unless a subcommand was typed."""
    if context.invoked_subcommand is not None:
        return
    if options["bots"] is None:
        option = next(one for one in context.command.params if one.name == "bots")
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
    if record is not None and cluster is not None:
        raise UsageError("The workers of a cluster write no records; leave out --record.")
    if record is not None:
        _prepare_records(plan, record)
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
    found = Comparison(plan, run.blocks)
    if found.blocks:
        for line in result_lines(found, printed):
            click.echo(line)
        if test is not None:
            click.echo(test.told(found.games, printed), err=printed is Format.CSV)
        if chart is not None:
            plot(found.summaries, chart)
    for line in run.complaints():
        click.echo(line, err=True)
    if run.has_failed:
        context.exit(CoffeeRushError.exit_code)


def _prepare_records(plan: ArenaPlan, directory: Path) -> None:
    """Make the directory for records; raises `CoffeeRushError` if there can be none."""
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
    return ArenaPlan(entries, players, seed, starters, load_deck(deck), record)


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
            found = {"until": self._question, "better": self.better, "games": games}
            return msgspec.json.encode(found).decode()
        one, other = map(bot_level, self._names)
        if self.better is None:
            text = _("After {games} games it is not known whether {bot} is better than {other}.")
        elif self.better:
            text = _("{bot} is better than {other}: known after {games} games.")
        else:
            text = _(
                "{bot} does not win 5 percentage points more of the games than "
                "{other}: known after {games} games."
            )
        return text.format(bot=one, other=other, games=games)


command.add_command(ladder)
