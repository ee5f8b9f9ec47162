"""The start menu as a canvas: its lines, what the chosen one is for, and what was done last."""

from typing import Final

from coffeerush.ui.pages.pages import PAGE_KEYS, PAGES, draw_page, page_offers
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area, kind_of
from coffeerush.ui.terminal.big_letters import big
from coffeerush.ui.terminal.canvas import Canvas, Target, pad, width, wrap
from coffeerush.ui.terminal.footer import draw_keys
from coffeerush.ui.terminal.line_edit import drawn
from coffeerush.ui.words.i18n import _, pgettext

from .lines import DIGITS, lines_of, title_of
from .state import CHOOSING, Home, Line, draft_of

COLUMNS: Final = 76
"""Lines are not drawn wider than that."""
AIRY_ROWS: Final = 30
"""From so many on there is a blank line under each."""
TITLE_ROWS: Final = {2: 30, 1: 18}
"""By the scale of the title's letters, how many lines there have to be."""
_GAP: Final = 3
_MARKS: Final = 5
"""The cells of a line before its label: the pointer, and a digit that chooses it."""
MIN_PLACE: Final = 4
"""Rows that notes leave: the title, two lines to choose from, the keys."""
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
"""What stands beside the menu where there is room."""
CUP_COLUMNS: Final = 14
STEAM_ROWS: Final = 2
FILLING: Final = ("class:milk", "class:caramel", "class:coffee")
"""What is in the cup, from its brim down."""


def draw_home(home: Home, columns: int, rows: int) -> Canvas:
    """Return the start menu on a terminal of so many columns and rows."""
    canvas = Canvas.of(columns, rows)
    if kind_of(columns, rows) == "tiny":
        # only here: it loads all of a game, and the first frame does not wait for that
        from coffeerush.ui.table.draw.waiting import draw_tiny

        draw_tiny(canvas)
        return canvas
    if home.page.mode in PAGES:
        draw_page(canvas, home.page)
        draw_keys(canvas, rows - 1, PAGE_KEYS, page_offers(home.page))
        return canvas
    _draw_head(canvas, home)
    notes = _notes(home, columns - 4, rows - MIN_PLACE)
    y = rows - 1 - len(notes)
    for offset, note in enumerate(notes):
        style = "class:refusal" if home.wrong else "class:note"
        canvas.put(2, y + offset, note, style)
    _draw_place(canvas, home, Area(0, 1, columns, y - 1))
    draw_keys(canvas, rows - 1, KEYMAP, offers(home))
    return canvas


def offers(home: Home) -> dict[Action, str]:
    """Return what keys do now, for the footer."""
    lines = lines_of(home)
    line = lines[home.row]
    found = {Action.MOVE: pgettext("key", "choose"), Action.NEXT: pgettext("key", "open")}
    if len(lines) == 1:
        del found[Action.MOVE]
    if line.errand and home.place != "menu":
        found[Action.NEXT] = {
            "play": pgettext("key", "start"),
            "host": pgettext("key", "open"),
            "records": pgettext("key", "look"),
        }.get(home.place, pgettext("key", "go there"))
    if line.change:
        found[Action.MOVE] = pgettext("key", "choose, change")
    if home.place == "menu":
        return {
            Action.HELP: pgettext("key", "help"),
            **found,
            Action.LEAVE: pgettext("key", "quit"),
        }
    leave = pgettext("key", "quit") if home.place == home.root else pgettext("menu", "back")
    return {**found, Action.CLOSE: leave}


def _notes(home: Home, columns: int, most: int) -> list[str]:
    """Return what was done last in lines, of so many the first: they are the most important."""
    return [part for note in home.notes for part in wrap(note, columns, "")][:most]


def _draw_head(canvas: Canvas, home: Home) -> None:
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    x = canvas.put(1, 0, _("Coffee Rush"), "class:header class:brand")
    x = canvas.put(x + 2, 0, title_of(home), "class:header class:turn")
    name = _("You are {name}").format(name=home.name)
    if x + width(name) + _GAP <= canvas.columns:
        canvas.put(canvas.columns - 1 - width(name), 0, name, "class:header")


