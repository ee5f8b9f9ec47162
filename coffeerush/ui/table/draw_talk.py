"""What players say, as bubbles at their meeples: never over anything else that is drawn there."""

from itertools import product

from coffeerush.ui.terminal.canvas import Area, Canvas, width
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import emote_text

from .draw_board import area_of
from .scene import Scene
from .state import Layout


def draw_talk(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw what has just been said at a meeple of the player who said it, if there is room."""
    seats = {seat.name: number for number, seat in enumerate(scene.seats)}
    for shown in scene.ui.emotes:
        seat = seats.get(shown.name)
        if seat is None or shown.until <= scene.ui.now or seat >= len(scene.view.players):
            continue
        words = emote_text(shown.emote)
        cells = [area_of(layout, cell) for cell in scene.player(seat).meeples]
        for text, area in product((_("“{text}”").format(text=words), words), cells):
            if _draw_bubble(canvas, area, layout.board, text):
                break


def _draw_bubble(canvas: Canvas, area: Area, board: Area, text: str) -> bool:
    """Draw a bubble on blank cells that begin in an area of the board; return whether it fits."""
    columns = board.x + board.columns - area.x
    for y in reversed(range(area.y, area.y + area.rows)):
        ((texts, _styles),) = canvas.copy(Area(area.x, y, columns, 1))
        blank = "".join("." if text == " " else "x" for text in texts)
        at = blank.find("." * (1 + width(text))) + 1 or blank.find("." * width(text))
        if 0 <= at < area.columns:
            canvas.put(area.x + at, y, text, "class:said")
            return True
    return False
