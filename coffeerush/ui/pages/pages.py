"""The full-screen pages help, rules and settings: keys, clicks and drawing; no table needed."""

from enum import Enum, auto
from typing import Final, TypeVar

from msgspec.structs import replace

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Fragment, Target, pad, size, width, wrap
from coffeerush.ui.terminal.keys import (
    DIRECTIONS,
    ENTER,
    ESCAPE,
    TAB,
    Draft,
    Keymap,
    bound,
    edited,
    pasted,
)
from coffeerush.ui.terminal.parts import ListRow, draw_lines, draw_list
from coffeerush.ui.words.i18n import N_, _, ngettext, pgettext
from protocol import NAME_CELLS, Ingredient, clean_name

from .chips import chips, word_chips
from .page import Help, Mode, Page
from .rules_text import rules_sections
from .setting_rows import ROWS, cycled, value_word

P = TypeVar("P", bound=Page)
"""A page, or a screen's state that extends it."""

PAGES: Final[tuple[Mode, ...]] = ("help", "rules", "settings")
_TITLES: Final = {"help": N_("Help"), "rules": N_("Rules"), "settings": N_("Settings")}
_KEYS: Final[dict[str, Mode]] = {"f1": "help", "?": "help", "f2": "rules", "f3": "settings"}
"""Keys that open a page, or close it if it is open."""
_TABS: Final = {"help": "f1", "rules": "f2", "settings": "f3"}
_CLOSING: Final = (ESCAPE, "q")
_STRAIGHT: Final = tuple(key for key, (down, right) in DIRECTIONS.items() if not (down and right))
_PAGING: Final = {"pagedown": 1, " ": 1, "pageup": -1}


class PageAction(Enum):
    """An action on a page."""

    MOVE = auto()
    NEXT = auto()
    PANE = auto()
    SCROLL_BACK = auto()
    SCROLL_ON = auto()
    CLOSE = auto()


PAGE_KEYS: Final = Keymap(
    bound(PageAction.MOVE, _STRAIGHT, N_("arrows"), weight=6, click=""),
    bound(PageAction.NEXT, (ENTER, " "), N_("Enter"), weight=10),
    bound(PageAction.PANE, (TAB, "s-tab"), N_("Tab"), weight=3),
    bound(PageAction.SCROLL_BACK, ("pageup",), N_("PgUp")),
    bound(PageAction.SCROLL_ON, ("pagedown",), N_("PgDn")),
    bound(PageAction.CLOSE, (*_CLOSING, *_KEYS), N_("Esc"), weight=9),
)
READING_COLUMNS: Final = 92
"""Maximum width of a page's text: longer lines are hard to read."""
_COLUMN_GAP: Final = 4
_EDGE: Final = 3
"""Lines that are not text: the tabs above it, two lines below it."""
_OVERLAP: Final = 1
"""Lines that stay visible when the text is scrolled by a page."""


def draw_page(canvas: Canvas, ui: Page) -> None:
    """Draw the open page, over everything but the footer."""
    canvas.fill(0, 0, canvas.columns, canvas.rows - 1)
    _draw_tabs(canvas, ui)
    size = (canvas.columns, canvas.rows)
    if ui.mode == "settings":
        _draw_settings(canvas, ui, _area(size))
    else:
        _draw_lines(canvas, replace(ui, size=size))


def press_page(ui: P, key: str) -> P:
    """Apply a key to the open page; closing it sets the mode to `table`."""
    if ui.editing:
        return _typed(ui, key)
    key = PAGE_KEYS.resolve(key)
    if key in _CLOSING or _KEYS.get(key) == ui.mode:
        return _opened(ui, "table")
    if key in _KEYS:
        return _opened(ui, _KEYS[key])
    if key in (TAB, "s-tab"):
        return _adjacent_page(ui, -1 if key == "s-tab" else 1)
    return _in_settings(ui, key) if ui.mode == "settings" else _in_text(ui, key)


def click_row(ui: P, row: int) -> P:
    """Apply a click on a row of the settings, which is the same as Enter there."""
    return _changed(replace(ui, row=row, editing=False, draft=Draft()), 1)


def paste_page(ui: P, text: str) -> P:
    """Insert pasted text if the name is being typed."""
    return replace(ui, draft=pasted(ui.draft, text, NAME_CELLS)) if ui.editing else ui


def page_offers(ui: Page) -> dict[PageAction, str]:
    """Return the footer's labels for the open page, by action."""
    if ui.editing:
        return {
            PageAction.NEXT: pgettext("key", "save"),
            PageAction.CLOSE: pgettext("key", "cancel"),
        }
    offers = {
        PageAction.CLOSE: pgettext("key", "close"),
        PageAction.PANE: pgettext("key", "next page"),
    }
    if ui.mode == "settings":
        return offers | {
            PageAction.MOVE: pgettext("key", "choose"),
            PageAction.NEXT: pgettext("key", "change"),
        }
    offers |= {PageAction.SCROLL_BACK: "", PageAction.SCROLL_ON: ""}
    if ui.scroll < page_end(ui):
        offers[PageAction.SCROLL_ON] = pgettext("key", "more")
    return offers


def page_end(ui: Page) -> int:
    """Return the number of lines by which the help or the rules can be scrolled."""
    lines, areas = _text(ui)
    return max(len(lines) - sum(area.rows for area in areas), 0)


def _text(ui: Page) -> tuple[list[Fragment], list[Area]]:
    """Return the lines of the open page, and their area, or two columns if one is too short."""
    area = _area(ui.size)
    lines, both = page_lines(ui, area.columns), 2 * area.columns + _COLUMN_GAP
    if len(lines) <= area.rows or both > ui.size[0] - 2:
        return lines, [area]
    x = (ui.size[0] - both) // 2
    return lines, [replace(area, x=x), replace(area, x=x + area.columns + _COLUMN_GAP)]


