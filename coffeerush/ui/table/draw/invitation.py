"""How others join: in the lobby, on a page of its own, and as a QR code."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Invitation
from coffeerush.joining.code import MIN_QUIET, QUIET, Modules, half_blocks, qr_modules, spoken_code
from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.table.available import offers_of
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.canvas import NARROW, Area, Canvas, Fragment, Parts, width, wrap
from coffeerush.ui.terminal.parts import big, big_words, draw_lines
from coffeerush.ui.words.i18n import Lines, _, language
from coffeerush.ui.words.names import item_list
from coffeerush.ui.words.table import (
    asker_lines,
    asking_lines,
    code_line,
    guest_lines,
    join_commands,
    join_lines,
)

from .waiting import draw_head

_MIN_BIG: Final = 20
"""Terminal rows from which on something is drawn large."""
_SIZES: Final = ((2, True), (1, True), (0, True), (2, False), (1, False))
"""(Scale of the address, whether the code is large too), best first."""
MIN_LEFT: Final = 76
"""Minimum columns of a lobby next to a QR code."""
_MIN_TEXT: Final = 28
"""Minimum columns of text next to a QR code."""
QR_GAP: Final = 3

MAX_ASKING: Final = 3
"""How many of those who ask to join are listed with their numbers."""


def asker_parts(scene: Scene, columns: int) -> list[Parts]:
    """Return the lines that say who asks to come in, and which keys answer; [] if nobody does."""
    if Action.LET_IN not in offers_of(scene):
        return []
    caps = (KEYMAP.by_action[one].shown[0][0] for one in (Action.LET_IN, Action.TURN_AWAY))
    wordings = asker_lines(scene.model.asking[0], *caps)
    text = next((one for one in wordings if width(one) <= columns), wordings[-1])
    return [[("class:ask", line)] for line in wrap(text, columns, "")]


# The page


def invited_lines(scene: Scene, room: Area) -> list[Fragment]:
    """Return the ways to join for others, for the lobby, as large as fits."""
    invitation = scene.model.invitation
    large: list[Fragment] = []
    for scale, with_code in _SIZES if scene.ui.size[1] >= _MIN_BIG else ():
        large = _large(scene, room.columns, scale, with_code)
        small = _small(scene, room.columns, with_code)
        if large and len(large) + len(small) <= room.rows:
            break
    else:
        large, small = [], _small(scene, room.columns, with_code=False)
    if len(invitation.addresses) > 1:
        also = _("Also at: {addresses}").format(addresses=item_list(invitation.addresses[1:]))
        lines = [("class:label", line) for line in wrap(also, room.columns)]
        small += lines if len(large) + len(small) + len(lines) <= room.rows else []
    for line in _ways(invitation)[1]:
        lines = [("class:label", part) for part in wrap(line, room.columns)]
        small += lines if len(large) + len(small) + len(lines) <= room.rows else []
    gap = [("", "")] if large and len(large) + len(small) < room.rows else []
    return [*large, *gap, *small]


def short_lines(invitation: Invitation, columns: int) -> list[str]:
    """Return the ways to join for others, in the longest wording for one line; else on two."""
    shortest = f"{invitation.addresses[0]} {_spoken(invitation)}".rstrip()
    said = (join_lines(invitation)[0], join_commands(invitation)[0], shortest)
    whole = next((line for line in said if width(line) <= columns), "")
    return [whole] if whole else [invitation.addresses[0], code_line(invitation.code)]


def code_lines(scene: Scene, columns: int, large: bool) -> list[Fragment]:
    """Return the code, or the consequences of having none.

    Args:
        scene: of the table's owner.
        columns: the maximum width of the lines.
        large: draw it large, or return [] if that is impossible.
    """
    invitation = scene.model.invitation
    style = "class:brand" if invitation.code else "class:ask"
    if large:
        lines = big_words(_spoken(invitation), columns, scene.ui.ascii)
    else:
        lines = [*wrap(code_line(invitation.code), columns)]
    return [(style, line) for line in lines]


def _large(scene: Scene, columns: int, scale: int, with_code: bool) -> list[Fragment]:
    """Return the large address and code; [] if one of them does not fit."""
    address = big(scene.model.invitation.addresses[0], scale, scene.ui.ascii) if scale else []
    code = code_lines(scene, columns, large=True) if with_code else []
    if bool(scale) > bool(address) or with_code > bool(code):
        return []
    if any(len(row) > columns for row in address):
        return []
    # small letters have half a row below them
    gap = [("", "")] if code and scale > 1 else []
    return [*(("class:title", row) for row in address), *gap, *code]


def _small(scene: Scene, columns: int, with_code: bool) -> list[Fragment]:
    """Return the commands to join, those who ask, and the code unless it is drawn large."""
    invitation = scene.model.invitation
    command = join_lines(invitation)[0]
    if width(command) > columns:
        command = join_commands(invitation)[0]
    texts = [("class:ask", text) for text in asking_lines(invitation)[:MAX_ASKING]]
    texts += [("class:label", text) for text in (command, *_ways(invitation)[0])]
    lines = [(style, line) for style, text in texts for line in wrap(text, columns)]
    return lines if with_code else [*lines, *code_lines(scene, columns, large=False)]


def _ways(invitation: Invitation) -> tuple[Lines, Lines]:
    """Return the ways to join for guests, or why there are none; and the lines with the key."""
    lines = guest_lines(invitation)
    return (lines, ()) if invitation.no_guests else (lines[:-1], lines[-1:])


def _spoken(invitation: Invitation) -> str:
    return spoken_code(invitation.code, language()) if invitation.code else ""


def draw_invitation(canvas: Canvas, scene: Scene) -> None:
    """Draw the page on how others join, with a QR code if it fits."""
    top = draw_head(canvas, scene, _("How others join"))
    room = Area(2, top, canvas.columns - 4, canvas.rows - top - 1)
    invitation, ascii_only = scene.model.invitation, scene.ui.ascii
    sizes = [qr_modules(invitation.scanned, quiet) for quiet in (QUIET, MIN_QUIET)]
    modules = next((one for one in sizes if _fits(one, room, ascii_only)), None)
    if modules is None:
        columns, rows = qr_size(sizes[-1], ascii_only)
        needs = _("Enlarge the terminal to {columns}x{rows} to see a QR code here.")
        text = needs.format(columns=max(columns + 4, NARROW[0]), rows=rows + 2)
        _draw_texts(canvas, scene, replace(room, y=top + 1, rows=room.rows - 1), text)
        return
    draw_qr(canvas, room.x, room.y, modules, ascii_only)
    columns, rows = qr_size(modules, ascii_only)
    left = room.columns - columns - QR_GAP
    if left >= _MIN_TEXT:
        area = Area(room.x + columns + QR_GAP, top + 1, left, room.rows - 1)
    else:
        area = Area(room.x, top + rows + 1, room.columns, room.rows - rows - 1)
    finding = _("On the same network, “{command}” alone finds the table, too.")
    _draw_texts(canvas, scene, area, finding.format(command="coffeerush join"))


def _draw_texts(canvas: Canvas, scene: Scene, area: Area, note: str) -> None:
    """Draw the text next to a QR code, with a large code and blank lines if they fit."""
    invitation = scene.model.invitation
    first, *also = join_lines(invitation)
    texts = [("", line) for line in (first, *guest_lines(invitation), *also)]
    asking, others = (
        [[(style, line) for line in wrap(text, area.columns)] for style, text in said]
        for said in (
            [("class:ask", line) for line in asking_lines(invitation)[:MAX_ASKING]],
            [*texts, ("class:note", note)],
        )
    )
    for large in (True, False):
        code = code_lines(scene, area.columns, large)
        airy = [line for lines in (*asking, code, *others) for line in [*lines, ("", "")]][:-1]
        if code and len(airy) <= area.rows:
            break
    else:
        airy = [line for lines in (*asking, code, *others) for line in lines]
    if len(airy) <= area.rows:
        draw_lines(canvas, area, airy)
        return
    inner = replace(area, rows=area.rows - 1)
    left = len(airy) - draw_lines(canvas, inner, airy, scene.ui.scroll).stop
    if left:
        canvas.put(area.x, area.y + inner.rows, more_line(left), "class:more", area.columns)


# The QR code


def qr_beside(scene: Scene, room: Area) -> Modules | None:
    """Return the QR code for the lobby; None if it does not fit."""
    invitation = scene.model.invitation
    left = Area(room.x, room.y, room.columns - MIN_LEFT - QR_GAP, room.rows)
    if not invitation.addresses or left.columns <= 0:
        return None
    modules = qr_modules(invitation.scanned, MIN_QUIET)
    return modules if _fits(modules, left, scene.ui.ascii) else None


def draw_qr(canvas: Canvas, x: int, y: int, modules: Modules, ascii_only: bool) -> None:
    """Draw a QR code; in ASCII, with coloured blanks instead of half blocks."""
    if not ascii_only:
        for offset, line in enumerate(half_blocks(modules)):
            canvas.put(x, y + offset, line, "class:qr")
        return
    for offset, row in enumerate(modules):
        canvas.puts(x, y + offset, [("class:qrdark" if dark else "class:qr", "  ") for dark in row])


def qr_size(modules: Modules, ascii_only: bool) -> tuple[int, int]:
    """Return the columns and rows that a QR code takes."""
    count = len(modules)
    return (2 * count, count) if ascii_only else (count, (count + 1) // 2)


def _fits(modules: Modules, area: Area, ascii_only: bool) -> bool:
    columns, rows = qr_size(modules, ascii_only)
    return columns <= area.columns and rows <= area.rows
