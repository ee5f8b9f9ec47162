"""Draw the start page: the title, the entries, cups, tables nearby, and the person's results."""

from typing import Final, NamedTuple

from coffeerush.ui.pages.brand import (
    COLUMNS,
    HEAD_ROWS,
    INDENT,
    PAGE_ROWS,
    PICTURE_COLUMNS,
    draw_picture,
    draw_title,
    title_letters,
)
from coffeerush.ui.pages.form import list_rows
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Parts, Target, fit, width
from coffeerush.ui.terminal.parts import ListRow, draw_list, list_columns
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.league import record_text

from .menu import Home, entry_count, field_of, lines_of, nearby, title_of

ROOMY_ROWS: Final = 20
"""Terminal rows from which on the sections are set apart, and there even if they are empty."""
TABLES: Final = 3
"""The tables nearby that there is room for before there are any."""
ABOUT_ROWS: Final = 3
"""A blank line, and the description of the selected line."""
_GAP: Final = 3


class _Sections(NamedTuple):
    """The rows of the sections below the title, with the blank ones before them."""

    entries: int
    tables: int
    name: int

    @property
    def total(self) -> int:
        return sum(self)


def draw_start(canvas: Canvas, home: Home, end: int, look: Look) -> None:
    """Draw the start page above the row `end`."""
    lines = lines_of(home)
    first = entry_count(home, lines)
    rows = list_rows(lines, field_of(home, lines))
    entries, tables = rows[:first], rows[first:]
    letters = title_letters(canvas, look.ascii)
    widest = max([list_columns(rows), *(width(part) + 2 * INDENT for part in letters[:1])])
    columns = min(canvas.columns - 2, max(COLUMNS, widest))
    x = (canvas.columns - columns) // 2
    head = len(letters) + HEAD_ROWS if letters else 1
    sections = _sections(home, end - head, first, canvas.rows >= ROOMY_ROWS, bool(letters))
    y = head
    if letters:
        top = max(end - head - max(sections.total, PAGE_ROWS), 0) // 3
        draw_title(canvas, x, top + 1, letters, look)
        y += top
    else:
        draw_head(canvas, home)
    area = Area(x, y, columns, sections.entries)
    if canvas.rows >= ROOMY_ROWS:
        draw_picture(canvas, Area(x, y, columns, first), list_columns(entries), look)
        if home.place == "name":  # beside the picture, what is said of it takes more lines
            area = Area(x, y, columns - PICTURE_COLUMNS, end - y)
    selected = home.row if home.row < first else None
    draw_list(canvas, area, entries, selected, lines[home.row].about)
    area = Area(x, y + area.rows, columns, sections.tables)
    _draw_tables(canvas, area, tables, home, first)
    if sections.name:
        _draw_name(canvas, Area(x, y + sections.total - 1, columns, 1), home, bool(letters))


def _sections(home: Home, room: int, first: int, roomy: bool, named: bool) -> _Sections:
    """Share the rows out: `first` entries come first, then some tables, then the results."""
    gap = int(roomy)
    heading = gap + 1
    found = len(nearby(home))
    is_listed = home.place == "menu" and (found or (home.looking and roomy))
    least = heading + 1 if is_listed else 0
    name = heading if home.place == "menu" and (named or home.own_record) else 0
    if room - first - least < name:
        name = 0
    wanted = heading + max(found, TABLES * gap) if is_listed else 0
    tables = min(wanted, max(room - first - ABOUT_ROWS * gap - name, least))
    entries = room - tables - name
    return _Sections(min(entries, first + ABOUT_ROWS) if roomy else entries, tables, name)


def draw_head(canvas: Canvas, home: Home) -> None:
    """Draw the top line: the game, the title of the place, and the person's name."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    brand, title, x = _("Coffee Rush"), title_of(home), 1
    if width(brand) + width(title) + 4 <= canvas.columns:
        x = canvas.put(x, 0, brand, "class:header class:brand") + 2
    x = canvas.put(x, 0, title, "class:header class:turn")
    name = _("You are {name}").format(name=home.name)
    if home.place != "name" and x + width(name) + _GAP <= canvas.columns:
        canvas.put(canvas.columns - 1 - width(name), 0, name, "class:header")


def _draw_tables(canvas: Canvas, area: Area, tables: list[ListRow], home: Home, first: int) -> None:
    """Draw the tables nearby under their heading; the lines before them are `first`.

    The person's own table may be one of those.
    """
    if not area.rows:
        return
    y = area.y + (canvas.rows >= ROOMY_ROWS)
    end = canvas.put(area.x, y, _("Tables nearby"), "class:title") + 1
    canvas.put(end, y, glyphs.LINE * (area.x + area.columns - end), "class:frame")
    below = Area(area.x, y + 1, area.columns, area.y + area.rows - y - 1)
    if tables:
        selected = home.row - first if home.row >= first else None
        draw_list(canvas, below, tables, selected, "", first=first)
    else:
        text = _("None yet: new ones appear here.")
        if home.own:
            text = _("No others yet: new ones appear here.")
        canvas.put(area.x + INDENT, y + 1, text, "class:dim")


def _draw_name(canvas: Canvas, area: Area, home: Home, named: bool) -> None:
    """Draw the person's results, and their name if the top line does not have it."""
    parts: Parts = []
    if named:
        parts.append(("class:title", _("You are {name}").format(name=home.name)))
    if home.own_record:
        gap = f" {glyphs.DOT} " if parts else ""
        texts = (gap + record_text(home.own_record, brief=brief) for brief in (False, True))
        room = area.columns - sum(width(text) for _style, text in parts)
        parts.append(("class:note", fit(texts, room, width)))
    canvas.puts(area.x, area.y, parts, area.columns)
    canvas.zone(area.x, area.y, area.columns, 1, Target("key", "n"))
