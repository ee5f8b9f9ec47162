"""`coffeerush league`: results and ratings of everybody who has played on this machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import msgspec

from coffeerush.cli import examples
from coffeerush.cli.options import person_of
from coffeerush.errors import UsageError
from coffeerush.league.store import league_directory, load_league
from coffeerush.league.table import Career, League, load_merges, merge, unmerge
from coffeerush.local.figures import check_plot
from coffeerush.local.files import records_directory
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.league import (
    LEAGUE_EMPTY,
    LEAGUE_GROWS,
    career_rows,
    league_names,
    reading_text,
    skipped_text,
)
from coffeerush.ui.words.names import item_list

from .charts import plot, rating_chart
from .tables import league_csv, league_table

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
        click.echo(league_csv(careers, names), nl=False)
    elif not careers:
        click.echo(" ".join((_(LEAGUE_EMPTY), _(LEAGUE_GROWS))))
    elif name:
        _print_career(careers[0], names, person_of(context).settings.ascii)
    else:
        click.echo("\n".join(league_table(league, names)))
    if skipped := skipped_text(league):
        click.echo(skipped, err=True)


@command.command(
    name="merge",
    short_help=_("Say that two people in the table are one."),
    help=_(
        "Let all games of NAME count for OTHER, if both are the same person: whoever joins under "
        "another name or from another machine is somebody new to the league. The records are not "
        "changed."
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
        raise UsageError("Both are {name} already.", name=names[one.id])
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


def _tell(done: int, total: int | None) -> None:
    click.echo(reading_text(done, total), err=True)


def _print_career(career: Career, names: Mapping[str, str], ascii_only: bool) -> None:
    click.echo(names[career.entry.id])
    for one in career_rows(career, names):
        click.echo("  " + _("{label}: {value}").format(label=one.label, value=one.value))
    for line in rating_chart(career, ascii_only):
        click.echo(line)
