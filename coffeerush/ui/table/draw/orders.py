"""This player's orders as a list, most urgent first, one per line.

Columns are as wide as their contents. If they do not fit, the status is reduced to what nothing
else shows, and only then names are truncated; on a single narrow line they are left out instead.
What is missing, the serving cup and an expiring order always show.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.pages.pages import chips, kinds_of, more_line, spaced, word_chips
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Parts, Target, size, width
from coffeerush.ui.terminal.parts import window
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import drink_name, menu_drink

from .hand import sent_mark

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder

LIST_FROM: Final = 34
"""Width from which on orders have columns; below it, the recipe goes before the name."""
MARK_CELLS: Final = 3
RECIPE_EDGE: Final = 4
"""Cells of a recipe that are not tokens: a blank, brackets in place of one, the cup."""
WORDINGS: Final = (3, 2, 1, 0)
"""Of statuses, as in `OrderColumns`."""
GAP: Final = 2
"""Cells between columns if there is room, else one."""


class OrderColumns(Struct, frozen=True):
    """The widths of the columns, and their wording."""

    recipes: int
    statuses: int
    named: bool
    """Whether recipes use whole words."""
    wordy: int
    """The wording of statuses. 3: words; 2: without the number of missing tokens, which the
    brackets show anyway; 1: without the last chance, which the slot shows, too; 0: marks."""
    names: int = 0
    gap: int = GAP

    @property
    def cells(self) -> int:
        """The width of a line."""
        return MARK_CELLS + self.names + self.recipes + self.statuses + 2 * self.gap


def draw_orders(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw this player's orders, one per line, and how many do not fit with the key that shows all.

    Orders that are ready, or expire, are the last to be left out. What is tapped has two lines.
    """
    high = scene.target_rows
    orders, rows = scene.orders, area.rows // high
    if not orders:
        canvas.put(area.x, area.y, _("no open orders"), "class:dim", area.columns)
        return
    shown = range(len(orders)) if len(orders) <= rows else _most_important(scene, rows - 1)
    columns, whole = _columns(scene, shown, area.columns), True
    for place, index in enumerate(shown):
        line = Area(area.x, area.y + place * high, area.columns, 1)
        _make_clickable(canvas, replace(line, rows=high), index)
        if high > 1:
            _two_lines(canvas, scene, index, line)
        elif area.columns < LIST_FROM:
            whole &= _short(canvas, scene, index, line)
        else:
            _line(canvas, scene, index, columns, line)
            whole &= width(drink_of(scene, scene.orders[index])) <= columns.names
    below = Area(area.x, area.y + len(shown) * high, area.columns, high)
    if len(shown) < len(orders):
        text = _("{count} more").format(count=len(orders) - len(shown))
        draw_more_orders(canvas, below, text)
    elif not whole and len(shown) < rows:
        draw_more_orders(canvas, below, pgettext("key", "whole names"))


def _most_important(scene: Scene, count: int) -> Sequence[int]:
    """Return the indices of `count` orders in their order: first those that are ready."""
    indices = range(len(scene.orders))
    ready = [index for index in indices if not scene.orders[index].lacks]
    rest = [index for index in indices if scene.orders[index].lacks]
    return sorted([*ready, *rest][:count])


def draw_more_orders(canvas: Canvas, line: Area, text: str) -> None:
    """Draw what is not shown of the orders, and the key that shows it."""
    cap, key = KEYMAP.by_action[Action.ORDERS].shown[0]
    x = canvas.put(line.x, line.y, cap, "class:key", line.columns) + 1
    canvas.put(x, line.y, text, "class:keylabel", line.x + line.columns - x)
    canvas.zone(line.x, line.y, line.columns, line.rows, Target("key", key))


