"""How others join: large in a lobby, and on a page of its own with a QR code to scan."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client import words
from coffeerush.client.invitation import Invitation, code_line, join_lines
from coffeerush.i18n import ENGLISH, _, language
from coffeerush.joincode import spoken_code
from coffeerush.qr import QUIET, QUIET_LEAST, Modules, half_blocks, qr_modules

from .big import big, big_words
from .canvas import Canvas, Fragment, width, wrap
from .draw_rooms import LOW, draw_head
from .layout import NARROW, Area
from .scene import Scene

BIG_LEAST: Final = 20
"""Rows of a terminal from which on something is drawn large."""
TEXT_LEAST: Final = 28
"""Columns beside a QR code from which on there is text."""
LEFT_LEAST: Final = 76
"""Columns that a lobby keeps beside a QR code."""
_GAP: Final = 3
_SIZES: Final = ((2, True), (1, True), (0, True), (2, False), (1, False))
"""How large an address is drawn, and whether the code is large too, the best first."""


def invited_lines(invitation: Invitation, room: Area, terminal_rows: int) -> list[Fragment]:
    """Return what a lobby says of how others join, as large as there is room for."""
    if terminal_rows < LOW:
        return [("class:label", _shortly(invitation, room.columns))]
    sizes = _SIZES if terminal_rows >= BIG_LEAST else ()
    large: list[Fragment] = []
    for scale, with_code in sizes:
        large = _large(invitation, room.columns, scale, with_code)
        small = _small(invitation, room.columns, with_code)
        if large and len(large) + len(small) <= room.rows:
            break
    else:
        large, small = [], _small(invitation, room.columns, False)
    if len(invitation.addresses) > 1:
        also = _("Also at: {addresses}")
        more = also.format(addresses=words.item_list(invitation.addresses[1:]))
        lines = [("class:label", line) for line in _broken(more, room.columns)]
        small += lines if len(large) + len(small) + len(lines) <= room.rows else []
    gap = [("", "")] if large and len(large) + len(small) < room.rows else []
    return [*large, *gap, *small]


def _large(invitation: Invitation, columns: int, scale: int, with_code: bool) -> list[Fragment]:
    """Return the rows of what is drawn large; none where that cannot be."""
    address = big(invitation.addresses[0], scale) if scale else []
    code = _large_code(invitation, columns) if with_code else []
    if bool(scale) > bool(address) or with_code > bool(code):
        return []
    if any(len(row) > columns for row in address):
        return []
    return [*(("class:title", row) for row in address), *code]


def _large_code(invitation: Invitation, columns: int) -> list[Fragment]:
    spoken = _spoken(invitation, language())
    return [("class:brand", row) for row in big_words(spoken, columns)]


def _small(invitation: Invitation, columns: int, with_code: bool) -> list[Fragment]:
    """Return what is typed, and the code unless it is drawn large."""
    command = join_lines(invitation)[0]
    if width(command) > columns:
        command = invitation.command
    lines = [("class:label", line) for line in _broken(command, columns)]
    if with_code:
        return lines
    style = "class:brand" if invitation.code else "class:ask"
    return [*lines, *((style, line) for line in _broken(code_line(invitation.code), columns))]


def _broken(text: str, columns: int) -> list[str]:
    """Return a text in lines; an address that is longer than one goes on in the next."""
    most = columns - 2
    parts = (word[at : at + most] for word in text.split(" ") for at in range(0, len(word), most))
    return wrap(" ".join(parts), columns)


def _spoken(invitation: Invitation, spoken: str) -> str:
    return spoken_code(invitation.code, spoken) if invitation.code else ""


def _shortly(invitation: Invitation, columns: int) -> str:
    """Return what others need, in the longest words that fit on a line."""
    spoken = _spoken(invitation, language())
    said = [f"{invitation.addresses[0]} {spoken}".rstrip(), code_line(invitation.code)]
    if spoken == _spoken(invitation, ENGLISH):
        said = [join_lines(invitation)[0], invitation.command, *said]
    return next((line for line in said if width(line) <= columns), said[-1])


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
        _draw_texts(canvas, invitation, replace(room, y=top + 1, rows=room.rows - 1), text)
        return
    draw_qr(canvas, room.x, room.y, modules, ascii_only)
    columns, rows = qr_size(modules, ascii_only)
    left = room.columns - columns - _GAP
    if left >= TEXT_LEAST:
        area = Area(room.x + columns + _GAP, top + 1, left, room.rows - 1)
    else:
        area = Area(room.x, top + rows + 1, room.columns, room.rows - rows - 1)
    finding = _("In the same network, “{command}” alone lists the table too.")
    _draw_texts(canvas, invitation, area, finding.format(command="coffeerush join"))


def _draw_texts(canvas: Canvas, invitation: Invitation, area: Area, note: str) -> None:
    """Draw what is said beside a QR code: the code large and gaps between, where there is room."""
    small = ("class:brand" if invitation.code else "class:ask", code_line(invitation.code))
    texts = [small, *(("", line) for line in join_lines(invitation)), ("class:note", note)]
    broken = [[(style, line) for line in _broken(text, area.columns)] for style, text in texts]
    for one in ([_large_code(invitation, area.columns), *broken[1:]], broken):
        airy = [line for lines in one for line in [*lines, ("", "")]][:-1]
        if all(one) and len(airy) <= area.rows:
            break
    else:
        airy = [line for lines in broken for line in lines]
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
