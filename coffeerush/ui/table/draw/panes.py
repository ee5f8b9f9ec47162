"""The panes that scroll: log, orders of the others, chat, menu."""

from msgspec.structs import replace

from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.table.choices import ChoiceBox
from coffeerush.ui.table.panes import (
    FROM_THE_TOP,
    guide_area,
    log_or_guide,
    open_pane,
    pane_lines,
    pane_names,
    pane_title,
)
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Fragment, Target, width, wrap
from coffeerush.ui.terminal.keyboard import ENTER, TAB
from coffeerush.ui.terminal.list_view import draw_lines, draw_marks


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw what the guide says over all between the header and the footer."""
    area = guide_area(canvas.columns, canvas.rows)
    canvas.fill(0, 1, canvas.columns, canvas.rows - 2)
    canvas.zone(0, 1, canvas.columns, canvas.rows - 2, Target("key", ENTER))
    canvas.rule(0, 1, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


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


def draw_pane(
    canvas: Canvas, scene: Scene, area: Area, name: str, scroll: int | None = None
) -> None:
    """Draw a scrolled pane; arrows at its right tell that there is more."""
    lines = pane_lines(scene, name, area.columns - 2)
    back = scene.ui.scroll if scroll is None else scroll
    inner = replace(area, columns=area.columns - 2)
    shown = draw_lines(canvas, inner, lines, back, name in FROM_THE_TOP)
    draw_marks(canvas, area, shown, len(lines))


def draw_menu(canvas: Canvas, scene: Scene, menu: ChoiceBox, area: Area) -> None:
    """Draw a choice in a box over an area; what does not fit can be scrolled."""
    room = area.columns - 4
    lines, keys = _menu_lines(menu, room)
    rows = min(len(lines) + 2, area.rows)
    # in a game the area is a panel that would be cut; a lobby stays in sight around the box
    high = area.rows if scene.stage == "game" else rows
    canvas.fill(area.x, area.y, area.columns, high)
    canvas.zone(area.x, area.y, area.columns, high, Target("row", 0))  # not what it covers
    canvas.box(area.x, area.y, area.columns, rows, menu.title)
    inner = Area(area.x + 1, area.y + 1, room + 2, rows - 2)
    left = len(lines) - draw_lines(canvas, inner, lines, scene.ui.scroll, keys=keys).stop
    if left:
        canvas.put(area.x + 2, area.y + rows - 1, f" {more_line(left)} ", "class:more", room)


def menu_end(menu: ChoiceBox, size: tuple[int, int]) -> int:
    """Return how far a choice can be scrolled; a little too far where it is drawn wide."""
    return len(_menu_lines(menu, size[0] // 2)[0]) - 1


def _menu_lines(menu: ChoiceBox, room: int) -> tuple[list[Fragment], dict[int, str]]:
    """Return the lines, with a blank before each, and the keys that clicks on them are."""
    lines: list[Fragment] = []
    keys: dict[int, str] = {}
    for choice in menu.choices:
        style = "class:name" if choice.wish else "class:dim"
        for index, part in enumerate(wrap(choice.text, room - 2, "")):
            if choice.wish:
                keys[len(lines)] = choice.key
            lines.append((style, f" {choice.key if not index else ' '} {part}"))
    remark = [("class:dim", f" {part}") for part in wrap(menu.remark, room, "") if part]
    return lines + remark, keys