def _draw_place(canvas: Canvas, home: Home, area: Area) -> None:
    """Draw the lines, airy where there is room, and below what the chosen one is for."""
    lines = lines_of(home)
    columns = min(area.columns - 2, COLUMNS)
    x = (area.columns - columns) // 2
    titled = home.place == "menu" and not home.settings.ascii
    y = _draw_title(canvas, area) if titled else area.y
    about = wrap(_about(lines[home.row], columns - _MARKS), columns - _MARKS, "")
    rows = area.y + area.rows - y
    step = 2 if area.rows >= AIRY_ROWS and rows > 2 * len(lines) + len(about) else 1
    y += max(min((rows - step * len(lines) - len(about) - 1) // 3, 4), 0)
    rows = min((area.y + area.rows - y) // step, len(lines))
    shown = range(max(home.row - rows + 1, 0), max(home.row + 1, rows))
    _draw_lines(canvas, home, Area(x, y, columns, rows), shown, step)
    below = y + rows * step
    if any(about) and below + len(about) < area.y + area.rows:
        for offset, part in enumerate(about, start=1):
            canvas.put(x + _MARKS, below + offset, part, "class:note")
    if home.place == "menu" and columns >= COLUMNS:
        _draw_cup(canvas, x + columns - CUP_COLUMNS, y + (rows * step - len(CUP)) // 2)


def _about(line: Line, room: int) -> str:
    """Return what a line is for; of one that does not fit, the whole line."""
    fits = width(line.label) + _GAP + width(line.value) <= room
    return line.about or ("" if fits or line.typed else f"{line.label}  {line.value}")


def _draw_title(canvas: Canvas, area: Area) -> int:
    """Draw the game's name as large as there is room for it; return the line below."""
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


def _draw_lines(canvas: Canvas, home: Home, area: Area, shown: range, step: int) -> None:
    lines = lines_of(home)
    room = area.columns - _MARKS
    values = [_value(home, line, number == home.row, room) for number, line in enumerate(lines)]
    labels = max(width(line.label) for line in lines) + _GAP
    # a value that is long takes of the labels' room, but not all: an address is of use when whole
    least = room // 3 if home.place in CHOOSING else room // 2
    column = min(labels, max(room - max(map(width, values)), least))
    for offset, number in enumerate(shown):
        line, y = lines[number], area.y + offset * step
        chosen = number == home.row
        style = "class:ask" if chosen else "class:name"
        canvas.put(area.x, y, glyphs.POINTER if chosen else " ", style)
        canvas.put(area.x + 2, y, _digit(home, number), "class:label")
        canvas.put(area.x + _MARKS, y, line.label, style, column - 1 if values[number] else room)
        value = _value(home, line, chosen, room - column)
        canvas.put(area.x + _MARKS + column, y, value, style, room - column)
        canvas.zone(area.x, y, area.columns, 1, Target("row", number))
    x = area.x + area.columns - 1
    if shown[0]:
        canvas.put(x, area.y, glyphs.UP, "class:more")
    if shown[-1] < len(lines) - 1:
        canvas.put(x, area.y + (len(shown) - 1) * step, glyphs.DOWN, "class:more")


def _digit(home: Home, number: int) -> str:
    """Return the digit that chooses a line; none does where one types."""
    if home.place == "code":
        return ""
    number -= home.place in CHOOSING  # the first line there is typed on
    return DIGITS[number] if 0 <= number < len(DIGITS) else ""


def _value(home: Home, line: Line, chosen: bool, cells: int) -> str:
    """Return what stands beside a label: where it is typed, in so many cells."""
    if line.typed and (chosen or line.typed == "address"):
        return f"  {drawn(draft_of(home, line), cells - 2)}"
    if line.typed:
        return f"  {line.value}"
    if line.change:
        return f"{glyphs.BACK} {line.value} {glyphs.POINTER}" if chosen else f"  {line.value}"
    return line.value


def _draw_cup(canvas: Canvas, x: int, y: int) -> None:
    for offset, part in enumerate(CUP):
        style = "class:dim" if offset < STEAM_ROWS else "class:title"
        canvas.put(x, y + offset, pad(part, CUP_COLUMNS), style)
    for offset, style in enumerate(FILLING, start=STEAM_ROWS + 1):
        canvas.put(x + 4, y + offset, " " * 7, style)
