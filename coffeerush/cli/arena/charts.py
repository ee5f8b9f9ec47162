"""Charts of win shares with their intervals: in the terminal, or in an SVG or PNG file."""

from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coffeerush.arena.statistics import Summary, ranking
from coffeerush.local.figures import save_figure
from coffeerush.ui.terminal.canvas import pad, width
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import bot_level, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CELLS: Final = 50
_NAME_CELLS: Final = 24


def share_chart(ranked: Sequence[Summary]) -> Iterator[str]:
    """Yield a line per bot, `[=o=]` for an interval and `:` for an equal share, and the axis."""
    most = min(1.0, ceil(10 * max(one.high for one in ranked)) / 10)
    names = [f"{one.entry + 1} {_end_of(bot_level(one.bot))}" for one in ranked]
    room = max(map(width, names))

    def cell(share: float) -> int:
        return round(share / most * (_CELLS - 1))

    for name, one in zip(names, ranked, strict=True):
        line = ["."] * _CELLS
        line[min(cell(1 / len(ranked)), _CELLS - 1)] = ":"
        low, high = cell(one.low), cell(one.high)
        line[low : high + 1] = "=" * (high + 1 - low)
        line[low], line[high] = "[", "]"
        line[cell(one.share)] = "o"
        yield f"{pad(name, room)}  {''.join(line)}"
    yield f"{' ' * room}  {percent(0)}{percent(most):>{_CELLS - len(percent(0))}}"


def _end_of(name: str) -> str:
    """Return as much of the end of a name, which may be a path, as there is room for."""
    while width(name) > _NAME_CELLS:
        name = name[1:]
    return name


def plot(summaries: Sequence[Summary], path: Path) -> None:
    """Draw the win share of each bot with its interval into an SVG or PNG file.

    Raises:
        RecordError: the file cannot be written.
    """
    save_figure(_figure(ranking(summaries)[::-1]), path)


def _figure(rising: Sequence[Summary]) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.2 + 0.4 * len(rising)), layout="constrained")
    axes = figure.add_subplot()
    shares = [100 * one.share for one in rising]
    below = [100 * (one.share - one.low) for one in rising]
    above = [100 * (one.high - one.share) for one in rising]
    places = range(len(rising))
    axes.axvline(100 / len(rising), color="0.7", linestyle=":")
    axes.errorbar(shares, places, xerr=[below, above], fmt="o", capsize=4)
    axes.set_yticks(places, [f"{one.entry + 1} {bot_level(one.bot)}" for one in rising])
    axes.set_ylim(-0.5, len(rising) - 0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(_("share of all victories in %, with 95% confidence intervals"))
    return figure
