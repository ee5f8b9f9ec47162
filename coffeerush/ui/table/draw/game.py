"""The screen of a game in its three layouts."""

from typing import Final

from msgspec.structs import replace

from coffeerush.ui.table.layout import Layout, layout_of
from coffeerush.ui.table.panes import (
    MIN_PANE,
    guide_box,
    guide_under,
    is_new,
    last_message,
    log_or_guide,
    newest_message,
    open_pane,
    pane_title,
    said_line,
    under_narrow,
)
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, width, wrap
from coffeerush.ui.terminal.keys import TAB
from coffeerush.ui.words.i18n import _
from protocol import MAX_PLAYERS

from .belt import draw_belt
from .board import draw_board
from .choices import draw_choices, list_rows
from .cups import draw_cups, draw_pictures
from .frame import draw_header, message_lines, message_rows
from .hand import draw_cards, draw_expiring, newest_room, order_names, upgrade_boxes
from .orders import draw_order_list, draw_orders
from .panes import draw_guide_box, draw_newest, draw_pane, draw_tabs, hide_newest
from .people import draw_blocks, draw_lines, watched_lines

CHAT_SHARE: Final = 0.4
GUIDED_CHAT_SHARE: Final = 0.3
"""The chat's share of a wide terminal, and next to the guide, which is to be read as a whole."""
GUIDE_ROWS: Final = 6
"""The most lines that the guide says at once on a normal terminal, below its title."""
LEAST_BLOCK: Final = 3
"""Rows of another player next to a list."""
LEAST_PANE: Final = 2
"""Rows of a pane above a long message."""


def draw_game(canvas: Canvas, scene: Scene) -> None:
    """Draw everything but the message and the footer."""
    layout = layout_of(canvas.columns, canvas.rows)
    draw_header(canvas, scene)
    draw_board(canvas, scene, layout)
    canvas.marks["board"] = layout.board
    over = lists = layout.side
    match layout.kind:
        case "wide":
            lists = _wide(canvas, scene, layout)
        case "normal":
            _normal(canvas, scene, layout)
        case _:
            over = lists = _narrow(canvas, scene, layout)
    if guide_box(scene):
        draw_guide_box(canvas, scene)
    draw_choices(canvas, scene, lists)
    if scene.ui.mode == "orders":
        draw_order_list(canvas, scene, over)
        hide_newest(canvas, over)


def _plays(scene: Scene) -> bool:
    """Return whether this player has cups and orders to draw."""
    return scene.own is not None and scene.me is not None


def _upgrades(canvas: Canvas, scene: Scene, line: Area) -> None:
    """Draw this player's upgrades right-aligned in the title line of the cups."""
    boxes = f"{upgrade_boxes(scene, scene.me or 0)} "
    room = line.columns - width(_("Your cups")) - 8
    title = " " + _("upgrades") + " "
    words = title if width(title) + width(boxes) <= room else " "
    x = line.x + line.columns - width(words) - width(boxes) - 1
    x = canvas.put(x, line.y, words, "class:label")
    canvas.put(x, line.y, boxes, "class:upgrade")
    canvas.marks["cups"] = line
    canvas.zone(x, line.y, width(boxes), 1, Target("key", "g"))


# Wide: pictures of cups, orders on a belt