def draw_order_list(canvas: Canvas, scene: Scene, area: Area, title: str = "") -> None:
    """Draw all orders over an area, in two lines each if their names would not fit in one.

    `title` says whose they are, unless they are this player's.
    """
    room, orders = area.columns - 4, scene.orders
    columns = _columns(scene, range(len(orders)), room)
    whole = all(width(drink_of(scene, one)) <= columns.names for one in orders)
    high = 1 if whole and not scene.ui.touch else 2
    rows = min(high * len(orders) + 2, area.rows)
    canvas.fill(area.x, area.y, area.columns, area.rows)
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("row", 0))
    canvas.box(area.x, area.y, area.columns, rows, title or _("Your orders  1▸2▸3▸4▸✗"))
    inner = (rows - 2) // high
    shown = window(len(orders), inner, scene.ui.scroll)
    for y, index in zip(range(area.y + 1, area.y + rows, high), shown, strict=False):
        line = Area(area.x + 2, y, room, 1)
        _make_clickable(canvas, replace(line, rows=high), index)
        if high == 1:
            _line(canvas, scene, index, columns, line)
        else:
            _two_lines(canvas, scene, index, line)
    left = len(orders) - shown.stop
    if left:
        canvas.put(area.x + 2, area.y + rows - 1, f" {more_line(left)} ", "class:more", room)


def _two_lines(canvas: Canvas, scene: Scene, index: int, line: Area) -> None:
    """Draw an order's name, and below it its recipe and status."""
    order, end = scene.orders[index], line.x + line.columns
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    canvas.put(x, line.y, drink_of(scene, order), "class:name", end - x)
    x = canvas.puts(x, line.y + 1, recipe_parts(order), end - x) + 1
    canvas.puts(x, line.y + 1, fitting_status(scene, index, end - x), end - x)


def _make_clickable(canvas: Canvas, line: Area, index: int) -> None:
    canvas.zone(line.x, line.y, line.columns, line.rows, Target("order", index))
    canvas.marks[f"order{index}"] = line


def _columns(scene: Scene, shown: Sequence[int], room: int) -> OrderColumns:
    """Choose the wordiest columns that do not truncate names, or else the narrowest."""
    names = max((width(drink_of(scene, scene.orders[one])) for one in shown), default=0)
    named = _named(scene, room)
    for wordy in WORDINGS:
        columns = _sized(scene, shown, named, wordy)
        for gap in (GAP, 1):
            columns = replace(columns, gap=gap)
            if columns.cells + names <= room:
                return replace(columns, names=names)
    return replace(columns, names=max(room - columns.cells, 0))


def _named(scene: Scene, room: int) -> bool:
    """Return whether any order of the menu fits with its recipe in whole words."""
    names = max(width(drink_name(scene.model, index)) for index in range(len(scene.view.menu)))
    return MARK_CELLS + names + named_recipe(scene) + width(_("SERVE {cup}")) + 2 * GAP <= room


def named_recipe(scene: Scene) -> int:
    """Return the cells that the longest recipe of the menu takes in whole words."""
    names = (size(word_chips(kinds_of(drink.recipe))) for drink in scene.view.menu)
    return max(names) + RECIPE_EDGE


def _sized(scene: Scene, shown: Sequence[int], named: bool, wordy: int) -> OrderColumns:
    """Return columns as wide as these orders need, but for their names."""
    statuses = [size(status_parts(scene, one, wordy)) for one in shown]
    recipes = [size(recipe_parts(scene.orders[one], named)) for one in shown]
    return OrderColumns(
        recipes=max(recipes, default=0),
        statuses=max(statuses, default=0),
        named=named,
        wordy=wordy,
    )


def _line(canvas: Canvas, scene: Scene, index: int, columns: OrderColumns, line: Area) -> None:
    order = scene.orders[index]
    end = line.x + line.columns
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    canvas.put(x, line.y, drink_of(scene, order), name_style(scene, order), columns.names)
    x += columns.names + columns.gap
    canvas.puts(x, line.y, recipe_parts(order, columns.named), end - x)
    x += columns.recipes + columns.gap
    canvas.puts(x, line.y, status_parts(scene, index, columns.wordy), end - x)


