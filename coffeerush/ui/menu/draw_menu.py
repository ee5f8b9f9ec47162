"""Draw the menu: the start page or the lines of another place, notes and footer."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from coffeerush.ui.pages.brand import COLUMNS, draw_form_title, draw_picture, picture_rows
from coffeerush.ui.pages.form import list_rows
from coffeerush.ui.pages.pages import PAGE_KEYS, PAGES, draw_page, page_offers
from coffeerush.ui.terminal.canvas import (
    EVERYTHING,
    Area,
    Canvas,
    Fragment,
    Look,
    kind_of,
    pad,
    width,
    wrap,
)
from coffeerush.ui.terminal.parts import (
    MIN_ROWS,
    draw_chart,
    draw_keys,
    draw_lines,
    draw_list,
    draw_marks,
    list_columns,
)
from coffeerush.ui.words.i18n import pgettext

from .draw_start import ABOUT_ROWS, draw_head, draw_start
from .menu import (
    CHOOSING,
    MENU_KEYS,
    Home,
    Line,
    MenuAction,
    entry_count,
    field_of,
    lines_of,
    title_of,
)

if TYPE_CHECKING:
    from coffeerush.league.table import Career


CHART_ROWS: Final = 9
"""Maximum height of the chart of ratings."""
READING_EDGE: Final = 2
"""Cells next to lines that can only be read: the scroll arrows."""
LABEL_SHARE: Final = 3
"""The labels of such lines take at most one part in so many."""
MAX_TOP: Final = 3
"""Blank rows above them, if there is room."""
TITLE_ROWS: Final = 8
"""The most rows of that title."""
PICTURE_ABOVE: Final = 3
"""Rows from lines or their description to a picture below them."""
MIN_PLACE: Final = 4
"""Rows that notes leave free: the title, two lines to choose from, the footer."""


def draw_home(home: Home, columns: int, rows: int, look: Look = EVERYTHING) -> Canvas:
    """Draw the start menu for a terminal size."""
    canvas = Canvas(columns, rows)
    if kind_of(columns, rows) == "tiny":
        # imported here so that the first frame does not wait for all of a game's modules
        from coffeerush.ui.table.draw_lobby import draw_tiny

        draw_tiny(canvas)
        return canvas
    if home.page.mode in PAGES:
        draw_page(canvas, home.page)
        draw_keys(canvas, rows - 1, PAGE_KEYS, page_offers(home.page))
        return canvas
    notes = [part for note in home.notes for part in wrap(note, columns - 4, "")]
    del notes[rows - MIN_PLACE :]  # the first ones are the most important
    y = rows - 1 - len(notes)
    for offset, note in enumerate(notes):
        canvas.put(2, y + offset, note, "class:refusal" if home.wrong else "class:note")
    if home.place in ("menu", "name"):
        draw_start(canvas, home, y, look)
    else:
        draw_head(canvas, home)
        _draw_place(canvas, home, Area(0, 1, columns, y - 1), look)
    draw_keys(canvas, rows - 1, MENU_KEYS, offers(home))
    return canvas


def offers(home: Home) -> dict[MenuAction, str]:
    """Return the labels of the available actions, for the footer."""
    lines = lines_of(home)
    line = lines[home.row]
    moves = pgettext("key", "choose") if line.leads else pgettext("key", "scroll")
    found = {MenuAction.MOVE: moves, MenuAction.NEXT: pgettext("key", "open")}
    if len(lines) == 1 or (is_read(lines) and not reading_end(home)):
        del found[MenuAction.MOVE]
    if line.typed and not line.errand:
        found[MenuAction.NEXT] = pgettext("key", "save")
    elif line.errand and home.place != "menu":
        found[MenuAction.NEXT] = {
            "play": pgettext("key", "start"),
            "host": pgettext("key", "open"),
            "records": pgettext("key", "watch"),
            "unfinished": pgettext("key", "continue"),
        }.get(home.place, pgettext("key", "connect"))
    if not line.leads:
        del found[MenuAction.NEXT]
    if home.row >= entry_count(home, lines):
        found[MenuAction.NEXT] = pgettext("key", "join")
        found[MenuAction.WATCH] = pgettext("key", "watch")
    if line.change:
        found[MenuAction.MOVE] = pgettext("key", "choose, change")
        found[MenuAction.NEXT] = pgettext("key", "change")
    quits = pgettext("key", "quit")
    if home.place == "menu":
        found |= {MenuAction.NAME: pgettext("key", "name"), MenuAction.LEAVE: quits}
        return {MenuAction.HELP: pgettext("key", "help"), **found}
    leave = quits if home.place == home.root else pgettext("menu", "back")
    if home.place == "name" != home.root and not home.settings.is_introduced:
        leave = pgettext("key", "skip")  # nothing is behind the first screen
    found = {**found, MenuAction.CLOSE: leave}
    # in a text field, ? is a character
    return found if field_of(home, lines) else {MenuAction.HELP: pgettext("key", "help"), **found}


def _draw_place(canvas: Canvas, home: Home, area: Area, look: Look) -> None:
    """Draw the lines, and below them the selected one's description.

    With room, a title and a picture make it look like the start page; beside few lines, the
    description has the room of the picture, which is then below it.
    """
    lines = lines_of(home)
    rows = list_rows(lines, lines[home.row])
    if home.place in CHOOSING and not home.row:  # digits are typed, and the labels stay in place
        rows = [replace(row, digit=row.digit and " ") for row in rows]
    columns = min(area.columns - 2, max(COLUMNS, list_columns(rows)))
    x = (area.columns - columns) // 2
    room = Area(x, area.y, columns, area.rows)
    beside = False
    if is_read(lines):
        text = _reading(lines, columns - READING_EDGE)
        if room.rows >= TITLE_ROWS + len(text):
            room = _below_title(canvas, room, home, look)
        inner = replace(room, rows=min(len(text), room.rows))
        inner = replace(inner, y=room.y + min((room.rows - inner.rows) // 3, MAX_TOP))
        shown = draw_lines(canvas, inner, text, home.row)
        draw_marks(canvas, inner, shown, len(text))
        end = inner.y + inner.rows
    else:
        # a truncated address is useless
        share = 3 if home.place in CHOOSING else 2
        least = TITLE_ROWS + len(rows) + ABOUT_ROWS
        is_titled = room.rows >= least
        if is_titled:
            room = _below_title(canvas, room, home, look)
        inner, end = draw_list(canvas, room, rows, home.row, lines[home.row].about, share)
        beside = is_titled and inner.rows >= picture_rows(look)
        if beside:
            draw_picture(canvas, inner, list_columns(rows), look)
    below = Area(x, end, columns, area.y + area.rows - end)
    if home.place == "career" and home.league:
        _draw_ratings(canvas, home.league.careers[home.career], below)
    elif not beside and below.rows >= PICTURE_ABOVE + picture_rows(look):
        draw_picture(canvas, replace(below, y=below.y + PICTURE_ABOVE), 0, look)


def _below_title(canvas: Canvas, area: Area, home: Home, look: Look) -> Area:
    """Draw the title of a place in large letters, and return the area below it."""
    top = draw_form_title(canvas, area, title_of(home), look)
    return replace(area, y=area.y + top, rows=area.rows - top)


def is_read(lines: Sequence[Line]) -> bool:
    """Return whether the lines of a place can only be read, so that they scroll."""
    return not any(line.leads for line in lines)


def _reading(lines: Sequence[Line], columns: int) -> list[Fragment]:
    """Return such lines with their values in a column, each wrapped as a whole."""
    column = min(max(width(line.label) for line in lines), columns // LABEL_SHARE) + 2
    return [
        (line.look, (pad(label, column) + value).rstrip())
        for line in lines
        for label, value in zip_longest(
            wrap(line.label, column - 2, ""), wrap(line.value, columns - column, ""), fillvalue=""
        )
    ]


def reading_end(home: Home) -> int:
    """Return by how many lines such a place can be scrolled."""
    columns, rows = home.page.size
    lines = lines_of(home)
    columns = min(columns - 2, max(COLUMNS, list_columns(list_rows(lines, None))))
    return max(len(_reading(lines, columns - READING_EDGE)) - (rows - 2), 0)


def _draw_ratings(canvas: Canvas, career: "Career", area: Area) -> None:
    """Draw the chart of a player's ratings, if there is room."""
    from coffeerush.ui.words.league import chart_ends

    rows = min(area.rows - 1, CHART_ROWS)
    if rows >= MIN_ROWS:
        chart = Area(area.x, area.y + 1, area.columns, rows)
        draw_chart(canvas, chart, [game.rating for game in career.history], chart_ends(career))
