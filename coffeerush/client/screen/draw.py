"""A whole screen: from a model, the screen's own state and a size to a canvas. Pure."""

from typing import Final

from coffeerush.client.model import Model
from coffeerush.i18n import _
from protocol import CUPS

from .canvas import Canvas
from .choices import menu_of
from .draw_board import draw_board
from .draw_choice import draw_menu
from .draw_frame import draw_footer, draw_header, draw_message
from .draw_own import draw_cards, draw_cups, draw_orders, order_names
from .draw_panes import draw_pane, pane_names, pane_title
from .draw_people import draw_boxes, draw_lines, everybody
from .draw_rooms import draw_joining, draw_lobby, draw_result, draw_tiny
from .layout import Area, Layout, kind_of, layout_of
from .pages import PAGES, draw_page
from .scene import Scene
from .ui import Ui


def draw(model: Model, ui: Ui, columns: int, rows: int, addresses: tuple[str, ...] = ()) -> Canvas:
    """Return the screen of a moment; `addresses` are those at which others join, if known."""
    canvas = Canvas.of(columns, rows)
    if kind_of(columns, rows) == "tiny":
        draw_tiny(canvas)
        return canvas
    scene = Scene(model, ui)
    if ui.mode in PAGES:
        draw_page(canvas, ui)
    else:
        _room(canvas, scene, addresses)
        draw_message(canvas, scene, rows - 2)
    draw_footer(canvas, scene, rows - 1)
    return canvas


def _room(canvas: Canvas, scene: Scene, addresses: tuple[str, ...]) -> None:
    match scene.stage:
        case "joining":
            draw_joining(canvas, scene)
        case "lobby":
            draw_lobby(canvas, scene, addresses)
            left = canvas.columns // 4
            _open(canvas, scene, Area(left, 1, canvas.columns - left, canvas.rows - 3))
        case "result":
            draw_result(canvas, scene)
        case _:
            _game(canvas, scene)


def _open(canvas: Canvas, scene: Scene, area: Area) -> None:
    menu = menu_of(scene)
    if menu is not None:
        draw_menu(canvas, scene, menu, area)


def _game(canvas: Canvas, scene: Scene) -> None:
    layout = layout_of(canvas.columns, canvas.rows)
    draw_header(canvas, scene)
    draw_board(canvas, scene, layout)
    if layout.kind == "narrow":
        _narrow(canvas, scene, layout)
        return
    _side(canvas, scene, layout)
    below = layout.below
    draw_cards(canvas, scene, 1, below.y, canvas.columns - 2)
    under = Area(0, below.y + 1, below.columns, below.rows - 1)
    (_wide_below if layout.kind == "wide" else _lines_below)(canvas, scene, under)
    _open(canvas, scene, layout.side)


CUPS_ROWS: Final = 5
ORDER_COLUMNS: Final = 80
"""An order is not drawn wider than that: its recipe stays near its name."""


def _side(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw cups and orders in boxes; for who looks on, everybody's orders."""
    area = layout.side
    if scene.own is None or scene.me is None:
        title = _("Orders") if scene.me is None else _("Your cups are on their way")
        canvas.box(area.x, area.y, area.columns, area.rows, title)
        for offset, line in enumerate(_all_orders(scene)[: area.rows - 2], start=1):
            canvas.put(area.x + 2, area.y + offset, line, "", area.columns - 4)
        return
    canvas.box(area.x, area.y, area.columns, CUPS_ROWS, _("Your cups"))
    inner = Area(area.x + 2, area.y + 1, area.columns - 4, CUPS_ROWS - 2)
    draw_cups(canvas, scene, inner, named=layout.kind == "wide")
    rest = area.rows - CUPS_ROWS
    y = area.y + CUPS_ROWS
    canvas.box(area.x, y, area.columns, rest, _("Your orders  1▸2▸3▸4▸✗"))
    columns = min(area.columns - 4, ORDER_COLUMNS)
    draw_orders(canvas, scene, Area(area.x + 2, y + 1, columns, rest - 2))


def _all_orders(scene: Scene) -> list[str]:
    if scene.me is None:
        return everybody(scene)
    return order_names(scene, scene.me)


def _lines_below(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a line a player, then the pane."""
    count = len(scene.others)
    draw_lines(canvas, scene, Area(0, area.y, area.columns, count))
    names = pane_names("normal")
    name = names[scene.ui.pane % len(names)]
    y = area.y + count
    canvas.rule(0, y, area.columns, pane_title(name))
    draw_pane(canvas, scene, Area(1, y + 1, area.columns - 1, area.y + area.rows - y - 1), name)


PEOPLE_ROWS: Final = 8
CHAT_SHARE: Final = 0.4


def _wide_below(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a box a player, then log and chat side by side."""
    people = min(PEOPLE_ROWS + max(area.rows - 16, 0) // 2, 14)
    draw_boxes(canvas, scene, Area(0, area.y, area.columns, people))
    y, rows = area.y + people, area.rows - people
    chat = int(area.columns * CHAT_SHARE)
    names = pane_names("wide")
    name = names[scene.ui.pane % len(names)]
    canvas.rule(0, y, area.columns - chat - 1, pane_title(name))
    draw_pane(canvas, scene, Area(1, y + 1, area.columns - chat - 2, rows - 1), name)
    canvas.rule(area.columns - chat, y, chat, pane_title("chat"))
    draw_pane(canvas, scene, Area(area.columns - chat + 1, y + 1, chat - 1, rows - 1), "chat")


LOG_ROWS: Final = 3
"""What has to be free under a narrow board for the log to stand there."""


def _narrow(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw the pane right of the board; under it the log where there is room, and the hand."""
    names = pane_names("narrow")
    name = names[scene.ui.pane % len(names)]
    y = canvas.rows - 3
    area = Area(layout.side.x, 1, layout.side.columns, y - 1)
    draw_cards(canvas, scene, 0, y, canvas.columns)
    high = max(layout.board.rows, CUPS + len(scene.orders) if name == "mine" else 0)
    if name != "log" and y - 1 - high >= LOG_ROWS:
        area = Area(area.x, 1, area.columns, high)
        canvas.rule(0, 1 + high, canvas.columns, pane_title("log"))
        log = Area(0, 2 + high, canvas.columns, y - 2 - high)
        draw_pane(canvas, scene, log, "log", scroll=0)
    if name != "mine":
        canvas.put(area.x, 1, pane_title(name), "class:title")
        draw_pane(canvas, scene, Area(area.x, 2, area.columns, area.rows - 1), name)
    elif scene.own is not None and scene.me is not None:
        draw_cups(canvas, scene, Area(area.x, 1, area.columns, 3))
        draw_orders(canvas, scene, Area(area.x, 4, area.columns, area.rows - 3))
    else:
        for offset, line in enumerate(_all_orders(scene)[: area.rows]):
            canvas.put(area.x, 1 + offset, line, "", area.columns)
    _open(canvas, scene, Area(0, 1, canvas.columns, canvas.rows - 3))
