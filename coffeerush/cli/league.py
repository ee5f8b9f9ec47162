"""`coffeerush league`: results and ratings of everybody who has played on this machine."""

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.league.merges import load_merges, merge, unmerge
from coffeerush.league.store import league_directory, load_league
from coffeerush.league.table import Career, League, LeagueEntry
from coffeerush.local.directories import records_directory
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Look, pad, width
from coffeerush.ui.terminal.chart import draw_chart
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.league import (
    LEAGUE_EMPTY,
    career_rows,
    chart_ends,
    league_names,
    rating_text,
    reading_text,
    skipped_text,
    streak_text,
)
from coffeerush.ui.words.names import item_list

from .options import person_of
from .plots import check_plot, save_figure

_SHOW: Final = "show"
_CHART: Final = Area(0, 0, 72, 9)
_PLOTTED: Final = 10
"""At most as many players are in a chart of the whole league as it has colours."""
_DAY_SECONDS: Final = 86_400
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run as a formula."""


class _ShowByDefault(click.Group):
    """A group whose command `show` can be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `show` unless another command or the help is asked for."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_SHOW, *args]
        return super().parse_args(ctx, args)


@click.group(
    name="league",
    cls=_ShowByDefault,
    help=_(
        "Show the house league: results and ratings of everybody in the game records of this "
        "machine, people and bots. Without a command, it does what “show” does."
    ),
    epilog=examples(
        "coffeerush league",
        "coffeerush league Ann",
        "coffeerush league --plot ratings.svg",
        "coffeerush league merge Annie Ann",
    ),
)
def command() -> None:
    """Group the commands of the league."""


@command.command(
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
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON lines: one per player; one for NAME.")
)
@click.option("--csv", "as_csv", is_flag=True, help=_("Print the table as CSV."))
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help=_("Draw the ratings over time into this SVG or PNG file."),
)
@click.option("--rebuild", is_flag=True, help=_("Read all game records again."))
@click.pass_context
def show(
    context: click.Context, name: str, as_json: bool, as_csv: bool, plot: Path | None, rebuild: bool
) -> None:
    """Print the league or one player, and draw a chart if one is asked for."""
    if as_json and as_csv:
        raise UsageError("Choose --json or --csv, not both.")
    if plot is not None:
        check_plot(plot)
    league = load_league(records_directory(), _tell, rebuild)
    names = league_names(league)
    careers = (find(league, names, name),) if name else league.careers
    if plot is not None and careers:
        _plot(careers[:_PLOTTED], names, plot)
    if as_json:
        for career in careers:
            click.echo(msgspec.json.encode(career if name else career.entry))
    elif as_csv:
        _write_csv(careers, names)
    elif not careers:
        click.echo(_(LEAGUE_EMPTY))
    elif name:
        click.echo("\n".join(_career_lines(careers[0], names, person_of(context).settings.ascii)))
    else:
        click.echo("\n".join(_table(league, names)))
    if skipped := skipped_text(league):
        click.echo(skipped, err=True)


@command.command(
    name="merge",
    short_help=_("Say that two people in the table are one."),
    help=_(
        "Let all games of NAME count for OTHER, who is the same person: somebody who joins with "
        "another name or from another machine is somebody new. The records stay as they are."
    ),
    epilog=examples("coffeerush league merge Annie Ann", "coffeerush league merge 3f9a1c2b Ann"),
)
@click.argument("name")
@click.argument("other")
def merge_people(name: str, other: str) -> None:
    """Merge two people."""
    league = load_league(records_directory(), _tell)
    names = league_names(league)
    one, into = (find(league, names, text).entry for text in (name, other))
    if one.id == into.id:
        raise UsageError("{name} is one person already.", name=names[one.id])
    for entry in (one, into):
        if entry.bot:
            raise UsageError("{bot} is a bot; only people can be merged.", bot=names[entry.id])
    merge(league_directory(), one.id, into.id)
    click.echo(
        _("All games of {name} count for {other} now; undo it with: {command}").format(
            name=names[one.id], other=names[into.id], command=f"coffeerush league unmerge {one.id}"
        )
    )


