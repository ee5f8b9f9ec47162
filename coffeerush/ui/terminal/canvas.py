"""A grid of terminal cells to draw on: areas, styles; measure, cut and wrap text."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeVar

from msgspec import Struct
from wcwidth import wcwidth

from . import glyphs

# Areas of a canvas, and kinds of layout by terminal size


Kind = Literal["wide", "normal", "narrow", "tiny"]

WIDE: Final = (120, 36)
NORMAL: Final = (80, 24)
NARROW: Final = (40, 12)


class Area(Struct, frozen=True):
    """A rectangle on the canvas."""

    x: int
    y: int
    columns: int
    rows: int


def overlap(one: Area, other: Area) -> bool:
    """Return whether two areas have a cell in common."""
    return (
        one.x < other.x + other.columns
        and other.x < one.x + one.columns
        and one.y < other.y + other.rows
        and other.y < one.y + one.rows
    )


def kind_of(columns: int, rows: int) -> Kind:
    """Return the kind of layout for a terminal size."""
    if columns >= WIDE[0] and rows >= WIDE[1]:
        return "wide"
    if columns >= NORMAL[0] and rows >= NORMAL[1]:
        return "normal"
    if columns >= NARROW[0] and rows >= NARROW[1]:
        return "narrow"
    return "tiny"


def is_tiny(size: tuple[int, int]) -> bool:
    """Return whether a terminal is too small to draw on; the only thing to do then is leave."""
    return kind_of(*size) == "tiny"


# A grid of terminal cells to draw on, each with its text and style; measure, cut, wrap text


Fragment = tuple[str, str]
"""A style, and the text to draw in it."""
Parts = list[Fragment]
"""Fragments drawn next to each other on a line."""


W = TypeVar("W")
"""A wording: a text, fragments, or whatever else can be said in fewer cells."""


Cells = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""The texts and styles of the cells of each row of an area."""


class Target(NamedTuple):
    """The target of clicks on an area of the canvas."""

    kind: Literal["key", "cell", "cup", "order", "row", "pane", "rev", "seat", "look", "language"]
    value: str | int
    """The key as `press` takes it; the cell; the cup; the index in `Scene.orders`; the row of
    the open list; the name of a pane; the rev of a replay; the seat; the number of a table to look
    at; the locale of the settings."""


class Look(Struct, frozen=True):
    """Which characters the terminal can show."""

    ascii: bool = False
    """Draw boxes and marks with ASCII; letters stay as they are."""
    encoding: str = "utf-8"
    """The encoding of the output; characters it lacks become `?`."""
    still: bool = False
    """Nothing may move: there are no colours."""
    slow: bool = False
    """The line is slow: what has to be seen is shown as one frame."""
    touch: bool = False
    """The person taps on it: what can be tapped has two rows, and the guide speaks of no keys."""
    rich: bool = False
    """There are 256 colours or more."""
    is_guest: bool = False
    """A gateway shows it to a person who has no program of their own, and so no plain mode."""


EVERYTHING: Final = Look()
"""The look of a terminal that can show every character."""
CARET: Final = "class:caret"
"""Ends the style of the cell at which the open text field is typed into."""


_NARROW: Final = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0400-\u0482\u048a-\u052f]*")
"""Latin and Cyrillic text, in which each character takes one cell."""
_CLUSTER: Final = re.compile("[\U0001f1e6-\U0001f1ff]{2}|.", re.DOTALL)
_HALF_FLAG: Final = re.compile("[\U0001f1e6-\U0001f1ff]")


def clusters(text: str) -> list[str]:
    """Split a text into characters; the two regional indicators of a flag are one."""
    return list(text) if text.isascii() else _CLUSTER.findall(text)


@lru_cache(maxsize=4096)
def cell_width(cluster: str) -> int:
    """Return the cells that one of the `clusters` takes; 0 for a combining character."""
    return max(wcwidth(cluster[0]), 0)


def width(text: str) -> int:
    """Return the cells that a text takes."""
    return len(text) if _NARROW.fullmatch(text) else _width(text)


@lru_cache(maxsize=4096)
def _width(text: str) -> int:
    return sum(map(cell_width, clusters(text)))


def size(parts: Iterable[Fragment]) -> int:
    """Return the cells that fragments take next to each other."""
    return sum(width(text) for _style, text in parts)


def widest(lines: Iterable[Iterable[Fragment]]) -> int:
    """Return the cells that the longest of these lines takes; 0 if there are none."""
    return max(map(size, lines), default=0)


def fit(wordings: Iterable[W], room: int, cells: Callable[[W], int]) -> W:
    """Return the first of these wordings that takes at most `room`, or else the last.

    Args:
        wordings: at least one, the longest first; those after the one that fits are not made.
        room: the cells, or rows, that there are.
        cells: measures a wording, such as `width`, `size` and `widest`.
    """
    for wording in wordings:
        if cells(wording) <= room:
            break
    return wording


