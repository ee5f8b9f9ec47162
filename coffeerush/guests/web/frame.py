"""Frames for the page: the rows, buttons and keys of a canvas that have changed. Pure.

A row is a list of runs, `[pen, text]` or `[pen, text, cells]`. Within a run, all characters are
equally wide, because a browser's fonts keep to no grid; symbols form runs of their own.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from coffeerush.local.settings import Theme
from coffeerush.ui.terminal.canvas import EVERYTHING, Canvas, Look, Offer, Target
from coffeerush.ui.terminal.theme import style_of

Pen: TypeAlias = tuple[str, str, str]
"""The colours of text and background, and the attributes, separated by blanks."""
Run: TypeAlias = tuple[int, str] | tuple[int, str, int]
"""A pen, the text, and its cells if they are not one per character."""
Row: TypeAlias = tuple[int, list[Run]]
"""The number of a row, and its runs; blank cells at the end are left out."""
Button: TypeAlias = tuple[int, int, int, int, str, str | int, str]
"""Left, top, columns, rows; the kind and value of its target; its name."""

Zone: TypeAlias = tuple[int, int, int, int, Target]
"""Left, top, columns, rows and target of an area that can be clicked."""

FINGER_ROWS: Final = 2
"""The rows of the page that are 44 pixels high, as a finger needs."""
_ATTRIBUTES: Final = ("bold", "underline", "reverse")


class Field(Struct, frozen=True):
    """A text field to type in."""

    label: str
    text: str
    longest: int


class PageFrame(Struct, omit_defaults=True):
    """What has changed on the page."""

    size: tuple[int, int] | None = None
    """Columns and rows, without the footer; then all of `rows` are new."""
    pens: list[tuple[int, str, str, str]] | None = None
    """New pens: number, colours of text and background, attributes."""
    rows: list[Row] | None = None
    buttons: list[Button] | None = None
    keys: list[Offer] | None = None
    field: Field | bool | None = None
    """The text field that is open now; False if none is any more."""
    language: str | None = None
    """What the guest speaks from now on, if it is not the page's language."""
    say: list[str] | None = None
    """New sentences for screen readers."""
    title: str | None = None
    bell: bool = False


