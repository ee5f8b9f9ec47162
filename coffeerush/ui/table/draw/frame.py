"""Header, message line and footer of a game."""

from collections.abc import Container
from itertools import product
from typing import Final

from coffeerush.client.turn import HURRY_SECONDS
from coffeerush.ui.pages.pages import PAGE_KEYS, PAGES, page_offers
from coffeerush.ui.table.available import may_pause
from coffeerush.ui.table.key_words import labels_of, lit_of
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.table.layout import layout_of
from coffeerush.ui.table.panes import COVERING, guide_box, is_new, newest_message, said_line
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING, Ui, age_minutes
from coffeerush.ui.table.text_input import longest
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Parts,
    Target,
    cut,
    kind_of,
    size,
    width,
    wrap_parts,
)
from coffeerush.ui.terminal.keys import drawn
from coffeerush.ui.terminal.parts import BARE_COLUMNS, draw_keys, footer_items, offered
from coffeerush.ui.words.errors import error_line, status_line
from coffeerush.ui.words.i18n import N_, _, ngettext, pgettext
from coffeerush.ui.words.names import phase_name
from coffeerush.ui.words.table import pause_line
from protocol import Phase

from .hand import (
    forecast_parts,
    header_counts,
    suggestion_parts,
)
from .invitation import asker_parts
from .panes import SHOWN, TOLD, hide_newest
from .people import emote_parts
from .waiting import key_of

STATUS_EDGE: Final = 4
"""Cells of the header that the connection status cannot use."""
TYPED_EDGE: Final = 4
"""Cells next to a label and its text field."""
MIN_TYPED: Final = 9
"""Minimum cells of a text field."""
FEW_LEFT: Final = 10
"""With fewer characters left in a text field, their number is shown."""


def draw_header(canvas: Canvas, scene: Scene) -> None:
    """Draw the top line in the longest wording that fits."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    lefts, rights = _lefts(scene), _rights(scene)
    gap = 1 if kind_of(*scene.ui.size) == "narrow" else 2
    # words are left out before numbers, and truncated before the clock
    tries = [*product(rights, lefts), *product(rights, [_turn(scene, brief=True)])]
    fitting = (
        (left, right)
        for right, left in tries
        if size(left) + _right_cells(right, gap) <= canvas.columns - 1
    )
    left, right = next(fitting, tries[-1][::-1])
    canvas.puts(1, 0, left, canvas.columns - 1 - _right_cells(right, gap))
    x = canvas.columns - 1 - size(right)
    for style, text in right:
        canvas.marks[style.rpartition(":")[2]] = Area(x, 0, width(text), 1)
        x = canvas.put(x, 0, text, style)


def _right_cells(right: Parts, gap: int) -> int:
    """Return the cells that the right part takes, with the gaps around it."""
    return gap + size(right) + 1 if right else 0


def _lefts(scene: Scene) -> list[Parts]:
    turn = _turn(scene)
    whole, brief = _("setting up"), ""
    if not scene.setting_up:
        whole = _("round {round}").format(round=scene.view.round)
        brief = _("R{round}").format(round=scene.view.round) + " "
    brand: Parts = [("class:header class:brand", _("Coffee Rush")), ("class:header", "  ")]
    long: Parts = [("class:header", whole + "  "), *turn]
    return [[*brand, *long], long, [("class:header", brief), *turn], turn]


def _turn(scene: Scene, brief: bool = False) -> Parts:
    """Return whose turn it is and its phase, or what is wrong with the connection.

    If `brief`, it is one of both, and comes after the clock.
    """
    status = scene.model.status
    if status != "here":
        return [("class:warning", " " + status_line(scene.model) + " ")]
    if scene.model.pause is not None:
        return [("class:warning", " " + _("PAUSED") + " ")]
    clock = _clock(scene)
    if scene.bot_finishes:
        return [("class:header", f"{glyphs.POINTER} " + _("a bot finishes your turn"))]
    name, what = scene.name(scene.view.active or 0), phase_name(scene.view.phase)
    style, text = (
        "class:header",
        name if brief else _("{name}: {what}").format(name=name, what=what),
    )
    if scene.my_turn:
        style, what = "class:header class:turn", _what_to_do(scene)
        text = what if brief else _("YOUR TURN: {what}").format(what=what)
    turn = (style, f"{glyphs.POINTER} {text}")
    gap = [("class:header", " ")] * bool(clock)
    return [*clock, *gap, turn] if brief else [turn, *gap, *clock]


def _clock(scene: Scene) -> Parts:
    """Return the time left in the turn; the last seconds are an alarm, also without colours."""
    left = scene.clock
    if left is None:
        return []
    text = f"{left // 60}:{left % 60:02}"
    if left <= HURRY_SECONDS:
        return [("class:warning", f"!{text}!")]
    return [("class:header class:turn" if scene.my_turn else "class:header", text)]


def is_hurried(scene: Scene) -> bool:
    """Return whether this player's time is nearly up."""
    return scene.my_turn and scene.clock is not None and scene.clock <= HURRY_SECONDS