def cut(text: str, cells: int) -> str:
    """Truncate `text` to `cells`, with an ellipsis if something is cut off."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    kept, used = [], 0
    for cluster in clusters(text):
        used += cell_width(cluster)
        if used > cells - 1:
            break
        kept.append(cluster)
    return "".join(kept) + glyphs.CUT


def pad(text: str, cells: int, right: bool = False) -> str:
    """Truncate or pad `text` to exactly `cells`; `right` aligns it to the right."""
    shown = cut(text, cells)
    space = " " * (cells - width(shown))
    return space + shown if right else shown + space


def aligned(*rows: tuple[str, ...]) -> Iterator[str]:
    """Yield rows with their cells in columns; from the third column on, right-aligned."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(pad(cell, room, at > 1) for at, (cell, room) in enumerate(cells)).rstrip()


@lru_cache(maxsize=1024)  # the same lines are drawn again in frame after frame
def wrap(text: str, cells: int, indent: str = "  ") -> tuple[str, ...]:
    """Wrap `text` at blanks, longer words anywhere; all lines but the first are indented."""
    if width(indent) > cells - 2:  # no room for a wide character after it
        indent = ""
    body = text.lstrip(" ")
    lines, line = [], " " * (len(text) - len(body) if body else 0)
    for word in body.split(" "):
        longer = f"{line} {word}" if line.strip() else f"{line}{word}"
        if width(longer) <= cells or not line.strip():
            line = longer
        else:
            lines.append(cut(line, cells))
            line = indent + word
        while width(line) > cells and (end := _fitting(line, cells)) < len(line):
            lines.append(cut(line[:end], cells))
            line = indent + line[end:]
    return (*lines, cut(line, cells))


def wrap_parts(parts: Parts, room: int) -> list[Parts]:
    """Wrap fragments at the gaps between them, and sentences that do not fit between words."""
    if size(parts) <= room:
        return [parts]
    lines: list[Parts] = [[]]
    for style, text in parts:
        if text.strip() or not lines[-1]:
            lines[-1].append((style, text))
        else:
            lines.append([(style, text)])
    return _filled(lines, room)


def _filled(pieces: list[Parts], room: int) -> list[Parts]:
    """Fill lines with pieces that begin with a gap."""
    lines: list[Parts] = []
    for piece in pieces:
        if lines and size([*lines[-1], *piece]) <= room:
            lines[-1] += piece
        else:
            lines += _broken(piece[1:] if lines else piece, room)
    return lines


def _broken(piece: Parts, room: int) -> list[Parts]:
    """Wrap a piece that is a single sentence."""
    if len(piece) != 1:
        return [piece]
    return [[(piece[0][0], line)] for line in wrap(piece[0][1], room, "")]


def _fitting(text: str, cells: int) -> int:
    """Return the number of characters of `text` that fit in `cells`, but at least one or a flag."""
    used = end = 0
    for cluster in clusters(text):
        used += cell_width(cluster)
        if used > cells and end:
            break
        end += len(cluster)
    return end


