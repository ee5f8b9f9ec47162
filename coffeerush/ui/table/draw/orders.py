"""This player's orders as a list, most urgent first: one per line, or two if there are many.

Columns are as wide as their contents. If they do not fit, the status is reduced to marks, and only
then names are truncated; what is missing, the serving cup and an expiring order always show.
"""

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.pages.chips import chips, kinds_of, spaced, word_chips
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Parts, Target, size, width
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import drink_name, menu_drink
from protocol import SLOTS

if TYPE_CHECKING:
    from coffeerush.ui.advice.pours import OpenOrder

LIST_FROM: Final = 34
"""Width from which on orders have columns; below it, the recipe goes before the name."""
NAMED_FROM: Final = 60
"""Width from which on recipes use whole words if they fit."""
MIN_NAME: Final = 12
MIN_SHORT_NAME: Final = 2
"""Minimum cells of a name after a recipe."""
MARK_CELLS: Final = 3
GAP: Final = 2
"""Cells between columns if there is room, else one."""


class OrderColumns(Struct, frozen=True):
    """The widths of the columns, and their wording."""

    recipes: int
    statuses: int
    named: bool
    """Whether recipes use whole words."""
    wordy: int
    """The wording of statuses. 3: words; 2: words, but a mark for the number of missing tokens,
    which the brackets show anyway; 1: a mark for the last chance, too; 0: marks."""
    names: int = 0
    gap: int = GAP

    @property
    def cells(self) -> int:
        """The width of a line."""
        return MARK_CELLS + self.names + self.recipes + self.statuses + 2 * self.gap


def draw_orders(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw this player's orders, or how many more there are."""
    orders, rows = scene.orders, area.rows
    if not orders:
        canvas.put(area.x, area.y, _("no open orders"), "class:dim", area.columns)
        return
    alone = max(2 * rows - len(orders), 0) if len(orders) > rows else len(orders)
    if area.columns < LIST_FROM:
        alone = len(orders) if len(orders) <= rows else rows - 1
    columns = _columns(scene, alone, area.columns)
    for index in range(alone):
        line = Area(area.x, area.y + index, area.columns, 1)
        _make_clickable(canvas, line, index)
        if area.columns < LIST_FROM:
            _short(canvas, scene, index, line)
        else:
            _line(canvas, scene, index, columns, line)
    _pairs(canvas, scene, alone, Area(area.x, area.y + alone, area.columns, rows - alone))


def _pairs(canvas: Canvas, scene: Scene, first: int, area: Area) -> None:
    """Draw the remaining orders two to a line; the last place counts those that do not fit."""
    left = len(scene.orders) - first
    across = 2 if area.columns >= LIST_FROM else 1
    half = area.columns // across
    fitting = left if left <= across * area.rows else across * area.rows - 1
    for place in range(fitting):
        x, y = area.x + place % across * half, area.y + place // across
        line = Area(x, y, half - 1, 1)
        _make_clickable(canvas, line, first + place)
        _short(canvas, scene, first + place, line)
    if left > fitting:
        x = area.x + fitting % across * half
        text = _("{count} more").format(count=left - fitting)
        canvas.put(x, area.y + fitting // across, text, "class:dim", half)


def _make_clickable(canvas: Canvas, line: Area, index: int) -> None:
    canvas.zone(line.x, line.y, line.columns, line.rows, Target("order", index))


def _columns(scene: Scene, count: int, room: int) -> OrderColumns:
    """Choose the wordiest columns that do not truncate names, or not below the minimum."""
    names = max((width(drink_of(scene, one)) for one in scene.orders[:count]), default=0)
    coded = [style for style in _STYLES if not style[0]]
    styles = _STYLES if room >= NAMED_FROM else coded
    for least, tried, gaps in ((names, styles, (GAP, 1)), (min(names, MIN_NAME), coded, (1,))):
        for named, wordy in tried:
            columns = _sized(scene, count, named, wordy)
            for gap in gaps:
                columns = replace(columns, gap=gap)
                if columns.cells + least <= room:
                    return replace(columns, names=min(names, room - columns.cells))
    return replace(columns, names=max(room - columns.cells, 0))


_STYLES: Final = ((True, 3), (True, 2), (False, 3), (False, 2), (False, 1), (False, 0))
"""(Whether recipes use whole words, wording of statuses), wordiest first."""


def _sized(scene: Scene, count: int, named: bool, wordy: int) -> OrderColumns:
    """Return columns as wide as the first `count` orders need, but for their names."""
    orders = scene.orders[:count]
    statuses = [size(status_parts(scene, one, wordy)) for one in range(count)]
    return OrderColumns(
        recipes=max((size(recipe_parts(one, named)) for one in orders), default=0),
        statuses=max(statuses, default=0),
        named=named,
        wordy=wordy,
    )


def _line(canvas: Canvas, scene: Scene, index: int, columns: OrderColumns, line: Area) -> None:
    order = scene.orders[index]
    end = line.x + line.columns
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    canvas.put(x, line.y, drink_of(scene, order), "class:name", columns.names)
    x += columns.names + columns.gap
    canvas.puts(x, line.y, recipe_parts(order, columns.named), end - x)
    x += columns.recipes + columns.gap
    canvas.puts(x, line.y, status_parts(scene, index, columns.wordy), end - x)


def _short(canvas: Canvas, scene: Scene, index: int, line: Area) -> None:
    """Draw an order in a few cells: its recipe or serving cup, then its name."""
    order, end = scene.orders[index], line.x + line.columns
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    parts = status_parts(scene, index, 1)[:1] if order.serve else recipe_parts(order)
    x = canvas.puts(x, line.y, parts, end - x) + 1
    if end - x >= MIN_SHORT_NAME:
        canvas.put(x, line.y, drink_of(scene, order), "class:dim", end - x)


def drink_of(scene: Scene, order: "OpenOrder") -> str:
    """Return the name of an order's drink."""
    return drink_name(scene.model, order.drink)


def slot_parts(scene: Scene, order: "OpenOrder") -> Parts:
    """Return the slot, with marks for an expiring order and for a specialty."""
    last = order.slot == SLOTS
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
    else:
        text = _("add {count}") if wordy > 2 else "-{count}"
        parts.append(("class:need", text.format(count=order.lacks)))
    if order.slot == SLOTS:
        parts.append(("class:urgent", _("EXPIRES") if wordy > 1 else "!"))
    sender = scene.senders[index]
    if sender is not None:
        parts.append(("class:fresh", f"+{scene.letter(sender)}"))
    return spaced([part] for part in parts)


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
