"""Draw the lobby, how others join, and the screens while nobody plays."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Invitation
from coffeerush.joining.code import MIN_QUIET, QUIET, Modules, half_blocks, qr_modules, spoken_code
from coffeerush.joining.hosts import page_address, ssh_command
from coffeerush.ui.pages.brand import (
    COLUMNS,
    HEAD_ROWS,
    INDENT,
    PAGE_ROWS,
    PICTURE_COLUMNS,
    draw_picture,
    draw_title,
    title_letters,
)
from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    NARROW,
    NORMAL,
    Area,
    Canvas,
    Fragment,
    Look,
    Parts,
    fit,
    pad,
    size,
    width,
    wrap,
)
from coffeerush.ui.terminal.parts import big, big_words, draw_lines
from coffeerush.ui.words.errors import status_line
from coffeerush.ui.words.i18n import _, language, ngettext, pgettext
from coffeerush.ui.words.names import (
    and_list,
    bot_level,
    item_list,
    seat_player,
    seat_style,
    sentence_case,
)
from coffeerush.ui.words.table import (
    asker_line,
    asker_lines,
    asking_lines,
    code_line,
    guest_lines,
    join_commands,
    join_lines,
    no_guests_line,
    option_lines,
    options_summary,
    passing_lines,
)
from coffeerush.ui.words.tournament import tournament_line
from protocol import DOOR_PORT, MIN_PLAYERS, Seat, SeatView

from .actions import (
    AT_THE_DOOR,
    OPENERS,
    Action,
    cap_of,
    has_too_few_seats,
    is_offered,
    key_of,
    label_of,
    place_in_line,
    seat_action,
    staying,
)
from .draw_lists import draw_pane
from .draw_people import emote_of
from .lists import NEW_TABLE_KEY, open_seat
from .panes import LOW, log_or_guide, pane_title
from .scene import Scene

# Parts that lobby and result share, and the screens while joining or on a tiny terminal


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


STEAM_SECONDS: Final = 0.3
"""How long the steam over the cups stays as it is while a table is being joined."""


def draw_joining(canvas: Canvas, scene: Scene) -> None:
    """Draw the connection status while the table is not known yet, on a page like the menu's.

    If it goes on elsewhere, the message says so.
    """
    look = Look(ascii=scene.ui.ascii, rich=scene.ui.tiles)
    style = "class:warning" if scene.model.status == "over" else ""
    text = "" if scene.model.elsewhere else status_line(scene.model)
    letters = title_letters(canvas, look.ascii)
    x, y, room = INDENT, max(canvas.rows // 2 - 2, 0), canvas.columns - 2 * INDENT
    if letters:
        columns = min(canvas.columns - 2, COLUMNS)
        x, head = (canvas.columns - columns) // 2, len(letters) + HEAD_ROWS
        top = max(canvas.rows - 1 - head - PAGE_ROWS, 0) // 3
        draw_title(canvas, x, top + 1, letters, look)
        y, room = head + top, columns - PICTURE_COLUMNS - INDENT
        frame = int(scene.ui.now / STEAM_SECONDS) if is_steaming(scene) else 0
        draw_picture(canvas, Area(x, y, columns, 1), room, look, frame)
        x += INDENT
    else:
        canvas.put(x, y, _("Coffee Rush"), "class:brand")
        y += 2
    for offset, line in enumerate(wrap(text, room, "")):
        canvas.put(x, y + offset, line, style)


def is_steaming(scene: Scene) -> bool:
    """Return whether the page of a table that is being joined moves until it is there."""
    moves = scene.ui.animated and not scene.ui.slow
    return moves and scene.stage == "joining" and scene.model.status == "joining"


def head_note(scene: Scene) -> str:
    """Return the end of the top line: that somebody without a seat watches, with a gap."""
    return "  " + _("watching") if scene.me is None and not scene.ui.replayed else ""


def draw_head(canvas: Canvas, scene: Scene, text: str) -> int:
    """Draw the top line, and what is wrong with the connection; return the next row."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    brand, x, end = _("Coffee Rush"), 1, canvas.columns - 1
    note = head_note(scene)
    if x + width(text) + width(note) <= end:
        end -= width(note)
        canvas.put(end, 0, note, "class:header")
    if x + width(brand) + 2 + width(text) <= end:
        x = canvas.put(x, 0, brand, "class:header class:brand") + 2
    canvas.put(x, 0, text, "class:header", end - x)
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
    """Draw what has to happen next; a click on it is Enter; return the next row.

    Its row is blank while the person is asked something, which stands above the keys.
    """
    y = draw_text(canvas, area, [text], "class:ask")
    if scene.ui.asked:
        canvas.fill(area.x, area.y, area.columns, y - area.y)
    elif is_offered(scene, Action.NEXT):
        canvas.zone(area.x, area.y, area.columns, y - area.y, key_of(Action.NEXT))
    return y