def _short(canvas: Canvas, scene: Scene, index: int, line: Area) -> bool:
    """Draw an order in a few cells; return whether it has its name."""
    parts, has_name = on_one_line(scene, index, line.columns)
    canvas.puts(line.x, line.y, parts, line.columns)
    return has_name


def on_one_line(
    scene: Scene, index: int, columns: int, in_lane: bool = False
) -> tuple[Parts, bool]:
    """Return an order with its recipe or serving cup, then its name if that fits; and whether.

    `in_lane` of its slot, which is narrower, and has the slot's number above it.
    """
    order = scene.orders[index]
    slot = slot_parts(scene, order)[in_lane:]
    serve = status_parts(scene, index, int(not in_lane))[:1] if order.serve else recipe_parts(order)
    style = name_style(scene, order, "class:name" if in_lane else "class:dim")
    whole = [*slot, *serve, ("", " "), (style, drink_of(scene, order))]
    return (whole, True) if size(whole) <= columns else ([*slot, *serve], False)


def drink_of(scene: Scene, order: "OpenOrder") -> str:
    """Return the name of an order's drink."""
    return drink_name(scene.model, order.drink)


def name_style(scene: Scene, order: "OpenOrder", style: str = "class:name") -> str:
    """Return the style of an order's name; one that expires with this turn is the loudest."""
    return "class:urgent" if scene.is_expiring(scene.me or 0, order.slot) else style


def slot_parts(scene: Scene, order: "OpenOrder") -> Parts:
    """Return the slot, with marks for an expiring order and for a specialty."""
    last = scene.is_expiring(scene.me or 0, order.slot)
    star = menu_drink(scene.model, order.drink).specialty
    return [
        ("class:urgent" if last else "class:label", f"{order.slot}{'!' if last else ' '}"),
        ("class:star", glyphs.SPECIALTY if star else " "),
    ]


def status_parts(scene: Scene, index: int, wordy: int = 3) -> Parts:
    """Return the status of an order: serving cup or missing tokens, last chance, sender.

    `wordy` is as in `OrderColumns`.
    """
    order = scene.orders[index]
    parts: Parts = []
    if order.serve:
        text = _("SERVE {cup}") if wordy > 0 else glyphs.SERVED + "{cup}"
        parts.append(("class:serve", text.format(cup=order.serve.cup)))
    elif not order.lacks:
        text = pgettext("cup", "ready {cup}") if wordy > 0 else glyphs.SERVED
        parts.append(("class:serve", text.format(cup=order.cup)))
    elif wordy > 2:
        parts.append(("class:need", _("add {count}").format(count=order.lacks)))
    if wordy > 1 and scene.is_expiring(scene.me or 0, order.slot):
        parts.append(("class:urgent", _("EXPIRES")))
    sender = scene.senders[index]
    if sender is not None:
        parts.append(("class:fresh", sent_mark(scene, sender)))
    return spaced([part] for part in parts)


def fitting_status(scene: Scene, index: int, columns: int) -> Parts:
    """Return the status of an order in the wordiest form that fits."""
    forms = [status_parts(scene, index, wordy) for wordy in WORDINGS]
    return next((one for one in forms if size(one) <= columns), forms[-1])


def recipe_parts(order: "OpenOrder", named: bool = False) -> Parts:
    """Return a recipe as chips: the closest cup's contents, missing tokens in brackets, the cup."""
    held, missing = (
        word_chips(tokens) if named else chips(tokens)
        for tokens in (kinds_of(order.held), kinds_of(order.missing))
    )
    lead: Parts = [("", " "), *held] if held else []
    needs: Parts = [("class:need", "["), *missing, ("class:need", "]")] if missing else []
    # the serving cup is part of the status
    cup = f"{glyphs.TO}{order.cup}" if held and not order.serve else ""
    return [*lead, *needs, ("class:cup", cup)]
