"""Charts of ratings over time: in the terminal, or in an SVG or PNG file (extra `plots`)."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from coffeerush.league.table import Career
from coffeerush.local.figures import save_figure
from coffeerush.ui.terminal.canvas import Area, Canvas, Look
from coffeerush.ui.terminal.parts import draw_chart
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.league import chart_ends

_CHART: Final = Area(0, 0, 72, 9)
_PLOTTED: Final = 10
"""The most players in one chart: there are no more colours."""
_DAY_SECONDS: Final = 86_400


def rating_chart(career: Career, ascii_only: bool) -> Iterator[str]:
    """Yield the lines of a chart of a player's ratings."""
    canvas = Canvas(_CHART.columns, _CHART.rows)
    draw_chart(canvas, _CHART, [one.rating for one in career.history], chart_ends(career))
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
    axes.legend()
    figure.autofmt_xdate()
    save_figure(figure, path)
