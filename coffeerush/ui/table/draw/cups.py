"""This player's cups: one line each or, if there is room, pictures filled from the bottom."""

from operator import le
from typing import TYPE_CHECKING, Final

from coffeerush.ui.pages.pages import chips, kinds_of, token_style
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Fragment, Target, cut, pad, width
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import ingredient_name, sentence_case
from protocol import CUPS, Counts, Cup, Ingredient

from .orders import drink_of

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder

HANDLE_CELLS: Final = 2
UNDER_CELLS: Final = 2
"""Lines below a cup's contents: its bottom, and what it is for."""


def draw_cups(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw one line per cup: its contents, and the order it is for; two if it is tapped."""
    high = scene.target_rows
    across = area.rows == high
    columns = area.columns // CUPS if across else area.columns
    for cup, contents in enumerate(_cups(scene), start=1):
        x, y = area.x, area.y
        if across:
            x += (cup - 1) * columns
        else:
            y += (cup - 1) * high
        canvas.zone(x, y, columns, high, Target("cup", cup))
        end = x + columns - across
        x = canvas.put(x, y, f"{cup} ", "class:cup")
        if not any(contents):
            canvas.put(x, y, pgettext("cup", "empty"), "class:dim", end - x)
            continue
        begin, x = x, canvas.puts(x, y, chips(kinds_of(contents)), end - x) + 1
        if high > 1:
            x, y = begin, y + 1
        style, text = _purpose(scene, cup, end - x)
        if width(text) > end - x:  # the list of orders shows what it is for
            text = glyphs.SERVED if style == "class:serve" else ""
        canvas.put(x, y, text, style, end - x)


def draw_pictures(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw pictures of the cups side by side."""
    columns = (area.columns + 2) // CUPS
    cups = _cups(scene)
    for cup, contents in enumerate(cups, start=1):
        place = Area(area.x + (cup - 1) * columns, area.y, columns - 2, area.rows)
        canvas.zone(place.x, place.y, place.columns, place.rows, Target("cup", cup))
        _picture(canvas, place, cup)
        inside = Area(
            place.x + 1, place.y, place.columns - HANDLE_CELLS - 2, place.rows - UNDER_CELLS
        )
        if any(contents):
            _fill(canvas, contents, inside)
        else:
            text = pgettext("cup", "empty")
            canvas.put(inside.x + 1, inside.y + inside.rows - 1, text, "class:dim", inside.columns)

    y, end = area.y + area.rows - 1, area.x + area.columns
    for x, (style, text) in _below(scene, area, columns):
        canvas.put(x, y, text, style, min(end - x, width(text)))


def _below(scene: Scene, area: Area, columns: int) -> list[tuple[int, Fragment]]:
    """Return the lines below the pictures, each with its x: below its cup, or nearby if long."""
    filled = [cup for cup, contents in enumerate(_cups(scene), start=1) if any(contents)]
    places = [area.x + (cup - 1) * columns for cup in filled]
    end = area.x + area.columns
    # a line may be a little wider than its cup, or go on below an empty one
    rooms = [
        min(columns * (1 if cup + 1 in filled else 2) - 1, end - x)
        for cup, x in zip(filled, places, strict=True)
    ]
    lines = [
        _purpose(scene, cup, room, alone=True) for cup, room in zip(filled, rooms, strict=True)
    ]
    if any(width(line[1]) > room for line, room in zip(lines, rooms, strict=True)):
        short = [_purpose(scene, cup, 0) for cup in filled]
        moved = _apart(places, [width(text) for _style, text in short], end)
        if moved[0] >= area.x:
            return [*zip(moved, short, strict=True)]
    cells = zip(lines, rooms, strict=True)
    return [*zip(places, [(style, cut(text, room)) for (style, text), room in cells], strict=True)]


def _apart(places: list[int], widths: list[int], end: int) -> list[int]:
    """Move lines to the right, and back to the left, until none is over another or the end."""
    moved: list[int] = []
    begin = places[0]
    for place, cells in zip(places, widths, strict=True):
        moved.append(max(place, begin))
        begin = moved[-1] + cells + 1
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], end - widths[index])
        end = moved[index] - 1
    return moved