def _what_to_do(scene: Scene) -> str:
    match scene.view.phase:
        case Phase.PLACING:
            return pgettext("what to do", "place a meeple")
        case Phase.FILLING:
            return pgettext("what to do", "fill your cups")
        case Phase.POURING:
            return pgettext("what to do", "pour")
        case Phase.SERVING:
            if not scene.serves:
                return pgettext("what to do", "end your turn")
            return pgettext("what to do", "serve or end")
    left = scene.view.steps_left
    if left:
        return ngettext("{count} step left", "{count} steps left", left).format(count=left)
    if scene.player(scene.me or 0).rush:
        return _("a step costs {rush}1").format(rush=glyphs.RUSH)
    return pgettext("what to do", "no steps left")


def _rights(scene: Scene) -> list[Parts]:
    """Return this player's counts and the deck, longest wording first."""
    counts = header_counts(scene)
    return counts if scene.model.status == "here" else [*counts, []]


def message_lines(canvas: Canvas, scene: Scene, columns: int = 0) -> list[Parts]:
    """Return the message, wrapped: text field, question, refusal or suggestion.

    Above it is who asks to come in. A note leaves what Space pours visible. `columns` are those of
    the message line unless others are given.
    """
    room = columns or canvas.columns - 2
    lines = wrap_parts(message_parts(scene, canvas.marks), room)
    told = scene.ui.note and scene.ui.asked in ("", "pour") and not guide_box(scene)
    if told and scene.options and scene.suggestion and scene.ui.mode == "table":
        lines += wrap_parts(suggestion_parts(scene, room), room)
    if asker := asker_parts(scene, room):
        lines = asker + [one for one in lines if one]
    return lines


def message_rows(canvas: Canvas, scene: Scene) -> int:
    """Return the number of rows that the message covers, with its rule, with no tabs above it."""
    if beside := _beside_board(canvas, scene):
        area, _lines, _below = beside
        return canvas.rows - 1 - area.y
    lines = message_lines(canvas, scene)
    return len(lines) + (len(lines) > COVERING) if any(lines) else 0


def _beside_board(canvas: Canvas, scene: Scene) -> tuple[Area, list[Parts], list[Parts]] | None:
    """Return the place of a message right of a narrow board, and its lines there and below.

    None if the message line has room for it without hiding the board, or this has no room either.
    """
    size = (canvas.columns, canvas.rows)
    if kind_of(*size) != "narrow" or scene.stage != "game" or scene.ui.mode != "table":
        return None
    layout, whole = layout_of(*size), message_lines(canvas, scene)
    board, side = layout.board, layout.side
    below = canvas.rows - 1 - board.y - board.rows
    if len(whole) + (len(whole) > COVERING) <= below or guide_box(scene):
        return None
    lines = message_lines(canvas, scene, side.columns)
    lines, rest = lines[: side.rows], lines[side.rows :]
    words = " ".join(text for parts in rest for _style, text in parts)
    last = wrap_parts([(rest[0][0][0], words)], canvas.columns - 2) if words else []
    if len(last) > below:
        return None
    ruled = len(lines) < side.rows
    top = side.y + side.rows - len(lines) - ruled
    return Area(side.x, top, side.columns, len(lines) + ruled), lines, last


