"""Tables as CSV that are safe to open in a spreadsheet: names may come from strangers."""

import csv
import io
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Final

_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
"""How a text begins that a spreadsheet would run as a formula."""

Cell = str | float


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Return the lines of a table; a text like a formula gets an apostrophe, inf stays empty."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return lines.getvalue()


def _safe(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA) else cell
    return cell if isfinite(cell) else ""