def _cups(scene: Scene) -> tuple[Counts, ...]:
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    return scene.own.cups


def _picture(canvas: Canvas, area: Area, cup: Cup) -> None:
    """Draw an empty cup: walls, bottom with its number, and handle."""
    walls = area.rows - UNDER_CELLS
    right = area.x + area.columns - HANDLE_CELLS - 1
    for y in range(area.y, area.y + walls):
        canvas.put(area.x, y, glyphs.WALL, "class:cup")
        canvas.put(right, y, glyphs.WALL, "class:cup")
    line = glyphs.LINE * (right - area.x - 1)
    bottom = area.y + walls
    canvas.put(area.x, bottom, glyphs.UP_RIGHT + line + glyphs.UP_LEFT, "class:cup")
    canvas.put(area.x + (right - area.x) // 2 - 1, bottom, f" {cup} ", "class:title")
    canvas.put(right, area.y, glyphs.TEE_RIGHT + glyphs.LINE + glyphs.DOWN_LEFT, "class:cup")
    for y in range(area.y + 1, bottom - 1):
        canvas.put(right + HANDLE_CELLS, y, glyphs.WALL, "class:cup")
    canvas.put(right, bottom - 1, glyphs.TEE_RIGHT + glyphs.LINE + glyphs.UP_LEFT, "class:cup")


def _fill(canvas: Canvas, contents: Counts, area: Area) -> None:
    """Draw a cup's contents as layers, the first kind at the bottom, or as chips if too many."""
    layers = [(kind, count) for kind, count in zip(Ingredient, contents, strict=True) if count]
    bottom = area.y + area.rows - 1
    if len(layers) <= area.rows:
        for height, (kind, count) in enumerate(layers):
            name = sentence_case(ingredient_name(kind))
            text = f" {name} x{count}" if count > 1 else f" {name}"
            canvas.put(area.x, bottom - height, pad(text, area.columns), token_style(kind))
        return
    single: list[list[Fragment]] = [[*chips([kind])] for kind in kinds_of(contents)]
    across = (area.columns - 1) // 3
    if len(single) > across * area.rows:
        single = [[*chips([kind]), ("class:count", f"{count:<2}")] for kind, count in layers]
        across = (area.columns - 1) // 5
    for height, begin in enumerate(range(0, len(single), across)):
        parts = [one for piece in single[begin : begin + across] for one in (*piece, ("", " "))]
        canvas.puts(area.x + 1, bottom - height, parts[:-1], area.columns - 1)


def _purpose(scene: Scene, cup: Cup, columns: int, alone: bool = False) -> Fragment:
    """Return the purpose of a filled cup: the order it serves, or the one it is closest to.

    With too few `columns` for the word, a mark says that it serves the order; `alone` on a
    line, a name loses its mark before it is truncated.
    """
    served = next((one for one in scene.orders if one.serve and one.serve.cup == cup), None)
    if served:
        drink = drink_of(scene, served)
        text = _("{mark} SERVE {drink}").format(mark=glyphs.POINTER, drink=drink)
        if width(text) > columns:
            text = _marked(glyphs.SERVED, drink, columns, alone)
        return "class:serve", text
    held = _cups(scene)[cup - 1]
    fitting = [one for one in scene.orders if all(map(le, held, _recipe(scene, one)))]
    if not fitting:
        return "class:dim", pgettext("cup", "fits no order")
    # orders assigned to other cups come last
    nearest = min(fitting, key=lambda one: (one.cup != cup, sum(_recipe(scene, one))))
    return "class:note", _marked(glyphs.TO, drink_of(scene, nearest), columns, alone)


def _marked(mark: str, drink: str, columns: int, alone: bool) -> str:
    marked = f"{mark} {drink}"
    return drink if alone and width(drink) <= columns < width(marked) else marked


def _recipe(scene: Scene, order: "OpenOrder") -> Counts:
    return scene.view.menu[order.drink].recipe
