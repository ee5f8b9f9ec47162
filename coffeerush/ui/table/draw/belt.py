"""This player's orders as a belt across the screen: one lane per slot, and the expiring edge."""

from typing import Final

from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, cut
from coffeerush.ui.words.i18n import _
from protocol import SLOTS, Slot

from .hand import draw_expiring, draw_sent
from .orders import (
    draw_more_orders,
    drink_of,
    fitting_status,
    name_style,
    named_recipe,
    on_one_line,
    recipe_parts,
    slot_parts,
)

LANE_EDGE: Final = 3
"""Columns between the orders of two lanes."""
SENDER_CELLS: Final = 4
"""The cells of a line that are not a recipe if an order was sent: blanks and the mark."""
CARD_LINES: Final = (3, 2, 1)
"""How many lines an order may take: its name, its recipe, its status."""


def draw_belt(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the lanes 1 to 4 from left to right, with their orders."""
    canvas.marks["orders"] = area
    _frame(canvas, scene, area)
    lane_columns = (area.columns - 1) // SLOTS - LANE_EDGE
    named = named_recipe(scene) + SENDER_CELLS <= lane_columns
    for slot in range(1, SLOTS + 1):
        begin, end = _edge(area, slot - 1), _edge(area, slot)
        lane = Area(begin + 2, area.y + 1, end - begin - LANE_EDGE, area.rows - 2)
        _lane(canvas, scene, slot, lane, named)


def _edge(area: Area, lane: int) -> int:
    """Return the x of the line left of a lane; for `SLOTS`, that of the right edge."""
    return area.x + lane * (area.columns - 1) // SLOTS


def _places(scene: Scene, slot: Slot) -> list[int]:
    """Return the indices of the orders in a slot."""
    return [index for index, one in enumerate(scene.orders) if one.slot == slot]


def _lines(places: list[int], lane: Area) -> int:
    """Return the number of lines that each order may have."""
    return next((one for one in CARD_LINES if one * len(places) <= lane.rows), CARD_LINES[-1])


def _frame(canvas: Canvas, scene: Scene, area: Area) -> None:
    canvas.box(area.x, area.y, area.columns, area.rows)
    bottom = area.y + area.rows - 1
    for lane in range(1, SLOTS):
        x = _edge(area, lane)
        canvas.put(x, area.y, glyphs.TEE_DOWN, "class:frame")
        canvas.put(x, bottom, glyphs.TEE_UP, "class:frame")
        for y in range(area.y + 1, bottom):
            canvas.put(x, y, glyphs.POINTER, "class:frame")
    _heads(canvas, scene, area)
    if _expires(scene):
        for y in range(area.y + 1, bottom):
            canvas.put(_edge(area, SLOTS), y, glyphs.PENALTY, "class:urgent")
    half = area.columns // 2 - 4
    draw_sent(canvas, scene, area.x + 2, bottom, half)
    draw_expiring(canvas, scene, area.x + area.columns - 3, bottom, half)


def _heads(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Write the slot's number above each lane."""
    title = cut(_("Your orders"), _edge(area, 1) - area.x - 10)
    x = canvas.put(area.x + 2, area.y, f" {title} ", "class:title")
    canvas.put(x + 1, area.y, " 1 ", "class:title")
    for slot in range(2, SLOTS + 1):
        last = scene.is_expiring(scene.me or 0, slot)
        style = "class:urgent" if last and _expires(scene) else "class:title"
        canvas.put(_edge(area, slot - 1) + 2, area.y, f" {slot}{'!' if last else ''} ", style)


def _expires(scene: Scene) -> bool:
    """Return whether there are orders that expire when this player's turn ends."""
    me = scene.me or 0
    return bool(scene.player(me).orders[-1]) and scene.is_expiring(me, SLOTS)


def _lane(canvas: Canvas, scene: Scene, slot: Slot, lane: Area, named: bool) -> None:
    """Draw the orders of a slot, as many as fit."""
    places = _places(scene, slot)
    room = lane.rows // scene.target_rows
    fitting = places if len(places) <= room else places[: room - 1]
    y = lane.y
    for index, lines in zip(fitting, _heights(scene, fitting, lane), strict=True):
        card = Area(lane.x, y, lane.columns, lines)
        canvas.zone(card.x, card.y, card.columns, card.rows, Target("order", index))
        canvas.marks[f"order{index}"] = card
        _card(canvas, scene, index, card, named)
        y += lines
    if len(places) > len(fitting):
        text = _("{count} more").format(count=len(places) - len(fitting))
        more = Area(lane.x, y, lane.columns, scene.target_rows)
        draw_more_orders(canvas, more, text)


def _heights(scene: Scene, places: list[int], lane: Area) -> list[int]:
    """Return the lines of each order, all alike, but a second one for a name that one would cut."""
    lines = max(_lines(places, lane), scene.target_rows)
    heights = [lines] * len(places)
    spare = lane.rows - len(places) if lines == 1 else 0
    for place, index in enumerate(places):
        if spare and not on_one_line(scene, index, lane.columns, in_lane=True)[1]:
            heights[place] += 1
            spare -= 1
    return heights


def _card(canvas: Canvas, scene: Scene, index: int, card: Area, named: bool) -> None:
    """Draw an order; on a single line its recipe or cup goes before the name, or alone."""
    order, end = scene.orders[index], card.x + card.columns
    if card.rows == 1:
        parts, _has_name = on_one_line(scene, index, card.columns, in_lane=True)
        canvas.puts(card.x, card.y, parts, card.columns)
        return
    star = slot_parts(scene, order)[1:]
    x = canvas.puts(card.x, card.y, star)
    canvas.put(x, card.y, drink_of(scene, order), name_style(scene, order), end - x)
    x = canvas.puts(card.x + 1, card.y + 1, recipe_parts(order, named), card.columns - 1)
    if card.rows > 2:
        x, card = card.x, Area(card.x, card.y + 1, card.columns, 1)
    room = end - x - 1
    canvas.puts(x + 1, card.y + 1, fitting_status(scene, index, room), room)
