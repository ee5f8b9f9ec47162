"""Draw who has won: a name in large letters, and the steps of a podium."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, fit, pad, width, wrap
from coffeerush.ui.terminal.parts import big_words
from coffeerush.ui.words.i18n import pgettext
from coffeerush.ui.words.names import and_list

BIG_ROWS: Final = 3
"""Rows of large letters, on one line."""
STEP_ROWS: Final = {False: 3, True: 6}
"""Rows of the winner's step of the podium, on a low and on a high terminal."""
_STEPS: Final = {1: 6, 2: 4, 3: 3, 4: 2}
"""The height of each rank's step, in sixths of the winner's: the last has room for its rank."""
STEP_COLUMNS: Final = 19
"""Maximum columns of a step, with the gap after it."""
NAME_ROWS: Final = 2
"""Rows above a step: name and score."""


class Wording(NamedTuple):
    """What is written in large letters, and what below."""

    large: str
    below: str


class PodiumStep(NamedTuple):
    """A step of the podium."""

    rank: int
    names: tuple[str, ...]
    """The longest first."""
    scores: tuple[str, ...]
    """The longest wording first."""
    style: str


def shout(names: Sequence[str]) -> str:
    """Return that these have won, for large letters."""
    text = pgettext("in large letters", "{name} wins!")
    if len(names) > 1:
        text = pgettext("in large letters", "{name} win!")
    return text.format(name=and_list(names))


def draw_winners(
    canvas: Canvas, wordings: Iterable[Wording], barred: str, area: Area, ascii_only: bool
) -> int:
    """Draw the winners in large letters, in the first wording that fits; return the next row.

    Names without large letters, and those too long, are on a bar, in the sentence `barred`.
    """
    for wording in wordings:
        below = [*wrap(wording.below, area.columns, "")] if wording.below else []
        lines = big_words(wording.large, area.columns, ascii_only)
        if 0 < len(lines) <= area.rows - len(below):
            style = "class:brand"
            break
    else:
        lines, below, style = _bar(barred, area), [], "class:brand reverse"
    y = area.y
    styled = [*((style, text) for text in lines), *(("class:serve", text) for text in below)]
    for drawn, text in styled:
        canvas.put(area.x + (area.columns - width(text)) // 2, y, text, drawn)
        y += 1
    canvas.marks["winners"] = Area(area.x, area.y, area.columns, y - area.y)
    return y


def _bar(text: str, area: Area) -> list[str]:
    """Return the lines of a bar with a sentence, as wide as an area."""
    lines = [*wrap(text, area.columns - 2, "")]
    lines = ["", *lines, ""] if len(lines) + 2 <= area.rows else lines
    return [_centred(line, area.columns) for line in lines]


def _centred(text: str, columns: int) -> str:
    return pad(" " * ((columns - width(text)) // 2) + text, columns)


def draw_podium(canvas: Canvas, steps: Sequence[PodiumStep], area: Area) -> int:
    """Draw the steps, the second left of the first; return the next row."""
    order = [*range(len(steps))]
    order[:2] = order[1::-1]
    columns = min(area.columns // len(steps), STEP_COLUMNS)
    inner = columns // 2 * 2 - 1  # odd, so that a rank is in the middle
    gap = columns - inner
    x = area.x + (area.columns - len(steps) * columns + gap) // 2
    most, end = area.rows - NAME_ROWS, area.y + area.rows
    for number in order:
        step = steps[number]
        halves = 2 * most * _STEPS[step.rank] // _STEPS[1]
        rows, half = divmod(halves, 2)
        top = end - rows - half
        canvas.put(x, top - 2, _centred(fit(step.names, inner, width), inner), step.style)
        canvas.put(x, top - 1, _centred(fit(step.scores, inner, width), inner), "class:score")
        if half:
            canvas.put(x, top, glyphs.LOWER * inner, step.style)
        for line in range(end - rows, end):
            rank = str(step.rank) if line == end - rows else glyphs.BLOCK
            side = (step.style, glyphs.BLOCK * (inner // 2))
            shown = step.style if rank == glyphs.BLOCK else f"{step.style} reverse"
            canvas.puts(x, line, [side, (shown, rank), side])
        canvas.marks[f"podium{number}"] = Area(x, top - NAME_ROWS, inner, end - top + NAME_ROWS)
        x += columns
    return end
