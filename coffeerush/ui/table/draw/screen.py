"""Draw a whole screen: from a model, the screen's own state and a size to a canvas. Pure."""

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.pages.pages import PAGES, READING_COLUMNS, draw_page
from coffeerush.ui.table.moments.drawing import draw_moments
from coffeerush.ui.table.panes import guide_box, newest_message, said_line, unread
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Area, Canvas, is_tiny

from .choices import draw_choices, list_rows
from .frame import draw_footer, draw_message
from .game import draw_game
from .invitation import draw_invitation
from .lobby import draw_lobby
from .panes import SHOWN
from .result import draw_result
from .waiting import draw_joining, draw_tiny


def draw(model: Model, ui: Ui, columns: int, rows: int) -> Canvas:
    """Return the screen as a new canvas."""
    canvas = Canvas(columns, rows)
    paint(canvas, model, ui)
    return canvas


def show(model: Model, ui: Ui, columns: int, rows: int) -> tuple[Canvas, Ui]:
    """Return the screen, and the state after somebody has seen it."""
    canvas = draw(model, ui, columns, rows)
    return canvas, replace(ui, shown_to=model.history.total) if SHOWN in canvas.marks else ui


def told(canvas: Canvas, model: Model, ui: Ui) -> Canvas:
    """Write a message that came during a replay over its top line, until the next key."""
    scene = Scene(model, replace(ui, read_to=max(ui.read_to, ui.shown_to)))
    if (said := newest_message(scene)) and unread(scene):
        canvas.fill(0, 0, canvas.columns, 1)
        canvas.put(1, 0, said_line(said), "class:said", canvas.columns - 2)
    return canvas


def paint(canvas: Canvas, model: Model, ui: Ui) -> None:
    """Draw the screen on a blank canvas."""
    columns, rows = canvas.columns, canvas.rows
    if is_tiny((columns, rows)):
        # only clients of gateways keep no records
        is_guest = not (model.keeps_records or ui.replayed)
        draw_tiny(canvas, ui.note if ui.asked == "leave" else "", is_guest=is_guest)
        return
    scene = Scene(model, ui)
    if ui.mode in PAGES:
        draw_page(canvas, ui)
    elif ui.mode == "invitation" and model.invitation.addresses:
        draw_invitation(canvas, scene)
    else:
        _draw_stage(canvas, scene)
        if not guide_box(scene):
            draw_moments(canvas, scene)
        draw_message(canvas, scene, rows - 2)
    draw_footer(canvas, scene, rows - 1)


def _draw_stage(canvas: Canvas, scene: Scene) -> None:
    match scene.stage:
        case "joining":
            draw_joining(canvas, scene)
        case "lobby":
            draw_lobby(canvas, scene)
        case "result":
            draw_result(canvas, scene)
        case _:
            draw_game(canvas, scene)
    if scene.stage in ("lobby", "result"):
        _draw_list(canvas, scene)


def _draw_list(canvas: Canvas, scene: Scene) -> None:
    """Draw an open list over the log, or higher up if the log has too little room for it."""
    log = canvas.marks.get("log", Area(0, 0, 0, 0))
    columns = min(log.columns, READING_COLUMNS)
    rows = list_rows(scene, columns)
    if rows <= log.rows:
        canvas.fill(log.x, log.y, log.columns, rows)
        draw_choices(canvas, scene, replace(log, columns=columns))
        return
    left = canvas.columns // 4
    draw_choices(canvas, scene, Area(left, 1, canvas.columns - left, canvas.rows - 3))