def draw_key(canvas: Canvas, area: Area, action: Action, label: str) -> int:
    """Draw a key with its label, as in the footer; return the end's x."""
    canvas.fill(area.x, area.y, area.columns, 1)
    x = canvas.put(area.x, area.y, cap_of(action), "class:key", area.columns)
    return canvas.put(x + 1, area.y, label, "class:keylabel", area.x + area.columns - x - 1)


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


# How others join: in the lobby, on a page of its own, and as a QR code


_MIN_BIG: Final = 20
"""Terminal rows from which on something is drawn large."""
_SIZES: Final = ((2, True), (1, True), (0, True), (2, False), (1, False))
"""(Scale of the address, whether the code is large too), best first."""
MIN_LEFT: Final = 76
"""Minimum columns of a lobby next to a QR code."""
_MIN_TEXT: Final = 28
"""Minimum columns of text next to a QR code."""
QR_GAP: Final = 3
_FINGERPRINT: Final = "SHA256:" + "x" * 43
"""As long as any."""

MAX_ASKING: Final = 3
"""How many of those who ask to join are listed with their numbers."""


def asker_parts(scene: Scene, columns: int) -> list[Parts]:
    """Return the lines that say who asks to come in; [] if nobody asks this person.

    Unless something is open that takes the keys, also which ones answer.
    """
    if not scene.model.asking or scene.model.status != "here":
        return []
    caps = [cap_of(action) for action in AT_THE_DOOR if is_offered(scene, action)]
    asker = scene.model.asking[0]
    if not caps:
        return [[("class:ask", line)] for line in wrap(asker_line(asker), columns, "")]
    numbers = {guest: number for guest, _name, number in scene.model.invitation.asking}
    wordings = asker_lines(asker, numbers.get(asker.guest, ""), *caps)
    text = fit(wordings, columns, width)
    return [[("class:ask", line)] for line in wrap(text, columns, "")]


def make_asker_clickable(canvas: Canvas, x: int, y: int, columns: int) -> None:
    """Let in who asks by a click on such a line."""
    canvas.zone(x, y, columns, 1, key_of(AT_THE_DOOR[0]))


# The page


def invited_lines(scene: Scene, room: Area) -> list[Fragment]:
    """Return the ways to join for others, for the lobby, as large as fits."""
    invitation = scene.model.invitation
    wordings = _invited(scene, room.columns)
    large, small = fit(wordings, room.rows, lambda lines: sum(map(len, lines)))
    left = room.rows - len(large) - len(small)
    others = item_list(invitation.addresses[1:])
    also = wrap(_("Also at: {addresses}").format(addresses=others), room.columns) if others else []
    also = also if len(also) <= left else []
    left -= len(also)
    keys = _ways(invitation, room.columns)[1]
    keys = keys if len(keys) <= left else []
    left -= len(keys)
    gap = [("", "")] if large and left > 0 else []
    # another address may be found at any time: then nothing else moves
    also = also or [""] * (bool(large) and left > 1)
    return [*large, *gap, *small, *keys, *(("class:label", line) for line in also)]


def short_lines(invitation: Invitation, columns: int) -> list[str]:
    """Return the ways to join for others, in the longest wording for one line; else on two."""
    address = invitation.addresses[0]
    wordings = (
        [join_lines(invitation)[0]],
        [join_commands(invitation)[0]],
        [f"{address} {_spoken(invitation)}".rstrip()],
        [address, code_line(invitation.code)],
    )
    return fit(wordings, columns, lambda lines: max(map(width, lines)))


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


