"""Lists: visible rows, the pointer, scroll arrows, and a clickable zone per row."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from . import glyphs
from .areas import Area
from .canvas import Canvas, Fragment, Target, width, wrap
from .line_edit import Draft, drawn

AIRY_ROWS: Final = 32
"""Terminal rows from which on the rows of a list are separated by blank ones."""
_MAX_TOP: Final = 4
_INDENT: Final = 2
"""The cells before a label, for the pointer."""
_DIGITS: Final = 3
"""The cells before a label for its digit."""
_GAP: Final = 3
_MARKS: Final = 2
"""The cells of the scroll arrow after a value."""
_ARROWS: Final = 4
"""The cells around a value that arrows change."""


class ListRow(Struct, frozen=True):
    """A row that can be chosen."""

    label: str
    value: str = ""
    set_by: Literal["", "arrows", "typing"] = ""
    """How the value is changed, if it can be changed."""
    draft: Draft | None = None
    """The text being typed, shown in place of the value."""
    digit: str = ""
    """The key that selects it."""

    def text(self, chosen: bool, cells: int) -> str:
        """Return the text next to the label; a draft is fitted into `cells`."""
        if self.draft is not None:
            return f"  {drawn(self.draft, cells - 2)}"
        if chosen and self.set_by == "arrows":
            gap = " " if width(self.value) + 4 <= cells else ""
            return f"{glyphs.BACK}{gap}{self.value}{gap}{glyphs.POINTER}"
        return f"  {self.value}" if self.set_by else self.value


def window(total: int, rows: int, scroll: int, from_the_top: bool = True) -> range:
    """Return the range of visible lines; `scroll` counts from the top, or from the end."""
    most = max(total - rows, 0)
    back = min(scroll, most)
    first = back if from_the_top else most - back
    return range(first, min(first + rows, total))


def draw_lines(
    canvas: Canvas,
    area: Area,
    lines: Sequence[Fragment],
    scroll: int = 0,
    from_the_top: bool = True,
    keys: Mapping[int, str] | None = None,
) -> range:
    """Draw the visible lines and return their numbers; a click on line n presses `keys[n]`."""
    shown = window(len(lines), area.rows, scroll, from_the_top)
    for y, number in enumerate(shown, start=area.y):
        style, text = lines[number]
        canvas.put(area.x, y, text, style, area.columns)
        if keys and number in keys:
            canvas.zone(area.x, y, area.columns, 1, Target("key", keys[number]))
    return shown


def draw_marks(canvas: Canvas, area: Area, shown: range, total: int, step: int = 1) -> None:
    """Draw arrows at the right edge if there are lines above or below the visible ones."""
    end = area.x + area.columns - 1
    if shown.start > 0:
        canvas.put(end, area.y, glyphs.UP, "class:more")
    if shown.stop < total:
        beside = len(shown) == 1 and shown.start > 0
        canvas.put(end - beside, area.y + (len(shown) - 1) * step, glyphs.DOWN, "class:more")


def list_columns(rows: Sequence[ListRow]) -> int:
    """Return the columns that rows and scroll arrows need, apart from a text being typed."""
    labels = max(width(row.label) for row in rows)
    values = max(width(row.value) + _ARROWS * bool(row.set_by) for row in rows)
    return _indent(rows) + labels + _GAP + values + _MARKS


def _indent(rows: Sequence[ListRow]) -> int:
    return _INDENT + _DIGITS * any(row.digit for row in rows)


def draw_list(
    canvas: Canvas, area: Area, rows: Sequence[ListRow], pointer: int, about: str, share: int = 2
) -> tuple[Area, int]:
    """Draw rows, at least one, and below them the description of the selected one if it fits.

    If `about` is empty and the selected row is truncated, the whole row is written there. Next to
    long values, labels keep at least 1/`share` of the width. Returns the area and the next line.
    """
    pointer = min(pointer, len(rows) - 1)
    indent = _indent(rows)
    room = area.columns - indent
    notes = wrap(about or _cut_off(rows[pointer], room), room, "")
    step = 2 if canvas.rows >= AIRY_ROWS and area.rows > 2 * len(rows) + len(notes) else 1
    top = max(min((area.rows - step * len(rows) - len(notes) - 1) // 3, _MAX_TOP), 0)
    count = min((area.rows - top) // step, len(rows))
    inner = Area(area.x, area.y + top, area.columns, count * step)
    shown = window(len(rows), count, max(pointer - count + 1, 0))
    column = _label_columns(rows, room, share)
    for y, number in zip(range(inner.y, inner.y + inner.rows, step), shown, strict=True):
        line = Area(area.x, y, area.columns, 1)
        _draw_row(canvas, line, rows[number], number == pointer, indent, column)
        canvas.zone(line.x, y, line.columns, 1, Target("row", number))
    draw_marks(canvas, inner, shown, len(rows), step)
    below = Area(area.x + indent, inner.y + inner.rows + 1, room, len(notes))
    end = below.y + below.rows
    if end <= area.y + area.rows:
        draw_lines(canvas, below, [("class:note", note) for note in notes])
    return inner, end


def _cut_off(row: ListRow, room: int) -> str:
    """Return the full text of a row that is truncated; "" if it fits or is a text field."""
    fits = width(row.label) + (_GAP + width(row.value)) * bool(row.value) <= room
    return "" if fits or row.set_by == "typing" else f"{row.label}  {row.value}"


def _label_columns(rows: Sequence[ListRow], room: int, share: int) -> int:
    """Return the width of the labels: a long value may take some of it, but not all."""
    longest = max(width(row.label) for row in rows)
    values = max(width(row.text(False, room)) for row in rows)
    return min(longest + _GAP, max(room - values, min(longest + 1, room // share)))


def _draw_row(
    canvas: Canvas, area: Area, row: ListRow, chosen: bool, indent: int, column: int
) -> None:
    style = "class:ask" if chosen else "class:name"
    x, room = area.x + indent, area.columns - indent
    value = row.text(chosen, room - column)
    canvas.put(area.x, area.y, glyphs.POINTER if chosen else " ", style)
    canvas.put(area.x + _INDENT, area.y, row.digit, "class:label")
    canvas.put(x, area.y, row.label, style, column - 1 if value else room)
    canvas.put(x + column, area.y, value, style, room - column)