def _wide(canvas: Canvas, scene: Scene, layout: Layout) -> Area:
    """Draw it, and return the area of an open list."""
    side, belt, below = layout.side, layout.belt, layout.below
    people, cards = side, layout.cards
    if _plays(scene):
        # the fewer players, the larger the cups
        cups = 6 + max(side.rows - 17, 0) // 4 + MAX_PLAYERS - 1 - len(scene.others)
        canvas.rule(side.x, side.y, side.columns, _("Your cups"))
        _upgrades(canvas, scene, side)
        draw_pictures(canvas, scene, Area(side.x + 1, side.y + 1, side.columns - 1, cups - 1))
        people = Area(side.x, side.y + cups, side.columns, side.rows - cups)
        draw_belt(canvas, scene, belt)
    elif scene.me is None:  # spectators have no belt: the log gets its lines
        cards = belt.y
        below = Area(0, cards + 1, below.columns, below.y + below.rows - cards - 1)
    blocks, lists = _next_to_list(scene, people, side)
    draw_blocks(canvas, scene, blocks)
    if lists.rows:  # a click beside the list leaves it open
        canvas.zone(people.x, people.y, people.columns, people.rows, Target("row", 0))
    draw_cards(canvas, scene, 1, cards, canvas.columns - 2)
    guided = open_pane(scene, "wide") == "guide"
    chat = int(below.columns * (GUIDED_CHAT_SHARE if guided else CHAT_SHARE))
    below = _above_message(canvas, scene, below)
    if guided and last_message(scene) is None:
        # the guide is read as a whole, in the room of the empty chat, too
        _pane(canvas, scene, below, "wide")
        return lists
    canvas.rule(below.columns - chat, below.y, chat, pane_title("chat"))
    rest = Area(below.columns - chat + 1, below.y + 1, chat - 1, below.rows - 1)
    draw_pane(canvas, scene, rest, "chat")
    _pane(canvas, scene, Area(0, below.y, below.columns - chat - 1, below.rows), "wide")
    return lists


def _next_to_list(scene: Scene, people: Area, side: Area) -> tuple[Area, Area]:
    """Return the area of the other players and that of an open list.

    The list is above the other players, else over them, else also over the cups.
    """
    rows = list_rows(scene, people.columns)
    left = people.rows - rows
    if left < 0:
        return people, side
    if rows and left < LEAST_BLOCK * len(scene.others):
        return people, people
    return replace(people, y=people.y + rows, rows=left), replace(people, rows=rows)


def _above_message(canvas: Canvas, scene: Scene, area: Area) -> Area:
    """Return the area that a message of several lines leaves a pane: at least title and a line."""
    covered = len(message_lines(canvas, scene)) - 1
    return replace(area, rows=max(area.rows - covered, min(area.rows, LEAST_PANE)))


def _pane(canvas: Canvas, scene: Scene, area: Area, kind: str) -> None:
    """Draw the tabs and the open pane."""
    draw_pane(canvas, scene, _under_title(area), open_pane(scene, kind))
    draw_tabs(canvas, scene, area, kind)


def _under_title(area: Area) -> Area:
    return Area(area.x + 1, area.y + 1, area.columns - 1, area.rows - 1)


# Normal: one line per player and cup


