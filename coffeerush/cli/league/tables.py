"""The league as lines of text, and as CSV."""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from coffeerush.league.table import Career, League, LeagueEntry
from coffeerush.ui.terminal.canvas import aligned
from coffeerush.ui.words.i18n import ngettext, pgettext
from coffeerush.ui.words.league import rating_text, streak_text

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run as a formula."""


def league_table(league: League, names: Mapping[str, str]) -> Iterator[str]:
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
    entries = [one.entry for one in league.careers]
    yield from aligned(
        heading, *(_row(rank, one, names[one.id]) for rank, one in enumerate(entries, 1))
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
        *(f"{entry.wins:.0%}", f"{entry.points:.1f}", str(entry.best_turn), streak_text(entry)),
    )


def write_csv(careers: Sequence[Career], names: Mapping[str, str]) -> None:
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
