"""The result of an arena as a text table, JSON lines, CSV or Markdown."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from math import isfinite

import msgspec

from coffeerush.arena.statistics import Comparison, Summary, ranking
from coffeerush.local.figures import csv_text
from coffeerush.ui.terminal.canvas import aligned
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import bot_level, decimal, percent

from .charts import share_chart


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def result_lines(found: Comparison, output: Format) -> Iterator[str]:
    """Yield the lines of a result with at least one finished game."""
    summaries = found.summaries
    ranked = ranking(summaries)
    if output is Format.JSON:
        yield from (msgspec.json.encode(summary).decode() for summary in summaries)
        return
    if output is Format.CSV:
        rows = [Summary.__struct_fields__, *map(msgspec.structs.astuple, ranked)]
        yield csv_text(rows).rstrip("\n")
        return
    if output is Format.MARKDOWN:
        yield from markdown(_rows(ranked))
        yield ""
    else:
        yield from aligned(*_rows(ranked))
    yield _("Games: {games}, in blocks of {block}; wins with a 95% confidence interval.").format(
        games=found.games, block=found.plan.games
    )
    for pair in found.undecided(ranked):
        better, worse = map(bot_level, pair)
        yield _("No difference found between {bot} and {other}.").format(bot=better, other=worse)
    if output is Format.TABLE:
        yield ""
        yield from share_chart(ranked)


def _rows(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """Return the cells of the result table, below those of its head."""
    head = (
        *("", pgettext("title of a column", "bot"), pgettext("title of a column", "wins")),
        *(pgettext("title of a column", "score"), pgettext("title of a column", "strength")),
        pgettext("title of a column", "orders"),
        pgettext("title of a column", "penalties"),
        pgettext("title of a column", "upgrades"),
    )
    return [
        head,
        *(
            (
                *(str(one.entry + 1), bot_level(one.bot)),
                share_words(one.share, one.low, one.high),
                f"{decimal(one.score, 2)}{_margin(one.score_low, one.score_high, 2)}",
                f"{one.strength:+.0f}{_margin(one.strength_low, one.strength_high, 0)}",
                *(decimal(mean, 2) for mean in (one.completed, one.penalties, one.upgrades)),
            )
            for one in summaries
        ),
    ]


def share_words(share: float, low: float, high: float) -> str:
    """Return a share and its interval in per cent."""
    return f"{percent(share, 1)} ({decimal(100 * low, 1)}-{decimal(100 * high, 1)})"


def _margin(low: float, high: float, digits: int) -> str:
    """Return half the width of an interval, nothing if it is not known."""
    return f" ±{decimal((high - low) / 2, digits)}" if isfinite(high - low) else ""


def markdown(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; its first two columns hold text, the others numbers."""
    head, *body = (tuple(cell.replace("|", "\\|") for cell in row) for row in rows)
    ruler = ("---" if at < 2 else "---:" for at in range(len(head)))
    for row in (head, ruler, *body):
        yield f"| {' | '.join(row)} |"