def _normal(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    below, count = layout.below, len(scene.others)
    draw_cards(canvas, scene, 1, layout.cards, canvas.columns - 2)
    if scene.me is None:
        draw_blocks(canvas, scene, layout.side)
    else:
        _side(canvas, scene, layout.side)
    if scene.me is None or _guide_replaces(scene, below.rows - count):
        count = 0
    pane = Area(0, below.y + count, below.columns, below.rows - count)
    pane = _above_message(canvas, scene, pane)
    draw_lines(canvas, scene, Area(0, below.y, below.columns, count))
    _pane(canvas, scene, pane, "normal")


def _guide_replaces(scene: Scene, rows: int) -> bool:
    """Return whether the guide replaces the lines of the other players, which leave it so few rows.

    That depends on the size alone: else they would come and go with the length of its text.
    """
    return open_pane(scene, "normal") == "guide" and rows <= GUIDE_ROWS


def _side(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw cups and orders in boxes."""
    if not _plays(scene):
        canvas.box(area.x, area.y, area.columns, area.rows, _("Loading your cups…"))
        _all_orders(canvas, scene, Area(area.x + 2, area.y + 1, area.columns - 4, area.rows - 2))
        return
    cups = scene.cup_rows(area.columns - 4)
    canvas.box(area.x, area.y, area.columns, cups + 2, _("Your cups"))
    _upgrades(canvas, scene, Area(area.x, area.y, area.columns - 1, 1))
    draw_cups(canvas, scene, Area(area.x + 2, area.y + 1, area.columns - 4, cups))
    # the boxes share an edge, which gives the orders one more line
    y, rows = area.y + cups + 1, area.rows - cups - 1
    canvas.marks["orders"] = Area(area.x, y, area.columns, rows)
    canvas.box(area.x, y, area.columns, rows, _("Your orders  1▸2▸3▸4▸✗"))
    canvas.put(area.x, y, glyphs.TEE_RIGHT, "class:frame")
    canvas.put(area.x + area.columns - 1, y, glyphs.TEE_LEFT, "class:frame")
    # one column wider, because the status at its end may touch the frame
    draw_orders(canvas, scene, Area(area.x + 2, y + 1, area.columns - 3, rows - 2))
    draw_expiring(canvas, scene, area.x + area.columns - 2, y + rows - 1, area.columns - 4)


def _all_orders(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a player's orders until the cups are known."""
    assert scene.me is not None, "spectators have no cups to wait for"
    known = order_names(scene, scene.me)
    lines = [part for line in known for part in wrap(line, area.columns, "      ")]
    shown = lines if len(lines) <= area.rows else lines[: area.rows - 1]
    for offset, line in enumerate(shown):
        canvas.put(area.x, area.y + offset, line, "", area.columns)
    if len(shown) < len(lines):
        _more_of_others(canvas, replace(area, y=area.y + area.rows - 1, rows=1))


def _watched(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw everybody's orders as recipes for a spectator."""
    lines = watched_lines(scene, area.columns)
    shown = lines if len(lines) <= area.rows else lines[: area.rows - 1]
    for offset, parts in enumerate(shown):
        canvas.puts(area.x, area.y + offset, parts, area.columns)
    if len(shown) < len(lines):
        _more_of_others(canvas, replace(area, y=area.y + area.rows - 1, rows=1))


def _more_of_others(canvas: Canvas, line: Area) -> None:
    """Draw which key shows the rest."""
    x = canvas.put(line.x, line.y, _("Tab"), "class:key") + 1
    canvas.put(x, line.y, pane_title("others"), "class:keylabel", line.x + line.columns - x)
    canvas.zone(line.x, line.y, line.columns, 1, Target("pane", "others"))


# Narrow: no boxes


def _narrow(canvas: Canvas, scene: Scene, layout: Layout) -> Area:
    """Draw the pane right of the board, and below it the log if there is room, and the hand.

    Returns the area of an open list.
    """
    name, log = open_pane(scene, "narrow"), log_or_guide(scene)
    y = canvas.rows - 3
    # what the message covers is counted, or can be scrolled
    covered = message_rows(canvas, scene)
    free = min(y - 1, canvas.rows - 2 - covered)
    area = Area(layout.side.x, 1, layout.side.columns, free)
    draw_cards(canvas, scene, 0, y, canvas.columns)
    under = under_narrow(scene)
    if name != log and under.rows >= MIN_PANE:
        area = replace(area, rows=min(free, under.y - 1))
        canvas.rule(0, under.y, canvas.columns, pane_title(log))
        scroll = None if guide_under(scene) else 0
        draw_pane(canvas, scene, _under_title(under), log, scroll)
    if name != "mine":
        canvas.put(area.x, 1, pane_title(name), "class:title", area.columns)
        canvas.zone(area.x, 1, area.columns, 1, Target("key", TAB))
        draw_pane(canvas, scene, Area(area.x, 2, area.columns, area.rows - 1), name)
    elif _plays(scene):
        canvas.marks["cups"] = Area(area.x, 1, area.columns, 1)
        cups = scene.cup_rows(area.columns)
        orders = Area(area.x, 1 + cups, area.columns, max(area.rows - cups, 0))
        canvas.marks["orders"] = orders
        draw_cups(canvas, scene, Area(area.x, 1, area.columns, cups))
        if orders.rows:
            draw_orders(canvas, scene, orders)
    elif scene.me is None:
        _watched(canvas, scene, area)
    else:
        _all_orders(canvas, scene, area)
    room, said = newest_room(scene, canvas.columns), newest_message(scene)
    if said and (not is_new(scene) or width(said_line(said)) + 2 <= room):
        draw_newest(canvas, scene, Area(canvas.columns - room, y, room, 1))
    return Area(0, 1, canvas.columns, canvas.rows - 2 - max(covered, 1))
