"""Draw the start page: the title, the entries, cups, tables nearby, and the person's results."""

from typing import Final, NamedTuple

from coffeerush.ui.pages.form import list_rows
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Parts, Target, pad, width
from coffeerush.ui.terminal.parts import ListRow, big, draw_list, list_columns
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.league import record_text

from .menu import Home, entry_count, field_of, lines_of, nearby, title_of

COLUMNS: Final = 76
"""Width of the page, unless its lines need more."""
TITLE_ROWS: Final = {2: 32, 1: 20}
"""Minimum rows of the terminal by the scale of the title."""
ROOMY_ROWS: Final = 20
"""Terminal rows from which on the sections are set apart, and there even if they are empty."""
TABLES: Final = 3
"""The tables nearby that there is room for before there are any."""
ABOUT_ROWS: Final = 3
"""A blank line, and the description of the selected line."""
PAGE_ROWS: Final = 16
"""The rows below the title if there are no more than six entries and three tables."""
_GAP: Final = 3
_INDENT: Final = 2

TITLE_STYLES: Final = ("class:ask", "class:title", "class:frame")
"""The styles of the upper, middle and lower third of the title."""
LATIN_TITLE: Final = "COFFEE RUSH"
"""For a language without large letters; the name in that language is below it."""

CUPS: Final = (
    ("class:milk", "class:coffee", "class:coffee"),
    ("class:ice", "class:milk", "class:tea"),
    ("class:caramel", "class:chocolate", "class:coffee"),
)
"""The layers in each cup, from the top."""
STEAM: Final = "~ ~  ~"
HANDLE: Final = glyphs.LOWER, glyphs.UPPER, ""
"""The right side of each layer."""
CUP_ROWS: Final = 3
CUP_COLUMNS: Final = 7
CUP_STEP: Final = CUP_COLUMNS + 3
FRAMED_CUP: Final = (
    "     )  (",
    "    (    )",
    "   ┌───────┐",
    "   │       ├─┐",
    "   │       │ │",
    "   │       ├─┘",
    "   └───────┘",
    "  ───────────",
)
"""The picture if there are no colours, or few, which each terminal chooses."""
FRAMED_COLUMNS: Final = 14
STEAM_ROWS: Final = 2


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
    letters = _letters(canvas, look.ascii)
    widest = max([list_columns(rows), *(width(part) + 2 * _INDENT for part in letters[:1])])
    columns = min(canvas.columns - 2, max(COLUMNS, widest))
    x = (canvas.columns - columns) // 2
    head = len(letters) + 3 if letters else 1
    sections = _sections(home, end - head, first, canvas.rows >= ROOMY_ROWS, bool(letters))
    y = head
    if letters:
        top = max(end - head - max(sections.total, PAGE_ROWS), 0) // 3
        _draw_title(canvas, x, top + 1, letters, look)
        y += top
    else:
        draw_head(canvas, home)
    if canvas.rows >= ROOMY_ROWS and home.place == "menu":
        draw_picture(canvas, Area(x, y, columns, first), list_columns(entries), look)
    area = Area(x, y, columns, sections.entries)
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


def _letters(canvas: Canvas, ascii_only: bool) -> list[str]:
    """Return the game's name in the largest letters that fit; [] if none do."""
    for scale, rows in TITLE_ROWS.items():
        title = _("Coffee Rush").upper()
        title = title if big(title) else LATIN_TITLE
        letters = big(title, scale, ascii_only)
        higher = len(letters) - len(big(title, scale))  # as those in ASCII are
        if canvas.rows >= rows + 2 * higher and width(letters[0]) + 2 * _INDENT < canvas.columns:
            return letters
    return []


def draw_form_title(canvas: Canvas, area: Area, title: str, look: Look) -> int:
    """Draw a title in large letters at the top of an area; return its rows, 0 without room."""
    letters = big(title.upper(), ascii_only=look.ascii)
    if not letters or width(letters[0]) + 2 * _INDENT > area.columns:
        return 0
    _draw_letters(canvas, area.x + _INDENT, area.y + 1, letters, look)
    return len(letters) + 1


def _draw_letters(canvas: Canvas, x: int, y: int, letters: list[str], look: Look) -> None:
    styles = TITLE_STYLES if look.rich else TITLE_STYLES[:1]
    for offset, part in enumerate(letters):
        canvas.put(x, y + offset, part, styles[offset * len(styles) // len(letters)])


def _draw_title(canvas: Canvas, x: int, y: int, letters: list[str], look: Look) -> None:
    """Draw the title, and below it the game's name in small letters with its motto."""
    _draw_letters(canvas, x + _INDENT, y, letters, look)
    brand = canvas.put(x + _INDENT, y + len(letters), _("Coffee Rush"), "class:brand")
    canvas.put(brand + 2, y + len(letters), _("Fetch. Pour. Serve."), "class:note")


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
        canvas.put(area.x + _INDENT, y + 1, text, "class:dim")


def _draw_name(canvas: Canvas, area: Area, home: Home, named: bool) -> None:
    """Draw the person's results, and their name if the top line does not have it."""
    parts: Parts = []
    if named:
        parts.append(("class:title", _("You are {name}").format(name=home.name)))
    if home.own_record:
        gap = f" {glyphs.DOT} " if parts else ""
        parts.append(("class:note", gap + record_text(home.own_record)))
    canvas.puts(area.x, area.y, parts, area.columns)
    canvas.zone(area.x, area.y, area.columns, 1, Target("key", "n"))


def picture_rows(look: Look) -> int:
    """Return the rows of entries next to which the picture ends above their description."""
    return CUP_ROWS + 2 if look.rich and not look.ascii else len(FRAMED_CUP) - 1


def draw_picture(canvas: Canvas, area: Area, taken: int, look: Look) -> None:
    """Draw as many cups as there is room for to the right of the entries, or a framed one."""
    room = area.columns - taken - _GAP
    end = area.x + area.columns
    if look.ascii or not look.rich:
        if room < FRAMED_COLUMNS:
            return
        for offset, part in enumerate(FRAMED_CUP):
            style = "class:dim" if offset < STEAM_ROWS else "class:title"
            canvas.put(end - FRAMED_COLUMNS, area.y + offset, pad(part, FRAMED_COLUMNS), style)
    else:
        cups = CUPS[: max(room // CUP_STEP, 0)]
        columns = CUP_STEP * len(cups)
        for number, layers in enumerate(cups):
            _draw_cup(canvas, end - columns + 1 + CUP_STEP * number, area.y - 1, layers)
        y = area.y + CUP_ROWS
        canvas.put(end - columns, y, glyphs.LOWER * columns, "class:frame")
        canvas.fill(end - columns, y + 1, columns, 1, "class:coffee")


def _draw_cup(canvas: Canvas, x: int, y: int, layers: tuple[str, ...]) -> None:
    canvas.put(x, y, STEAM, "class:dim")
    for offset, (style, handle) in enumerate(zip(layers, HANDLE, strict=True), start=1):
        canvas.fill(x, y + offset, CUP_COLUMNS, 1, style)
        canvas.put(x + CUP_COLUMNS, y + offset, handle, "class:cup")
