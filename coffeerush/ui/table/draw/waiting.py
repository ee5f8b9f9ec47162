"""Parts that lobby and result share, and the screens while joining or on a tiny terminal."""

from typing import Final

from coffeerush.ui.table.available import offers_of
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.table.panes import log_or_guide, pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.canvas import NARROW, Area, Canvas, Target, width, wrap
from coffeerush.ui.words.errors import status_line
from coffeerush.ui.words.i18n import _, ngettext

from .panes import draw_pane

MIN_LOG: Final = 3
"""Minimum rows of a log with a title; a shorter one has no title."""


def draw_tiny(canvas: Canvas, question: str = "", *, is_guest: bool = False) -> None:
    """Draw the required terminal size, or the question whether to leave.

    A guest of a gateway has no plain mode.
    """
    text = _("Too small: {columns}x{rows} needed; enlarge it, or press “q” and use --plain.")
    if is_guest:
        text = _("Too small: {columns}x{rows} needed; enlarge the window.")
    line = question or text.format(columns=NARROW[0], rows=NARROW[1])
    for y, part in enumerate(wrap(line, canvas.columns, "")[: canvas.rows]):
        canvas.put(0, y, part, "class:warning")


def draw_joining(canvas: Canvas, scene: Scene) -> None:
    """Draw the connection status while the table is not known yet."""
    y = max(canvas.rows // 2 - 2, 0)
    canvas.put(2, y, _("Coffee Rush"), "class:brand")
    style = "class:warning" if scene.model.status == "over" else ""
    text = status_line(scene.model)
    for offset, line in enumerate(wrap(text, canvas.columns - 4, ""), start=2):
        canvas.put(2, y + offset, line, style)


def draw_head(canvas: Canvas, scene: Scene, text: str) -> int:
    """Draw the top line, and what is wrong with the connection; return the next row."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    brand, x = _("Coffee Rush"), 1
    if width(brand) + width(text) + 4 <= canvas.columns:
        x = canvas.put(x, 0, brand, "class:header class:brand") + 2
    canvas.put(x, 0, text, "class:header", canvas.columns - x - 1)
    if scene.model.status == "here":
        return 1
    warning = f" {status_line(scene.model)} "
    x = 2 if width(warning) <= canvas.columns - 4 else 0
    canvas.put(x, 1, warning, "class:warning", canvas.columns - 2 * x)
    return 2


def draw_text(canvas: Canvas, area: Area, lines: list[str], style: str) -> int:
    """Draw wrapped lines; the last row counts those that do not fit; return the next row."""
    parts = [part for line in lines for part in wrap(line, area.columns)]
    shown = parts if len(parts) <= area.rows else parts[: max(area.rows - 1, 0)]
    for offset, part in enumerate(shown):
        canvas.put(area.x, area.y + offset, part, style, area.columns)
    y = area.y + len(shown)
    left = len(parts) - len(shown)
    if left and area.rows > 0:
        more = ngettext("{count} more line", "{count} more lines", left).format(count=left)
        canvas.put(area.x, y, more, "class:dim", area.columns)
        y += 1
    return y


def draw_step(canvas: Canvas, scene: Scene, area: Area, text: str) -> int:
    """Draw what has to happen next; a click on it is Enter; return the next row."""
    y = draw_text(canvas, area, [text], "class:ask")
    if Action.NEXT in offers_of(scene):
        canvas.zone(area.x, area.y, area.columns, y - area.y, key_of(Action.NEXT))
    return y


def draw_key(canvas: Canvas, area: Area, action: Action, label: str) -> int:
    """Draw a key with its label, as in the footer; return the end's x."""
    canvas.fill(area.x, area.y, area.columns, 1)
    x = canvas.put(
        area.x, area.y, _(KEYMAP.by_action[action].shown[0][0]), "class:key", area.columns
    )
    return canvas.put(x + 1, area.y, label, "class:keylabel", area.x + area.columns - x - 1)


def key_of(action: Action) -> Target:
    """Return the target of a click that presses an action's first key."""
    return Target("key", KEYMAP.by_action[action].shown[0][1])


def draw_log(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the log, or the guide, with its title, or only some lines if there is little room."""
    name = log_or_guide(scene)
    titled = area.rows >= MIN_LOG
    if titled:
        canvas.rule(area.x, area.y, area.columns, pane_title(name))
    if area.rows > 0:
        inner = Area(area.x + 2, area.y + titled, area.columns - 2, area.rows - titled)
        canvas.marks["log"] = inner
        draw_pane(canvas, scene, inner, name, wrapped=inner.rows > 1)
