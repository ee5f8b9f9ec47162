"""What to send so that a terminal which shows one frame shows another: as few bytes as can be.

What has changed is drawn pen by pen instead of line by line: a change of colours costs up to 40
bytes, a move of the cursor four to eight.
"""

from collections.abc import Iterable, Iterator

from .pens import Pens

Row = tuple[list[str], list[str]]
"""The texts and the styles of the cells of a line; a wide character has "" for its second cell."""
Frame = list[Row]
_Spot = tuple[int, int]
"""A line and a column."""


def painting(
    before: Frame | None, after: Frame, pens: Pens, worn: int | None
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


def _marks(row: Row, pens: Pens) -> list[int]:
    """Return the pen of each cell, or the ground of a blank."""
    blanks = pens.blanks
    return [
        blanks[style] if text == " " else pens[style]
        for text, style in zip(*row, strict=True)
    ]  # fmt: skip


def _changed(before: Row | None, after: Row, pens: Pens) -> Iterator[_Spot]:
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

    def __init__(self, frame: Frame, pens: Pens) -> None:
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