@lru_cache(maxsize=1024)
def _laid(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of each cell, "" after a wide one, and what joins the cell before them."""
    joined, cells = "", list[str]()
    for cluster in clusters(text):
        taken = cell_width(cluster)
        if taken:
            # on the terminal, half a flag would join with another half next to it
            shows = cluster.isprintable() and not _HALF_FLAG.fullmatch(cluster)
            cells += [cluster if shows else "?" * taken, ""][:taken]
        elif cluster.isprintable() and cells:
            cells[-1 if cells[-1] else -2] += cluster
        elif cluster.isprintable():
            joined += cluster
    return joined, tuple(cells)


class Canvas:
    """`columns` x `rows` cells, at least one, initially blank; (0, 0) is at the top left."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns = max(columns, 1)  # whatever size the terminal reports
        self.rows = rows = max(rows, 1)
        self._text = [[" "] * columns for _ in range(rows)]
        self._style = [[""] * columns for _ in range(rows)]
        self._zones: list[tuple[range, range, Target]] = []
        self.caret: tuple[int, int] | None = None
        """The column and row at which the open text field is typed into, if there is one."""
        self.marks: dict[str, Area] = {}
        """Named areas, to be drawn over later."""

    def put(self, x: int, y: int, text: str, style: str = "", cells: int | None = None) -> int:
        """Write `text` at (x, y), truncated to `cells` and the right edge; return the end's x."""
        room = self.columns - x
        if cells is not None and cells < room:
            room = cells
        if not 0 <= y < self.rows or room <= 0 or x < 0:
            return x
        # a no-break space only keeps words together
        piece = cut(text.replace("\xa0", " "), room)
        row = self._text[y]
        halved = row[x] == ""
        if piece.isascii() and piece.isprintable():
            end = x + len(piece)
            row[x:end] = piece
        else:
            joined, cells_of_piece = _laid(piece)
            if joined and x:
                row[x - 1 if row[x - 1] else x - 2] += joined
            end = x + len(cells_of_piece)
            row[x:end] = cells_of_piece
        if halved and end > x:
            row[x - 1] = " "  # the other half of an overwritten wide character
        if end < self.columns and end > x and row[end] == "":
            row[end] = " "
        self._style[y][x:end] = [style] * (end - x)
        if style.endswith(CARET):
            self.caret = (x, y)
        return end

    def puts(self, x: int, y: int, parts: list[Fragment], cells: int | None = None) -> int:
        """Write fragments next to each other, truncated to `cells` in all; return the end's x."""
        end = self.columns if cells is None else min(x + cells, self.columns)
        for index, (style, text) in enumerate(parts):
            if x + width(text) > end or (x == end and text):
                rest = "".join(piece for _, piece in parts[index:])
                # an ellipsis has to show that something is cut off, also on a full line
                x = self.put(x, y, rest, style, end - x) if x < end else self._mark(end, y)
                break
            x = self.put(x, y, text, style)
        return x

    def _mark(self, end: int, y: int) -> int:
        self.put(end - 1, y, glyphs.CUT)
        return end

    def fill(self, x: int, y: int, columns: int, rows: int, style: str = "") -> None:
        """Blank an area."""
        for line in range(y, y + rows):
            self.put(x, line, " " * columns, style)

    def box(self, x: int, y: int, columns: int, rows: int, title: str = "") -> None:
        """Draw a frame with a title in its upper edge; the inside is left alone."""
        style = "class:frame"
        self.put(x, y, glyphs.DOWN_RIGHT + glyphs.LINE * (columns - 2) + glyphs.DOWN_LEFT, style)
        for line in range(y + 1, y + rows - 1):
            self.put(x, line, glyphs.WALL, style)
            self.put(x + columns - 1, line, glyphs.WALL, style)
        bottom = glyphs.UP_RIGHT + glyphs.LINE * (columns - 2) + glyphs.UP_LEFT
        self.put(x, y + rows - 1, bottom, style)
        if title:
            self.put(x + 2, y, f" {cut(title, columns - 6)} ", "class:title")

    def rule(self, x: int, y: int, columns: int, title: str = "") -> None:
        """Draw a horizontal line with a title in it."""
        self.put(x, y, glyphs.LINE * columns, "class:frame")
        if title:
            self.put(x + 2, y, f" {cut(title, columns - 6)} ", "class:title")

    def zone(self, x: int, y: int, columns: int, rows: int, target: Target) -> None:
        """Make an area clickable; later zones cover earlier ones."""
        self._zones.append((range(x, x + columns), range(y, y + rows), target))

    def tint(self, area: Area, style: str) -> None:
        """Change the style of an area; its text stays."""
        for y in range(max(area.y, 0), min(area.y + area.rows, self.rows)):
            begin, end = max(area.x, 0), min(area.x + area.columns, self.columns)
            self._style[y][begin:end] = [style] * max(end - begin, 0)

    def copy(self, area: Area) -> Cells:
        """Return the cells of an area."""
        columns = slice(area.x, area.x + area.columns)
        return tuple(
            (tuple(self._text[y][columns]), tuple(self._style[y][columns]))
            for y in range(area.y, min(area.y + area.rows, self.rows))
        )

    def paste(self, x: int, y: int, cells: Cells) -> None:
        """Draw cells copied from a canvas."""
        for line, row in enumerate(cells, start=y):
            for column, (text, style) in enumerate(zip(*row, strict=True), start=x):
                self.put(column, line, text, style)

    def target_at(self, x: int, y: int) -> Target | None:
        """Return the target of a click on a cell."""
        for columns, rows, target in reversed(self._zones):
            if x in columns and y in rows:
                return target
        return None

    def lines(self, look: Look = EVERYTHING) -> Iterator[str]:
        """Yield the text of each line, without styles."""
        return ("".join(texts) for texts, _styles in self.cells(look))

    def cells(self, look: Look) -> Iterator[tuple[list[str], list[str]]]:
        """Yield each line as the texts and styles of its cells; "" follows a wide character."""
        for texts, styles in zip(self._text, self._style, strict=True):
            as_is = not look.ascii and look.encoding == EVERYTHING.encoding
            yield (texts if as_is else [shown(text, look) for text in texts]), styles


def shown(text: str, look: Look) -> str:
    """Replace characters that the terminal cannot show, keeping the width."""
    if text.isascii():
        return text
    if look.ascii:
        text = text.translate(glyphs.ASCII)
    if look.encoding == "utf-8":
        return text
    return "".join(_replaced(cluster, look.encoding) for cluster in clusters(text))


def _replaced(cluster: str, encoding: str) -> str:
    try:
        cluster.encode(encoding)
    except UnicodeEncodeError:
        return "?" * cell_width(cluster)
    return cluster