def _invited(scene: Scene, columns: int) -> Iterator[tuple[list[Fragment], list[Fragment]]]:
    """Yield what is drawn large, in fewer and fewer rows, and the small lines next to it."""
    for scale, with_code in _SIZES if scene.ui.size[1] >= _MIN_BIG else ():
        if large := _large(scene, columns, scale, with_code):
            yield large, _small(scene, columns, with_code)
    yield [], _small(scene, columns, with_code=False)


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
    command = fit((join_lines(invitation)[0], join_commands(invitation)[0]), columns, width)
    texts = [("class:ask", text) for text in asking_lines(invitation)[:MAX_ASKING]]
    texts.append(("class:label", command))
    lines = [(style, line) for style, text in texts for line in wrap(text, columns)]
    lines += _ways(invitation, columns)[0]
    return lines if with_code else [*lines, *code_lines(scene, columns, large=False)]


def _ways(invitation: Invitation, columns: int) -> tuple[list[Fragment], list[Fragment]]:
    """Return the ways to join for guests, or why there are none; and the lines with the key.

    If they can come in a moment, as many blank lines: nothing moves once it is known how.
    """
    told = guest_lines(_foreseen(invitation))
    parts = [[*wrap(line, columns)] for line in told]
    if invitation.guests_due:
        parts = [[""] * len(part) for part in parts]
    lines = [[("class:label", line) for line in part] for part in parts]
    ways, keys = (lines, []) if invitation.no_guests else (lines[:-1], lines[-1:])
    return [*chain.from_iterable(ways)], [*chain.from_iterable(keys)]


def _foreseen(invitation: Invitation) -> Invitation:
    """Return how others will join once guests can, in texts of the usual length."""
    if not invitation.guests_due:
        return invitation
    door = invitation.addresses[0]
    ssh, page = ssh_command(door, DOOR_PORT), page_address(door, DOOR_PORT, tls=False)
    return replace(invitation, ssh=ssh, fingerprint=_FINGERPRINT, page=page)


def _spoken(invitation: Invitation) -> str:
    return spoken_code(invitation.code, language()) if invitation.code else ""


def draw_invitation(canvas: Canvas, scene: Scene) -> None:
    """Draw the page on how others join, with a QR code of the page for browsers if it fits."""
    top = draw_head(canvas, scene, _("How others join"))
    room = Area(2, top, canvas.columns - 4, canvas.rows - top - 1)
    page, ascii_only = scene.model.invitation.page, scene.ui.ascii
    finding = _("On the same network, “{command}” alone also finds the table.")
    note = finding.format(command="coffeerush join")
    texts = Area(room.x, top + 1, room.columns, room.rows - 1)
    sizes = [qr_modules(page, quiet) for quiet in (QUIET, MIN_QUIET)] if page else []
    modules = next((modules for modules in sizes if _fits(modules, room, ascii_only)), None)
    if modules is not None:
        columns, rows = qr_size(modules, ascii_only)
        draw_qr(canvas, room.x, room.y, modules, ascii_only)
        left = room.columns - columns - QR_GAP
        texts = Area(room.x + columns + QR_GAP, top + 1, left, room.rows - 1)
        if left < _MIN_TEXT:
            texts = Area(room.x, top + rows + 1, room.columns, room.rows - rows - 1)
    elif page:
        columns, rows = qr_size(sizes[-1], ascii_only)
        needs = _("Enlarge the terminal to {columns}x{rows} to see a QR code here.")
        note = needs.format(columns=max(columns + 4, NARROW[0]), rows=rows + 2)
    _draw_texts(canvas, scene, texts, note)


