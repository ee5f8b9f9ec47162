"""The panes that scroll: log, orders of the others, chat, menu."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.table.choices import Menu
from coffeerush.ui.table.layout import layout_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area, kind_of, window
from coffeerush.ui.terminal.canvas import Canvas, Fragment, Target, width, wrap
from coffeerush.ui.terminal.keyboard import ENTER, TAB
from coffeerush.ui.words import status
from coffeerush.ui.words.i18n import N_, _
from coffeerush.ui.words.log_summary import digest
from protocol import CUPS, Said

from .people import everybody

GUIDE_EDGE: Final = 3
"""Cells beside the text of the guide's box: what is before it, and what tells that there is more.
"""
PANES: Final = {
    "mine": N_("Yours"),
    "log": N_("Log"),
    "others": N_("Others"),
    "chat": N_("Chat"),
    "menu": N_("Supply and menu"),
    "guide": N_("Guide"),
}


def pane_names(kind: str) -> tuple[str, ...]:
    """Return the panes that Tab goes through in a layout."""
    if kind == "narrow":
        return ("mine", "others", "log", "chat", "menu")
    # in the widest layout the chat has a place of its own
    return ("log", "others", "chat", "menu") if kind == "normal" else ("log", "others", "menu")


def pane_of(scene: Scene) -> str:
    """Return the pane that scrolls: outside of a game there is the log alone."""
    if scene.stage != "game":
        return "log"
    return "guide" if guide_box(scene) else open_pane(scene, kind_of(*scene.ui.size))


def open_pane(scene: Scene, kind: str) -> str:
    """Return the pane that is open in a layout."""
    return log_or_guide(scene, chosen_pane(scene.ui, kind))


def chosen_pane(ui: Ui, kind: str, by: int = 0) -> str:
    """Return the pane that is chosen in a layout, or the one that comes `by` panes after it."""
    names = pane_names(kind)
    place = names.index(ui.pane) if ui.pane in names else 0
    return names[(place + by) % len(names)]


def resized(model: Model, ui: Ui, size: tuple[int, int]) -> Ui:
    """Return the state in another size of the terminal; another pane is read from its start."""
    return read_on(Scene(model, ui), replace(ui, size=size), model) if size != ui.size else ui


def read_on(before: Scene, ui: Ui, model: Model) -> Ui:
    """Return the state scrolled as `before` only if the same is read on the table."""
    if ui.mode != "table" or not ui.scroll or _read(before) == _read(Scene(model, ui)):
        return ui
    return replace(ui, scroll=0)


def _read(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """Return the pane that scrolls, and of the guide what it says."""
    name = pane_of(scene)
    return name, scene.guide if name == "guide" else ()


def log_or_guide(scene: Scene, name: str = "log") -> str:
    """Return the pane that stands where another should: while the guide speaks it has the log's."""
    return "guide" if name == "log" and scene.guide else name


def under_narrow(scene: Scene) -> Area:
    """Return what a narrow terminal has under board and orders, for the log or the guide."""
    columns, rows = scene.ui.size
    mine = open_pane(scene, "narrow") == "mine"
    high = max(layout_of(columns, rows).board.rows, CUPS + len(scene.orders) if mine else 0)
    return Area(0, 1 + high, columns, rows - 4 - high)


def guide_box(scene: Scene) -> bool:
    """Tell whether what the guide says stands over the table: a narrow one has no room beside."""
    narrow = scene.stage == "game" and kind_of(*scene.ui.size) == "narrow"
    if not narrow or scene.ui.mode != "table" or scene.guide in ((), scene.ui.read):
        return False
    if open_pane(scene, "narrow") == "guide":
        return False
    under = under_narrow(scene)
    return len(pane_lines(scene, "guide", under.columns - GUIDE_EDGE)) > under.rows - 1


def guide_left(scene: Scene) -> int:
    """Return how many lines come after those that the box of the guide shows."""
    area = guide_area(*scene.ui.size)
    lines = pane_lines(scene, "guide", scene.ui.size[0] - GUIDE_EDGE)
    return len(lines) - window(len(lines), area.rows, scene.ui.scroll, True)[1]