def _area(size: tuple[int, int]) -> Area:
    columns = min(size[0] - 2, READING_COLUMNS)
    return Area((size[0] - columns) // 2, 1, columns, max(size[1] - _EDGE, 1))


# Keys


def _opened(ui: P, mode: Mode) -> P:
    return replace(ui, mode=mode, scroll=0, draft=Draft(), editing=False)


def _adjacent_page(ui: P, by: int) -> P:
    return _opened(ui, PAGES[(PAGES.index(ui.mode) + by) % len(PAGES)])


def _in_text(ui: P, key: str) -> P:
    """Scroll, go to the next or previous page, or close with Enter."""
    if key == ENTER:
        return _opened(ui, "table")
    down, right = _direction(key)
    if right:
        return _adjacent_page(ui, right)
    rows = sum(area.rows for area in _text(ui)[1])
    lines = down + _PAGING.get(key, 0) * max(rows - _OVERLAP, 1)
    return replace(ui, scroll=min(max(ui.scroll + lines, 0), page_end(ui)))


def _in_settings(ui: P, key: str) -> P:
    down, right = _direction(key)
    down += {"pagedown": len(ROWS), "pageup": -len(ROWS)}.get(key, 0)
    if down:
        return replace(ui, row=min(max(ui.row + down, 0), len(ROWS) - 1))
    if key in (ENTER, " "):
        right = 1
    return _changed(ui, right) if right else ui


def _direction(key: str) -> tuple[int, int]:
    """Return (down, right) of an arrow key or its letter; (0, 0) for a diagonal."""
    down, right = DIRECTIONS.get(key, (0, 0))
    return (0, 0) if down and right else (down, right)


def _changed(ui: P, by: int) -> P:
    row = ROWS[ui.row]
    if not row.values:
        return replace(ui, editing=True, draft=Draft(getattr(ui.settings, row.field)))
    return replace(ui, settings=cycled(ui.settings, row, by))


def _typed(ui: P, key: str) -> P:
    """Apply a key to the name being typed; an empty name means the login name."""
    closed = replace(ui, editing=False, draft=Draft())
    if key == ESCAPE:
        return closed
    if key == ENTER:
        return replace(closed, settings=replace(ui.settings, name=clean_name(ui.draft.text)))
    return replace(ui, draft=edited(ui.draft, key, NAME_CELLS))


# Drawing


def _draw_tabs(canvas: Canvas, ui: Page) -> None:
    """Draw the page titles in the top line; a click on one opens that page."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    x = 1
    for page in PAGES:
        is_open = page == ui.mode
        title = _(_TITLES[page])
        text = f"{glyphs.POINTER if is_open else ' '} {title}"
        style = "class:header class:turn" if is_open else "class:header"
        end = canvas.put(x, 0, text, style)
        canvas.zone(x, 0, end - x, 1, Target("key", page if is_open else _TABS[page]))
        x = end + 2


def _draw_lines(canvas: Canvas, ui: Page) -> None:
    lines, areas = _text(ui)
    rest = lines[min(ui.scroll, page_end(ui)) :]
    for area in areas:
        draw_lines(canvas, area, rest[: area.rows])
        rest = rest[area.rows :]
    if rest:
        line = more_line(len(rest))
        canvas.put(area.x, area.y + area.rows, line, "class:more", area.columns)


def more_line(count: int) -> str:
    """Return the line below a list that says how many more lines there are."""
    text = ngettext("{count} more line: PgDn", "{count} more lines: PgDn", count)
    return text.format(count=count)


def _draw_settings(canvas: Canvas, ui: Page, area: Area) -> None:
    """Draw one row per setting, the selected one's description, and sample chips if they fit."""
    rows = [
        ListRow(_(row.label), value_word(ui.settings, row), "arrows" if row.values else "typing")
        for row in ROWS
    ]
    if ui.editing:
        rows[ui.row] = replace(rows[ui.row], draft=ui.draft)
    # here no line for "more" is needed, and a finger needs two for the tabs
    area = replace(area, y=area.y + ui.touch, rows=area.rows + 1 - ui.touch)
    _rows, y = draw_list(canvas, area, rows, ui.row, _(ROWS[ui.row].about), airy=ui.touch)
    if y + 1 < area.y + area.rows:
        kinds = list(Ingredient)
        names = word_chips(kinds)
        sample = names if size(names) <= area.columns - 2 else chips(kinds)
        canvas.puts(area.x + 2, y + 1, sample, area.columns - 2)


# The text of help and rules


def page_lines(page: Page, columns: int) -> list[Fragment]:
    """Return the lines of the open page, help or rules, as (style, line)."""
    return _rules_lines(columns) if page.mode == "rules" else _help_lines(page.help, columns)


def _help_lines(explained: Help, columns: int) -> list[Fragment]:
    """Return the explanations of the keys, then of the marks."""
    sections = [
        (_(title), [(" ".join(map(_, caps)), _(text)) for caps, text in rows])
        for title, rows in explained.keys
    ]
    sections.append((_("Symbols"), [(mark, _(text)) for mark, text in explained.marks]))
    caps = max(width(cap) for _title, section in sections for cap, _text in section) + 2
    found: list[Fragment] = []
    for title, section in sections:
        found += [("", "")] if found else []
        found.append(("class:title", title))
        for cap, text in section:
            found += _explained(cap, text, caps, columns)
    return found


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found