def _draw_texts(canvas: Canvas, scene: Scene, area: Area, note: str) -> None:
    """Draw the text next to a QR code, with a large code and blank lines if they fit."""
    invitation = scene.model.invitation
    first, *also = join_lines(invitation)
    ways = guest_lines(invitation)
    texts = [("", line) for line in (first, *ways, *also)]
    notes = [note]
    if invitation.keeps_guests_out:
        setup = _("The game setup, “{key}”, changes that.").format(key=cap_of(Action.AGREE))
        notes.append(f"{no_guests_line()} {setup}")
    asking, others = (
        [[(style, line) for line in wrap(text, area.columns)] for style, text in said]
        for said in (
            [("class:ask", line) for line in asking_lines(invitation)[:MAX_ASKING]],
            [*texts, *(("class:note", line) for line in notes)],
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
    """Return the QR code for the lobby, or one as large as it will be; None if it does not fit."""
    invitation = _foreseen(scene.model.invitation)
    left = Area(room.x, room.y, room.columns - MIN_LEFT - QR_GAP, room.rows)
    if not invitation.page or left.columns <= 0:  # a phone that scans it could do nothing
        return None
    modules = qr_modules(invitation.page, MIN_QUIET)
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


# The lobby: how others join, the seats, the next step, the table's options, and the log


BOX_ROWS: Final = 5
TALK_ROWS: Final = 6
"""Rows of a log with a title for which the options of a table are said in a few words."""
_ROOMY: Final = 30
"""Rows from which on a table's options have a line each beside an address."""
PASSING: Final = 2
"""Rows kept for lines about people who come and go."""
BOX_COLUMNS: Final = 36
"""Maximum width of a seat's box."""
LEAST: Final = 8
"""Minimum cells of a name."""


def draw_lobby(canvas: Canvas, scene: Scene) -> None:
    """Draw how others join, the seats, the next step, the table's options, and the log."""
    y = draw_head(canvas, scene, scene.table.name)
    gap, low = canvas.rows >= NORMAL[1] - 2, canvas.rows < LOW
    # on a low terminal, a message covers the newest line, but not as long as somebody asks
    end = canvas.rows - (1 + len(asker_parts(scene, canvas.columns - 2)) if low else 2)
    room = Area(2, y + gap, canvas.columns - 4, end - y - gap)
    room, below_code = _draw_code(canvas, scene, room)
    boxes = gap and canvas.columns >= NORMAL[0]
    agreed = (
        [*option_lines(scene.model), *_about_tables(scene)]
        if gap
        else [*filter(None, [_summary(scene, room.columns)])]
    )
    # what comes and goes with people has its rows all the time: nothing else moves then
    passing = len(passing_lines(scene.model, scene.table))
    invites = bool(scene.model.invitation.addresses)
    # where an address leaves too little room for them, they are one line, in place of a gap
    brief = gap and invites and canvas.rows < _ROOMY
    rows = 0 if brief else len(agreed) + max(PASSING * gap - passing, 0)
    if gap and invites and not brief:  # the large letters stay, however many people come
        rows = len(agreed) - passing - len(_about_tables(scene)) + PASSING
    if invites:
        others = (BOX_ROWS if boxes else len(scene.seats)) + 1 + rows + MIN_LOG + 3 * gap
        y = _draw_invited(canvas, scene, replace(room, rows=room.rows - others)) + gap
    else:
        y = room.y
    y = (_draw_boxes if boxes else _draw_rows)(canvas, scene, replace(room, y=y)) + gap
    y = draw_step(canvas, scene, replace(room, y=y, rows=end - y - 1), lobby_step(scene, low))
    log = 1 if low else MIN_LOG
    tight = end - y - rows - gap < TALK_ROWS
    most = 1 if brief else min(rows, PASSING) if tight else rows
    if gap and len(agreed) > max(most, 1):
        passes = passing_lines(scene.model, scene.table)
        told = [*wrap(" ".join(option_lines(scene.model)[: -len(passes) or None]), room.columns)]
        if not brief and end - y - len(told) - PASSING - gap > MIN_LOG:
            agreed, rows = [*told, *passes, *_about_tables(scene)], len(told) + PASSING
        else:
            agreed = [_summary(scene, room.columns), *_about_tables(scene)]
            rows = 0 if brief else PASSING if tight else rows
    below = draw_text(canvas, replace(room, y=y, rows=end - y - log), agreed, "class:note")
    y = max(below, y + 1) if brief else min(max(below, y + rows), end - log) + gap
    columns = canvas.columns if y > below_code else room.columns + 4
    draw_log(canvas, scene, Area(0, y, columns, end - y))


def _draw_code(canvas: Canvas, scene: Scene, room: Area) -> tuple[Area, int]:
    """Draw the QR code, or leave its place; return the area beside it and the row below it."""
    code = qr_beside(scene, room)
    if not code:
        return room, 0
    columns, rows = qr_size(code, scene.ui.ascii)
    x = room.x + room.columns - columns
    if scene.model.invitation.page:
        draw_qr(canvas, x, room.y, code, scene.ui.ascii)
        canvas.marks["qr"] = Area(x, room.y, columns, rows)
    return replace(room, columns=room.columns - columns - QR_GAP), room.y + rows


def _summary(scene: Scene, columns: int) -> str:
    """Return the options of the table in one line, with the names of who watches if they fit."""
    return fit([options_summary(scene.model, named) for named in (True, False)], columns, width)


def _about_tables(scene: Scene) -> list[str]:
    """Return how to open another table, if there are more people than seats; else nothing."""
    if not has_too_few_seats(scene):
        return []
    text = _("“{key}” lists the tables of this host; there, “{other}” opens another one.")
    return [text.format(key=cap_of(OPENERS["hall"]), other=NEW_TABLE_KEY)]


def _draw_invited(canvas: Canvas, scene: Scene, room: Area) -> int:
    """Draw how others join; return the next row."""
    if canvas.rows < LOW:
        short = short_lines(scene.model.invitation, room.columns)
        lines = [("class:label", line) for line in short]
    else:
        lines = invited_lines(scene, room)
    for y, (style, line) in enumerate(lines, start=room.y):
        canvas.put(room.x, y, line, style, room.columns)
    return room.y + len(lines)


# The seats


def _draw_boxes(canvas: Canvas, scene: Scene, room: Area) -> int:
    """Draw the seats side by side; return the next row."""
    y = room.y
    columns = min((room.columns + 1) // len(scene.seats), BOX_COLUMNS)
    canvas.marks["seats"] = Area(room.x, y, room.columns, BOX_ROWS)
    for number, seat in enumerate(scene.seats):
        area = Area(room.x + number * columns, y, columns - 1, BOX_ROWS)
        title = _("Seat {number}").format(number=number + 1)
        canvas.box(area.x, area.y, area.columns, area.rows, title)
        if seat.status != "open":
            letter = f" {scene.letter(number)} "
            canvas.put(area.x + columns - 6, y, letter, seat_style(scene.seats, number))
        x, cells = area.x + 2, area.columns - 4
        style, name = _name(scene, number, seat)
        who = item_list(_who(scene, number, seat))
        names = wrap(name, cells, "") if width(name) > cells + 2 and not who else (name,)
        for line, (text, kind) in enumerate(
            [*((part, style) for part in names), (who, "class:note")]
        ):
            wide = width(text) > cells  # it may touch the frame
            canvas.put(x - wide, y + 1 + line, text, kind, cells + 2 * wide)
        canvas.puts(x, y + 3, _state(seat), cells)
        _draw_action(canvas, scene, number, Area(x, y + 3, cells, 1), area)
    return y + BOX_ROWS


def _draw_rows(canvas: Canvas, scene: Scene, room: Area) -> int:
    """Draw the seats below each other; return the next row."""
    y = room.y
    abouts = [item_list(_who(scene, number, seat)) for number, seat in enumerate(scene.seats)]
    about = max(map(width, abouts))
    # "open seat" is never truncated
    longest = max(width(seat_player(seat, number)) for number, seat in enumerate(scene.seats))
    for brief in (False, True):  # marks alone before names are truncated
        states = [_state(seat, brief) for seat in scene.seats]
        state = max(size(state) for state in states)
        names = max(min(longest, canvas.columns - 11 - about - state), LEAST)
        if names >= longest:
            break
    for number, seat in enumerate(scene.seats):
        line = Area(2, y + number, canvas.columns - 4, 1)
        x = canvas.put(2, line.y, f"{number + 1} ", "class:label")
        style, name = _name(scene, number, seat)
        letter = "" if seat.status == "open" else scene.letter(number)
        x = canvas.put(x, line.y, f"{letter:2}", style)
        shown = name if seat.status == "open" and width(name) > names else pad(name, names)
        x = canvas.put(x, line.y, shown, style) + 1
        canvas.puts(x, line.y, states[number])
        room = Area(x, line.y, canvas.columns - x - 2, 1)
        x = max(_draw_action(canvas, scene, number, room, line), x + state) + 1
        canvas.put(x, line.y, abouts[number], "class:note")
    return y + len(scene.seats)


def _draw_action(canvas: Canvas, scene: Scene, number: Seat, area: Area, all_of_it: Area) -> int:
    """Draw the key of a seat's action; a click anywhere on the seat presses it.

    Return where the key ends, or the area begins.
    """
    action = seat_action(scene, number)
    if action is None:
        return area.x
    canvas.zone(all_of_it.x, all_of_it.y, all_of_it.columns, all_of_it.rows, key_of(action))
    unready = number == scene.me and not scene.seats[number].ready
    named = number == open_seat(scene) or unready
    if not named or emote_of(scene, number):  # for a moment, that stands there
        return area.x
    key = Action.NEXT if number == scene.me else action  # as footer and next step say it
    return draw_key(canvas, area, key, label_of(scene, action))


def _name(scene: Scene, number: Seat, seat: SeatView) -> Fragment:
    if seat.status == "open":
        return "class:dim", _("open seat")
    return seat_style(scene.seats, number), seat_player(seat, number)


def _who(scene: Scene, number: Seat, seat: SeatView) -> list[str]:
    if text := emote_of(scene, number):
        return [text]
    found = [pgettext("person", "you")] if number == scene.me else []
    if number == scene.table.owner:
        found.append(pgettext("person", "owner"))
    if seat.status == "bot":
        found.append(_("bot, {level}").format(level=bot_level(seat.bot)))
    return found


def _state(seat: SeatView, brief: bool = False) -> list[Fragment]:
    """Return whether the seat is ready, or its player away; if `brief`, only a mark for ready."""
    if seat.status == "open":
        return []
    if seat.away:
        return [("class:dim", f"{glyphs.DOT} "), ("class:note", pgettext("person", "away"))]
    if brief:
        return [("class:serve", glyphs.SERVED) if seat.ready else ("class:dim", glyphs.DOT)]
    if seat.ready:
        return [("class:serve", f"{glyphs.SERVED} "), ("class:note", pgettext("person", "ready"))]
    return [("class:dim", f"{glyphs.DOT} "), ("class:note", pgettext("person", "not ready"))]


# The next step


def lobby_step(scene: Scene, low: bool = False) -> str:
    """Return the next thing to do, and by whom, before the game starts; if `low`, without names."""
    if scene.model.status == "over":
        return ""
    if scene.model.awaits_round:
        return tournament_line(scene.model, scene.round_left)
    if scene.model.owner:
        return _step_of_starter(scene, low)
    if scene.me is None:
        return place_in_line(scene)
    if not scene.seats[scene.me].ready:
        if scene.ui.touch:
            button = sentence_case(pgettext("key", "ready"))
            return _("Tap “{button}” when you are ready.").format(button=button)
        return _("Press Enter when you are ready.")
    if scene.model.may_start and len(staying(scene)) >= MIN_PLAYERS:
        return _step_of_starter(scene, low)
    if scene.table.owner is None:
        return _("The game starts when every seat is taken and everybody is ready.")
    return _("Waiting for {name} to start the game.").format(name=scene.name(scene.table.owner))


def _step_of_starter(scene: Scene, low: bool) -> str:
    free = sum(seat.status == "open" for seat in scene.seats)
    late = [seat.name for seat in scene.seats if seat.status == "person" and not seat.ready]
    if late and low:
        return _("Not everybody is ready yet.")
    if late:
        return _("Waiting for {names} to be ready.").format(names=and_list(late))
    if len(scene.seats) - free < MIN_PLAYERS:
        return _("A game needs two players: wait until somebody joins, or add a bot.")
    if not free:
        return _("Everybody is here and ready: Enter starts the game.")
    if scene.ui.touch:
        text = ngettext(
            "{count} seat is still open: tap “{button}” twice to start anyway.",
            "{count} seats are still open: tap “{button}” twice to start anyway.",
            free,
        )
        return text.format(count=free, button=sentence_case(pgettext("key", "start the game")))
    text = ngettext(
        "{count} seat is still open: press Enter twice to start anyway.",
        "{count} seats are still open: press Enter twice to start anyway.",
        free,
    )
    return text.format(count=free)