def _draw_beside(
    canvas: Canvas, area: Area, lines: list[Parts], below: list[Parts], asker: list[Parts]
) -> None:
    """Draw a message right of the board, under a rule, and what is left of it below the board."""
    canvas.fill(area.x - 1, area.y, area.columns + 1, area.rows)
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("row", 0))
    canvas.marks["message"] = area
    if len(lines) < area.rows:
        canvas.rule(area.x, area.y, area.columns)
    end = area.y + area.rows
    for y, parts in enumerate(lines, start=end - len(lines)):
        canvas.puts(area.x, y, parts, area.columns)
        if parts in asker:
            canvas.zone(area.x, y, area.columns, 1, key_of(Action.LET_IN))
    canvas.fill(0, end, canvas.columns, len(below))
    for y, parts in enumerate(below, start=end):
        canvas.puts(1, y, parts, canvas.columns - 2)


def _with_newest(canvas: Canvas, scene: Scene, lines: list[Parts], y: int) -> list[Parts]:
    """Put a new chat message above a message whose last line is at `y`, unless it is visible."""
    if any(lines):
        hide_newest(canvas, Area(0, y - len(lines) + 1, canvas.columns, len(lines)))
    said, others = newest_message(scene), [one for one in lines if one]
    seen = {SHOWN, TOLD} & canvas.marks.keys() or len(others) >= y - 1
    if said is None or not is_new(scene) or seen:
        return lines
    room = canvas.columns - 2
    said_lines = wrap_parts([("class:said", said_line(said))], room)
    return _shortened(said_lines, room, 1 if others or guide_box(scene) else COVERING) + others


def draw_message(canvas: Canvas, scene: Scene, y: int) -> None:
    """Draw the message, whose last line is at `y`; a click on who asks lets them in.

    A longer message takes as many lines above as it needs, because it has to be read now; the next
    key clears it.
    """
    if beside := _beside_board(canvas, scene):
        area, _lines, _below = beside
        hide_newest(canvas, area)
        _draw_beside(canvas, *beside, asker_parts(scene, area.columns))
        return
    room = canvas.columns - 2
    lines, asker = message_lines(canvas, scene), asker_parts(scene, room)
    lines = _with_newest(canvas, scene, lines, y)
    top = max(y - len(lines) + 1, 2)
    # below the titles of the panes it needs no rule
    tabs = canvas.marks.get("tabs")
    ruled = len(lines) > COVERING and (tabs is None or top <= tabs.y)
    if any(lines):
        canvas.fill(0, top - ruled, canvas.columns, y - top + ruled + 1)
    if ruled:
        canvas.rule(0, top - 1, canvas.columns)
    if len(lines) > COVERING:
        canvas.zone(0, top - ruled, canvas.columns, y - top + ruled + 1, Target("row", 0))
    for offset, parts in enumerate(lines):
        canvas.puts(1, top + offset, parts, room)
        if parts in asker:
            canvas.zone(0, top + offset, canvas.columns, 1, key_of(Action.LET_IN))


def _shortened(said: list[Parts], room: int, most: int) -> list[Parts]:
    """Truncate a message to so many lines: its pane has all of it."""
    if len(said) <= most:
        return said
    rest = " ".join(text for parts in said[most - 1 :] for _style, text in parts)
    return [*said[: most - 1], [("class:said", cut(rest, room))]]


