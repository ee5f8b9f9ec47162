"""`coffeerush host --tournament`: its options, and the standings as text and JSON."""

from collections.abc import Callable
from math import ceil
from typing import Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource
from msgspec import Struct

from coffeerush.client.tournament import UNIT
from coffeerush.errors import HostError, UsageError
from coffeerush.levels import LEVELS
from coffeerush.table_rules import TableRules
from coffeerush.tournament.course import TournamentPlan
from coffeerush.tournament.pairing import table_sizes
from coffeerush.tournament.tournament import MIN_ENTRANTS
from coffeerush.ui.terminal.canvas import aligned
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.tournament import standing_cells, standing_titles
from protocol import (
    MAX_BREAK_SECONDS,
    MAX_ENTRANTS,
    MAX_PLAYERS,
    MAX_TABLES,
    MAX_TOURNAMENT_ROUNDS,
    TournamentPlayer,
    TournamentRules,
    TournamentView,
)

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
BREAK_SECONDS: Final = 10
_ITS_OWN: Final = ("rounds", "fill", "break_seconds", "as_json")
"""The options that need `--tournament`."""
_OTHERS: Final = ("bots", "games", "first", "rotation", "resume", "most_tables")
"""The options that exclude it."""
_MOST_TABLES: Final = MAX_TABLES - len(table_sizes(MAX_ENTRANTS))
"""The rest is for the tables of a round."""
_META: Final = "tournament."
"""The prefix of these options in `Context.meta`."""


def tournament_options(command: Decorated) -> Decorated:
    """Add the options of a tournament to the command; `plan_of` reads their values."""
    for option in reversed(_options()):
        command = option(command)
    return command


def _note(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Keep the value of an option for `plan_of`."""
    context.meta[f"{_META}{option.name}"] = value
    return value


def _options() -> tuple[Callable[[Decorated], Decorated], ...]:
    def option(*names: str, **more: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, **more, callback=_note, expose_value=False)

    return (
        option(
            "--tournament",
            type=click.IntRange(MIN_ENTRANTS, MAX_ENTRANTS),
            help=_(
                "With --headless: hold a tournament that begins once this many players "
                "are there. Everybody who takes a seat or gets in line for one takes "
                "part, people and bots alike. When it is over, the host prints the "
                "standings and stops."
            ),
        ),
        option(
            "--rounds",
            type=click.IntRange(1, MAX_TOURNAMENT_ROUNDS),
            help=_(
                "Number of rounds of the tournament (default: the usual number for "
                "that many players)."
            ),
        ),
        option(
            "--fill",
            type=click.Choice(LEVELS),
            help=_(
                "Fill up each table of the tournament to four players with bots of "
                "this level (default: tables of three and four players)."
            ),
        ),
        option(
            "--break-seconds",
            type=click.IntRange(1, MAX_BREAK_SECONDS),
            default=BREAK_SECONDS,
            help=_(
                "Time between two rounds of the tournament in seconds (default: {count})."
            ).format(count=BREAK_SECONDS),
        ),
        option(
            "--json",
            "as_json",
            is_flag=True,
            help=_("Print the standings of the tournament as JSON lines: one per player."),
        ),
    )


def plan_of(context: click.Context, rules: TableRules) -> TournamentPlan | None:
    """Return the tournament that was asked for at tables with these rules, or None.

    Raises:
        UsageError: its options cannot be combined.
    """
    typed = [
        parameter
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    players = _value(context, "tournament")
    excluded = _ITS_OWN if players is None else _OTHERS
    wrong = next((each.opts[0] for each in typed if each.name in excluded), None)
    if players is None:
        if wrong:
            raise UsageError("{option} needs --tournament.", option=wrong)
        return None
    if wrong:
        raise UsageError("{option} cannot be used with --tournament; leave it out.", option=wrong)
    if not context.params["headless"]:
        raise UsageError("--tournament needs --headless.")
    if context.params["tables"] > _MOST_TABLES:
        raise UsageError(
            "With --tournament, there can be at most {most} other tables.", most=_MOST_TABLES
        )
    agreed = TournamentRules(
        _value(context, "rounds") or 0,
        fill=_value(context, "fill"),
        break_seconds=_value(context, "break_seconds"),
    )
    return TournamentPlan(players, rules.for_tournament(agreed))


def _value(context: click.Context, name: str) -> Any:
    return context.meta[f"{_META}{name}"]


def tables_for(plan: TournamentPlan) -> int:
    """Return at how many tables everybody can wait for the tournament to begin."""
    return ceil(plan.players / MAX_PLAYERS)


# The standings


class StandingsLine(Struct, frozen=True):
    """The result of a player, as JSON."""

    place: int
    """0 for who has not played."""
    name: str
    wins: float
    points: float
    penalties: int
    rounds: int
    withdrawn: bool


def print_standings(context: click.Context, view: TournamentView) -> None:
    """Print how the tournament stands, as text to paste or as JSON lines."""
    if _value(context, "as_json"):
        for player in view.players:
            click.echo(msgspec.json.encode(_line(player)))
    else:
        rows = aligned(standing_titles(), *map(standing_cells, view.players))
        click.echo("\n".join(rows))


def check_played(view: TournamentView) -> None:
    """Raise `HostError` unless all rounds were played."""
    if view.stage != "over":
        raise HostError(
            "The tournament is not over; continue it with --resume-latest and the same options."
        )
    if view.round < view.rounds:
        raise HostError(
            "The tournament ended after round {number} of {count}: fewer than two "
            "players were left.",
            number=view.round,
            count=view.rounds,
        )


def _line(player: TournamentPlayer) -> StandingsLine:
    wins, points = player.wins / UNIT, player.points / UNIT
    return StandingsLine(
        player.place, player.name, wins, points, player.penalties, player.rounds, player.withdrawn
    )
