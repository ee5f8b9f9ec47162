"""Scores by round, as a chart and as numbers, and the results of all games together."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Fragment, pad, width
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.league import wins_text
from coffeerush.ui.words.names import decimal, seat_style
from protocol import Seat, Tally

from .people import title

if TYPE_CHECKING:
    from coffeerush.league.table import TablePlayer, Together

MIN_CHART: Final = 4
GAP: Final = 2
"""Cells between the columns of the games together."""
_LEFT_OUT: Final = (2, 3, 1)
"""Which of these columns are left out first if there is no room: points, best turn, streak."""


class Rounds(NamedTuple):
    """The visible rounds and their layout."""

    shown: range
    """Indices into `Tally.scores`: the latest that fit."""
    first: int
    """The round of the first score in a tally."""
    named: bool
    """Whether the scores follow names, or letters."""
    brief: bool
    """Whether the level of a bot is left out."""
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
        name = title(scene, seat, rounds.brief) if rounds.named else scene.letter(seat)
        canvas.put(area.x, y, pad(name, rounds.label - 1), player_style(scene, seat))
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
    longest = [
        max(width(title(scene, one.seat, brief)) for one in scene.view.standings)
        for brief in (False, True)
    ]
    room = area.columns - count * cell
    brief = longest[0] >= room
    named = headed and max(longest[brief] + 1, letters) <= room
    label = max(min(longest[brief] + 2, room), letters) if named else letters
    fitting = max((area.columns - label) // cell, 1)
    return Rounds(range(max(count - fitting, 0), count), first, named, brief, label, cell)


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


def player_style(scene: Scene, seat: Seat) -> str:
    """Return the style of a player of the finished game."""
    return "class:mine" if seat == scene.model.played else seat_style(scene.players, seat)


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
        _draw_dots(
            canvas, chart, x + rounds.cell - 2, rounds.cell, line, seat_style(scene.players, seat)
        )
    for column in range(len(rounds.shown)):
        points: dict[int, list[Seat]] = {}
        for seat, line in enumerate(lines):
            points.setdefault(chart.row(line[column]), []).append(seat)
        end = x + (column + 1) * rounds.cell - 1
        for y, seats in points.items():
            for place, seat in enumerate(seats, start=end - len(seats)):
                canvas.put(place, y, scene.letter(seat), seat_style(scene.players, seat))


def _draw_dots(
    canvas: Canvas, chart: Chart, x: int, step: int, line: list[int], style: str
) -> None:
    for column, (before, after) in enumerate(pairwise(line)):
        for part in range(1, step):
            y = chart.row(before + (after - before) * part / step)
            canvas.put(x + column * step + part, y, glyphs.DOT, style)


# The games together


class Column(NamedTuple):
    """A column of a table, with its cells in order."""

    title: str
    cells: list[str]
    style: str
    right: bool = True
    """Whether it is right-aligned, as numbers are."""

    @property
    def width(self) -> int:
        """Its width in cells."""
        return max(width(text) for text in (self.title, *self.cells))


def draw_together(canvas: Canvas, scene: Scene, together: "Together", area: Area) -> int:
    """Draw one line per person about their games together, best of this game first.

    Nothing is drawn without a row for each; return the next row.
    """
    people = _in_order(scene, together.people)
    if area.rows < len(people):
        return area.y
    headed = area.rows > len(people)
    heading = _("Games together: {games}").format(games=together.games) if headed else ""
    names = [title(scene, one.seats[0]) for one in people]
    bots = [one for one in together.players if one not in people]
    columns = _columns(scene, people, bots or people)
    label = max(map(width, (heading, *names)))
    if label + _width(columns) > area.columns:
        heading, label = "", max(map(width, names))
    if label + _width(columns) > area.columns:
        names, label = [scene.letter(one.seats[0]) for one in people], 1
    for column in (*(columns[place] for place in _LEFT_OUT), *reversed(columns[4:])):
        if label + _width(columns) > area.columns:
            columns.remove(column)
    y = area.y + headed
    canvas.put(area.x, area.y, heading, "class:label")
    for line, (one, name) in enumerate(zip(people, names, strict=True)):
        canvas.put(area.x, y + line, pad(name, label), player_style(scene, one.seats[0]))
    x = area.x + label + GAP
    for column in columns:
        if headed:
            canvas.put(x, area.y, pad(column.title, column.width, True), "class:label")
        for line, cell in enumerate(column.cells):
            canvas.put(x, y + line, pad(cell, column.width, True), column.style)
        x += column.width + GAP
    return y + len(people)


def _in_order(scene: Scene, people: Sequence["TablePlayer"]) -> list["TablePlayer"]:
    """Return people in the order of the standings."""
    order = [one.seat for one in scene.view.standings]
    return sorted(people, key=lambda one: order.index(one.seats[0]))


def _columns(
    scene: Scene, people: list["TablePlayer"], opponents: list["TablePlayer"]
) -> list[Column]:
    entries = [one.career.entry for one in people]
    versus = pgettext("title of a column", "vs {name}")
    return [
        Column(pgettext("title of a column", "wins"), [*map(wins_text, people)], "class:score"),
        Column(
            pgettext("title of a column", "streak"),
            [str(one.streak) for one in entries],
            "class:count",
        ),
        Column(
            pgettext("title of a column", "points"),
            [decimal(one.points, 1) for one in entries],
            "class:count",
        ),
        Column(
            pgettext("title of a column", "best turn"),
            [str(one.best_turn) for one in entries],
            "class:star",
        ),
        *(
            Column(
                versus.format(name="".join(map(scene.letter, other.seats))),
                [_against(one, other) for one in people],
                seat_style(scene.players, other.seats[0]),
            )
            for other in opponents
        ),
    ]


def _against(one: "TablePlayer", other: "TablePlayer") -> str:
    met = one.against(other)
    return f"{met.ahead}:{met.behind}" if met else "-"


def _width(columns: list[Column]) -> int:
    return sum(GAP + column.width for column in columns)
