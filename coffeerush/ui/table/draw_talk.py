"""What players say, as bubbles at their meeples: never over anything else that is drawn there."""

import re
from itertools import product
from typing import Final

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, width
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import emote_text, seat_style

from .draw_board import area_of
from .draw_moments import over_board
from .scene import Scene
from .state import Layout

_KINDS: Final = {" ": " ", glyphs.WALL: "|"}
"""The cells that may be beside a bubble."""


def draw_talk(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw what has just been said at a meeple of who said it, in their colour, if there is room.

    A word over the board leaves it whole: it makes room, or waits.
    """
    written = over_board(scene, canvas.columns, canvas.rows)
    covered = written[0] if written else Area(0, 0, 0, 0)
    seats = {seat.name: number for number, seat in enumerate(scene.seats)}
    for shown in scene.ui.emotes:
        seat = seats.get(shown.name)
        if seat is None or shown.until <= scene.ui.now or seat >= len(scene.view.players):
            continue
        words = emote_text(shown.emote)
        cells = [area_of(layout, cell) for cell in scene.player(seat).meeples]
        for text, area in product((_("“{text}”").format(text=words), words), cells):
            style = f"{seat_style(scene.seats, seat)} reverse"
            if _draw_bubble(canvas, area, layout.board, covered, text, style):
                break


def _draw_bubble(
    canvas: Canvas, area: Area, board: Area, covered: Area, text: str, style: str
) -> bool:
    """Draw a bubble on blank cells that begin in an area of the board; return whether it fits.

    None of them is `covered`.

    Beside it is a blank or a wall, so that it is not read together with what is there.
    """
    left, end = max(area.x - 1, 0), board.x + board.columns
    for y in reversed(range(area.y, area.y + area.rows)):
        ((texts, _styles),) = canvas.copy(Area(left, y, end - left, 1))
        hidden = range(covered.x, covered.x + covered.columns * (0 <= y - covered.y < covered.rows))
        kinds = "".join(
            "x" if x in hidden else _KINDS.get(text, "x")
            for x, text in enumerate(texts, start=left)
        )
        fits = re.search(rf"(?<![^ |]) {{{width(text)}}}(?![^ |])", kinds)
        if fits and left + fits.start() < area.x + area.columns:
            canvas.put(left + fits.start(), y, text, style)
            return True
    return False
