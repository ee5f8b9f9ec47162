"""How others join, in lines: the address and the code as large as there is room for."""

from typing import Final

from coffeerush.client.invitation import Invitation
from coffeerush.joining.code import spoken_code
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.areas import Area
from coffeerush.ui.terminal.big_letters import big, big_words
from coffeerush.ui.terminal.canvas import Fragment, width, wrap
from coffeerush.ui.words import status
from coffeerush.ui.words.i18n import ENGLISH, _, language
from coffeerush.ui.words.invitation import code_line, join_lines

_BIG_LEAST: Final = 20
"""Rows of a terminal from which on something is drawn large."""
_SIZES: Final = ((2, True), (1, True), (0, True), (2, False), (1, False))
"""How large an address is drawn, and whether the code is large too, the best first."""


def invited_lines(scene: Scene, room: Area) -> list[Fragment]:
    """Return what a lobby says of how others join, as large as there is room for."""
    invitation = scene.model.invitation
    large: list[Fragment] = []
    for scale, with_code in _SIZES if scene.ui.size[1] >= _BIG_LEAST else ():
        large = _large(scene, room.columns, scale, with_code)
        small = _small(scene, room.columns, with_code)
        if large and len(large) + len(small) <= room.rows:
            break
    else:
        large, small = [], _small(scene, room.columns, with_code=False)
    if len(invitation.addresses) > 1:
        also = _("Also at: {addresses}")
        more = also.format(addresses=status.item_list(invitation.addresses[1:]))
        lines = [("class:label", line) for line in wrap(more, room.columns)]
        small += lines if len(large) + len(small) + len(lines) <= room.rows else []
    gap = [("", "")] if large and len(large) + len(small) < room.rows else []
    return [*large, *gap, *small]


def short_line(invitation: Invitation, columns: int) -> str:
    """Return what others need, in the longest words that fit on a line."""
    spoken = _spoken(invitation, language())
    said = [f"{invitation.addresses[0]} {spoken}".rstrip(), code_line(invitation.code)]
    if spoken == _spoken(invitation, ENGLISH):
        said = [join_lines(invitation)[0], invitation.command, *said]
    return next((line for line in said if width(line) <= columns), said[-1])


def code_lines(scene: Scene, columns: int, large: bool) -> list[Fragment]:
    """Return the code, and what it means that there is none.

    Args:
        scene: a moment of one's own table.
        columns: how wide the lines may be.
        large: draw it large; without lines where it cannot be. Of a language without large letters
            the English words are large.
    """
    invitation = scene.model.invitation
    style = "class:brand" if invitation.code else "class:ask"
    line = [(style, part) for part in wrap(code_line(invitation.code), columns)]
    if not large:
        return line
    for spoken in (language(), ENGLISH):
        if rows := big_words(_spoken(invitation, spoken), columns, scene.ui.ascii):
            drawn = [(style, row) for row in rows]
            return drawn if spoken == language() else [*drawn, *line]
    return []


def _large(scene: Scene, columns: int, scale: int, with_code: bool) -> list[Fragment]:
    """Return the rows of what is drawn large; none where that cannot be."""
    first = scene.model.invitation.addresses[0]
    address = big(first, scale, scene.ui.ascii) if scale else []
    code = code_lines(scene, columns, large=True) if with_code else []
    if bool(scale) > bool(address) or with_code > bool(code):
        return []
    if any(len(row) > columns for row in address):
        return []
    return [*(("class:title", row) for row in address), *code]


def _small(scene: Scene, columns: int, with_code: bool) -> list[Fragment]:
    """Return what is typed, and the code unless it is drawn large."""
    command = join_lines(scene.model.invitation)[0]
    if width(command) > columns:
        command = scene.model.invitation.command
    lines = [("class:label", line) for line in wrap(command, columns)]
    return lines if with_code else [*lines, *code_lines(scene, columns, large=False)]


def _spoken(invitation: Invitation, spoken: str) -> str:
    return spoken_code(invitation.code, spoken) if invitation.code else ""