def message_parts(scene: Scene, marks: Container[str]) -> Parts:
    """Return the most important message on a screen with these marks."""
    ui = scene.ui
    if ui.mode in TYPING:
        return _typed_parts(ui)
    if ui.asked:
        return [("class:ask", ui.note)]
    if ui.note and not guide_box(scene):
        return [("class:refusal" if ui.refused else "class:note", ui.note + _age(ui))]
    if scene.model.status == "lost" and scene.model.trouble:
        return [("class:warning", error_line(scene.model.trouble))]
    status = status_line(scene.model) if scene.model.status != "here" else ""
    if width(status) > ui.size[0] - STATUS_EDGE:
        return [("class:warning", status)]
    if spoken := emote_parts(scene, marks):
        return spoken
    if scene.model.pause is not None:
        paused: Parts = [("class:ask", pause_line(scene.model))]
        keys: Parts = [("", "  "), ("class:note", _("Press “p” to go on."))]
        return [*paused, *keys] if may_pause(scene) else paused
    if scene.stage != "game" or guide_box(scene):
        return []
    kind, room = kind_of(*ui.size), ui.size[0] - 2
    if scene.suggestion and scene.options:
        return suggestion_parts(scene, room)
    offer = [*_last_round(scene), *_upgrade_parts(scene)]
    # boxes show what expires in their frames; the wide layout also shows who sent orders
    room -= size(offer)
    forecast = [] if kind == "wide" else forecast_parts(scene, room, expiring=kind == "narrow")
    return [*offer, *forecast]


def _last_round(scene: Scene) -> Parts:
    """Return that the round is the last, where the header has no room for it."""
    if not scene.view.closed or scene.ui.size[0] >= BARE_COLUMNS:
        return []
    return [("class:warning", _("LAST ROUND")), ("", "  ")]


def _age(ui: Ui) -> str:
    """Return the age of the note if it is from before the player looked here again."""
    minutes = age_minutes(ui)
    if not minutes:
        return ""
    text = ngettext("({count} minute ago)", "({count} minutes ago)", minutes)
    return " " + text.format(count=minutes)


def _upgrade_parts(scene: Scene) -> Parts:
    """Return the note that an upgrade can be activated now, which is easily missed."""
    if not scene.upgrades or scene.ui.mode == "upgrades" or scene.view.closed:
        return []  # in the last round it costs more than it scores
    return [("class:ask", _("Upgrade possible: press “g”.")), ("", "   ")]


_FIELDS: Final = {
    "chat": N_("Say:"),
    "name": N_("New name:"),
    "letter": N_("Your letter, A to Z:"),
    "pause": N_("Pause, and why:"),
}


def _typed_parts(ui: Ui) -> Parts:
    """Return the text field and, near its end, how many characters still fit."""
    label = _(_FIELDS[ui.mode])
    left = longest(ui) - len(ui.draft.text)
    count = f" {left}" if left < FEW_LEFT < longest(ui) else ""
    room = max(ui.size[0] - TYPED_EDGE - width(label) - len(count), MIN_TYPED)
    field = drawn(ui.draft, room, "class:draft")
    return [("class:label", label + " "), *field, ("class:urgent", count)]


def draw_footer(canvas: Canvas, scene: Scene, y: int) -> None:
    """Draw the footer: the keys that do something now."""
    if scene.ui.mode in PAGES:
        draw_keys(canvas, y, PAGE_KEYS, page_offers(scene.ui))
        return
    offers = labels_of(scene)
    label = offers.get(Action.UNDO)
    items, _gap = footer_items(KEYMAP, offers, canvas.columns)
    if label and all(one.label != label for one in items):
        # if the label of undo does not fit, keep the count at least
        offers[Action.UNDO] = str(scene.undo + len(scene.aside))
    if Action.READY in offers and Action.NEXT in offers:
        offers[Action.READY] = ""  # Enter does the same
    draw_keys(canvas, y, KEYMAP, offers, lit_of(scene))
    if label:  # a button has the room
        canvas.offers = offered(KEYMAP, offers | {Action.UNDO: label})
