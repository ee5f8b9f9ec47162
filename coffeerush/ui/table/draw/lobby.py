"""The lobby: how others join, the seats, the next step, the table's options, and the log."""

from typing import Final

from msgspec.structs import replace

from coffeerush.ui.table.choices import open_seat
from coffeerush.ui.table.key_words import labels_of
from coffeerush.ui.table.keymap import Action
from coffeerush.ui.table.panes import LOW
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import NORMAL, Area, Canvas, Fragment, pad, size, width, wrap
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import and_list, bot_level, item_list, seat_player, seat_style
from coffeerush.ui.words.table import option_lines, options_summary
from protocol import MIN_PLAYERS, Seat, SeatView

from .invitation import (
    QR_GAP,
    asker_parts,
    draw_qr,
    invited_lines,
    qr_beside,
    qr_size,
    short_lines,
)
from .people import emote_of
from .waiting import MIN_LOG, draw_head, draw_key, draw_log, draw_step, draw_text, key_of

BOX_ROWS: Final = 5
BOX_COLUMNS: Final = 36
"""Maximum width of a seat's box."""
LEAST: Final = 8
"""Minimum cells of a name."""


def draw_lobby(canvas: Canvas, scene: Scene) -> None:
    """Draw how others join, the seats, the next step, the table's options, and the log."""
    y = draw_head(canvas, scene, _("Table “{name}”").format(name=scene.table.name))
    gap, low = canvas.rows >= NORMAL[1] - 2, canvas.rows < LOW
    # on a low terminal, a message covers the newest line, but not as long as somebody asks
    end = canvas.rows - (1 + len(asker_parts(scene, canvas.columns - 2)) if low else 2)
    room = Area(2, y + gap, canvas.columns - 4, end - y - gap)
    below_code, code = 0, qr_beside(scene, room)
    if code:
        columns, rows = qr_size(code, scene.ui.ascii)
        below_code = room.y + rows
        draw_qr(canvas, room.x + room.columns - columns, room.y, code, scene.ui.ascii)
        room = replace(room, columns=room.columns - columns - QR_GAP)
    boxes = gap and canvas.columns >= NORMAL[0]
    agreed = (
        [*option_lines(scene.model)] if gap else [*filter(None, [options_summary(scene.model)])]
    )
    if scene.model.invitation.addresses:
        others = (BOX_ROWS if boxes else len(scene.seats)) + 1 + len(agreed) + MIN_LOG + 3 * gap
        y = _draw_invited(canvas, scene, replace(room, rows=room.rows - others)) + gap
    else:
        y = room.y
    y = (_draw_boxes if boxes else _draw_rows)(canvas, scene, replace(room, y=y)) + gap
    y = draw_step(canvas, scene, replace(room, y=y, rows=end - y - 1), lobby_step(scene, low))
    log = 1 if low else MIN_LOG
    y = draw_text(canvas, replace(room, y=y, rows=end - y - log), agreed, "class:note") + gap
    columns = canvas.columns if y > below_code else room.columns + 4
    draw_log(canvas, scene, Area(0, y, columns, end - y))


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
            [*((one, style) for one in names), (who, "class:note")]
        ):
            wide = width(text) > cells  # it may touch the frame
            canvas.put(x - wide, y + 1 + line, text, kind, cells + 2 * wide)
        canvas.puts(x, y + 3, _state(seat), cells)
        _draw_action(canvas, scene, number, Area(x, y + 3, cells, 1), area)
    return y + BOX_ROWS


def _draw_rows(canvas: Canvas, scene: Scene, room: Area) -> int:
    """Draw the seats below each other; return the next row."""
    y = room.y
    abouts = [item_list(_who(scene, *one)) for one in enumerate(scene.seats)]
    about = max(map(width, abouts))
    # "open seat" is never truncated
    longest = max(width(seat_player(seat, number)) for number, seat in enumerate(scene.seats))
    for brief in (False, True):  # marks alone before names are truncated
        states = [_state(seat, brief) for seat in scene.seats]
        state = max(size(one) for one in states)
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
    seat, labels = scene.seats[number], labels_of(scene)
    if seat.status == "open":
        action = Action.ADD_BOT
    elif number != scene.me:
        action = Action.REMOVE
    else:
        action = Action.READY
    if action not in labels or (number == scene.me and scene.model.owner):
        return area.x
    canvas.zone(all_of_it.x, all_of_it.y, all_of_it.columns, all_of_it.rows, key_of(action))
    offered = number == open_seat(scene) or (action is Action.READY and not seat.ready)
    if not offered or emote_of(scene, number):  # for a moment, that stands there
        return area.x
    return draw_key(canvas, area, action, labels[action])


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
    if scene.model.owner:
        return _step_of_owner(scene, low)
    if scene.me is not None and not scene.seats[scene.me].ready:
        return _("Press Enter when you are ready.")
    if scene.table.owner is None:
        return _("The game starts when every seat is taken and everybody is ready.")
    return _("Waiting for {name} to start the game.").format(name=scene.name(scene.table.owner))


def _step_of_owner(scene: Scene, low: bool) -> str:
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
    text = ngettext(
        "Enter starts the game, though {count} seat is still open.",
        "Enter starts the game, though {count} seats are still open.",
        free,
    )
    return text.format(count=free)
