"""Frame diff: the shortest escape sequences that turn one frame on a terminal into another.

Changed cells are drawn pen by pen instead of line by line: a change of attributes (SGR) costs up
to 40 bytes, a cursor movement four to eight. A pen is a number for a set of attributes.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from operator import ne, or_
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import DEFAULT_ATTRS, Attrs, BaseStyle

_SWITCHES: Final = {
    "bold": ("1", "22"),
    "dim": ("2", "22"),
    "italic": ("3", "23"),
    "underline": ("4", "24"),
    "blink": ("5", "25"),
    "reverse": ("7", "27"),
    "hidden": ("8", "28"),
    "strike": ("9", "29"),
}
"""The codes that switch each attribute on and off; without colours."""
CellRow = tuple[list[str], list[str]]
"""The texts and styles of a line's cells; the second cell of a wide character is ""."""
Cells = list[CellRow]
_Spot = tuple[int, int]
"""Line and column."""
_Run = tuple[int, int, int]
"""Line, first column and end of cells that are drawn in one go."""


class Pens(dict[str, int]):
    """The pen of each style; styles that look alike share one.

    Args:
        style: the attributes of each style.
        depth: the colour depth of the terminal.
        code: returns the sequence that sets attributes, whatever was set before.
    """

    def __init__(self, style: BaseStyle, depth: ColorDepth, code: Callable[[Attrs], str]) -> None:
        super().__init__()
        self.blanks = _Blanks(self)
        """The background of each style, as a negative number: all that a blank shows of it."""
        self._style = style
        self._depth = depth
        self._code = code
        self._attrs: list[Attrs] = []
        self._backgrounds: list[int] = []
        self._changes: dict[tuple[int | None, int], str] = {}

    def __missing__(self, style: str) -> int:
        attrs = self._style.get_attrs_for_style_str(style)
        if attrs not in self._attrs:
            self._attrs.append(attrs)
            self._backgrounds.append(self._background_of(attrs))
        self[style] = self._attrs.index(attrs)
        return self[style]

    def background(self, pen: int) -> int:
        """Return the background of a pen, numbered as in `blanks`."""
        return self._backgrounds[pen]

    def change(self, current: int | None, pen: int) -> str:
        """Return the shortest sequence that switches to a pen; `current` is None if unknown."""
        code = self._changes.get((current, pen))
        if code is None:
            code = self._changes[current, pen] = self._shortest(current, self._attrs[pen])
        return code

    def _background_of(self, attrs: Attrs) -> int:
        """Return the background of the first pen whose blanks look the same."""
        if not self._shows_in_a_blank(attrs):
            for pen, other in enumerate(self._attrs):
                if other.bgcolor == attrs.bgcolor and not self._shows_in_a_blank(other):
                    return -1 - pen
        return -1 - self._attrs.index(attrs)

    def _shows_in_a_blank(self, attrs: Attrs) -> bool:
        # with 16 colours, foreground and background affect each other
        few = self._depth is ColorDepth.DEPTH_4_BIT
        return bool(few or attrs.reverse or attrs.underline or attrs.strike)

    def _shortest(self, current: int | None, attrs: Attrs) -> str:
        whole = self._code(attrs)
        if current is None or self._depth is ColorDepth.DEPTH_4_BIT:
            return whole
        had = self._attrs[current]
        parts = [
            off
            for name, (_on, off) in _SWITCHES.items()
            if getattr(had, name) and not getattr(attrs, name)
        ]
        parts += [
            on
            for name, (on, off) in _SWITCHES.items()
            if getattr(attrs, name) and (off in parts or not getattr(had, name))
        ]
        if attrs.color != had.color:
            parts += self._inner(DEFAULT_ATTRS._replace(color=attrs.color)) or ["39"]
        if attrs.bgcolor != had.bgcolor:
            parts += self._inner(DEFAULT_ATTRS._replace(bgcolor=attrs.bgcolor)) or ["49"]
        return min(whole, f"\x1b[{';'.join(parts)}m" if parts else "", key=len)

    def _inner(self, attrs: Attrs) -> list[str]:
        code = self._code(attrs).removeprefix("\x1b[0").removesuffix("m").removeprefix(";")
        return [code] if code else []


class _Blanks(dict[str, int]):
    def __init__(self, pens: Pens) -> None:
        super().__init__()
        self._pens = pens

    def __missing__(self, style: str) -> int:
        self[style] = self._pens.background(self._pens[style])
        return self[style]


def frame_diff(
    before: Cells | None, after: Cells, pens: Pens, current: int | None
) -> tuple[str, int | None]:
    """Return the code that turns one frame into another, and the pen that is current after it.

    Args:
        before: the frame on the terminal; None if unknown.
        after: the frame to show, of the same size.
        pens: the pens of the styles of both.
        current: the current pen of the terminal; None if unknown.
    """
    sent: list[str] = []
    if before is None:
        code, before, current = _blanked(after, pens, current)
        sent.append(code)
    runs: dict[int, list[_Run]] = {}
    for y, row in enumerate(after):
        if before[y] != row:
            for x, end, pen in _changed(before[y], row, pens):
                runs.setdefault(pen, []).append((y, x, end))
    _assign_blanks(runs, pens, current)
    writer = _Writer(after, pens)
    while runs:
        pen = min(runs, key=lambda pen: len(pens.change(current, pen)))
        sent.append(pens.change(current, pen))
        sent += writer.draw(sorted(runs.pop(pen)), pen)
        current = pen
    return "".join(sent), current