def guide_area(columns: int, rows: int) -> Area:
    """Return where the box of the guide has its text."""
    return Area(1, 2, columns - 1, rows - 3)


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw what the guide says over all between the header and the footer."""
    area = guide_area(canvas.columns, canvas.rows)
    canvas.fill(0, 1, canvas.columns, canvas.rows - 2)
    canvas.zone(0, 1, canvas.columns, canvas.rows - 2, Target("key", ENTER))
    canvas.rule(0, 1, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


def pane_title(name: str) -> str:
    """Return the title of a pane."""
    return _(PANES[name])


def draw_tabs(canvas: Canvas, scene: Scene, area: Area, kind: str) -> None:
    """Draw a line across with the titles of the panes that Tab goes through; a click is Tab."""
    name = open_pane(scene, kind)
    names = tuple(log_or_guide(scene, one) for one in pane_names(kind))
    canvas.rule(area.x, area.y, area.columns, pane_title(name))
    x = area.x + 2 + min(width(pane_title(name)), area.columns - 6) + 2
    canvas.zone(area.x, area.y, x - area.x, 1, Target("key", TAB))
    place = names.index(name)
    for other in (*names[place + 1 :], *names[:place]):
        title = f" {pane_title(other)} "
        if x + width(title) + 1 > area.x + area.columns:
            return
        canvas.zone(x + 1, area.y, width(title), 1, Target("pane", other))
        x = canvas.put(x + 1, area.y, title, "class:tab")


def pane_lines(scene: Scene, name: str, columns: int) -> list[Fragment]:
    """Return all lines of a pane, wrapped to its width, each after its style."""
    indent = {"others": "     ", "menu": "    "}.get(name, "  ")
    plain = "class:guide" if name == "guide" else ""
    return [
        ("class:said" if isinstance(line, Said) else plain, part)
        for line in SCROLLED[name](scene)
        for part in wrap(_text(line), columns, indent)
    ]


def _text(line: Said | str) -> str:
    """Return a line as it is written; a name ends at the first `>`, for it has none in it."""
    return f"<{line.name}> {line.text}" if isinstance(line, Said) else line


def log_lines(scene: Scene) -> list[Said | str]:
    """Return what happened, in sentences, and what was said, oldest first."""
    return digest(scene.model)


def guide_lines(scene: Scene) -> tuple[str, ...]:
    """Return what the first-game guide says now."""
    return scene.guide


def chat_lines(scene: Scene) -> list[Said] | list[str]:
    """Return what was said, oldest first."""
    said = [event for event in scene.model.log if isinstance(event, Said)]
    return said or [_("Nobody has said a word yet.")]


def menu_lines(scene: Scene) -> list[str]:
    """Return supply, cards, and every drink of the deck with its recipe."""
    view = scene.view
    known = [
        _("Supply: {tokens}, and {rush}").format(
            tokens=status.counts_line(view.supply), rush=status.tokens(view.rush_supply)
        ),
        _("Cards left to draw: {count}").format(count=view.deck),
    ]
    if view.discards:
        gone = status.drink_names(scene.model, view.discards)
        known.append(_("Discarded for upgrades: {orders}").format(orders=gone))
    if view.removed:
        out = status.drink_names(scene.model, view.removed)
        known.append(_("Starters out of the game: {orders}").format(orders=out))
    return known + [
        f"{glyphs.SPECIALTY if drink.specialty else ' '} "
        f"{status.drink_title(drink)}: {status.counts_line(drink.recipe)} (x{drink.count})"
        for drink in scene.view.menu
    ]


SCROLLED: Final[dict[str, Callable[[Scene], Sequence[Said | str]]]] = {
    "log": log_lines,
    "others": everybody,
    "chat": chat_lines,
    "menu": menu_lines,
    "guide": guide_lines,
}
"""The panes that scroll, each with its lines."""
FROM_THE_TOP: Final = ("others", "menu", "guide")
"""Panes that are read from their first line; the others from their newest."""


def draw_pane(
    canvas: Canvas, scene: Scene, area: Area, name: str, scroll: int | None = None
) -> None:
    """Draw a scrolled pane; arrows at its right tell that there is more."""
    lines = pane_lines(scene, name, area.columns - 2)
    back = scene.ui.scroll if scroll is None else scroll
    first, after = window(len(lines), area.rows, back, name in FROM_THE_TOP)
    for offset, (style, line) in enumerate(lines[first:after]):
        canvas.put(area.x, area.y + offset, line, style, area.columns - 2)
    end = area.x + area.columns - 1
    if first > 0:
        canvas.put(end, area.y, glyphs.UP, "class:more")
    if after < len(lines):
        beside = area.rows == 1 and first > 0
        canvas.put(end - beside, area.y + area.rows - 1, glyphs.DOWN, "class:more")


def draw_menu(canvas: Canvas, scene: Scene, menu: Menu, area: Area) -> None:
    """Draw a choice in a box over an area; what does not fit can be scrolled."""
    room = area.columns - 4
    lines = _menu_lines(menu, room)
    rows = min(len(lines) + 2, area.rows)
    # in a game the area is a panel that would be cut; a lobby stays in sight around the box
    high = area.rows if scene.stage == "game" else rows
    canvas.fill(area.x, area.y, area.columns, high)
    canvas.zone(area.x, area.y, area.columns, high, Target("row", 0))  # not what it covers
    canvas.box(area.x, area.y, area.columns, rows, menu.title)
    first, after = window(len(lines), rows - 2, scene.ui.scroll, True)
    for offset, (key, style, text) in enumerate(lines[first:after], start=1):
        canvas.put(area.x + 2, area.y + offset, text, style, room)
        if key:
            canvas.zone(area.x + 1, area.y + offset, room + 2, 1, Target("key", key))
    if after < len(lines):
        more = f" {more_line(len(lines) - after)} "
        canvas.put(area.x + 2, area.y + rows - 1, more, "class:more", room)


def menu_end(menu: Menu, size: tuple[int, int]) -> int:
    """Return how far a choice can be scrolled; a little too far where it is drawn wide."""
    return len(_menu_lines(menu, size[0] // 2)) - 1


def _menu_lines(menu: Menu, room: int) -> list[tuple[str, str, str]]:
    """Return lines as (the key that a click there is, or nothing; style; text)."""
    lines: list[tuple[str, str, str]] = []
    for choice in menu.choices:
        style = "class:name" if choice.wish else "class:dim"
        for index, part in enumerate(wrap(choice.text, room - 2, "")):
            text = f"{choice.key if not index else ' '} {part}"
            lines.append((choice.key if choice.wish else "", style, text))
    return lines + [("", "class:dim", part) for part in wrap(menu.remark, room, "") if part]
