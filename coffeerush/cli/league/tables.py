"""The league as lines of text, and as CSV."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from coffeerush.league.table import Career, League, LeagueEntry
from coffeerush.local.figures import csv_text
from coffeerush.ui.terminal.canvas import aligned
from coffeerush.ui.words.i18n import ngettext, pgettext
from coffeerush.ui.words.league import rating_text, streak_text
from coffeerush.ui.words.names import decimal, percent


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
        *(percent(entry.wins), decimal(entry.points, 1), str(entry.best_turn), streak_text(entry)),
    )


def league_csv(careers: Sequence[Career], names: Mapping[str, str]) -> str:
    """Return one line per player as CSV; `names` are those to show, by id."""
    fields = [one for one in LeagueEntry.__struct_fields__ if one != "also"]
    rows = [fields]
    for career in careers:
        values: dict[str, Any] = msgspec.structs.asdict(career.entry)
        values["name"] = names[career.entry.id]
        rows.append([values[field] for field in fields])
    return csv_text(rows)
