"""The QR code of how others join: beside the seats of a lobby, and on a page that says it all."""

from typing import Final

from msgspec.structs import replace

from coffeerush.joining.qr import QUIET, QUIET_LEAST, Modules, half_blocks, qr_modules
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.areas import NARROW, Area
from coffeerush.ui.terminal.canvas import Canvas, wrap
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.invitation import join_lines

from .inviting import code_lines
from .waiting import draw_head

LEFT_LEAST: Final = 76
"""Columns that a lobby keeps beside a QR code."""
_TEXT_LEAST: Final = 28
"""Columns beside a QR code from which on there is text."""
_GAP: Final = 3

# The page


def draw_invitation(canvas: Canvas, scene: Scene) -> None:
    """Draw the page that says it all, with a QR code where there is room for one."""
    top = draw_head(canvas, scene, _("How others join"))
    room = Area(2, top, canvas.columns - 4, canvas.rows - top - 1)
    invitation, ascii_only = scene.model.invitation, scene.ui.ascii
    sizes = [qr_modules(invitation.command, quiet) for quiet in (QUIET, QUIET_LEAST)]
    modules = next((one for one in sizes if _fits(one, room, ascii_only)), None)
    if modules is None:
        columns, rows = qr_size(sizes[-1], ascii_only)
        needs = _("A terminal of {columns}x{rows} has room for a QR code here.")
        text = needs.format(columns=max(columns + 4, NARROW[0]), rows=rows + 2)
        _draw_texts(canvas, scene, replace(room, y=top + 1, rows=room.rows - 1), text)
        return
    draw_qr(canvas, room.x, room.y, modules, ascii_only)
    columns, rows = qr_size(modules, ascii_only)
    left = room.columns - columns - _GAP
    if left >= _TEXT_LEAST:
        area = Area(room.x + columns + _GAP, top + 1, left, room.rows - 1)
    else:
        area = Area(room.x, top + rows + 1, room.columns, room.rows - rows - 1)
    finding = _("In the same network, “{command}” alone lists the table too.")
    _draw_texts(canvas, scene, area, finding.format(command="coffeerush join"))


def _draw_texts(canvas: Canvas, scene: Scene, area: Area, note: str) -> None:
    """Draw what is said beside a QR code: the code large and gaps between, where there is room."""
    texts = [*(("", line) for line in join_lines(scene.model.invitation)), ("class:note", note)]
    others = [[(style, line) for line in wrap(text, area.columns)] for style, text in texts]
    for large in (True, False):
        code = code_lines(scene, area.columns, large)
        airy = [line for lines in (code, *others) for line in [*lines, ("", "")]][:-1]
        if code and len(airy) <= area.rows:
            break
    else:
        airy = [line for lines in (code, *others) for line in lines]
    for y, (style, line) in enumerate(airy[: area.rows], start=area.y):
        canvas.put(area.x, y, line, style, area.columns)


# The QR code


def qr_beside(scene: Scene, room: Area) -> Modules | None:
    """Return the QR code that a lobby has room for beside all else."""
    invitation = scene.model.invitation
    left = Area(room.x, room.y, room.columns - LEFT_LEAST - _GAP, room.rows)
    if not invitation.addresses or left.columns <= 0:
        return None
    modules = qr_modules(invitation.command, QUIET_LEAST)
    return modules if _fits(modules, left, scene.ui.ascii) else None


def draw_qr(canvas: Canvas, x: int, y: int, modules: Modules, ascii_only: bool) -> None:
    """Draw a QR code; without half blocks, by the colours of spaces alone."""
    if not ascii_only:
        for offset, line in enumerate(half_blocks(modules)):
            canvas.put(x, y + offset, line, "class:qr")
        return
    for offset, row in enumerate(modules):
        parts = [("class:qrdark" if dark else "class:qr", "  ") for dark in row]
        canvas.puts(x, y + offset, parts)


def qr_size(modules: Modules, ascii_only: bool) -> tuple[int, int]:
    """Return the columns and rows of a QR code on a screen."""
    count = len(modules)
    return (2 * count, count) if ascii_only else (count, (count + 1) // 2)


def _fits(modules: Modules, area: Area, ascii_only: bool) -> bool:
    columns, rows = qr_size(modules, ascii_only)
    return columns <= area.columns and rows <= area.rows
