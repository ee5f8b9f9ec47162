"""What is one's own: cups, orders with what each still needs, the hand, and the supply."""

from typing import Final

from coffeerush.client import words
from coffeerush.client.suggest import OpenOrder
from coffeerush.i18n import _
from protocol import SLOTS, EmptyCup, Ingredient, Intent, Pour, ReturnRest

from . import glyphs
from .canvas import Canvas, Fragment, width
from .layout import Area
from .scene import Scene
from .tokens import chips, kinds_of, named_chips, tally, token_style, word_chips


def draw_cups(canvas: Canvas, scene: Scene, area: Area, named: bool = False) -> None:
    """Draw a line a cup: what is in it, and where it is an order, that it can be served."""
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    for number, contents in enumerate(scene.own.cups, start=1):
        y = area.y + number - 1
        x = canvas.put(area.x, y, f"{number} ", "class:label")
        if not any(contents):
            canvas.put(x, y, _("empty"), "class:dim", area.columns - 2)
            continue
        parts = named_chips(contents) if named else chips(kinds_of(contents))
        canvas.puts(x, y, parts, area.columns - 2)


def draw_orders(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the own orders, the most urgent first; says how many there was no room for."""
    orders = scene.orders
    if not orders:
        canvas.put(area.x, area.y, _("no open order"), "class:dim", area.columns)
    fitting = len(orders) if len(orders) <= area.rows else area.rows - 1
    for line, order in enumerate(orders[:fitting]):
        _order(canvas, scene, order, Area(area.x, area.y + line, area.columns, 1))
    if len(orders) > fitting:
        names = words.drink_names(scene.model, tuple(one.drink for one in orders[fitting:]))
        text = _("{count} more: {orders}").format(count=len(orders) - fitting, orders=names)
        canvas.put(area.x, area.y + fitting, text, "class:dim", area.columns)


RECIPE_CELLS: Final = 13
"""A recipe of four tokens with what stands around them."""
NAMED_CELLS: Final = 27
NAMED_FROM: Final = 60
"""The width from which a recipe is written in whole words."""
STATUS_CELLS: Final = 11
NAME_AT_LEAST: Final = 10


def _order(canvas: Canvas, scene: Scene, order: OpenOrder, line: Area) -> None:
    end = line.x + line.columns
    last = order.slot == SLOTS
    style = "class:urgent" if last else "class:label"
    x = canvas.put(line.x, line.y, f"{order.slot}{'!' if last else ' '}", style)
    if line.columns < 34:
        _short_order(canvas, scene, order, x, line)
        return
    drink = words.menu_drink(scene.model, order.drink)
    canvas.put(x, line.y, glyphs.SPECIALTY if drink.specialty else " ", "class:star")
    begin = _status(canvas, order, end, line.y)
    named = line.columns >= NAMED_FROM
    recipe = recipe_parts(order, named)
    room = max(NAMED_CELLS if named else RECIPE_CELLS, sum(width(text) for _style, text in recipe))
    recipe_x = max(end - STATUS_CELLS - room - 1, x + NAME_AT_LEAST)
    canvas.put(x + 1, line.y, drink.name, "class:name", recipe_x - x - 1)
    canvas.puts(recipe_x, line.y, recipe, begin - recipe_x)


def _status(canvas: Canvas, order: OpenOrder, end: int, y: int) -> int:
    """Write what is still needed, or the cup that serves; return where it begins."""
    begin = end - STATUS_CELLS - bool(order.serve)
    if order.serve:
        text, style = _("SERVE {cup}").format(cup=order.serve.cup), "class:serve"
    elif not order.lacks:
        text, style = _("ready {cup}").format(cup=order.cup), "class:serve"
    else:
        text, style = _("need {count}").format(count=order.lacks), "class:need"
    x = canvas.put(begin, y, text, style, end - begin)
    if order.slot == SLOTS:
        canvas.put(x + 1, y, _("LAST"), "class:urgent", end - x - 1)
    return begin


def _short_order(canvas: Canvas, scene: Scene, order: OpenOrder, x: int, line: Area) -> None:
    """Draw an order in the narrow layout: its recipe, or its name once it is complete."""
    room = line.x + line.columns - x
    drink = words.menu_drink(scene.model, order.drink)
    canvas.put(x, line.y, glyphs.SPECIALTY if drink.specialty else " ", "class:star")
    if order.serve:
        x = canvas.put(x + 1, line.y, _("SERVE {cup}").format(cup=order.serve.cup), "class:serve")
        canvas.put(x + 1, line.y, drink.name, "class:name", line.x + line.columns - x - 1)
        return
    x = canvas.puts(x + 1, line.y, recipe_parts(order), room - 1)
    canvas.put(x, line.y, " " + drink.name, "class:dim", line.x + line.columns - x)


def recipe_parts(order: OpenOrder, named: bool = False) -> list[Fragment]:
    """Return a recipe as chips: what the best cup has, then in brackets what is missing."""
    held, missing = (
        word_chips(tokens) if named else chips(tokens)
        for tokens in (kinds_of(order.held), kinds_of(order.missing))
    )
    lead: list[Fragment] = [("", " "), *held] if held else []
    return [*lead, ("class:need", "["), *missing, ("class:need", "]")] if missing else lead


def draw_cards(canvas: Canvas, scene: Scene, x: int, y: int, columns: int) -> None:
    """Draw the line of the hand and of the supply."""
    for counted, dense in ((False, False), (False, True), (True, True)):
        hand, supply = hand_parts(scene, counted), _supply(scene, dense)
        size = _cells(supply)
        if _cells(hand) + 2 + size <= columns:
            canvas.puts(x + columns - size, y, supply)
            break
    else:
        whole = hand_parts(scene)
        hand = whole if _cells(whole) <= columns else hand_parts(scene, True)
    canvas.puts(x, y, hand, columns)


def _cells(parts: list[Fragment]) -> int:
    return sum(width(text) for _style, text in parts)


def _supply(scene: Scene, dense: bool) -> list[Fragment]:
    label: list[Fragment] = [] if dense else [("class:label", _("Supply") + " ")]
    rush = scene.view.rush_supply
    tokens = tally(scene.view.supply, "" if dense else " ")
    return [*label, *tokens, ("class:rush", f" {glyphs.RUSH}"), ("class:count", str(rush))]


def hand_parts(scene: Scene, counted: bool = False) -> list[Fragment]:
    """Return what is in hand; what is set aside to go back stands in brackets."""
    holder = scene.view.active
    text = _("In hand:")
    if holder is not None and not scene.my_turn:
        text = _("{letter} holds:").format(letter=scene.letter(holder))
    label = ("class:label", text + " ")
    hand = scene.hand
    if hand is None:
        return [label, ("class:dim", _("is being poured"))]
    if not any(hand):
        return [label, ("class:dim", _("nothing"))]
    aside = list(scene.aside)
    kept = scene.to_pour
    parts = [label, *(_counted(kept) if counted else chips(kept))]
    if aside:
        parts += [("", " "), ("class:dim", "("), *chips(aside), ("class:dim", _(" back)"))]
    return parts


def _counted(kinds: list[Ingredient]) -> list[Fragment]:
    counts = [(kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)]
    found: list[Fragment] = []
    for kind, count in counts:
        found += [("", " ")] if found else []
        found += [(token_style(kind), words.ingredient_code(kind)), ("class:count", str(count))]
    return found


def suggestion_parts(scene: Scene) -> list[Fragment]:
    """Return what Space would do, token by token."""
    parts: list[Fragment] = [("class:label", _("Space pours:"))]
    for intent in scene.suggestion:
        parts += _suggested(scene, intent)
    return parts


def _suggested(scene: Scene, intent: Intent) -> list[Fragment]:
    match intent:
        case EmptyCup(cup=cup):
            return [("class:note", "  " + _("empty {cup}").format(cup=cup))]
        case Pour(ingredient=kind, cup=cup):
            chip = (token_style(kind), words.ingredient_code(kind))
            return [("", "  "), chip, ("class:note", f"{glyphs.TO}{cup}")]
        case ReturnRest():
            return [("", "  "), *chips(scene.given_back), ("class:note", " " + _("back"))]
    return []


def order_names(scene: Scene, seat: int) -> list[str]:
    """Return a line a slot of somebody's open orders, the most urgent first."""
    found = []
    for slot in range(SLOTS, 0, -1):
        drinks = scene.player(seat).orders[slot - 1]
        if drinks:
            mark = "!" if slot == SLOTS else " "
            found.append(f"{slot}{mark} {words.drink_names(scene.model, drinks)}")
    return found or [_("no open order")]


def summary(scene: Scene, seat: int) -> str:
    """Return score, orders served, penalties and rush tokens of a seat, in a few cells."""
    player = scene.player(seat)
    return (
        f"{player.score:>2} {glyphs.SERVED}{player.completed} "
        f"{glyphs.PENALTY}{player.penalties} {glyphs.RUSH}{player.rush}"
    )


def upgrade_boxes(scene: Scene, seat: int) -> str:
    """Return a box an upgrade, full where it is active."""
    active = scene.player(seat).upgrades
    return "".join(glyphs.ACTIVE if one else glyphs.INACTIVE for one in active)
