"""`coffeerush league`: the house league as text, JSON, CSV and charts, and merges of people."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from coffeerush.errors import UsageError
from coffeerush.league.store import league_directory, load_league
from coffeerush.league.table import Career, League, LeagueEntry, load_merges, merge, unmerge
from coffeerush.local.figures import check_plot, csv_text, save_figure
from coffeerush.local.files import records_directory
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, aligned
from coffeerush.ui.terminal.parts import draw_chart
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.league import (
    LEAGUE_EMPTY,
    LEAGUE_GROWS,
    career_rows,
    chart_ends,
    evening_rows,
    evening_title,
    league_names,
    rating_text,
    reading_text,
    skipped_text,
    streak_text,
)
from coffeerush.ui.words.names import decimal, item_list, percent

from . import examples
from .options import person_of

# Charts of ratings over time: in the terminal, or in an SVG or PNG file (extra `plots`)


_CHART: Final = Area(0, 0, 72, 9)
_PLOTTED: Final = 10
"""The most players in one chart: there are no more colours."""
_DAY_SECONDS: Final = 86_400


def _rating_chart(career: Career, ascii_only: bool) -> Iterator[str]:
    """Yield the lines of a chart of a player's ratings."""
    canvas = Canvas(_CHART.columns, _CHART.rows)
    draw_chart(canvas, _CHART, [game.rating for game in career.history], chart_ends(career))
    look = Look(ascii=ascii_only, encoding=sys.stdout.encoding)
    yield from (line.rstrip() for line in canvas.lines(look))


def plot(careers: Sequence[Career], names: Mapping[str, str], path: Path) -> None:
    """Draw the ratings of the best players over time; of a single player, also the interval.

    Args:
        careers: best first, at least one.
        names: those to show, by id.
        path: of an SVG or PNG file.

    Raises:
        RecordError: the file cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    for career in careers[:_PLOTTED]:
        days = [game.begun / _DAY_SECONDS for game in career.history]
        ratings = [game.rating for game in career.history]
        # a label that begins with an underscore would be left out
        axes.plot(days, ratings, marker=".", label=f" {names[career.entry.id]}")
        if len(careers) == 1:
            low = [game.rating - game.uncertainty for game in career.history]
            high = [game.rating + game.uncertainty for game in career.history]
            axes.fill_between(days, low, high, alpha=0.2)
    axes.xaxis_date()
    axes.set_ylabel(_("Rating"))
    axes.legend()
    figure.autofmt_xdate()
    save_figure(figure, path)


# The league as lines of text, and as CSV


def _league_table(league: League, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the table, best player first; `names` are those to show, by id."""
    heading = (
        "",
        pgettext("title of a column", "name"),
        pgettext("title of a column", "rating"),
        pgettext("title of a column", "games"),
        pgettext("title of a column", "won"),
        pgettext("title of a column", "points"),
        pgettext("title of a column", "best turn"),
        pgettext("title of a column", "streak"),
    )
    entries = [career.entry for career in league.careers]
    yield from aligned(
        heading, *(_row(rank, entry, names[entry.id]) for rank, entry in enumerate(entries, 1))
    )
    told = ngettext(
        "{count} game; ratings with 95% intervals, sorted by their lower ends.",
        "{count} games; ratings with 95% intervals, sorted by their lower ends.",
        league.games,
    )
    yield told.format(count=league.games)


def _row(rank: int, entry: LeagueEntry, name: str) -> tuple[str, ...]:
    return (
        *(str(rank), name, rating_text(entry), str(entry.games)),
        *(percent(entry.wins), decimal(entry.points, 1), str(entry.best_turn), streak_text(entry)),
    )


def _league_csv(careers: Sequence[Career], names: Mapping[str, str]) -> str:
    """Return one line per player as CSV; `names` are those to show, by id."""
    fields = [field for field in LeagueEntry.__struct_fields__ if field != "also"]
    rows = [fields]
    for career in careers:
        values: dict[str, Any] = msgspec.structs.asdict(career.entry)
        values["name"] = names[career.entry.id]
        rows.append([values[field] for field in fields])
    return csv_text(rows)


# `coffeerush league`: results and ratings of everybody who has played on this machine


_SHOW: Final = "show"


class _ShowByDefault(click.Group):
    """A group whose command `show` can be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `show` unless another command or the help is asked for."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_SHOW, *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options of `show`, and the commands."""
        self.commands[_SHOW].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(
    name="league",
    cls=_ShowByDefault,
    help=_(
        "Show the house league: results and ratings of everybody in the game records "
        "of this machine, people and bots. Without a command, it does the same as "
        "“show”."
    ),
    epilog=examples(
        "coffeerush league",
        "coffeerush league Ann",
        "coffeerush league --plot ratings.svg",
        "coffeerush league merge Annie Ann",
    ),
)
def league_command() -> None:
    """Group the commands of the league."""


