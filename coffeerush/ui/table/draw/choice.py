"""A choice by keys, open over the table."""

from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.table.choices import Menu
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.areas import Area, window
from coffeerush.ui.terminal.canvas import Canvas, Target, wrap


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
