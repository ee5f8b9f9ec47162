"""Drawing of the scrolling panes: log, other players, chat, supply and menu, guide."""

from typing import Final

from msgspec.structs import replace

from coffeerush.ui.table.panes import (
    FROM_THE_TOP,
    guide_area,
    log_or_guide,
    newest_message,
    open_pane,
    pane_lines,
    pane_names,
    pane_title,
    said_line,
    shows_chat,
    unread,
)
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.canvas import Canvas, Target, cut, width
from coffeerush.ui.terminal.keyboard import ENTER, TAB
from coffeerush.ui.terminal.list_view import draw_lines, draw_marks

MIN_MESSAGE: Final = 16
"""Minimum cells next to the titles for the newest message."""


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw the guide over everything between header, or standings, and footer."""
    area = guide_area(scene)
    y, rows = area.y - 1, area.rows + 1
    canvas.fill(0, y, canvas.columns, rows)
    canvas.zone(0, y, canvas.columns, rows, Target("key", ENTER))
    canvas.rule(0, y, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


def draw_tabs(canvas: Canvas, scene: Scene, area: Area, kind: str) -> None:
    """Draw a rule with the titles of the panes, and the newest message if no pane shows it.

    A click on a title opens the pane, on the title of the open one the next.
    """
    canvas.rule(area.x, area.y, area.columns)
    canvas.marks["tabs"] = Area(area.x, area.y, area.columns, 1)
    x, end = area.x + 1, area.x + area.columns - 1
    for name, title in _titles(scene, kind, area.columns - 2):
        is_open = name == open_pane(scene, kind)
        style = "class:title" if is_open else "class:tab"
        if name == "chat" and unread(scene):
            style = "class:fresh"
        target = Target("key", TAB) if is_open else Target("pane", name)
        canvas.zone(x, area.y, width(title), 1, target)
        x = canvas.put(x, area.y, title, style)
    draw_newest(canvas, scene, Area(x + 1, area.y, end - x - 1, 1))


def draw_newest(canvas: Canvas, scene: Scene, line: Area) -> None:
    """Draw the newest message if no pane shows it and the line has room; a click opens the chat."""
    said = newest_message(scene)
    if said and not shows_chat(scene) and line.columns >= MIN_MESSAGE:
        style = "class:said" if unread(scene) else "class:tab"
        text = f" {cut(said_line(said), line.columns - 2)} "
        canvas.zone(line.x, line.y, width(text), 1, Target("pane", "chat"))
        canvas.put(line.x, line.y, text, style)


def _titles(scene: Scene, kind: str, room: int) -> list[tuple[str, str]]:
    """Return the panes and their titles, each in its place; as many as fit beside the open one."""
    chosen, found = open_pane(scene, kind), []
    names = [log_or_guide(scene, one) for one in pane_names(kind)]
    titles = {name: _tab(scene, name, chosen) for name in names}
    room -= width(titles[chosen])
    for name, title in titles.items():
        room -= 0 if name == chosen else width(title)
        if name == chosen or room >= 0:
            found.append((name, title))
    return found


def _tab(scene: Scene, name: str, chosen: str) -> str:
    count = unread(scene) if name == "chat" else 0
    title = f"{pane_title(name)} ({count})" if count else pane_title(name)
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
    lines = pane_lines(scene, name, area.columns - 2 if wrapped else None)
    if scroll is None:  # behind an open list, it is the list that scrolls
        scroll = scene.ui.scroll if scene.ui.mode in ("table", *TYPING) else 0
    inner = replace(area, columns=area.columns - 2)
    shown = draw_lines(canvas, inner, lines, scroll, name in FROM_THE_TOP)
    draw_marks(canvas, area, shown, len(lines))
