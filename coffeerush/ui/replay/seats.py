"""Everybody's cups, orders and counts in a replay: lines for all, details for one seat."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from coffeerush.ui.pages.chips import chips, kinds_of, token_style
from coffeerush.ui.table.draw.cups import draw_cups, draw_pictures
from coffeerush.ui.table.draw.hand import is_wordy, order_names, summary, upgrade_boxes
from coffeerush.ui.table.draw.orders import draw_orders
from coffeerush.ui.table.draw.people import MARK_CELLS, summary_parts, word_parts
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Fragment,
    Parts,
    Target,
    pad,
    size,
    width,
    wrap,
)
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import drink_name, ingredient_code, seat_style
from protocol import CUPS, CupEmptied, OrderServed, Poured, Seat

from .frames import Frame

CUPS_ROWS: Final = CUPS + 2
PICTURES_ROWS: Final = 8
ORDER_COLUMNS: Final = 80
"""Maximum width of an order, so that its recipe stays near its name."""
NAME_CELLS: Final = 10
CUP_CELLS: Final = 24
"""Minimum cells of a cup with its contents and purpose."""
COUNTED_FROM: Final = 72
"""Width from which on a line has the number of orders in each slot."""
Form: TypeAlias = Callable[[Scene, Seat], Parts]
"""Returns the counts of a player."""
WORDS: Final[tuple[Form, ...]] = (word_parts, partial(word_parts, brief=True))
"""The counts in words, longest first."""
_JOINED: Final = "\N{NO-BREAK SPACE}"


def draw_side(canvas: Canvas, scene: Scene, frame: Frame, area: Area, pictures: bool) -> None:
    """Draw boxes with the cups and orders of the seat whose point of view is shown."""
    name, inner = scene.name(seat_of(scene)), area.columns - 4
    rows = PICTURES_ROWS if pictures else CUPS_ROWS
    canvas.box(area.x, area.y, area.columns, rows, _("{name}: cups").format(name=name))
    cups = Area(area.x + 2, area.y + 1, inner, rows - 2)
    (_draw_pictures if pictures else _draw_cups)(canvas, scene, frame, cups)
    # as at the table, the boxes share an edge; below pictures, it has their changes
    shared = not pictures
    y, rows = area.y + rows - shared, area.rows - rows + shared
    canvas.box(area.x, y, area.columns, rows, orders_title(scene))
    if shared:
        canvas.put(area.x, y, glyphs.TEE_RIGHT, "class:frame")
        canvas.put(area.x + area.columns - 1, y, glyphs.TEE_LEFT, "class:frame")
    draw_orders(canvas, scene, Area(area.x + 2, y + 1, min(inner, ORDER_COLUMNS), rows - 2))


def draw_narrow_side(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the same without boxes, below the hand or, if there is none, the counts."""
    seat = seat_of(scene)
    x = canvas.put(area.x, area.y, scene.name(seat), "class:title", area.columns) + 1
    held = kinds_of(scene.hand) if scene.hand and scene.view.active == seat else []
    parts: Parts = [*chips(held)] if held else [("class:count", summary(scene, seat).strip())]
    canvas.puts(x, area.y, parts, area.x + area.columns - x)
    _draw_cups(canvas, scene, frame, Area(area.x, area.y + 1, area.columns, CUPS))
    if area.rows > 1 + CUPS:
        rest = Area(area.x, area.y + 1 + CUPS, area.columns, area.rows - 1 - CUPS)
        draw_orders(canvas, scene, rest)


def seat_of(scene: Scene) -> Seat:
    """Return the seat whose point of view is shown."""
    assert scene.me is not None, "a replay takes somebody's eyes"
    return scene.me


def orders_title(scene: Scene) -> str:
    """Return the title of a box with the orders of that seat."""
    return _("{name}: orders  1▸2▸3▸4▸✗").format(name=scene.name(seat_of(scene)))