@command.command(
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
    found = [
        one
        for one in league.careers
        if typed in (one.entry.id, one.entry.name.casefold(), names[one.entry.id].casefold())
    ]
    if not found:
        raise UsageError(
            "Nobody in the league is called {name}; coffeerush league lists everybody.",
            name=wanted,
        )
    if len(found) > 1:
        raise UsageError(
            "Several players are called {name}; use the id of one: {ids}.",
            name=wanted,
            ids=item_list(one.entry.id for one in found),
        )
    return found[0]


def _tell(done: int, total: int) -> None:
    click.echo(reading_text(done, total), err=True)


def _table(league: League, names: Mapping[str, str]) -> Iterator[str]:
    heading = (
        "",
        pgettext("title of a column", "name"),
        pgettext("title of a column", "rating"),
        pgettext("title of a column", "games"),
        pgettext("title of a column", "won"),
        pgettext("title of a column", "points"),
        pgettext("title of a column", "best turn"),
        pgettext("title of a column", "won in a row"),
    )
    entries = [one.entry for one in league.careers]
    yield from _aligned(
        heading, *(_row(rank, one, names[one.id]) for rank, one in enumerate(entries, 1))
    )
    told = ngettext(
        "{count} game. Rating: 95% intervals; the order goes by their lower ends.",
        "{count} games. Rating: 95% intervals; the order goes by their lower ends.",
        league.games,
    )
    yield told.format(count=league.games)


def _row(rank: int, entry: LeagueEntry, name: str) -> tuple[str, ...]:
    return (
        *(str(rank), name, rating_text(entry), str(entry.games)),
        *(f"{entry.wins:.0%}", f"{entry.points:.1f}", str(entry.best_turn), streak_text(entry)),
    )


def _aligned(*rows: tuple[str, ...]) -> Iterator[str]:
    """Align the cells of all rows in columns, numbers to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(pad(cell, room, at > 1) for at, (cell, room) in enumerate(cells)).rstrip()


def _career_lines(career: Career, names: Mapping[str, str], ascii_only: bool) -> Iterator[str]:
    yield names[career.entry.id]
    for label, value in career_rows(career, names):
        yield "  " + _("{label}: {value}").format(label=label, value=value)
    canvas = Canvas(_CHART.columns, _CHART.rows)
    draw_chart(canvas, _CHART, [one.rating for one in career.history], chart_ends(career))
    look = Look(ascii=ascii_only, encoding=sys.stdout.encoding)
    yield from (line.rstrip() for line in canvas.lines(look))


def _write_csv(careers: tuple[Career, ...], names: Mapping[str, str]) -> None:
    """Print one line per player, safe to open in a spreadsheet: names may come from strangers."""
    fields = [one for one in LeagueEntry.__struct_fields__ if one != "also"]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(fields)
    for career in careers:
        values: dict[str, Any] = msgspec.structs.asdict(career.entry)
        values["name"] = names[career.entry.id]
        if values["name"].startswith(_FORMULA):
            values["name"] = "'" + values["name"]
        writer.writerow([values[field] for field in fields])


def _plot(careers: tuple[Career, ...], names: Mapping[str, str], path: Path) -> None:
    """Draw ratings over time; of a single player, the interval, too."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    for career in careers:
        days = [one.begun / _DAY_SECONDS for one in career.history]
        ratings = [one.rating for one in career.history]
        # a label that begins with an underscore would be left out
        axes.plot(days, ratings, marker=".", label=f" {names[career.entry.id]}")
        if len(careers) == 1:
            low, high = (
                [one.rating + sign * one.uncertainty for one in career.history] for sign in (-1, 1)
            )
            axes.fill_between(days, low, high, alpha=0.2)
    axes.xaxis_date()
    axes.set_ylabel(_("Rating"))
    for text in axes.legend().get_texts():
        text.set_parse_math(False)  # a name may have dollar signs
    figure.autofmt_xdate()
    save_figure(figure, path)
