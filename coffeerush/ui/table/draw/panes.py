"""Drawing of the scrolling panes: log, other players, chat, supply and menu, guide."""

from typing import Final

from msgspec.structs import replace

from coffeerush.ui.table.panes import (
    FROM_THE_TOP,
    guide_area,
    log_or_guide,
    newest_lines,
    newest_message,
    open_pane,
    pane_lines,
    pane_names,
    pane_title,
    said_line,
    unread,
)
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, cut, overlap, width
from coffeerush.ui.terminal.keys import ENTER, TAB
from coffeerush.ui.terminal.parts import draw_lines, draw_marks

SHOWN: Final = "newest message in a pane"
TOLD: Final = "newest message elsewhere"
MIN_MESSAGE: Final = 16
"""Minimum cells next to the titles for the newest message."""


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw the guide over everything between header, or standings, and footer."""
    area = guide_area(scene)
    y, rows = area.y - 1, area.rows + 1
    canvas.fill(0, y, canvas.columns, rows)
    hide_newest(canvas, Area(0, y, canvas.columns, rows))
    canvas.zone(0, y, canvas.columns, rows, Target("key", ENTER))
    canvas.rule(0, y, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


def draw_tabs(canvas: Canvas, scene: Scene, area: Area, kind: str) -> None:
    """Draw a rule with the titles of the panes, and the newest message if no pane shows it.

    A click on a title opens the pane, on the title of the open one the next.
    """
    canvas.rule(area.x, area.y, area.columns)
    canvas.marks["tabs"] = Area(area.x, area.y, area.columns, 1)
    new = 0 if SHOWN in canvas.marks else unread(scene)
    x, end = area.x + 1, area.x + area.columns - 1
    for name, title in _titles(scene, kind, area.columns - 2, new):
        is_open = name == open_pane(scene, kind)
        style = "class:title" if is_open else "class:tab"
        if name == "chat" and new:
            style = "class:fresh"
        target = Target("key", TAB) if is_open else Target("pane", name)
        canvas.zone(x, area.y, width(title), 1, target)
        x = canvas.put(x, area.y, title, style)
    draw_newest(canvas, scene, Area(x + 1, area.y, end - x - 1, 1))


def draw_newest(canvas: Canvas, scene: Scene, line: Area) -> None:
    """Draw the newest message if no pane shows it and the line has room; a click opens the chat."""
    said = newest_message(scene)
    if said and SHOWN not in canvas.marks and line.columns >= MIN_MESSAGE:
        style = "class:said" if unread(scene) else "class:tab"
        text = f" {cut(said_line(said), line.columns - 2)} "
        canvas.zone(line.x, line.y, width(text), 1, Target("pane", "chat"))
        canvas.put(line.x, line.y, text, style)
        canvas.marks[TOLD] = Area(line.x, line.y, width(text), 1)


def hide_newest(canvas: Canvas, area: Area) -> None:
    """Forget that the newest message is visible if it is in an area that is drawn over."""
    for mark in (SHOWN, TOLD):
        one = canvas.marks.get(mark)
        if one and overlap(one, area):
            del canvas.marks[mark]


def _titles(scene: Scene, kind: str, room: int, new: int) -> list[tuple[str, str]]:
    """Return the panes and their titles, each in its place; as many as fit beside the open one."""
    chosen, found = open_pane(scene, kind), []
    names = [log_or_guide(scene, one) for one in pane_names(kind)]
    titles = {name: _tab(name, chosen, new) for name in names}
    room -= width(titles[chosen])
    for name, title in titles.items():
        room -= 0 if name == chosen else width(title)
        if name == chosen or room >= 0:
            found.append((name, title))
    return found


def _tab(name: str, chosen: str, new: int) -> str:
    title = f"{pane_title(name)} ({new})" if new and name == "chat" else pane_title(name)
    return f"{glyphs.POINTER if name == chosen else ' '} {title} "


def draw_pane(
    canvas: Canvas,
    scene: Scene,
    area: Area,
    name: str,
    scroll: int | None = None,
    wrapped: bool = True,
) -> None:
    """Draw a scrolled pane; arrows at its right show that there is more.

    In one row, lines that are not wrapped but truncated begin with what is most important.
    """
    columns = area.columns - 2 if wrapped else None
    lines = pane_lines(scene, name, columns)
    if scroll is None:  # behind an open list, it is the list that scrolls
        scroll = scene.ui.scroll if scene.ui.mode in ("table", *TYPING) else 0
    inner = replace(area, columns=area.columns - 2)
    shown = draw_lines(canvas, inner, lines, scroll, name in FROM_THE_TOP)
    draw_marks(canvas, area, shown, len(lines))
    if name == "guide" and scene.ui.touch:
        canvas.zone(area.x, area.y, area.columns, area.rows, Target("pane", name))
    newest = newest_lines(scene, name, columns, len(lines))
    if newest and newest.start in shown and width(lines[newest.start][1]) <= inner.columns:
        top, rows = area.y + newest.start - shown.start, min(newest.stop, shown.stop) - newest.start
        canvas.marks[SHOWN] = Area(area.x, top, area.columns, rows)