class Painter:
    """Remembers what the page shows."""

    def __init__(self) -> None:
        self._theme: Theme | None = None
        self._classes: dict[str, str] = {}
        self._looks: dict[str, int] = {}
        """The pen of each style of the theme."""
        self._pens: dict[Pen, int] = {}
        """All pens that the page knows."""
        self._size = (0, 0)
        self._rows: list[list[Run]] = []
        self._buttons: list[Button] = []
        self._keys: list[Offer] = []
        self._field: Field | None = None

    def paint(
        self,
        frame: PageFrame,
        canvas: Canvas,
        look: Look,
        theme: Theme,
        names: Mapping[Target, str],
        field: Field | None,
    ) -> PageFrame:
        """Add what differs from what the page shows; the footer becomes the keys.

        Args:
            frame: what else there is to show.
            canvas: the whole screen.
            look: which characters to show.
            theme: the colours.
            names: of the targets, for screen readers; others are called as they are written.
            field: the open text field.
        """
        size = (canvas.columns, canvas.rows - 1)
        if (theme, size) != (self._theme, self._size):
            self._theme, self._size, self._classes = theme, size, style_of(theme, "true")
            self._looks, self._pens, self._rows = {}, {}, [[]] * size[1]
            frame.size = size
        known = len(self._pens)
        rows = [[*self._runs(*cells)] for cells in [*canvas.cells(look)][:-1]]
        frame.rows = [(y, row) for y, row in enumerate(rows) if row != self._rows[y]] or None
        frame.pens = [(pen, *look) for look, pen in [*self._pens.items()][known:]] or None
        self._rows = rows
        if (buttons := [*_buttons(canvas, names, look.touch)]) != self._buttons:
            frame.buttons = self._buttons = buttons
        if canvas.offers != self._keys:
            frame.keys = self._keys = canvas.offers
        if field != self._field:
            frame.field, self._field = field or False, field
        return frame

    def _runs(self, texts: list[str], styles: list[str]) -> Iterator[Run]:
        """Yield the runs of a row."""
        base = self._pen("")
        pens, looks = [*map(self._pen, styles)], [*self._pens]
        for x, text in enumerate(texts):
            here, before = looks[pens[x]], looks[pens[x - 1] if x else base]
            if text == " " and here[1:] == before[1:] and not here[2]:
                pens[x] = pens[x - 1] if x else base
        end = len(texts)
        while end and texts[end - 1] == " " and looks[pens[end - 1]][1:] == looks[base][1:]:
            end -= 1
        x = 0
        while x < end:
            start, kind = x, _kind(texts, x)
            while x < end and pens[x] == pens[start] and _kind(texts, x) == kind:
                x += 1
            text = "".join(texts[start:x])
            yield (pens[start], text) if len(text) == x - start else (pens[start], text, x - start)

    def _pen(self, style: str) -> int:
        if style not in self._looks:
            look = self._look(style)
            self._looks[style] = self._pens.setdefault(look, len(self._pens))
        return self._looks[style]

    def _look(self, style: str) -> Pen:
        """Merge the classes of a style; the later ones win."""
        ink = paper = ""
        attributes: set[str] = set()
        names = ["", *(name.removeprefix("class:") for name in style.split())]
        for word in " ".join(self._classes.get(name, "") for name in names).split():
            if word.startswith("bg:"):
                paper = word.removeprefix("bg:")
            elif word.startswith("#"):
                ink = word
            elif word.startswith("no"):
                attributes.discard(word.removeprefix("no"))
            else:
                attributes.add(word)
        if "reverse" in attributes:
            ink, paper = paper, ink
        return ink, paper, " ".join(one for one in _ATTRIBUTES[:-1] if one in attributes)


def _kind(texts: list[str], x: int) -> str:
    """Return the kind of a character, the same in a run: its width, or the symbol itself."""
    text = texts[x]
    if text == "" or texts[x + 1 : x + 2] == [""]:
        return "wide"
    return "narrow" if text.isascii() or text[0].isalpha() else text


def _buttons(canvas: Canvas, names: Mapping[Target, str], touch: bool) -> Iterator[Button]:
    """Yield a button for each visible zone above the footer; later ones cover earlier ones."""
    keys = {Target("key", key): label for key, _cap, label in canvas.offers}
    lines = [texts for texts, _styles in canvas.cells(EVERYTHING)]
    zones = [zone for zone in canvas.zones() if zone[1] < canvas.rows - 1]
    shown = _grown(zones, canvas.rows - 1) if touch else zones
    for (x, y, columns, rows, target), button in zip(zones, shown, strict=True):
        inside = (lines[row][x : x + columns] for row in range(y, min(y + rows, len(lines))))
        words = " ".join("".join(line) for line in inside).split()
        name = names.get(target) or keys.get(target) or " ".join(words)
        yield (*button[:-1], *target, name)


def _grown(zones: list[Zone], end: int) -> list[Zone]:
    """Return the zones, each with a second row if it has one, so that a finger hits it.

    It takes the row below, or else above, unless a zone as small is there.
    """
    found = [*zones]
    for place, (x, y, columns, rows, target) in enumerate(zones):
        small = [zone for at, zone in enumerate(found) if at != place and zone[3] <= FINGER_ROWS]
        for top, new in ((y, y + 1), (y - 1, y - 1)):
            free = 0 <= new < end and not any(
                left < x + columns and x < left + wide and begin <= new < begin + high
                for left, begin, wide, high, _target in small
            )
            if rows < FINGER_ROWS and free:
                found[place] = (x, top, columns, FINGER_ROWS, target)
                break
    return found
