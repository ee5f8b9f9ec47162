"""Draw the result: standings, scores by round, who wants a rematch, and the log."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import NORMAL, Area, Canvas, Fragment, fit, kind_of, pad, width
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.league import together_line, wins_text
from coffeerush.ui.words.names import and_list, decimal, item_list, orders, seat_style
from coffeerush.ui.words.table import first_line, tie_line
from protocol import MIN_PLAYERS, Seat, Tally

from .actions import Action, staying
from .draw_lists import draw_guide_box
from .draw_lobby import draw_head, draw_key, draw_log, draw_step, draw_text
from .draw_people import title
from .panes import LOW, TALL, can_flip, guide_box, is_flipped, together_of
from .scene import Scene

if TYPE_CHECKING:
    from coffeerush.league.table import TablePlayer, Together


# Scores by round, as a chart and as numbers, and the results of all games together


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
    names: list[str]
    """What stands before the scores, best player first."""
    label: int
    """Cells before the first round."""
    cell: int
    """Cells per round."""


def draw_scores(canvas: Canvas, scene: Scene, area: Area, chart: int = 0) -> int:
    """Draw one line of scores per player, best first; return the next row.

    Nothing is drawn without tallies or a row for each. `chart` is the rows of the chart above.
    """
    tallies, order = scene.table.tallies, _order(scene)
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
    for seat, name in zip(order, rounds.names, strict=True):
        canvas.put(area.x, y, pad(name, rounds.label - 1), player_style(scene, seat))
        canvas.puts(area.x + rounds.label, y, _numbers(rounds, tallies[seat]))
        if rounds.shown.start:
            canvas.put(area.x + rounds.label - 1, y, glyphs.CUT, "class:dim")
        y += 1
    return y


def _rounds(scene: Scene, area: Area, headed: bool, least: int) -> Rounds:
    """Return the rounds that fit, with at least `least` cells each."""
    scores = [tally.scores for tally in scene.table.tallies]
    count = len(scores[0])
    first = scene.view.round - count + 1
    digits = max(width(str(score)) for line in scores for score in line)
    cell = max(digits + 1, width(str(scene.view.round)) + 1, least, 3)
    lead = (width(pgettext("title of a row", "round")) if headed else 0) + 2
    order = _order(scene)
    letters = [*map(scene.letter, order)]
    room = area.columns - count * cell
    wordings = (*_titles(scene, order), letters) if headed else (letters,)
    names = fit(wordings, room, lambda names: max(_longest(names) + 1, lead))
    label = lead if names is letters else max(min(_longest(names) + 2, room), lead)
    fitting = max((area.columns - label) // cell, 1)
    return Rounds(range(max(count - fitting, 0), count), first, names, label, cell)


def _order(scene: Scene) -> list[Seat]:
    """Return the seats, best first."""
    return [standing.seat for standing in scene.view.standings]


def _titles(scene: Scene, seats: Sequence[Seat]) -> list[list[str]]:
    """Return the names with the levels of bots, and without."""
    return [[title(scene, seat, brief) for seat in seats] for brief in (False, True)]


def _longest(texts: Iterable[str]) -> int:
    return max(map(width, texts))


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


# A line per player with columns: the standings, and the games together


class Column(NamedTuple):
    """A column of a grid, with its cells in order."""

    title: str
    cells: list[str]
    style: str
    right: bool = True
    """Whether it is right-aligned, as numbers are."""

    @property
    def width(self) -> int:
        """Its width in cells."""
        return _longest((self.title, *self.cells))


class Grid(NamedTuple):
    """A line per player, with columns right of the names, in one wording."""

    names: list[str]
    columns: list[Column]
    gap: int = GAP
    heading: str = ""
    """Is above the names."""

    @property
    def rest(self) -> int:
        """The width of the columns, with the gap before each."""
        return sum(self.gap + column.width for column in self.columns)

    @property
    def cells(self) -> int:
        """The width with whole names."""
        return _longest((self.heading, *self.names)) + self.rest


def _draw_grid(canvas: Canvas, grid: Grid, area: Area, styles: list[str], headed: bool) -> None:
    """Draw a grid in an area, truncating its names if need be, with titles if it is `headed`."""
    label = min(grid.cells, area.columns) - grid.rest
    y = area.y + headed
    if headed:
        canvas.put(area.x, area.y, grid.heading, "class:label")
    for line, (name, style) in enumerate(zip(grid.names, styles, strict=True), start=y):
        canvas.put(area.x, line, pad(name, label), style)
    x = area.x + label
    for column in grid.columns:
        x += grid.gap
        if headed:
            canvas.put(x, area.y, pad(column.title, column.width, column.right), "class:label")
        for line, cell in enumerate(column.cells, start=y):
            canvas.put(x, line, pad(cell, column.width, column.right), column.style)
        x += column.width


def draw_together(canvas: Canvas, scene: Scene, together: "Together", area: Area) -> int:
    """Draw one line per person about their games together, best of this game first.

    Nothing is drawn without a row for each; return the next row.
    """
    people = _in_order(scene, together.people)
    if area.rows < len(people):
        return area.y
    headed = area.rows > len(people)
    grid = fit(_together_wordings(scene, together, people, headed), area.columns, _cells)
    styles = [player_style(scene, person.seats[0]) for person in people]
    _draw_grid(canvas, grid, area, styles, headed)
    return area.y + headed + len(people)


def _cells(grid: Grid) -> int:
    return grid.cells


def _together_wordings(
    scene: Scene, together: "Together", people: list["TablePlayer"], headed: bool
) -> Iterator[Grid]:
    """Yield the games together: whole, without heading, with letters, with fewer columns."""
    heading = _("Games together: {games}").format(games=together.games) if headed else ""
    names = [title(scene, person.seats[0]) for person in people]
    bots = [player for player in together.players if player not in people]
    columns = _columns(scene, people, bots or people)
    yield Grid(names, columns, heading=heading)
    yield Grid(names, columns)
    letters = [scene.letter(person.seats[0]) for person in people]
    yield Grid(letters, columns)
    left_out = (*(columns[place] for place in _LEFT_OUT), *reversed(columns[4:]))
    for count in range(1, 1 + len(left_out)):
        yield Grid(letters, [column for column in columns if column not in left_out[:count]])


def _in_order(scene: Scene, people: Sequence["TablePlayer"]) -> list["TablePlayer"]:
    """Return people in the order of the standings."""
    order = _order(scene)
    return sorted(people, key=lambda person: order.index(person.seats[0]))


def _columns(
    scene: Scene, people: list["TablePlayer"], opponents: list["TablePlayer"]
) -> list[Column]:
    entries = [person.career.entry for person in people]
    versus = pgettext("title of a column", "vs {name}")
    return [
        Column(pgettext("title of a column", "wins"), [*map(wins_text, people)], "class:score"),
        Column(
            pgettext("title of a column", "streak"),
            [str(entry.streak) for entry in entries],
            "class:count",
        ),
        Column(
            pgettext("title of a column", "points"),
            [decimal(entry.points, 1) for entry in entries],
            "class:count",
        ),
        Column(
            pgettext("title of a column", "best turn"),
            [str(entry.best_turn) for entry in entries],
            "class:star",
        ),
        *(
            Column(
                versus.format(name="".join(map(scene.letter, other.seats))),
                [_against(person, other) for person in people],
                seat_style(scene.players, other.seats[0]),
            )
            for other in opponents
        ),
    ]


def _against(one: "TablePlayer", other: "TablePlayer") -> str:
    met = one.against(other)
    return f"{met.ahead}:{met.behind}" if met else "-"


# The result: standings, scores by round, who wants a rematch, and the log


LEFT_SHARE: Final = 0.64
LEFT_MOST: Final = 100
"""The result's share of a wide screen, and its maximum columns; the rest is the log's."""
CHART_ROWS: Final = 14
TEXT_ROWS: Final = 8
"""Rows reserved for the sentences below a chart."""
RANK: Final = 3
"""Cells of the rank."""


def draw_result(canvas: Canvas, scene: Scene, covered: int = 0) -> None:
    """Draw the standings, the scores by round, who wants a rematch, and the log.

    In a replay, something else covers so many rows at the bottom.
    """
    low, wide = canvas.rows < LOW, kind_of(canvas.columns, canvas.rows) == "wide"
    y = draw_head(canvas, scene, winners(scene) if low else _("The result"))
    left = min(int(canvas.columns * LEFT_SHARE), LEFT_MOST) if wide else canvas.columns
    # on a low terminal, a message covers the newest line
    end = canvas.rows - (covered or (1 if low else 2))
    area = Area(1 if low else 2, y, left - (2 if low else 4), end - y)
    y = _draw_all(canvas, scene, area, low, wide)
    if wide:
        log = Area(left, area.y + 1, canvas.columns - left, area.rows - 1)
    else:
        log = Area(0, y, canvas.columns, area.y + area.rows - y)
    draw_log(canvas, scene, log)
    if guide_box(scene):
        draw_guide_box(canvas, scene)


def _draw_all(canvas: Canvas, scene: Scene, area: Area, low: bool, wide: bool) -> int:
    """Draw everything but the log; return the next row."""
    gap = canvas.rows >= NORMAL[1]
    y, end = area.y, area.y + area.rows
    if wide:
        y = _draw_cup(canvas, scene, area.x, y + 1)
    elif not low:
        x = canvas.put(area.x, y, outcome(scene), "class:serve", area.columns)
        canvas.marks["winners"] = Area(area.x, y, x - area.x, 1)
        y += 1
    y = _draw_table(canvas, scene, area.x, y + gap, area.columns) + gap
    rows, together = end - y, together_of(scene)
    tall = len(together.people) + 2 if together and canvas.rows >= TALL else 0
    chart = min(rows - len(scene.view.standings) - TEXT_ROWS - tall, CHART_ROWS) if wide else 0
    flipped = is_flipped(scene)
    # on a low terminal, the games together have a line below, or this place
    scores = Area(area.x, y, area.columns, rows - (2 - flipped if low else 0))
    if together and flipped:
        y = draw_together(canvas, scene, together, scores)
    else:
        y = draw_scores(canvas, scene, scores, chart)
    canvas.marks["scores"] = Area(area.x, scores.y, area.columns, y - scores.y)
    if low:
        for line in _together(scene):
            draw_key(canvas, Area(area.x, y, area.columns, 1), Action.PANE, line)
            y += 1
        return y
    if together and tall:
        y = draw_together(canvas, scene, together, Area(area.x, y + 1, area.columns, tall))
    y += gap
    step = Area(area.x, y, area.columns, end - y)
    if not scene.ui.replayed:
        y = draw_step(canvas, scene, step, result_step(scene))
    texts = [
        *_together(scene),
        *_rematch(scene),
        _how_it_is_counted(),
        *_about_record(scene),
    ]
    return draw_text(canvas, Area(area.x, y, area.columns, end - y), texts, "class:note")


def _draw_cup(canvas: Canvas, scene: Scene, x: int, y: int) -> int:
    """Draw a cup with the letters of the winners on it, and their names next to it."""
    letters = "".join(scene.letter(seat) for seat in _best(scene))
    canvas.put(x + 2, y, ") ) )", "class:dim")
    canvas.box(x, y + 1, 9, 3)
    canvas.put(x + 8, y + 1, glyphs.TEE_DOWN + glyphs.DOWN_LEFT, "class:frame")
    canvas.put(x + 9, y + 2, glyphs.WALL, "class:frame")
    canvas.put(x + 8, y + 3, glyphs.TEE_UP + glyphs.UP_LEFT, "class:frame")
    canvas.put(x + 4 - len(letters) // 2, y + 2, letters, "class:turn")
    end = canvas.put(x + 12, y + 2, outcome(scene), "class:serve")
    canvas.marks["winners"] = Area(x + 12, y + 2, end - x - 12, 1)
    return y + 4


# The standings


def _draw_table(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> int:
    """Draw one line per player, best first, in the longest wording; return the next row."""
    order = _order(scene)
    grid = fit(_standings_wordings(scene, order), room - RANK, _cells)
    headed = any(column.title for column in grid.columns)
    styles = [player_style(scene, seat) for seat in order]
    _draw_grid(canvas, grid, Area(x + RANK, y, room - RANK, len(order)), styles, headed)
    y += headed
    for line, standing in enumerate(scene.view.standings):
        canvas.marks[f"place{line}"] = Area(x, y + line, room, 1)
        canvas.put(x, y + line, f"{standing.rank}.", "class:label")
    return y + len(order)


def _standings_wordings(scene: Scene, order: list[Seat]) -> Iterator[Grid]:
    """Yield the standings: whole, best turns without rounds, bots without levels, all marks."""
    names, short = _titles(scene, order)
    rounds, counts, marks = _best_turns(scene, order)
    parts = _score_parts(scene, order)
    titled = [Column(title, cells, style) for title, _mark, cells, style in parts]
    yield Grid(names, titled + rounds)  # the scores by round mark the round of the best turn
    yield Grid(names, titled + counts)
    yield Grid(short, titled + counts)
    marked = [
        Column("", [mark + cell for cell in cells], style) for _title, mark, cells, style in parts
    ]
    yield Grid(names, marked + marks, gap=1)
    yield Grid(short, marked + marks, gap=1)


def _score_parts(scene: Scene, order: list[Seat]) -> list[tuple[str, str, list[str], str]]:
    """Return title, mark, cells and style of the score and its parts (R-END-2, R-END-3)."""
    players = [scene.player(seat) for seat in order]
    score = pgettext("title of a column", "score")
    served, active, penalty = glyphs.SERVED, glyphs.ACTIVE, glyphs.PENALTY
    upgrades = [str(sum(player.upgrades)) for player in players]
    return [
        (score, "", [str(player.score) for player in players], "class:score"),
        (f"{served} +1", served, [str(player.completed) for player in players], "class:count"),
        (f"{active} +2", active, upgrades, "class:upgrade"),
        (f"{penalty} -1", penalty, [str(player.penalties) for player in players], "class:penalty"),
        (glyphs.RUSH, glyphs.RUSH, [str(player.rush) for player in players], "class:rush"),
    ]


def _best_turns(scene: Scene, order: list[Seat]) -> list[list[Column]]:
    """Return the best turns with their rounds, without, and as marks; none without tallies."""
    if not scene.table.tallies:
        return [[], [], []]
    tallies = [scene.table.tallies[seat] for seat in order]
    heading = f"{glyphs.BEST} " + pgettext("title of a column", "best turn")
    counts = [orders(tally.best_served) if tally.best_served else "" for tally in tallies]
    marks = [f"{glyphs.BEST}{tally.best_served}" for tally in tallies]
    return [
        [Column(heading, [*map(_best_turn, tallies)], "class:star", right=False)],
        [Column(heading, counts, "class:star", right=False)],
        [Column("", marks, "class:star")],
    ]


def _best_turn(tally: Tally) -> str:
    if not tally.best_served:
        return ""
    text = ngettext(
        "{count} order in round {round}", "{count} orders in round {round}", tally.best_served
    )
    return text.format(count=tally.best_served, round=tally.best_round)


# Sentences


def _best(scene: Scene) -> list[Seat]:
    return [one.seat for one in scene.view.standings if one.rank == 1]


def winners(scene: Scene) -> str:
    """Return the winners, in a sentence."""
    best = _best(scene)
    if best == [scene.model.played]:
        return _("You have won!")
    names = and_list(scene.name(seat) for seat in best)
    if len(best) > 1:
        return _("{names} share the victory.").format(names=names)
    return _("{name} has won.").format(name=names)


def outcome(scene: Scene) -> str:
    """Return the winners, and the tie-break if there was one."""
    return f"{winners(scene)} {tie_line(scene.view)}".rstrip()


def result_step(scene: Scene) -> str:
    """Return the next thing to do, and by whom, before a rematch can start."""
    if scene.model.owner:
        here = staying(scene)
        if late := [seat.name for seat in here if not seat.ready]:
            return _("Waiting for {names} to agree to a rematch.").format(names=and_list(late))
        if len(here) < MIN_PLAYERS:
            return _("A rematch needs two players: wait until somebody joins.")
        return _("Enter starts a rematch with everybody who is here.")
    if scene.me is not None and not scene.seats[scene.me].ready:
        return _("Press Enter if you want a rematch.")
    if scene.table.owner is None:
        return _("A rematch starts when everybody who is here wants one.")
    return _("Waiting for {name} to start the rematch.").format(
        name=scene.seats[scene.table.owner].name
    )


def _rematch(scene: Scene) -> list[str]:
    owner = scene.table.owner if scene.model.owner else None  # whose Enter starts it
    ready = [
        seat.name
        for number, seat in enumerate(scene.seats)
        if seat.ready and seat.status == "person" and number != owner
    ]
    want = [_("Want a rematch: {names}").format(names=item_list(ready))] if ready else []
    return want if scene.table.first is None else [*want, first_line(scene.table)]


def _together(scene: Scene) -> list[str]:
    """Return the wins of each in all games at this table, if Tab shows more about them."""
    together = together_of(scene)
    if together is None or not can_flip(scene) or is_flipped(scene):
        return []
    if kind_of(*scene.ui.size) == "narrow":
        line = _("Games together: {games}").format(games=together.games)
        wins = (f"{scene.letter(one.seats[0])} {wins_text(one)}" for one in together.people)
        return [f"{line} ({' '.join(wins)})"]
    return [" ".join((together_line(together, scene.name), _("Tab shows more.")))]


def _about_record(scene: Scene) -> list[str]:
    """Return the uses of the record of the game, or why there is none."""
    fetch = scene.record
    if fetch is None:
        return []
    if fetch.trouble:
        return [error_line(fetch.trouble)]
    if not fetch.path:
        return [_("The record of this game is on its way from the host.")]
    return [_("The game is recorded: “v” replays it, “w” reviews its turns.")]


def _how_it_is_counted() -> str:
    """Return the legend of the marks: their points, and the tie-breakers (R-END-2, R-END-3)."""
    text = _("{served} order +1  {active} upgrade +2  {penalty} penalty -1; ties: {served}, {rush}")
    return text.format(
        served=glyphs.SERVED, active=glyphs.ACTIVE, penalty=glyphs.PENALTY, rush=glyphs.RUSH
    )
