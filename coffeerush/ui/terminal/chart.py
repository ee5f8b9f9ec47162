"""A line chart of numbers over time, on a canvas: two points fit on top of each other in a cell."""

from collections.abc import Sequence
from typing import Final

from . import glyphs
from .areas import Area
from .canvas import Canvas, pad, width

MIN_ROWS: Final = 3
"""Two rows of points, and the row below them."""


def draw_chart(canvas: Canvas, area: Area, values: Sequence[float], ends: tuple[str, str]) -> None:
    """Draw a chart.

    Args:
        canvas: to draw on.
        area: at least `MIN_ROWS` rows.
        values: at least one, oldest first; only some of them if there are more than columns, but
            always the last one.
        ends: texts for the row below, under the first value and under the last one.
    """
    low, high = round(min(values)), round(max(values))
    rows, label = area.rows - 1, max(width(str(low)), width(str(high)))
    x, columns = area.x + label + 1, area.columns - label - 1
    for row in range(rows):
        text = str(high) if not row else str(low) if row == rows - 1 and low < high else ""
        canvas.put(area.x, area.y + row, pad(text, label, right=True), "class:label")
        canvas.put(x - 1, area.y + row, glyphs.TEE_LEFT if text else glyphs.WALL, "class:frame")
    for column in range(columns):
        value = values[-(-(column + 1) * len(values) // columns) - 1]
        share = (high - value) / (high - low) if low < high else 0.0
        half = round(min(max(share, 0.0), 1.0) * (2 * rows - 1))
        mark = glyphs.LOWER if half % 2 else glyphs.UPPER
        canvas.put(x + column, area.y + half // 2, mark, "class:mine")
    first, last = ends
    canvas.put(x, area.y + rows, first, "class:label")
    if width(first) + width(last) < columns:
        canvas.put(x + columns - width(last), area.y + rows, last, "class:label")
