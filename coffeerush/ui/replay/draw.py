"""Draw a frame of a replay: board, everybody's cups and orders, log, progress bar."""

from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.table.draw.board import draw_board
from coffeerush.ui.table.draw.frame import draw_header
from coffeerush.ui.table.draw.hand import draw_cards
from coffeerush.ui.table.draw.result import draw_result
from coffeerush.ui.table.draw.screen import paint
from coffeerush.ui.table.layout import layout_of
from coffeerush.ui.table.panes import pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.areas import Area, kind_of
from coffeerush.ui.terminal.canvas import Canvas, wrap
from coffeerush.ui.terminal.footer import draw_keys
from coffeerush.ui.words.events import event_line

from .bar import draw_bar, labels
from .frames import Frame, Replay, event_lines
from .keymap import REPLAY_KEYS
from .on_key import Watch
from .seats import draw_lines, draw_narrow_side, draw_side

MIN_LOG: Final = 2
WIDE_LOG: Final = 6
"""Lines left to the log before players get lines for orders by name."""
MAX_LINES: Final = 3
"""Maximum lines per player, including orders by name."""
NO_CELL: Final = -1
"""The cursor position when no meeple is being placed."""
TITLED_LOG: Final = 4
"""Minimum lines of a log with a title."""


def draw_replay(replay: Replay, watch: Watch, columns: int, rows: int) -> Canvas:
    """Return a replay's screen as a new canvas."""
    canvas = Canvas.of(columns, rows)
    paint_replay(canvas, replay, watch)
    return canvas


def paint_replay(canvas: Canvas, replay: Replay, watch: Watch) -> None:
    """Draw a replay's screen on a blank canvas."""
    columns, rows = canvas.columns, canvas.rows
    frame = replay.frame(watch.at)
    if watch.page.mode in PAGES or kind_of(columns, rows) == "tiny":
        paint(canvas, frame.model, watch.page)
        return
    scene = Scene(frame.model, watch.page)
    if scene.stage == "result":
        draw_result(canvas, scene)
        canvas.fill(0, rows - 2, columns, 2)
    else:
        _draw_game(canvas, scene, replay, watch, frame)
    draw_bar(canvas, replay, watch, rows - 2)
    draw_keys(canvas, rows - 1, REPLAY_KEYS, labels(watch, scene))


def _draw_game(canvas: Canvas, scene: Scene, replay: Replay, watch: Watch, frame: Frame) -> None:
    viewpoint = frame.viewpoint if watch.viewpoint is None else watch.viewpoint
    own = Scene(replay.seen_by(frame, viewpoint), replace(watch.page, cursor=NO_CELL))
    layout = layout_of(canvas.columns, canvas.rows)
    draw_header(canvas, scene)
    draw_board(canvas, own, layout)
    y = layout.board.y + layout.board.rows
    under = Area(0, y, canvas.columns, canvas.rows - 2 - y)
    if layout.kind == "narrow":
        draw_narrow_side(canvas, own, frame, layout.side)
        _draw_narrow_under(canvas, own, frame, under)
        return
    draw_side(canvas, own, frame, layout.side, pictures=layout.kind == "wide")
    draw_cards(canvas, own, 1, y, canvas.columns - 2)
    under = Area(0, y + 1, canvas.columns, under.rows - 1)
    count = len(frame.cups)
    rows = count * max(min((under.rows - WIDE_LOG) // count, MAX_LINES), 1)
    draw_lines(canvas, own, frame, Area(0, under.y, under.columns, rows))
    _draw_log(canvas, frame, Area(0, under.y + rows, under.columns, under.rows - rows))


def _draw_narrow_under(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the log, the players if they leave room for it, and the supply if there is more room."""
    y, rows, count = area.y, area.rows, len(frame.cups)
    if rows > count + MIN_LOG:
        draw_cards(canvas, scene, 0, y, area.columns)
        y, rows = y + 1, rows - 1
    if rows >= count + MIN_LOG:
        draw_lines(canvas, scene, frame, Area(0, y, area.columns, count))
        y, rows = y + count, rows - count
    _draw_log(canvas, frame, Area(0, y, area.columns, rows))


def _draw_log(canvas: Canvas, frame: Frame, area: Area) -> None:
    """Draw the events of this frame and, if there is room, earlier ones above."""
    if area.rows >= TITLED_LOG:
        canvas.rule(area.x, area.y, area.columns, pane_title("log"))
        area = Area(area.x, area.y + 1, area.columns, area.rows - 1)
    room = area.columns - 2
    now = wrap(" ".join(event_lines(frame)), room)
    if len(now) > area.rows:  # the current events are more important than what is above
        area = Area(area.x, area.y + area.rows - len(now), area.columns, len(now))
        canvas.fill(area.x, area.y, area.columns, area.rows)
    left = area.rows - len(now)
    earlier = frame.model.log[: -len(frame.events)][-left:] if left else ()
    lines = [part for one in earlier for part in wrap(event_line(one, frame.model), room)]
    before = lines[-left:] if left else []
    y = area.y
    for style, text in [("class:dim", one) for one in before] + [
        ("class:score", one) for one in now
    ]:
        canvas.put(area.x + 1, y, text, style, room)
        y += 1
