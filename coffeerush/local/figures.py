"""Tables and figures that are saved for other programs: CSV, SVG and PNG."""

import csv
import errno
import io
import os
import warnings
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coffeerush.errors import UsageError, unwritable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_plot(path: Path) -> None:
    """Raise `UsageError` or `RecordError` if a chart cannot be drawn into a file of this name."""
    if path.suffix not in {".svg", ".png"}:
        raise UsageError("{path} is not a chart: its name must end in .svg or .png.", path=path)
    try:
        import matplotlib.figure  # noqa: F401 - imported late: it is slow, and an extra
    except ImportError:
        raise UsageError(
            'A chart needs matplotlib; install it with: pip install "coffeerush[plots]"'
        ) from None
    try:
        os.stat(f"{path.parent}/")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise unwritable(path, error) from None


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure to an SVG or PNG file, the same bytes each time; raises `RecordError`."""
    import matplotlib as mpl
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a name may have dollar signs
    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with (
        mpl.rc_context({"svg.hashsalt": "coffeerush", "svg.fonttype": "none"}),
        warnings.catch_warnings(),
    ):
        # a name may have letters that the font lacks; in an SVG, the viewer's fonts have them
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        try:
            figure.savefig(path, metadata=metadata)
        except OSError as error:
            raise unwritable(path, error) from None


# Tables as CSV that are safe to open in a spreadsheet: names may come from strangers


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
