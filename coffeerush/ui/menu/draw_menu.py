"""Draw the start menu: its lines, the selected line's description, and notes."""

from typing import TYPE_CHECKING, Final

from coffeerush.ui.pages.form import list_rows
from coffeerush.ui.pages.pages import PAGE_KEYS, PAGES, draw_page, page_offers
from coffeerush.ui.terminal.canvas import Area, Canvas, kind_of, pad, width, wrap
from coffeerush.ui.terminal.parts import (
    MIN_ROWS,
    big,
    draw_chart,
    draw_keys,
    draw_list,
    list_columns,
)
from coffeerush.ui.words.i18n import _, pgettext

from .menu import CHOOSING, MENU_KEYS, Home, MenuAction, field_of, lines_of, title_of

if TYPE_CHECKING:
    from coffeerush.league.table import Career


COLUMNS: Final = 76
"""Width of the lines, unless they need more."""
TITLE_ROWS: Final = {2: 30, 1: 18}
"""Minimum rows by the scale of the title."""
CHART_ROWS: Final = 9
"""Maximum height of the chart of ratings."""
_GAP: Final = 3
MIN_PLACE: Final = 4
"""Rows that notes leave free: the title, two lines to choose from, the footer."""
CUP: Final = (
    "     )  (",
    "    (    )",
    "   ┌───────┐",
    "   │       ├─┐",
    "   │       │ │",
    "   │       ├─┘",
    "   └───────┘",
    "  ───────────",
)
"""The picture next to the menu, if there is room."""
CUP_COLUMNS: Final = 14
STEAM_ROWS: Final = 2
FILLING: Final = ("class:milk", "class:caramel", "class:coffee")
"""The layers in the cup, from the top."""


def draw_home(home: Home, columns: int, rows: int) -> Canvas:
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
    _draw_head(canvas, home)
    notes = [part for note in home.notes for part in wrap(note, columns - 4, "")]
    del notes[rows - MIN_PLACE :]  # the first ones are the most important
    y = rows - 1 - len(notes)
    for offset, note in enumerate(notes):
        canvas.put(2, y + offset, note, "class:refusal" if home.wrong else "class:note")
    _draw_place(canvas, home, Area(0, 1, columns, y - 1))
    draw_keys(canvas, rows - 1, MENU_KEYS, offers(home))
    return canvas


def offers(home: Home) -> dict[MenuAction, str]:
    """Return the labels of the available actions, for the footer."""
    lines = lines_of(home)
    line = lines[home.row]
    found = {MenuAction.MOVE: pgettext("key", "choose"), MenuAction.NEXT: pgettext("key", "open")}
    if len(lines) == 1:
        del found[MenuAction.MOVE]
    if line.typed and not line.errand:
        found[MenuAction.NEXT] = pgettext("key", "save")
    elif line.errand and home.place != "menu":
        found[MenuAction.NEXT] = {
            "play": pgettext("key", "start"),
            "host": pgettext("key", "open"),
            "records": pgettext("key", "watch"),
        }.get(home.place, pgettext("key", "connect"))
    if home.place == "career":
        del found[MenuAction.NEXT]
    if line.change:
        found[MenuAction.MOVE] = pgettext("key", "choose, change")
    quits = pgettext("key", "quit")
    if home.place == "menu":
        return {MenuAction.HELP: pgettext("key", "help"), **found, MenuAction.LEAVE: quits}
    leave = quits if home.place == home.root else pgettext("menu", "back")
    found = {**found, MenuAction.CLOSE: leave}
    # in a text field, ? is a character
    return found if field_of(home, lines) else {MenuAction.HELP: pgettext("key", "help"), **found}


def _draw_head(canvas: Canvas, home: Home) -> None:
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    brand, title, x = _("Coffee Rush"), title_of(home), 1
    if width(brand) + width(title) + 4 <= canvas.columns:
        x = canvas.put(x, 0, brand, "class:header class:brand") + 2
    x = canvas.put(x, 0, title, "class:header class:turn")
    name = _("You are {name}").format(name=home.name)
    if x + width(name) + _GAP <= canvas.columns:
        canvas.put(canvas.columns - 1 - width(name), 0, name, "class:header")


def _draw_place(canvas: Canvas, home: Home, area: Area) -> None:
    """Draw the lines, and below them the selected one's description."""
    lines = lines_of(home)
    rows = list_rows(lines, field_of(home, lines))
    columns = min(area.columns - 2, max(COLUMNS, list_columns(rows)))
    x = (area.columns - columns) // 2
    y = _draw_title(canvas, area) if home.place == "menu" and not home.settings.ascii else area.y
    room = Area(x, y, columns, area.y + area.rows - y)
    # a truncated address is useless
    share = 3 if home.place in CHOOSING else 2
    inner, end = draw_list(canvas, room, rows, home.row, lines[home.row].about, share)
    if home.place == "career" and home.league:
        below = Area(x, end, columns, area.y + area.rows - end)
        _draw_ratings(canvas, home.league.careers[home.career], below)
    if home.place == "menu" and columns >= COLUMNS:
        y = inner.y + (inner.rows - len(CUP)) // 2
        _draw_cup(canvas, x + columns - CUP_COLUMNS, y)


def _draw_ratings(canvas: Canvas, career: "Career", area: Area) -> None:
    """Draw the chart of a player's ratings, if there is room."""
    from coffeerush.ui.words.league import chart_ends

    rows = min(area.rows - 1, CHART_ROWS)
    if rows >= MIN_ROWS:
        chart = Area(area.x, area.y + 1, area.columns, rows)
        draw_chart(canvas, chart, [game.rating for game in career.history], chart_ends(career))


def _draw_title(canvas: Canvas, area: Area) -> int:
    """Draw the game's name as large as fits; return the next row."""
    title = _("Coffee Rush").upper()
    for scale, rows in TITLE_ROWS.items():
        letters = big(title, scale)
        columns = max(map(width, letters), default=0)
        if letters and area.rows >= rows and columns <= area.columns - 4:
            x = (area.columns - columns) // 2
            for offset, part in enumerate(letters):
                canvas.put(x, area.y + 1 + offset, part, "class:title")
            return area.y + 1 + len(letters)
    return area.y


def _draw_cup(canvas: Canvas, x: int, y: int) -> None:
    for offset, part in enumerate(CUP):
        style = "class:dim" if offset < STEAM_ROWS else "class:title"
        canvas.put(x, y + offset, pad(part, CUP_COLUMNS), style)
    for offset, style in enumerate(FILLING, start=STEAM_ROWS + 1):
        canvas.put(x + 4, y + offset, " " * 7, style)
