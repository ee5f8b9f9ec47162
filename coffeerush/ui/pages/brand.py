"""Draw the game's name in large letters, and its cups: the look of the first screens."""

from typing import Final

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, pad, width
from coffeerush.ui.terminal.parts import big
from coffeerush.ui.words.i18n import _

COLUMNS: Final = 76
"""Width of the page, unless its lines need more."""
PAGE_ROWS: Final = 16
"""The rows below the title if there are no more than six entries and three tables."""
HEAD_ROWS: Final = 3
"""The rows of the title beside its letters."""
INDENT: Final = 2
"""The columns before the letters."""
_GAP: Final = 3
TITLE_ROWS: Final = {2: 32, 1: 20}
"""Minimum rows of the terminal by the scale of the title."""
TITLE_STYLES: Final = ("class:ask", "class:title", "class:frame")
"""The styles of the upper, middle and lower third of the title."""
LATIN_TITLE: Final = "COFFEE RUSH"
"""For a language without large letters; the name in that language is below it."""

CUPS: Final = (
    ("class:milk", "class:coffee", "class:coffee"),
    ("class:ice", "class:milk", "class:tea"),
    ("class:caramel", "class:chocolate", "class:coffee"),
)
"""The layers in each cup, from the top."""
STEAM: Final = "~ ~  ~ "
HANDLE: Final = glyphs.LOWER, glyphs.UPPER, ""
"""The right side of each layer."""
CUP_ROWS: Final = 3
CUP_COLUMNS: Final = 7
CUP_STEP: Final = CUP_COLUMNS + 3
FRAMED_CUP: Final = (
    "     )  (",
    "    (    )",
    "   ┌───────┐",
    "   │       ├─┐",
    "   │       │ │",
    "   │       ├─┘",
    "   └───────┘",
    "  ───────────",
)
"""The picture if there are no colours, or few, which each terminal chooses."""
FRAMED_COLUMNS: Final = 14
STEAM_ROWS: Final = 2
PICTURE_COLUMNS: Final = len(CUPS) * CUP_STEP + _GAP
"""The width of the widest picture, with the gap before it."""


def title_letters(canvas: Canvas, ascii_only: bool) -> list[str]:
    """Return the game's name in the largest letters that fit; [] if none do."""
    for scale, rows in TITLE_ROWS.items():
        title = _("Coffee Rush").upper()
        title = title if big(title) else LATIN_TITLE
        letters = big(title, scale, ascii_only)
        higher = len(letters) - len(big(title, scale))  # as those in ASCII are
        if canvas.rows >= rows + 2 * higher and width(letters[0]) + 2 * INDENT < canvas.columns:
            return letters
    return []


def draw_title(canvas: Canvas, x: int, y: int, letters: list[str], look: Look) -> None:
    """Draw the title, and below it the motto, after a name that has no large letters."""
    _draw_letters(canvas, x + INDENT, y, letters, look)
    x, y = x + INDENT, y + len(letters)
    if not big(_("Coffee Rush").upper()):
        x = canvas.put(x, y, _("Coffee Rush"), "class:brand") + 2
    canvas.put(x, y, _("Fetch. Pour. Serve."), "class:note")


def _draw_letters(canvas: Canvas, x: int, y: int, letters: list[str], look: Look) -> None:
    styles = TITLE_STYLES if look.rich else TITLE_STYLES[:1]
    for offset, part in enumerate(letters):
        canvas.put(x, y + offset, part, styles[offset * len(styles) // len(letters)])


def draw_form_title(canvas: Canvas, area: Area, title: str, look: Look) -> int:
    """Draw a title in large letters at the top of an area; return its rows, 0 without room."""
    letters = big(title.upper(), ascii_only=look.ascii)
    if not letters or width(letters[0]) + 2 * INDENT > area.columns:
        return 0
    _draw_letters(canvas, area.x + INDENT, area.y + 1, letters, look)
    return len(letters) + 1


def picture_rows(look: Look) -> int:
    """Return the rows of entries next to which the picture ends above their description."""
    return CUP_ROWS + 2 if look.rich and not look.ascii else len(FRAMED_CUP) - 1


def draw_picture(canvas: Canvas, area: Area, taken: int, look: Look, frame: int = 0) -> None:
    """Draw as many cups as there is room for to the right of the entries, or a framed one.

    From one `frame` to the next, the steam moves.
    """
    room = area.columns - taken - _GAP
    end = area.x + area.columns
    if look.ascii or not look.rich:
        if room < FRAMED_COLUMNS:
            return
        turn = frame % STEAM_ROWS
        steam = FRAMED_CUP[turn:STEAM_ROWS] + FRAMED_CUP[:turn]
        for offset, part in enumerate(steam + FRAMED_CUP[STEAM_ROWS:]):
            style = "class:dim" if offset < STEAM_ROWS else "class:title"
            canvas.put(end - FRAMED_COLUMNS, area.y + offset, pad(part, FRAMED_COLUMNS), style)
    else:
        cups = CUPS[: max(room // CUP_STEP, 0)]
        columns = CUP_STEP * len(cups)
        for number, layers in enumerate(cups):
            _draw_cup(canvas, end - columns + 1 + CUP_STEP * number, area.y - 1, layers, frame)
        y = area.y + CUP_ROWS
        canvas.put(end - columns, y, glyphs.LOWER * columns, "class:frame")
        canvas.fill(end - columns, y + 1, columns, 1, "class:coffee")


def _draw_cup(canvas: Canvas, x: int, y: int, layers: tuple[str, ...], frame: int) -> None:
    turn = frame % len(STEAM)
    canvas.put(x, y, (STEAM[turn:] + STEAM[:turn]).rstrip(), "class:dim")
    for offset, (style, handle) in enumerate(zip(layers, HANDLE, strict=True), start=1):
        canvas.fill(x, y + offset, CUP_COLUMNS, 1, style)
        canvas.put(x + CUP_COLUMNS, y + offset, handle, "class:cup")