def _draw_cups(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the cups, each with the last change to its right."""
    done = _changes(scene, frame)
    columns = area.columns - max(map(size, done.values()), default=-1) - 1
    beside = columns >= CUP_CELLS
    draw_cups(canvas, scene, Area(area.x, area.y, columns if beside else area.columns, area.rows))
    for cup, parts in done.items():
        x, y = area.x + columns + 1, area.y + cup - 1
        if not beside:  # it replaces the cup's purpose
            held = chips(kinds_of(scene.own.cups[cup - 1])) if scene.own else []
            x = area.x + 2 + size(held) + bool(held)
            canvas.fill(x, y, area.x + area.columns - x, 1)
        canvas.puts(x, y, parts, area.x + area.columns - x)


def _draw_pictures(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw pictures of the cups, each with the last change below it."""
    draw_pictures(canvas, scene, area)
    columns = (area.columns + 2) // CUPS
    for cup, parts in _changes(scene, frame).items():
        spaced: Parts = [("", " "), *parts, ("", " ")]
        x = min(area.x + (cup - 1) * columns, area.x + area.columns - size(spaced))
        canvas.puts(x, area.y + area.rows, spaced, size(spaced))


def _changes(scene: Scene, frame: Frame) -> dict[int, Parts]:
    """Return the changes to the seat's cups in this frame, by cup."""
    found: dict[int, Parts] = {}
    for event in frame.events:
        match event:
            case Poured(seat=scene.me, ingredient=kind, cup=cup) if kind is not None and cup:
                found[cup] = [("class:gain", "+"), (token_style(kind), ingredient_code(kind))]
            case CupEmptied(seat=scene.me, returned=returned, cup=cup) if cup:
                found[cup] = [("class:penalty", "-"), *chips(kinds_of(returned))]
            case OrderServed(seat=scene.me, drink=drink, cup=cup) if cup:
                found[cup] = [("class:serve", f"{glyphs.SERVED} {drink_name(scene.model, drink)}")]
    return found


def draw_lines(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw as many lines per player as fit; a click on them selects that point of view."""
    count = len(frame.cups)
    rows = area.rows // count
    for seat, parts in enumerate(_lines(scene, frame, area.columns)):
        y = area.y + seat * rows
        canvas.zone(area.x, y, area.columns, rows, Target("seat", seat))
        canvas.puts(area.x, y, parts, area.columns)
        _orders(canvas, scene, seat, Area(area.x + 3, y + 1, area.columns - 4, rows - 1))


def _orders(canvas: Canvas, scene: Scene, seat: Seat, area: Area) -> None:
    """Draw the orders by name, next to each other; a slot's number is on its first name's line."""
    slots = [" ".join(one.split()).replace(" ", _JOINED, 1) for one in order_names(scene, seat)]
    lines = [line.replace(_JOINED, " ") for line in wrap("   ".join(slots), area.columns, "")]
    shown = [*lines[: area.rows - 1], " ".join(lines[area.rows - 1 :])] if area.rows else []
    for y, line in enumerate(shown, start=area.y):
        canvas.put(area.x, y, line, "class:label", area.columns)


def _lines(scene: Scene, frame: Frame, columns: int) -> list[Parts]:
    """Return the first line of each player, in words if the names stay whole next to them."""
    seats = range(len(frame.cups))
    longest = max(NAME_CELLS, *(width(scene.name(seat)) for seat in seats))
    room, rests = 0, [list[Fragment]()]
    for form in (*(WORDS if is_wordy(scene) else ()), summary_parts):
        rests = [_known(scene, frame, seat, form, columns >= COUNTED_FROM) for seat in seats]
        room = columns - MARK_CELLS - max(map(size, rests))
        if room >= longest:
            break
    names = max(min(longest, room), NAME_CELLS)
    return [
        [
            _turn(scene, seat),
            (
                "class:mine" if seat == scene.me else seat_style(scene.seats, seat),
                scene.letter(seat),
            ),
            ("class:name", " " + pad(scene.name(seat), names)),
            *rest,
        ]
        for seat, rest in zip(seats, rests, strict=True)
    ]


def _known(scene: Scene, frame: Frame, seat: Seat, form: Form, counted: bool) -> Parts:
    """Return everything after a name."""
    return [
        *form(scene, seat),
        ("class:upgrade", f" {upgrade_boxes(scene, seat)} "),
        *(_counts(scene, seat) if counted else []),
        *_cups(frame, seat),
    ]


def _turn(scene: Scene, seat: Seat) -> Fragment:
    return ("class:turn", glyphs.POINTER if scene.view.active == seat else " ")


def _counts(scene: Scene, seat: Seat) -> Parts:
    """Return the number of orders in each slot."""
    parts: Parts = []
    for slot, drinks in enumerate(scene.player(seat).orders, start=1):
        style = "class:urgent" if drinks and scene.is_expiring(seat, slot) else "class:count"
        parts += [("class:label", f" {slot}:"), (style, str(len(drinks)))]
    return [*parts, ("", "  ")]


def _cups(frame: Frame, seat: Seat) -> Parts:
    """Return the contents of a seat's cups, in a few cells."""
    parts: Parts = []
    for number, cup in enumerate(frame.cups[seat], start=1):
        parts.append(("class:label", f" {number} "))
        held: Parts = [(style, text) for style, text in chips(kinds_of(cup)) if style]
        parts += held or [("class:dim", glyphs.DOT)]
    return parts
