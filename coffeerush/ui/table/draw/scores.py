"""Scores by round: a chart of the players' letters, and the numbers below it."""

from itertools import pairwise
from typing import Final, NamedTuple

from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Fragment, pad, width
from coffeerush.ui.words.i18n import pgettext
from protocol import Seat, Tally

from .people import title

NAMES: Final = 16
"""Maximum cells of a name before its numbers."""
MIN_CHART: Final = 4


class Rounds(NamedTuple):
    """The visible rounds and their layout."""

    shown: range
    """Indices into `Tally.scores`: the latest that fit."""
    first: int
    """The round of the first score in a tally."""
    named: bool
    """Whether the scores follow whole names, or letters."""
    label: int
    """Cells before the first round."""
    cell: int
    """Cells per round."""


def draw_scores(canvas: Canvas, scene: Scene, area: Area, chart: int = 0) -> int:
    """Draw one line of scores per player, best first; return the next row.

    Nothing is drawn without tallies or a row for each. `chart` is the rows of the chart above.
    """
    tallies, order = scene.table.tallies, [one.seat for one in scene.view.standings]
    if not tallies or area.rows < len(order):
        return area.y
    headed = area.rows > len(order)
    rounds = _rounds(scene, area, headed, len(order) + 1 if chart else 0)
    y = area.y
    if chart >= MIN_CHART:
        _draw_chart(canvas, scene, rounds, Area(area.x, y, area.columns, chart))
        y += chart
    if headed:
        _draw_heading(canvas, rounds, area.x, y)
        y += 1
    for seat in order:
        name = title(scene, seat) if rounds.named else scene.letter(seat)
        canvas.put(area.x, y, pad(name, rounds.label - 1), _style(scene, seat))
        canvas.puts(area.x + rounds.label, y, _numbers(rounds, tallies[seat]))
        if rounds.shown.start:
            canvas.put(area.x + rounds.label - 1, y, glyphs.CUT, "class:dim")
        y += 1
    return y


def _rounds(scene: Scene, area: Area, headed: bool, least: int) -> Rounds:
    """Return the rounds that fit, with at least `least` cells each."""
    scores = [one.scores for one in scene.table.tallies]
    count = len(scores[0])
    first = scene.view.round - count + 1
    digits = max(width(str(score)) for line in scores for score in line)
    cell = max(digits + 1, width(str(scene.view.round)) + 1, least, 3)
    letters = (width(pgettext("title of a row", "round")) if headed else 0) + 2
    names = [width(title(scene, one.seat)) for one in scene.view.standings]
    label = max(min(max(names), NAMES) + 2, letters)
    named = headed and label + count * cell <= area.columns
    label = label if named else letters
    fitting = max((area.columns - label) // cell, 1)
    return Rounds(range(max(count - fitting, 0), count), first, named, label, cell)


def _draw_heading(canvas: Canvas, rounds: Rounds, x: int, y: int) -> None:
    canvas.put(x, y, pad(pgettext("title of a row", "round"), rounds.label - 1), "class:label")
    numbers = [f"{rounds.first + place:>{rounds.cell - 1}} " for place in rounds.shown]
    canvas.put(x + rounds.label, y, "".join(numbers), "class:label")


def _numbers(rounds: Rounds, tally: Tally) -> list[Fragment]:
    """Return a player's scores, with a mark at the round of the best turn."""
    found: list[Fragment] = []
    for place in rounds.shown:
        best = rounds.first + place == tally.best_round
        found.append(("class:score", f"{tally.scores[place]:>{rounds.cell - 1}}"))
        found.append(("class:star", glyphs.BEST if best else " "))
    return found


def _style(scene: Scene, seat: Seat) -> str:
    return "class:mine" if seat == scene.me else f"class:seat{seat}"


class Chart(NamedTuple):
    """The vertical scale of a chart."""

    area: Area
    low: int
    high: int

    def row(self, score: float) -> int:
        """Return the row of a score; the highest is on top."""
        share = (self.high - score) / (self.high - self.low)
        return self.area.y + round(share * (self.area.rows - 1))


def _draw_chart(canvas: Canvas, scene: Scene, rounds: Rounds, area: Area) -> None:
    """Draw each score as its player's letter, with dots from one to the next."""
    lines = [[tally.scores[place] for place in rounds.shown] for tally in scene.table.tallies]
    scores = [score for line in lines for score in line]
    chart = Chart(area, min(*scores, 0), max(*scores, 1))
    x = area.x + rounds.label
    for y in range(area.y, area.y + area.rows):
        canvas.put(x - 1, y, glyphs.WALL, "class:frame")
    # with few rows, zero may share the row of the lowest score, which then wins
    labels = {chart.row(score): score for score in (0, chart.low, chart.high)}
    for y, score in labels.items():
        canvas.put(area.x, y, pad(str(score), rounds.label - 1, True), "class:label")
        canvas.put(x - 1, y, glyphs.TEE_LEFT, "class:frame")
    for seat, line in enumerate(lines):
        _draw_dots(canvas, chart, x + rounds.cell - 2, rounds.cell, line, f"class:seat{seat}")
    for column in range(len(rounds.shown)):
        points: dict[int, list[Seat]] = {}
        for seat, line in enumerate(lines):
            points.setdefault(chart.row(line[column]), []).append(seat)
        end = x + (column + 1) * rounds.cell - 1
        for y, seats in points.items():
            for place, seat in enumerate(seats, start=end - len(seats)):
                canvas.put(place, y, scene.letter(seat), f"class:seat{seat}")


def _draw_dots(
    canvas: Canvas, chart: Chart, x: int, step: int, line: list[int], style: str
) -> None:
    for column, (before, after) in enumerate(pairwise(line)):
        for part in range(1, step):
            y = chart.row(before + (after - before) * part / step)
            canvas.put(x + column * step + part, y, glyphs.DOT, style)
