"""Draw the result as a show: the winner in large letters, podium, standings, rounds, awards."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    WIDE,
    Area,
    Canvas,
    Fragment,
    fit,
    kind_of,
    pad,
    width,
    wrap,
)
from coffeerush.ui.terminal.parts import bars
from coffeerush.ui.words.awards import award_text, awards
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.events import why_over
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.league import (
    left_line,
    others_line,
    player_called,
    shared_text,
    together_line,
    wins_number,
    wins_text,
)
from coffeerush.ui.words.names import (
    and_list,
    decimal,
    item_list,
    orders,
    points,
    seat_player,
    seat_style,
    sentence_case,
)
from coffeerush.ui.words.table import first_line, margin_line, queue_line, tie_break, tie_lines
from coffeerush.ui.words.tournament import tournament_line
from protocol import MIN_PLAYERS, Seat, Tally

from .actions import Action, cap_of, makes_room_first, place_in_line, staying
from .draw_lists import draw_guide_box, draw_pane
from .draw_lobby import MIN_LOG, draw_head, draw_key, draw_log, draw_step, head_note
from .draw_people import title
from .draw_podium import (
    BIG_ROWS,
    NAME_ROWS,
    STEP_ROWS,
    PodiumStep,
    Wording,
    draw_podium,
    draw_winners,
    shout,
)
from .panes import (
    LOW,
    TOGETHER,
    can_flip,
    guide_box,
    is_flipped,
    log_or_guide,
    pane_lines,
    together_of,
)
from .scene import Scene

if TYPE_CHECKING:
    from coffeerush.league.table import TablePlayer, Together

SHOW_COLUMNS: Final = 88
"""The columns of a result, but for the winners in large letters."""
MANY_ROUNDS: Final = 16
"""With more of them, their scores need a wide terminal's columns."""

# The winner in large letters, and the podium


