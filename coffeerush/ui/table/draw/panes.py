"""Drawing of the scrolling panes: log, other players, chat, supply and menu, guide."""

from msgspec.structs import replace

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
from coffeerush.ui.terminal.canvas import Canvas, Target, width
from coffeerush.ui.terminal.keyboard import ENTER, TAB
from coffeerush.ui.terminal.list_view import draw_lines, draw_marks


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw the guide over everything between header and footer."""
    area = guide_area(canvas.columns, canvas.rows)
    canvas.fill(0, 1, canvas.columns, canvas.rows - 2)
    canvas.zone(0, 1, canvas.columns, canvas.rows - 2, Target("key", ENTER))
    canvas.rule(0, 1, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


def draw_tabs(canvas: Canvas, scene: Scene, area: Area, kind: str) -> None:
    """Draw a rule with the titles of the panes; a click on one opens it, on the open one is Tab."""
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
    """Draw a scrolled pane; arrows at its right show that there is more."""
    lines = pane_lines(scene, name, area.columns - 2)
    back = scene.ui.scroll if scroll is None else scroll
    inner = replace(area, columns=area.columns - 2)
    shown = draw_lines(canvas, inner, lines, back, name in FROM_THE_TOP)
    draw_marks(canvas, area, shown, len(lines))
