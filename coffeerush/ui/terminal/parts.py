"""Parts of screens: footer, lists, charts and large letters."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from . import glyphs
from .canvas import Area, Canvas, Fragment, Target, pad, width, wrap
from .keys import A, Binding, Draft, Keymap, caps_of, drawn

GAP: Final = 2
AIRY_COLUMNS: Final = 100
"""Terminals with at least as many columns leave out keys before they narrow the gap."""
BARE_COLUMNS: Final = 60
"""Terminals with fewer columns drop labels that need not be: on others, keys keep their places."""


class Item(NamedTuple):
    """A binding in the footer."""

    caps: list[tuple[str, str]]
    """Its key caps, each with the key that a click on it presses; "" for none."""
    label: str
    lit: bool = False
    """Whether it stands out, because it has just become possible."""

    @property
    def width(self) -> int:
        """The cells that it takes."""
        return sum(width(cap) + 1 for cap, _key in self.caps) - (not self.label) + width(self.label)


def footer_items(
    keymap: Keymap[A], offers: Mapping[A, str], columns: int, lit: Collection[A] = ()
) -> tuple[list[Item], int]:
    """Return the offered bindings in the order of the keymap, and the gap between them.

    If not all fit, those without a weight are left out, the gap is narrowed, then the lightest are
    left out; on a narrow terminal, labels that need not be are dropped before. On a wide one, the
    gap stays: a long line of single blanks reads as a sentence.
    """
    shown = [binding for binding in keymap.bindings if offers.get(binding.action)]
    items = {binding.action: _item(binding, offers[binding.action], lit) for binding in shown}
    if sum(item.width + GAP for item in items.values()) > columns - 2 + GAP:
        shown = [binding for binding in shown if binding.weight]
        items = {binding.action: items[binding.action] for binding in shown}
    least = GAP if columns >= AIRY_COLUMNS else 1
    for gap in (GAP, least):
        if sum(item.width + gap for item in items.values()) <= columns - 2 + gap:
            return list(items.values()), gap
    if columns < BARE_COLUMNS:
        items |= {binding.action: _item(binding, "", lit) for binding in shown if binding.bare}
    kept: set[A] = set()
    room = columns - 2 + least
    for binding in sorted(shown, key=lambda binding: -binding.weight):
        taken = items[binding.action].width + least
        if taken <= room:
            room -= taken
            kept.add(binding.action)
    found = [items[binding.action] for binding in shown if binding.action in kept]
    return found, GAP if room >= (len(found) - 1) * (GAP - least) else 1


def _item(binding: Binding[A], label: str, lit: Collection[A]) -> Item:
    return Item(caps_of(binding), label, binding.action in lit)


def draw_keys(
    canvas: Canvas, y: int, keymap: Keymap[A], offers: Mapping[A, str], lit: Collection[A] = ()
) -> None:
    """Draw the footer; a click on a key, or on its label, presses it."""
    x = 1
    items, gap = footer_items(keymap, offers, canvas.columns, lit)
    for item in items:
        style = "class:ask" if item.lit else "class:keylabel"
        for cap, key in item.caps:
            end = canvas.put(x, y, cap, "class:warning" if item.lit else "class:key")
            if len(item.caps) == 1 and item.label:
                end = canvas.put(end + 1, y, item.label, style)
            if key:
                canvas.zone(x, y, end - x, 1, Target("key", key))
            x = end + 1
        if len(item.caps) > 1:
            x = canvas.put(x, y, item.label, style) + 1
        x += gap - 1


# Lists: visible rows, the pointer, scroll arrows, and a clickable zone per row


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
    pointer: int | None,
    about: str,
    share: int = 2,
    edge: int = 0,
    first: int = 0,
) -> tuple[Area, int]:
    """Draw rows, at least one, and below them the description of the selected one if it fits.

    If none is selected, `pointer` is None. Rows that would be truncated have shorter wordings if
    they have any; the whole of the selected one is then above its description. Next to long
    values, labels keep at least 1/`share` of the width, of which scroll arrows get `edge` cells if
    they are needed. If there is room, a blank line follows each row. In the targets
    of clicks, rows count from `first`. Returns the area and the next line.
    """
    pointer = pointer if pointer is None else min(pointer, len(rows) - 1)
    indent = _indent(rows)
    room = area.columns - indent
    worded, column = _worded(rows, room - edge, share)
    whole: Sequence[str] = ()
    if pointer is not None:
        row, wording = rows[pointer], worded[pointer]
        if row != wording or _is_cut(wording, room - edge, column):
            whole = wrap(_whole(row), room, "")
    notes = [*whole, *(wrap(about, room, "") if about or not whole else ())]
    roomy = canvas.rows >= AIRY_ROWS and area.rows > 2 * len(rows) + len(notes)
    step = 2 if roomy else 1
    top = max(min((area.rows - step * len(rows) - len(notes) - 1) // 3, _MAX_TOP), 0)
    rest = area.rows - top - len(whole) - bool(whole)
    count = min((rest if rest >= _LEAST else area.rows - top) // step, len(rows))
    if count < len(rows) and not edge:
        return draw_list(canvas, area, rows, pointer, about, share, _ARROW, first)
    inner = Area(area.x, area.y + top, area.columns, count * step)
    shown = window(len(rows), count, max((pointer or 0) - count + 1, 0))
    for y, number in zip(range(inner.y, inner.y + inner.rows, step), shown, strict=True):
        line = Area(area.x, y, area.columns - edge, 1)
        _draw_row(canvas, line, worded[number], number == pointer, indent, column)
        canvas.zone(area.x, y, area.columns, 1, Target("row", first + number))
    draw_marks(canvas, inner, shown, len(rows), step)
    y, end = inner.y + inner.rows + 1, area.y + area.rows
    if y + len(notes) > end:
        notes = [*whole]
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


# Bars


def bar(value: float, most: float, cells: int) -> tuple[str, str]:
    """Return the full and the empty part of a bar of so many cells."""
    full = round(min(max(value / most, 0.0), 1.0) * cells)
    return glyphs.FULL * full, glyphs.EMPTY * (cells - full)


# A line chart of numbers over time, on a canvas: two points fit on top of each other in a cell


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


def bars(values: Iterable[float], low: float, high: float) -> str:
    """Return a bar of one cell for each value, between the lowest and the highest possible one."""
    most = len(glyphs.BARS) - 1
    return "".join(glyphs.BARS[round(most * (value - low) / (high - low))] for value in values)


def tall_bars(values: Iterable[float], high: float, rows: int) -> list[str]:
    """Return the rows of higher bars, the top one first; also the lowest, of 0, is seen."""
    most = len(glyphs.BARS)
    heights = [max(round(most * rows * value / high), 1) for value in values]
    return [
        "".join(f" {glyphs.BARS}"[min(max(height - most * row, 0), most)] for height in heights)
        for row in reversed(range(rows))
    ]


# Large letters of half blocks, for codes and addresses that are read across a room


_FONT: Final = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# ..# ..#",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    ".": ". . . . #",
    ":": ". # . # .",
    "!": "# # # . #",
    "¡": "# . # # #",
    " ": ".. .. .. .. ..",
    "+": "... .#. ### .#. ...",
    "A": "### #.# ### #.# #.#",
    "B": "##. #.# ##. #.# ##.",
    "C": "### #.. #.. #.. ###",
    "D": "##. #.# #.# #.# ##.",
    "E": "### #.. ##. #.. ###",
    "F": "### #.. ##. #.. #..",
    "G": "#### #... #.## #..# ####",
    "H": "#.# #.# ### #.# #.#",
    "I": "### .#. .#. .#. ###",
    "J": "..# ..# ..# #.# ###",
    "K": "#.# #.# ##. #.# #.#",
    "L": "#.. #.. #.. #.. ###",
    "M": "#...# ##.## #.#.# #...# #...#",
    "N": "#..# ##.# #.## #..# #..#",
    "O": "### #.# #.# #.# ###",
    "P": "### #.# ### #.. #..",
    "Q": "####. #..#. #..#. ####. ...##",
    "R": "##. #.# ##. #.# #.#",
    "S": "### #.. ### ..# ###",
    "T": "### .#. .#. .#. .#.",
    "U": "#.# #.# #.# #.# ###",
    "V": "#.# #.# #.# #.# .#.",
    "W": "#...# #...# #.#.# ##.## #...#",
    "X": "#.# #.# .#. #.# #.#",
    "Y": "#.# #.# ### .#. .#.",
    "Z": "### ..# .#. #.. ###",
    "А": "### #.# ### #.# #.#",
    "Б": "### #.. ### #.# ###",
    "В": "##. #.# ##. #.# ##.",
    "Г": "### #.. #.. #.. #..",
    "Д": ".###. .#.#. .#.#. ##### #...#",
    "Е": "### #.. ##. #.. ###",
    "Ж": "#.#.# #.#.# .###. #.#.# #.#.#",
    "З": "### ..# .## ..# ###",
    "И": "#..# #..# #.## ##.# #..#",
    "К": "#.# #.# ##. #.# #.#",
    "Л": ".### .#.# .#.# .#.# #..#",
    "М": "#...# ##.## #.#.# #...# #...#",
    "Н": "#.# #.# ### #.# #.#",
    "О": "### #.# #.# #.# ###",
    "П": "### #.# #.# #.# #.#",
    "Р": "### #.# ### #.. #..",
    "С": "### #.. #.. #.. ###",
    "Т": "### .#. .#. .#. .#.",
    "У": "#.# #.# ### ..# ###",
    "Ф": "##### #.#.# ##### ..#.. ..#..",
    "Х": "#.# #.# .#. #.# #.#",
    "Ц": "#.#. #.#. #.#. #### ...#",
    "Ч": "#.# #.# ### ..# ..#",
    "Ш": "#.#.# #.#.# #.#.# #.#.# #####",
    "Щ": "#.#.#. #.#.#. #.#.#. ###### .....#",
    "Ъ": "##.. .#.. .### .#.# .###",
    "Ы": "#...# #...# ###.# #.#.# ###.#",
    "Ь": "#.. #.. ### #.# ###",
    "Э": "### ..# .## ..# ###",
    "Ю": "#.### #.#.# ###.# #.#.# #.###",
    "Я": ".## #.# .## #.# #.#",
}
"""Five rows of pixels per character, for the letters of join codes and the title."""
_HALVES: Final = {"..": " ", "#.": glyphs.UPPER, ".#": glyphs.LOWER, "##": glyphs.BLOCK}
"""The glyph of a cell by its upper and lower pixel."""


def big_words(text: str, columns: int, ascii_only: bool = False) -> list[str]:
    """Return large words, wrapped to at most `columns`; [] if they do not fit or lack a letter."""
    lines: list[str] = []
    for word in text.upper().split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _columns(longer) <= columns:
            lines[-1] = longer
        else:
            lines.append(word)
    if any(not 0 < _columns(line) <= columns for line in lines):
        return []
    return [row for line in lines for row in big(line, ascii_only=ascii_only)]


def _columns(text: str) -> int:
    rows = big(text)
    return len(rows[0]) if rows else 0


def big(text: str, scale: int = 1, ascii_only: bool = False) -> list[str]:
    """Return the rows of `text`; [] if it has a character without a large form.

    Args:
        text: digits with the dots and colons of an address, or Latin and Russian capitals; accents
            are dropped.
        scale: 1 for three rows, 2 for five.
        ascii_only: use whole blocks and twice as many rows: half blocks are hard to read in ASCII.
    """
    text = "".join(letter if letter in _FONT else normalize("NFD", letter)[0] for letter in text)
    if not text or not set(text) <= _FONT.keys():
        return []
    letters = [_FONT[character].split() for character in text]
    rows = [".".join(parts) for parts in zip(*letters, strict=True)]
    pixels = ["".join(pixel * scale for pixel in row) for row in rows for _ in range(scale)]
    if ascii_only:
        return [row.replace("#", glyphs.BLOCK).replace(".", " ") for row in [*pixels, ""]]
    if len(pixels) % 2:  # a gap to the line below
        pixels.append("." * len(pixels[0]))
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return ["".join(_HALVES[a + b] for a, b in zip(*pair, strict=True)) for pair in pairs]