def _draw_winners(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw the winners, and by how much they won; return the next row."""
    names = [scene.name(seat) for seat in _best(scene)]
    wordings = Wording(shout(names), _beside(scene)), Wording(and_list(names), outcome(scene))
    return draw_winners(canvas, wordings, outcome(scene), area, scene.ui.ascii)


def _beside(scene: Scene) -> str:
    """Return what is to be said below large letters that name the winner."""
    mine = scene.model.played in _best(scene)
    return outcome(scene) if mine else margin_line(scene.model, scene.view)


def _draw_podium(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw a step for each player; return the next row."""
    steps = [
        PodiumStep(
            place.rank,
            (scene.name(place.seat), scene.letter(place.seat)),
            (points(place.score), str(place.score)),
            seat_style(scene.players, place.seat),
        )
        for place in scene.view.standings
    ]
    return draw_podium(canvas, steps, area)


# How the scores went, round by round, and the awards


MIN_ROUNDS: Final = 4
"""With room for fewer, no round is shown."""
_CELLS: Final = (6, 4, 3, 2, 1)
"""Cells per round, with a gap if there is more than one."""
GAP: Final = 2
"""Cells between columns."""
_LEFT_OUT: Final = (2, 3, 1)
"""Which columns of the games together are left out first: points, best turn, streak."""


def draw_rounds(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw how each player's score went, and their award, best first; return the next row.

    Nothing is drawn without a row for each.
    """
    order = in_ranks(scene)
    if area.rows < len(order):
        return area.y
    for brief in (False, True):
        texts = award_texts(scene, brief)
        names, lines = _scores(scene, order, area.columns - _longest(texts) - GAP)
        if names != [*map(scene.letter, order)]:
            break  # whole names have room next to these words
    y, label = area.y, _longest(names) + 1
    if area.rows > len(order):
        heading = _("Score by round, and awards") if any(lines) else _("Awards")
        canvas.rule(area.x, y, area.columns, heading)
        y += 1
    for seat, name, line, text in zip(order, names, lines, texts, strict=True):
        canvas.put(area.x, y, name, player_style(scene, seat))
        x = canvas.put(area.x + label, y, line, seat_style(scene.players, seat))
        canvas.put(x + (GAP if line else 0), y, text, "class:star")
        y += 1
    return y


def award_texts(scene: Scene, brief: bool = False) -> list[str]:
    """Return each player's award, best player first; "" for who has none."""
    given = awards(scene.view, scene.table.tallies)
    mine = [given[seat] for seat in in_ranks(scene)]
    return [f"{glyphs.BEST} {award_text(award, brief)}" if award else "" for award in mine]


def _scores(scene: Scene, order: list[Seat], room: int) -> tuple[list[str], list[str]]:
    """Return names or letters, and next to each the scores as bars; of many rounds the latest."""
    letters, tallies = [*map(scene.letter, order)], scene.table.tallies
    if not tallies:
        return letters, [""] * len(order)
    count = len(tallies[0].scores)
    names = [*map(scene.name, order)]
    if _longest(names) + 1 + 2 * count > room:
        names = letters
    room -= _longest(names) + 1
    cell = next((cell for cell in _CELLS if count * cell <= room), 1)
    first = max(count - room + 1, 0) if count > room else 0
    if count - first < min(MIN_ROUNDS, count):
        return names, [""] * len(order)
    scores = [score for tally in tallies for score in tally.scores]
    low, high = min(*scores, 0), max(*scores, 1)
    lines = []
    for seat in order:
        marks = bars(tallies[seat].scores[first:], low, high)
        gap = " " * (cell > 1)
        line = gap.join(mark * (cell - len(gap)) for mark in marks)
        lines.append(glyphs.CUT * bool(first) + line)
    return names, lines


def player_style(scene: Scene, seat: Seat) -> str:
    """Return the style of a player of the finished game."""
    style = seat_style(scene.players, seat)
    return f"{style} reverse" if seat == scene.model.played else style


def in_ranks(scene: Scene) -> list[Seat]:
    """Return the seats, best first."""
    return [standing.seat for standing in scene.view.standings]


def _titles(scene: Scene, seats: Sequence[Seat]) -> list[list[str]]:
    """Return the names with the levels of bots, and without."""
    return [[title(scene, seat, brief) for seat in seats] for brief in (False, True)]


def _longest(texts: Iterable[str]) -> int:
    return max(map(width, texts))


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

    @property
    def rest(self) -> int:
        """The width of the columns, with the gap before each."""
        return sum(self.gap + column.width for column in self.columns)

    @property
    def cells(self) -> int:
        """The width with whole names."""
        return _longest(self.names) + self.rest


def _draw_grid(canvas: Canvas, grid: Grid, area: Area, styles: list[str], headed: bool) -> None:
    """Draw a grid in an area, truncating its names if need be, with titles if it is `headed`."""
    label = min(grid.cells, area.columns) - grid.rest
    y = area.y + headed
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


HEAD_ROWS: Final = 2
"""Rows above the games together: which these are, and the titles of the columns."""


def draw_together(canvas: Canvas, scene: Scene, together: "Together", area: Area) -> int:
    """Draw one line per person about their games together, most victories first.

    Of those who are not at this table as many as have room; what others have won is below. Nothing
    is drawn without a row for each person who is here; return the next row.
    """
    here = len(together.people)
    if area.rows < here:
        return area.y
    y, end = area.y, area.y + area.rows
    headed = area.rows > here
    if area.rows >= here + HEAD_ROWS:
        canvas.rule(area.x, y, area.columns, together_heading(together))
        y += 1
    people, below = _who_fits(scene, together, replace(area, rows=end - y - headed))
    grid = fit(_together_wordings(scene, together, people), area.columns, _cells)
    styles = [player_style(scene, player.seats[0]) if player.seats else "" for player in people]
    _draw_grid(canvas, grid, replace(area, y=y), styles, headed)
    y += headed + len(people)
    for line in below:
        canvas.put(area.x, y, line, "class:note")
        y += 1
    return y


def _who_fits(
    scene: Scene, together: "Together", area: Area
) -> tuple[list["TablePlayer"], Sequence[str]]:
    """Return the people with a line of their own, in order, and the lines about the others."""
    everybody = in_order(scene, together.everybody)
    elsewhere = [player for player in everybody if not player.seats]
    left = left_line(everybody, scene.name)
    for count in range(len(elsewhere), -1, -1):
        told = others_line(elsewhere[count:])
        people = [player for player in everybody if player not in elsewhere[count:]]
        for text in (f"{told} {left}".strip(), told):
            below = [*wrap(text, area.columns)] if text else []
            if len(people) + len(below) <= area.rows:
                return people, below
    return people, ()


def together_rows(together: "Together") -> int:
    """Return the rows of a line for everybody, with what is above and below."""
    everybody = together.everybody
    return HEAD_ROWS + len(everybody) + any(player.left for player in everybody)


def _cells(grid: Grid) -> int:
    return grid.cells


def _together_wordings(
    scene: Scene, together: "Together", people: list["TablePlayer"]
) -> Iterator[Grid]:
    """Yield the games together: whole, with letters, with fewer columns, with short names."""
    indent = 1 + width(scene.letter(together.people[0].seats[0]))  # as others have no letter
    names = [
        title(scene, player.seats[0]) if player.seats else " " * indent + player.career.entry.name
        for player in people
    ]
    yield Grid(names, together_columns(scene, together, people, scene.name))
    columns = together_columns(scene, together, people, scene.letter)
    brief = together_columns(scene, together, people, scene.letter, brief=True)
    for kept in (columns, brief):
        for count in range(len(_LEFT_OUT)):
            yield Grid(names, _without(kept, count))
    if all(player.seats for player in people):
        names = [scene.letter(player.seats[0]) for player in people]
    for count in range(len(_LEFT_OUT) + len(brief[4:]) + 1):
        yield Grid(names, _without(brief, count))


def _without(columns: list[Column], count: int) -> list[Column]:
    """Return all but so many columns, the least important ones."""
    left_out = (*(columns[place] for place in _LEFT_OUT), *reversed(columns[4:]))
    return [column for column in columns if column not in left_out[:count]]


def together_heading(together: "Together") -> str:
    """Return how many games these people have played together."""
    text = _("Games this evening: {games}") if together.evening else _("Games together: {games}")
    return text.format(games=together.games)


def in_order(scene: Scene, people: Sequence["TablePlayer"]) -> list["TablePlayer"]:
    """Return people by what they have won in these games, then in the order of the standings."""
    ranks = {seat: rank for rank, seat in enumerate(in_ranks(scene))}
    return sorted(
        people,
        key=lambda player: (-player.wins, ranks[player.seats[0]] if player.seats else len(ranks)),
    )


def together_columns(
    scene: Scene,
    together: "Together",
    people: Sequence["TablePlayer"],
    name: Callable[[Seat], str],
    brief: bool = False,
) -> list[Column]:
    """Return the columns about the games together.

    Args:
        scene: the result.
        together: the games.
        people: those of the rows.
        name: names a seat in the titles.
        brief: whether counts of games are in a few cells.
    """
    entries = [person.career.entry for person in people]
    wins = [*map(wins_number, people)]
    if not brief:
        wins = [*map(wins_text, people)]
        if together.evening:  # they have not all played as many
            wins = [
                item_list([_of(str(entry.alone), entry.games), *shared_text(entry.shared)])
                for entry in entries
            ]
    return [
        Column(pgettext("title of a column", "wins"), wins, "class:score"),
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
        *_ahead_columns(scene, together, people, name, brief),
    ]


def _ahead_columns(
    scene: Scene,
    together: "Together",
    people: Sequence["TablePlayer"],
    name: Callable[[Seat], str],
    brief: bool,
) -> Iterator[Column]:
    """Yield for each bot, or else each person at the table, how often the others were ahead."""
    against = (
        pgettext("title of a column", "vs {name}")
        if brief
        else pgettext("title of a column", "ahead of {name}")
    )
    bots = [player for player in together.players if player.career.entry.bot]
    for other in bots or [player for player in in_order(scene, together.everybody) if player.seats]:
        yield Column(
            against.format(name=and_list(map(name, other.seats))),
            [_ahead(person, other, brief) for person in people],
            seat_style(scene.players, other.seats[0]),
        )


def _ahead(one: "TablePlayer", other: "TablePlayer", brief: bool) -> str:
    """Return in how many of their games one was ahead of the other."""
    if not (met := one.against(other)):
        return "-"
    if brief:
        return f"{met.ahead}:{met.behind}"
    return _of(str(met.ahead), met.ahead + met.level + met.behind)


def _of(count: str, games: int) -> str:
    return _("{ahead} of {games}").format(ahead=count, games=games)


# The whole result


RANK: Final = 3
"""Cells of the rank."""


def draw_result(canvas: Canvas, scene: Scene, covered: int = 0) -> None:
    """Draw the winners, the podium, the standings, rounds and awards, and who wants a rematch.

    The log has what is left. In a replay, something else covers so many rows at the bottom.
    """
    low = canvas.rows < LOW
    room = canvas.columns - 2 - width(head_note(scene))
    wordings = _low_headings(scene) if low else _headings(scene)
    y = draw_head(canvas, scene, fit(wordings, room, width))
    # on a low terminal, a message covers the newest line
    end = canvas.rows - (covered or (1 if low else 2))
    area = Area(1 if low else 2, y, canvas.columns - (2 if low else 4), end - y)
    if low:
        y = _draw_low(canvas, scene, area)
    else:
        area = _centre(scene, area)
        y = _draw_show(canvas, scene, area)
    if low or (end - y >= MIN_LOG and not _guide(scene, area.columns)):
        edge = 1 if low else 2
        log = Area(area.x - edge, y, area.columns + 2 * edge, end - y)
        draw_log(canvas, scene, log)
        canvas.marks["ended"] = Area(0, end - 1, canvas.columns, 1)  # who wins
    if guide_box(scene):
        draw_guide_box(canvas, scene)


def _centre(scene: Scene, area: Area) -> Area:
    """Return the middle of an area, for what is below the winners; all of it after many rounds."""
    many = any(len(tally.scores) > MANY_ROUNDS for tally in scene.table.tallies)
    columns = area.columns if many else min(area.columns, SHOW_COLUMNS)
    return replace(area, x=area.x + (area.columns - columns) // 2, columns=columns)


def _headings(scene: Scene) -> tuple[str, ...]:
    """Return what is shown, with and without why the game ended."""
    number = scene.model.game  # of those at this table: the first one needs none
    title = _("The result · game {number}").format(number=number)
    title = _("The result") if scene.ui.replayed or number == 1 else title
    title = scene.ui.heading or title
    return f"{title}  {why_over(scene.model, scene.view)}", title


def _low_headings(scene: Scene) -> tuple[str, ...]:
    """Return who has won, and by how much, after what a replay is called if there is room."""
    texts = outcome(scene), winners(scene)
    if not scene.ui.heading:
        return texts
    return (*(f"{scene.ui.heading}  {text}" for text in texts), winners(scene))


def _draw_low(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw the essentials; return the next row."""
    y, end = area.y, area.y + area.rows
    together = together_of(scene)
    if together is None or not is_flipped(scene) or _draws_both(scene, together, area.rows):
        y = _draw_table(canvas, scene, area.x, area.y, area.columns)
    # the games together have a line below, or this place; queue or log have at least one line
    y = _draw_middle(canvas, scene, replace(area, y=y, rows=end - y - 2 + is_flipped(scene)))
    for line in _together(scene, area.columns):
        draw_key(canvas, Area(area.x, y, area.columns, 1), Action.PANE, line)
        y += 1
    why = [why_over(scene.model, scene.view, brief) for brief in (False, True)]
    unsaid = width(_low_headings(scene)[0]) > area.columns - width(
        head_note(scene)
    )  # then the heading has only who has won
    texts = tie_break(scene.view) if unsaid else "", queue_line(scene.table)
    lines = [line for text in texts for line in wrap(text, area.columns, "") if line]
    for line in [*lines, fit(why, area.columns, width)][: end - y]:
        canvas.put(area.x, y, line, "class:note")
        y += 1
    for text in tie_lines(scene.model, scene.view):
        if y + len(told := [*wrap(text, area.columns)]) <= end:
            for line in told:
                canvas.put(area.x, y, line, "class:note")
                y += 1
    return y


def _draws_both(scene: Scene, together: "Together", rows: int) -> bool:
    """Return whether so many rows are enough for the standings and everybody's games together."""
    return len(scene.view.standings) + together_rows(together) < rows


BLANKS: Final = ("texts", "place0", "scores", TOGETHER)
"""The parts of a result by their marks, in the order in which they get a blank line above."""
LAST_BLANKS: Final = ("podium0", "notes")
"""Those that get one if there are rows after what decided the game has been said."""


def _draw_show(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw everything but the log, with blank lines where there are rows; return the next row."""
    blanks: list[str] = []
    for parts in (BLANKS, LAST_BLANKS):
        tried = Canvas(canvas.columns, canvas.rows)
        free = area.y + area.rows - _draw_parts(tried, scene, area, blanks, parts is LAST_BLANKS)
        blanks += [part for part in parts if part in tried.marks][:free]
    return _draw_parts(canvas, scene, area, blanks, why=True)


def _draw_parts(
    canvas: Canvas, scene: Scene, area: Area, blanks: Collection[str], why: bool
) -> int:
    """Draw everything but the log, with a blank line above these parts; return the next row.

    What decided the game is said if there is room and `why`.
    """
    count, high = len(scene.view.standings), canvas.rows >= WIDE[1]
    y, end = area.y + high, area.y + area.rows
    said = _guide(scene, area.columns)
    together, flipped = together_of(scene), is_flipped(scene)
    below = together if together and not can_flip(scene) else None
    middle = count + 1 if together is None or not flipped else together_rows(together)
    # what has to be done next is more important than what others have won
    step = 0 if scene.ui.replayed else len([*wrap(result_step(scene), area.columns)])
    # what standings, rounds, the games together, and the guide or the next step leave
    spare = area.rows - (count + 1) - middle - max(len(said), step, 1) - high
    spare -= together_rows(below) if below and not said else 0
    large = spare - NAME_ROWS - STEP_ROWS[high]
    # the large letters do not touch the header if there is room for a line more
    top = int(not high and large > BIG_ROWS + 1)
    whole = replace(area, x=2, y=y + top, columns=canvas.columns - 4)
    most = large - top if large > BIG_ROWS else max(spare, 1)
    y = _draw_winners(canvas, scene, replace(whole, rows=most))
    spare -= y - area.y - high
    least = NAME_ROWS + STEP_ROWS[False]
    if spare >= least:
        y += "podium0" in blanks
        # a lower podium, rather than no blank lines
        rows = min(NAME_ROWS + STEP_ROWS[high], max(spare - len(BLANKS) - 1, least))
        y = _draw_podium(canvas, scene, replace(area, y=y, rows=rows))
    y = _draw_table(canvas, scene, area.x, y + ("place0" in blanks), area.columns)
    y += "scores" in blanks
    y = _draw_middle(canvas, scene, replace(area, y=y, rows=min(middle, end - y - step)))
    if below:
        y += TOGETHER in blanks
        rows = end - y - step
        bottom = draw_together(canvas, scene, below, replace(area, y=y, rows=rows))
        if bottom > y:
            canvas.marks[TOGETHER] = Area(area.x, y, area.columns, bottom - y)
        y = bottom
    y += "texts" in blanks
    bottom = _draw_texts(canvas, scene, replace(area, y=y, rows=end - y), "notes" in blanks, why)
    if bottom > y:
        canvas.marks["texts"] = Area(area.x, y, area.columns, bottom - y)
    return bottom


def _draw_middle(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw rounds and awards or, if Tab has changed to them, the games together."""
    together = together_of(scene)
    if together and is_flipped(scene):
        y = draw_together(canvas, scene, together, area)
    else:
        y = draw_rounds(canvas, scene, area)
    canvas.marks["scores"] = Area(area.x, area.y, area.columns, y - area.y)
    return y


def _guide(scene: Scene, columns: int) -> list[Fragment]:
    """Return the last words of the guide in an area of so many columns; [] where it has a box."""
    return pane_lines(scene, "guide", columns - 2) if log_or_guide(scene) == "guide" else []


def _draw_texts(canvas: Canvas, scene: Scene, area: Area, blank: bool, why: bool) -> int:
    """Draw the last words of the guide, the next step, and what else fits; return the next row.

    Above what else fits is a blank line if `blank`.
    """
    y, end = area.y, area.y + area.rows
    if said := _guide(scene, area.columns):
        rows = min(len(said), area.rows)
        draw_pane(canvas, scene, replace(area, rows=rows), "guide")
        y += rows
    if not scene.ui.replayed and y < end:
        step = replace(area, y=y, rows=end - y)
        y = draw_step(canvas, scene, step, result_step(scene))
    top = below = y + blank
    told = (*_together(scene, area.columns), *result_notes(scene))
    if not is_flipped(scene):  # they are about this game
        told = (*tie_lines(scene.model, scene.view), *told, *(reasons(scene) if why else ()))
    for text in told:
        lines = wrap(text, area.columns)
        if below + len(lines) <= end:
            for line in lines:
                canvas.put(area.x, below, line, "class:note")
                below += 1
    if below == top:
        return y
    if y > area.y:
        canvas.marks["notes"] = Area(area.x, top, area.columns, below - top)
    return below


def reasons(scene: Scene) -> Iterator[str]:
    """Yield what decided the game and when this player served most, unless the guide says it."""
    from coffeerush.ui.advice.guide_result import result

    if not scene.guide and not scene.ui.replayed:
        yield from result(scene.model, scene.view)


# The standings


def _draw_table(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> int:
    """Draw one line per player, best first, in the longest wording; return the next row."""
    order = in_ranks(scene)
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
    """Yield the standings: in words, with marks, bots without levels, all marks.

    What is left out first is what an upgrade or a penalty counts, then the rounds of best turns,
    which the scores by round mark.
    """
    names, short = _titles(scene, order)
    rounds, counts, marks = _best_turns(scene, order)
    parts = _score_parts(scene, order)
    worded, valued, titled = (
        [Column(part.titles[number], part.cells, part.style) for part in parts]
        for number in range(3)
    )
    for best in (rounds, counts):
        yield Grid(names, valued + best)
        yield Grid(names, worded + best)
    yield Grid(names, titled + counts)
    yield Grid(short, titled + counts)
    marked = [Column("", [part.mark + cell for cell in part.cells], part.style) for part in parts]
    yield Grid(names, marked + marks, gap=1)
    yield Grid(short, marked + marks, gap=1)


class _Part(NamedTuple):
    """The score or a part of it, with a cell for each player."""

    titles: tuple[str, str, str]
    """In a word, with what one counts if that is not 1, and as a mark with that."""
    mark: str
    cells: list[str]
    style: str


def _score_parts(scene: Scene, order: list[Seat]) -> list[_Part]:
    """Return the score and its parts (R-END-2, R-END-3)."""
    players = [scene.player(seat) for seat in order]
    score = pgettext("title of a column", "score")
    served = pgettext("title of a column", "orders")
    active = pgettext("title of a column", "upgrades")
    penalty = pgettext("title of a column", "penalties")
    rush = glyphs.RUSH
    columns = [
        ((score,) * 3, "", [player.score for player in players], "class:score"),
        (
            (served, served, f"{glyphs.SERVED} +1"),
            *(glyphs.SERVED, [player.completed for player in players], "class:count"),
        ),
        (
            (active, f"{active} +2", f"{glyphs.ACTIVE} +2"),
            *(glyphs.ACTIVE, [sum(player.upgrades) for player in players], "class:upgrade"),
        ),
        (
            (penalty, f"{penalty} -1", f"{glyphs.PENALTY} -1"),
            *(glyphs.PENALTY, [player.penalties for player in players], "class:penalty"),
        ),
        ((rush,) * 3, rush, [player.rush for player in players], "class:rush"),
    ]
    return [_Part(titles, mark, [*map(str, own)], style) for titles, mark, own, style in columns]


def _best_turns(scene: Scene, order: list[Seat]) -> list[list[Column]]:
    """Return the best turns with their rounds, without, and as marks; none without tallies."""
    if not scene.table.tallies:
        return [[], [], []]
    tallies = [scene.table.tallies[seat] for seat in order]
    heading = pgettext("title of a column", "best turn")
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
    return [standing.seat for standing in scene.view.standings if standing.rank == 1]


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
    """Return the winners, and by how much or by which tie-break they won."""
    return f"{winners(scene)} {margin_line(scene.model, scene.view)}".rstrip()


def result_step(scene: Scene) -> str:
    """Return the next thing to do, and by whom, before a rematch can start.

    Who plays in a tournament has no rematch: its next round comes first.
    """
    if scene.model.awaits_round:
        return tournament_line(scene.model, scene.round_left)
    if scene.model.owner:
        here = staying(scene)
        if late := [seat.name for seat in here if not seat.ready]:
            return _("Waiting for {names} to agree to a rematch.").format(names=and_list(late))
        if len(here) < MIN_PLAYERS:
            return _("A rematch needs two players: wait until somebody joins.")
        if makes_room_first(scene):
            text = _("In line for a seat: {names}. “{key}” makes room, Enter starts a rematch.")
            key = cap_of(Action.STAND_UP)
            return text.format(names=item_list(scene.model.queued), key=key)
        return _("Enter starts a rematch: {names}.").format(names=item_list(_who_plays(scene)))
    if scene.me is None:
        return place_in_line(scene)
    if not scene.seats[scene.me].ready:
        if scene.ui.touch:
            button = sentence_case(pgettext("key", "rematch"))
            return _("Tap “{button}” if you want a rematch.").format(button=button)
        return _("Press Enter if you want a rematch.")
    if scene.table.owner is None:
        return _("A rematch starts when everybody who is here wants one.")
    return _("Waiting for {name} to start the rematch.").format(
        name=scene.seats[scene.table.owner].name
    )


def _who_plays(scene: Scene) -> Iterator[str]:
    """Yield who plays the next game, by seat: others may have come, or only be away."""
    here, away = staying(scene), pgettext("person", "away")
    for number, seat in enumerate(scene.seats):
        if seat in here:
            name = seat_player(seat, number)
            yield f"{name} ({away})" if seat.away else name


def result_notes(scene: Scene) -> list[str]:
    """Return who wants a rematch, who begins it, and what has come of the record.

    Who plays in a tournament has no rematch.
    """
    rematch = [] if scene.model.awaits_round else _rematch(scene)
    return [*rematch, *_about_record(scene)]


def _rematch(scene: Scene) -> list[str]:
    ready = [
        seat.name
        for number, seat in enumerate(scene.seats)
        if seat.ready and seat.status == "person" and number != scene.table.owner  # who starts it
    ]
    want = [_("Want a rematch: {names}").format(names=item_list(ready))] if ready else []
    want += [*filter(None, [queue_line(scene.table)])]
    return want if scene.table.next_game.first is None else [*want, first_line(scene.table)]


def _together(scene: Scene, columns: int) -> list[str]:
    """Return the wins of each in all these games, if Tab shows more about them."""
    together = together_of(scene)
    if together is None or not can_flip(scene) or is_flipped(scene):
        return []
    if kind_of(*scene.ui.size) == "narrow":
        line = together_heading(together)
        wins = (
            f"{player_called(player, scene.letter)} {wins_number(player)}"
            for player in together.everybody
        )
        whole = f"{line} ({' '.join(wins)})"
        room = columns - width(cap_of(Action.PANE)) - 1
        return [whole if width(whole) <= room else line]
    return [" ".join((together_line(together, scene.name), _("Tab shows more.")))]


def _about_record(scene: Scene) -> list[str]:
    """Return what has come of the record of the game, unless the footer has its keys."""
    fetch = scene.record
    if fetch is None:
        return []
    if fetch.trouble:
        return [error_line(fetch.trouble)]
    return [] if fetch.is_kept else [_("The record of this game is on its way from the host.")]