def _blanked(frame: Cells, pens: Pens, current: int | None) -> tuple[str, Cells, int]:
    """Return the code that blanks a terminal of a frame's size, the blank frame, and its pen.

    Most of a large frame is blank. Not every terminal erases in the current background.
    """
    columns, pen = len(frame[0][0]), pens[""]
    row: CellRow = ([" "] * columns, [""] * columns)
    lines = (_move(None, y, 0) + " " * columns for y in range(len(frame)))
    return pens.change(current, pen) + "".join(lines), [row] * len(frame), pen


def _changed(before: CellRow, after: CellRow, pens: Pens) -> Iterator[tuple[int, int, int]]:
    """Yield the columns and the pen of each run of changed cells.

    For blanks, it is the background instead of the pen; a neighbour's pen may do.
    """
    (old_texts, old_styles), (texts, styles) = before, after
    blanks = pens.blanks
    near: dict[int, int] = {}
    differs = map(or_, map(ne, old_texts, texts), map(ne, old_styles, styles))
    for x in compress(range(len(texts)), differs):
        text, old = texts[x], old_texts[x]
        mark = blanks[styles[x]] if text == " " else pens[styles[x]]
        if old != text or mark != (blanks if text == " " else pens)[old_styles[x]]:
            if text:
                near[x] = mark
            elif x - 1 not in near:  # a wide character is redrawn whole
                near[x - 1] = pens[styles[x - 1]]
    for line, step in ((near, -1), (reversed(near), 1)):
        for x in line:
            beside = near.get(x + step, -1)
            if near[x] < 0 <= beside and pens.background(beside) == near[x]:
                near[x] = beside
    start, end, pen = 0, 0, 0
    for x, mark in near.items():
        if x != end or mark != pen:
            if end > start:
                yield start, end, pen
            start, pen = x, mark
        end = x + 2 if texts[x + 1 : x + 2] == [""] else x + 1
    if end > start:
        yield start, end, pen


def _assign_blanks(runs: dict[int, list[_Run]], pens: Pens, current: int | None) -> None:
    """Assign remaining blanks to a pen with the same background that is needed anyway."""
    for background in [mark for mark in runs if mark < 0]:
        same = [pen for pen in runs if pen >= 0 and pens.background(pen) == background]
        pen = max(same, key=lambda pen: len(runs[pen]), default=-1 - background)
        if not same and current is not None and pens.background(current) == background:
            pen = current
        runs.setdefault(pen, []).extend(runs.pop(background))


class _Writer:
    """Writes cells of a frame, and tracks the cursor."""

    def __init__(self, frame: Cells, pens: Pens) -> None:
        self._frame = frame
        self._pens = pens
        self._at: _Spot | None = None
        """The cursor position; None if unknown."""

    def draw(self, runs: Iterable[_Run], pen: int) -> Iterator[str]:
        """Yield the output for some runs of cells, in their order."""
        for y, x, end in runs:
            if self._at != (y, x):
                yield self._rewrite(y, x, pen) or _move(self._at, y, x)
            texts = self._frame[y][0]
            yield "".join(texts[x:end])
            # terminals differ in where the cursor is after the last column
            self._at = (y, end) if end < len(texts) else None

    def _rewrite(self, y: int, x: int, pen: int) -> str:
        """Return the text between the cursor and a cell if rewriting it is shorter than moving."""
        if self._at is None or self._at[0] != y or not 0 < x - self._at[1] < 5:
            return ""
        texts, styles = self._frame[y]
        between = range(self._at[1], x)
        if not all(self._fits(texts[one], styles[one], pen) for one in between):
            return ""
        text = "".join(texts[one] for one in between)
        return text if len(text.encode()) <= len(_move(self._at, y, x)) else ""

    def _fits(self, text: str, style: str, pen: int) -> bool:
        if text == " ":
            return self._pens.blanks[style] == self._pens.background(pen)
        return self._pens[style] == pen


def cursor_move(x: int, y: int) -> str:
    """Return the code that moves the cursor to a column and row, wherever it is."""
    if x:
        return f"\x1b[{y + 1};{x + 1}H"
    return f"\x1b[{y + 1}H" if y else "\x1b[H"


def _move(start: _Spot | None, y: int, x: int) -> str:
    """Return the shortest sequence that moves the cursor to a cell."""
    there = cursor_move(x, y)
    if start is None:
        return there
    down, right = y - start[0], x - start[1]
    if down == 0:
        beside = _by(right, "C") if right > 0 else _by(-right, "D")
        return min(beside, there, key=len)
    if down < 0:
        return there
    ways = [there, "\r\n" * down + _by(x, "C")]
    if right == 0:
        ways.append(_by(down, "B"))
    return min(ways, key=len)


def _by(cells: int, way: str) -> str:
    if cells == 0:
        return ""
    return f"\x1b[{cells}{way}" if cells > 1 else f"\x1b[{way}"