@league_command.command(
    name=_SHOW,
    short_help=_("Show the table, or one player."),
    help=_(
        "Show the table of the league, or with NAME one player: results against each opponent, "
        "and the rating over time. NAME is a name in the table, or an id."
    ),
    epilog=examples(
        "coffeerush league",
        "coffeerush league Ann",
        "coffeerush league --csv > league.csv",
        "coffeerush league Ann --plot ann.png",
    ),
)
@click.argument("name", default="")
@click.option("--json", "as_json", is_flag=True, help=_("Print JSON lines: one per player."))
@click.option("--csv", "as_csv", is_flag=True, help=_("Print the table as CSV."))
@click.option(
    "--plot",
    "plot_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help=_("Draw the ratings over time into this SVG or PNG file."),
)
@click.option("--rebuild", is_flag=True, help=_("Read all game records again."))
@click.pass_context
def show(
    context: click.Context,
    name: str,
    as_json: bool,
    as_csv: bool,
    plot_file: Path | None,
    rebuild: bool,
) -> None:
    """Print the league or one player, and draw a chart if one is asked for."""
    if as_json and as_csv:
        raise UsageError("Choose --json or --csv, not both.")
    if plot_file is not None:
        check_plot(plot_file)
    league = load_league(records_directory(), _tell, rebuild)
    names = league_names(league)
    careers = (find(league, names, name),) if name else league.careers
    if plot_file is not None and careers:
        plot(careers, names, plot_file)
    if as_json:
        for career in careers:
            click.echo(msgspec.json.encode(career if name else career.entry))
    elif as_csv:
        click.echo(_league_csv(careers, names), nl=False)
    elif not careers:
        click.echo(" ".join((_(LEAGUE_EMPTY), _(LEAGUE_GROWS))))
    elif name:
        _print_career(careers[0], names, person_of(context).settings.ascii)
    else:
        click.echo("\n".join(_league_table(league, names)))
    if skipped := skipped_text(league):
        click.echo(skipped, err=True)


@league_command.command(
    name="evening",
    short_help=_("Show the latest evening."),
    help=_(
        "Show the latest evening: its tournaments, how often each player won, the longest "
        "streak, the best turn, the fastest game, and all results. A game that begins "
        "more than six hours after the one before begins another evening."
    ),
    epilog=examples("coffeerush league evening", "coffeerush league evening --json"),
)
@click.option("--json", "as_json", is_flag=True, help=_("Print it as JSON."))
def evening(as_json: bool) -> None:
    """Print the latest evening."""
    league = load_league(records_directory(), _tell)
    if as_json:
        click.echo(msgspec.json.encode(league.evening))
    elif league.evening is None:
        click.echo(" ".join((_(LEAGUE_EMPTY), _(LEAGUE_GROWS))))
    else:
        click.echo(evening_title(league.evening))
        groups = [group for group in evening_rows(league.evening) if group]
        lines = aligned(*((f"  {row.label}", row.value) for group in groups for row in group))
        for number, group in enumerate(groups):
            click.echo("\n" * bool(number), nl=False)
            click.echo("\n".join(islice(lines, len(group))))


@league_command.command(
    name="merge",
    short_help=_("Merge two people in the table into one."),
    help=_(
        "Let all games of NAME count for OTHER, if both are the same person: anyone "
        "who joins under another name or from another machine is new to the league. "
        "The records are not changed."
    ),
    epilog=examples("coffeerush league merge Annie Ann", "coffeerush league merge 3f9a1c2b Ann"),
)
@click.argument("name")
@click.argument("other")
def merge_people(name: str, other: str) -> None:
    """Let one person's games count for another; raises `UsageError` for a bot."""
    league = load_league(records_directory(), _tell)
    names = league_names(league)
    merged, into = (find(league, names, text).entry for text in (name, other))
    if merged.id == into.id:
        raise UsageError("Both are {name} already.", name=names[merged.id])
    for entry in (merged, into):
        if entry.bot:
            raise UsageError("{bot} is a bot; only people can be merged.", bot=names[entry.id])
    merge(league_directory(), merged.id, into.id)
    told = _("All games of {name} count for {other} now; undo it with: {command}")
    command = f"coffeerush league unmerge {merged.id}"
    click.echo(told.format(name=names[merged.id], other=names[into.id], command=command))


@league_command.command(
    name="unmerge",
    short_help=_("Undo a merge."),
    help=_("Separate everybody who was merged into NAME, or one of them by their id."),
    epilog=examples("coffeerush league unmerge Ann", "coffeerush league unmerge 3f9a1c2b"),
)
@click.argument("name")
def unmerge_people(name: str) -> None:
    """Undo a merge."""
    directory = league_directory()
    merged = load_merges(directory)
    league = load_league(records_directory(), _tell)
    player = name if name in merged else find(league, league_names(league), name).entry.id
    if player not in {*merged, *merged.values()}:
        raise UsageError("Nobody was merged into {name}.", name=name)
    unmerge(directory, player)
    click.echo(_("These players are separate again."))


def find(league: League, names: Mapping[str, str], wanted: str) -> Career:
    """Return the player of a name as in the table, in any case, or of an id; raises `UsageError`.

    Args:
        league: the league.
        names: the names in the table, by id.
        wanted: what was typed.
    """
    typed = wanted.casefold()
    entries = ((career, career.entry) for career in league.careers)
    named = [
        career
        for career, entry in entries
        if typed in (entry.id, entry.name.casefold(), names[entry.id].casefold())
    ]
    if not named:
        raise UsageError(
            "Nobody in the league is called {name}; coffeerush league lists everybody.",
            name=wanted,
        )
    if len(named) > 1:
        raise UsageError(
            "Several players are called {name}; use the id of one: {ids}.",
            name=wanted,
            ids=item_list(career.entry.id for career in named),
        )
    return named[0]


def _tell(done: int, total: int | None) -> None:
    click.echo(reading_text(done, total), err=True)


def _print_career(career: Career, names: Mapping[str, str], ascii_only: bool) -> None:
    click.echo(names[career.entry.id])
    for row in career_rows(career, names):
        click.echo("  " + _("{label}: {value}").format(label=row.label, value=row.value))
    for line in _rating_chart(career, ascii_only):
        click.echo(line)
