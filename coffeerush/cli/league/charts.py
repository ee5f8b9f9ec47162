"""Charts of ratings over time: in the terminal, or in an SVG or PNG file (extra `plots`)."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coffeerush.errors import RecordError, UsageError
from coffeerush.league.table import Career
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.chart import draw_chart
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.league import chart_ends

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def check_plot(path: Path) -> None:
    """Raise `UsageError` if a chart cannot be drawn into a file of this name."""
    if path.suffix not in {".svg", ".png"}:
        raise UsageError("{path} is not a chart: its name must end in .svg or .png.", path=path)
    try:
        import matplotlib.figure  # noqa: F401 - imported late: it is slow, and an extra
    except ImportError:
        raise UsageError(
            'A chart needs matplotlib; install it with: pip install "coffeerush[plots]"'
        ) from None


def plot(careers: Sequence[Career], names: Mapping[str, str], path: Path) -> None:
    """Draw the ratings of the best players over time; of a single player, the interval, too.

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
    for text in axes.legend().get_texts():
        text.set_parse_math(False)  # a name may have dollar signs
    figure.autofmt_xdate()
    save_figure(figure, path)


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure to an SVG or PNG file, the same bytes each time; raises `RecordError`."""
    import matplotlib as mpl

    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with (
        mpl.rc_context({"svg.hashsalt": "coffeerush", "svg.fonttype": "none"}),
        warnings.catch_warnings(),
    ):
        # a name may have letters that the font lacks; in an SVG, the viewer's fonts have them
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        try:
            figure.savefig(path, metadata=metadata)
        except OSError as error:
            raise RecordError(
                "{path} cannot be written: {reason}; free some space or choose another path.",
                path=path,
                reason=error,
            ) from None
