"""What to send so that a terminal which shows one frame shows another: as few bytes as can be.

What has changed is drawn pen by pen instead of line by line: a change of colours costs up to 40
bytes, a move of the cursor four to eight.
"""

from collections.abc import Callable, Iterable, Iterator
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
"""What begins and what ends each attribute but the colours."""
CellRow = tuple[list[str], list[str]]
"""The texts and the styles of the cells of a line; a wide character has "" for its second cell."""
Cells = list[CellRow]
_Spot = tuple[int, int]
"""A line and a column."""


class Pens(dict[str, int]):
    """The number of the pen of each style; styles that look the same share one.

    Args:
        style: what each style looks like.
        depth: the colours that the terminal has.
        code: returns what gives the terminal a look, whatever it had before.
    """

    def __init__(self, style: BaseStyle, depth: ColorDepth, code: Callable[[Attrs], str]) -> None:
        super().__init__()
        self.blanks = _Blanks(self)
        """The ground of each style, as a negative number: all that is seen of it in a blank."""
        self._style = style
        self._depth = depth
        self._code = code
        self._attrs: list[Attrs] = []
        self._grounds: list[int] = []
        self._changes: dict[tuple[int | None, int], str] = {}

    def __missing__(self, style: str) -> int:
        attrs = self._style.get_attrs_for_style_str(style)
        if attrs not in self._attrs:
            self._attrs.append(attrs)
            self._grounds.append(self._ground(attrs))
        self[style] = self._attrs.index(attrs)
        return self[style]

    def ground(self, pen: int) -> int:
        """Return the ground of a pen, as `blanks` numbers it."""
        return self._grounds[pen]

    def change(self, worn: int | None, pen: int) -> str:
        """Return the shortest code that leads from one pen, or from one unknown, to another."""
        code = self._changes.get((worn, pen))
        if code is None:
            code = self._changes[worn, pen] = self._shortest(worn, self._attrs[pen])
        return code

    def _ground(self, attrs: Attrs) -> int:
        """Return the number of the first pen that leaves the same blank."""
        if not self._shows_in_a_blank(attrs):
            for pen, other in enumerate(self._attrs):
                if other.bgcolor == attrs.bgcolor and not self._shows_in_a_blank(other):
                    return -1 - pen
        return -1 - self._attrs.index(attrs)

    def _shows_in_a_blank(self, attrs: Attrs) -> bool:
        # The 16 colours of ink and paper depend on each other.
        few = self._depth is ColorDepth.DEPTH_4_BIT
        return bool(few or attrs.reverse or attrs.underline or attrs.strike)

    def _shortest(self, worn: int | None, attrs: Attrs) -> str:
        whole = self._code(attrs)
        if worn is None or self._depth is ColorDepth.DEPTH_4_BIT:
            return whole
        had = self._attrs[worn]
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
        self[style] = self._pens.ground(self._pens[style])
        return self[style]


def painting(
    before: Cells | None, after: Cells, pens: Pens, worn: int | None
) -> tuple[str, int | None]:
    """Return what to send, and the pen that the terminal has then.

    Args:
        before: what the terminal shows; None if that is not known.
        after: what it is to show, of the same size.
        pens: what the styles of both are drawn with.
        worn: the pen that the terminal has; None if that is not known.
    """
    spots: dict[int, list[_Spot]] = {}
    for y, row in enumerate(after):
        if before is None or before[y] != row:
            for x, pen in _changed(before[y] if before else None, row, pens):
                spots.setdefault(pen, []).append((y, x))
    _mix_blanks(spots, pens, worn)
    sent: list[str] = []
    hand = _Hand(after, pens)
    while spots:
        pen = min(spots, key=lambda pen: len(pens.change(worn, pen)))
        sent.append(pens.change(worn, pen))
        sent += hand.draw(sorted(spots.pop(pen)), pen)
        worn = pen
    return "".join(sent), worn


def _marks(row: CellRow, pens: Pens) -> list[int]:
    """Return the pen of each cell, or the ground of a blank."""
    blanks = pens.blanks
    return [
        blanks[style] if text == " " else pens[style]
        for text, style in zip(*row, strict=True)
    ]  # fmt: skip


def _changed(before: CellRow | None, after: CellRow, pens: Pens) -> Iterator[_Spot]:
    """Yield each cell to draw and its pen, or the ground of a blank that any such pen can draw."""
    texts, marks = after[0], _marks(after, pens)
    if before is None:
        found = list(range(len(texts)))
    else:
        cells = zip(before[0], texts, _marks(before, pens), marks, strict=True)
        found = [x for x, (old, new, had, has) in enumerate(cells) if old != new or had != has]
    # a wide character is drawn as a whole, even if only its second cell has changed
    found = sorted({x if texts[x] else x - 1 for x in found})
    near = dict(zip(found, map(marks.__getitem__, found), strict=True))
    for line, step in ((found, -1), (reversed(found), 1)):
        for x in line:
            beside = near.get(x + step, -1)
            if near[x] < 0 <= beside and pens.ground(beside) == near[x]:
                near[x] = beside
    return iter(near.items())


def _mix_blanks(spots: dict[int, list[_Spot]], pens: Pens, worn: int | None) -> None:
    """Let blanks that have no ink beside them be drawn with a pen that is needed anyway."""
    for ground in [mark for mark in spots if mark < 0]:
        same = [pen for pen in spots if pen >= 0 and pens.ground(pen) == ground]
        pen = max(same, key=lambda pen: len(spots[pen]), default=-1 - ground)
        if not same and worn is not None and pens.ground(worn) == ground:
            pen = worn
        spots.setdefault(pen, []).extend(spots.pop(ground))


class _Hand:
    """Draws on a frame, and knows where the cursor is."""

    def __init__(self, frame: Cells, pens: Pens) -> None:
        self._frame = frame
        self._pens = pens
        self._at: _Spot | None = None
        """Where the cursor is; None where that is not known."""

    def draw(self, spots: Iterable[_Spot], pen: int) -> Iterator[str]:
        """Yield what draws some cells in their order."""
        for y, x in spots:
            if self._at != (y, x):
                yield self._bridge(y, x, pen) or _move(self._at, y, x)
            texts = self._frame[y][0]
            yield texts[x]
            end = x + 2 if texts[x + 1 : x + 2] == [""] else x + 1
            # at the edge, terminals differ in where the cursor is
            self._at = (y, end) if end < len(texts) else None

    def _bridge(self, y: int, x: int, pen: int) -> str:
        """Return what stands between the cursor and a cell, where that can be drawn and is less."""
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
            return self._pens.blanks[style] == self._pens.ground(pen)
        return self._pens[style] == pen


def _move(start: _Spot | None, y: int, x: int) -> str:
    """Return the shortest code that brings the cursor to a cell."""
    there = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"
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
