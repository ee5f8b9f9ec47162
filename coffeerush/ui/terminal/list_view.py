"""Lists: visible rows, the pointer, scroll arrows, and a clickable zone per row."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

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
_LEAST: Final = 3
"""Rows that a list keeps above the whole of a row that is not shown as a whole."""
_ARROW: Final = 1
"""Cells of a scroll arrow."""


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
    shorter: tuple[tuple[str, str], ...] = ()
    """Shorter wordings of label and value, each used if no longer one fits."""

    def worded(self, level: int) -> "ListRow":
        """Return the row in one of its wordings, from 0, or in the shortest that it has."""
        if not level or not self.shorter:
            return self
        label, value = self.shorter[min(level, len(self.shorter)) - 1]
        return replace(self, label=label, value=value)

    def text(self, chosen: bool, cells: int) -> str:
        """Return the text next to the label; a draft is fitted into `cells`."""
        if self.draft is not None:
            return "  " + "".join(text for _style, text in drawn(self.draft, cells - 2))
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
    for key, numbers in groupby(shown, (keys or {}).get):
        first, *more = numbers
        if key is not None:
            y = area.y + first - shown.start
            canvas.zone(area.x, y, area.columns, 1 + len(more), Target("key", key))
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
    canvas: Canvas,
    area: Area,
    rows: Sequence[ListRow],
    pointer: int,
    about: str,
    share: int = 2,
    edge: int = 0,
    airy: bool = False,
) -> tuple[Area, int]:
    """Draw rows, at least one, and below them the description of the selected one if it fits.

    Rows that would be truncated have shorter wordings if they have any; the whole of the selected
    one is then above its description. Next to long values, labels keep at least 1/`share` of the
    width, of which scroll arrows get `edge` cells if they are needed. If there is room, or if
    `airy`, a blank line follows each row. Returns the area and the next line.
    """
    pointer = min(pointer, len(rows) - 1)
    indent = _indent(rows)
    room = area.columns - indent
    worded, column = _worded(rows, room - edge, share)
    wholes = [
        wrap(_whole(row), room, "") if row != one or _is_cut(one, room - edge, column) else ()
        for row, one in zip(rows, worded, strict=True)
    ]
    notes = [*wholes[pointer], *(wrap(about, room, "") if about or not wholes[pointer] else ())]
    roomy = canvas.rows >= AIRY_ROWS and area.rows > 2 * len(rows) + len(notes)
    step = 2 if airy or roomy else 1
    top = max(min((area.rows - step * len(rows) - len(notes) - 1) // 3, _MAX_TOP), 0)
    rest = area.rows - top - len(wholes[pointer]) - bool(wholes[pointer])
    count = min((rest if rest >= _LEAST else area.rows - top) // step, len(rows))
    if count < len(rows) and not edge:
        return draw_list(canvas, area, rows, pointer, about, share, _ARROW, airy)
    inner = Area(area.x, area.y + top, area.columns, count * step)
    shown = window(len(rows), count, max(pointer - count + 1, 0))
    for y, number in zip(range(inner.y, inner.y + inner.rows, step), shown, strict=True):
        line = Area(area.x, y, area.columns - edge, 1)
        _draw_row(canvas, line, worded[number], number == pointer, indent, column)
        canvas.zone(area.x, y, area.columns, 1, Target("row", number))
    draw_marks(canvas, inner, shown, len(rows), step)
    y, end = inner.y + inner.rows + 1, area.y + area.rows
    if y + len(notes) > end:
        notes = [*wholes[pointer]]
    if y + len(notes) <= end:
        below = Area(area.x + indent, y, room, len(notes))
        draw_lines(canvas, below, [("class:note", note) for note in notes])
    return inner, y + len(notes)


def _worded(rows: Sequence[ListRow], room: int, share: int) -> tuple[list[ListRow], int]:
    """Return the rows in the longest wording in which none is truncated, and their label column.

    If there is none, it is the shortest.
    """
    levels = range(1 + max(len(row.shorter) for row in rows))
    for level in levels:
        worded = [row.worded(level) for row in rows]
        column = _label_columns(worded, room, share)
        if level == levels[-1] or not any(_is_cut(row, room, column) for row in worded):
            break
    return worded, column


def _whole(row: ListRow) -> str:
    return f"{row.label}  {row.value}" if row.value else row.label


def _is_cut(row: ListRow, room: int, column: int) -> bool:
    """Return whether a row is truncated; a text field never is, as it scrolls."""
    if row.set_by == "typing":
        return False
    value = width(row.text(False, room))
    return width(row.label) > (column - 1 if value else room) or value > room - column


def _label_columns(rows: Sequence[ListRow], room: int, share: int) -> int:
    """Return the width of the labels: a long value may take some of it, but not all.

    Text fields, which scroll, take what is left.
    """
    longest = max(width(row.label) for row in rows)
    values = max(
        (width(row.text(False, room)) for row in rows if row.set_by != "typing"), default=0
    )
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
    if chosen and row.draft is not None:
        canvas.puts(x + column + 2, area.y, drawn(row.draft, room - column - 2, style))
    else:
        canvas.put(x + column, area.y, value, style, room - column)
