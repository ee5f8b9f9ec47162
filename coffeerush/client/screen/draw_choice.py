"""What is open over the table: a choice by digits, or the help."""

from typing import Final

from coffeerush.i18n import _, ngettext

from . import glyphs
from .canvas import Canvas, Fragment, pad, width, wrap
from .choices import Menu
from .draw_panes import window
from .keys import BINDINGS
from .layout import Area
from .scene import Scene


def draw_menu(canvas: Canvas, scene: Scene, menu: Menu, area: Area) -> None:
    """Draw a choice in a box over an area; what does not fit can be scrolled."""
    room = area.columns - 4
    lines = _menu_lines(menu, room)
    rows = min(len(lines) + 2, area.rows)
    canvas.fill(area.x, area.y, area.columns, area.rows)
    canvas.box(area.x, area.y, area.columns, rows, menu.title)
    first, after = window(len(lines), rows - 2, scene.ui.scroll, True)
    for offset, (style, text) in enumerate(lines[first:after], start=1):
        canvas.put(area.x + 2, area.y + offset, text, style, room)
    if after < len(lines):
        more = f" {_more(len(lines) - after)} "
        canvas.put(area.x + 2, area.y + rows - 1, more, "class:more", room)


def _more(count: int) -> str:
    text = ngettext("{count} line more: PgDn", "{count} lines more: PgDn", count)
    return text.format(count=count)


def _menu_lines(menu: Menu, room: int) -> list[Fragment]:
    lines: list[Fragment] = []
    for choice in menu.choices:
        style = "class:name" if choice.wish else "class:dim"
        for index, part in enumerate(wrap(choice.text, room - 2, "")):
            lines.append((style, f"{choice.digit if not index else ' '} {part}"))
    return lines + [("class:dim", part) for part in wrap(menu.remark, room, "") if part]


def help_lines(columns: int) -> list[tuple[str, str]]:
    """Return the help as (style, line): every binding of the table, then what the marks mean."""
    caps = max(width(_(one.cap)) for one in BINDINGS) + 2
    found = [("class:title", _("Keys"))]
    for binding in BINDINGS:
        parts = wrap(_(binding.text), max(columns - caps, 12), "")
        found.append(("", pad(_(binding.cap), caps) + parts[0]))
        found += [("", " " * caps + part) for part in parts[1:]]
    found += [("", ""), ("class:title", _("Marks"))]
    for mark, text in _marks():
        parts = wrap(text, max(columns - caps, 12), "")
        found.append(("", pad(mark, caps) + parts[0]))
        found += [("", " " * caps + part) for part in parts[1:]]
    return found


HELP_MARGIN: Final = 2
"""Columns left of the help, and right of it; and the lines below it."""


def help_end(size: tuple[int, int]) -> int:
    """Return how far the help can be scrolled on a terminal of so many columns and rows."""
    columns, rows = size
    return max(len(help_lines(columns - 2 * HELP_MARGIN)) - (rows - HELP_MARGIN), 0)


def _marks() -> list[tuple[str, str]]:
    return [
        (glyphs.SPECIALTY, _("specialty: a cell, or an order that earns a rush token")),
        (glyphs.MINE, _("your meeple; other meeples are letters, as in the list of players")),
        ("^ < > v", _("where you can step; numbers are the path that you walked")),
        ("x2", _("what a step gives, where it is not one token")),
        (glyphs.RUSH, _("rush token: in the board, what a step costs")),
        (glyphs.SERVED + " " + glyphs.PENALTY, _("orders completed, and penalties")),
        (glyphs.ACTIVE + glyphs.INACTIVE, _("an upgrade that is active, one that is not")),
        ("4!", _("an order in slot 4 becomes a penalty when your turn ends")),
        ("[ ]", _("in an order: what the best cup still needs")),
    ]


def draw_help(canvas: Canvas, scene: Scene) -> None:
    """Draw the help over the whole screen but its last two lines."""
    area = Area(HELP_MARGIN, 0, canvas.columns - 2 * HELP_MARGIN, canvas.rows - HELP_MARGIN)
    lines = help_lines(area.columns)
    first, after = window(len(lines), area.rows, scene.ui.scroll, True)
    for offset, (style, text) in enumerate(lines[first:after]):
        canvas.put(area.x, area.y + offset, text, style, area.columns)
    if after < len(lines):
        more = _more(len(lines) - after)
        canvas.put(area.x, area.rows, more, "class:more", area.columns)
