"""Draw the screen of a game: header, message line, layouts, footer. Pure."""

from collections.abc import Container
from itertools import product, takewhile
from math import ceil
from typing import Final

from msgspec.structs import replace

from coffeerush.client.handover import asks
from coffeerush.client.model import Model
from coffeerush.client.turn import HURRY_SECONDS, time_limit
from coffeerush.ui.pages.pages import PAGE_KEYS, PAGES, READING_COLUMNS, draw_page, page_offers
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Parts,
    Target,
    cut,
    fit,
    is_tiny,
    kind_of,
    size,
    width,
    wrap,
    wrap_parts,
)
from coffeerush.ui.terminal.keys import TAB, drawn
from coffeerush.ui.terminal.parts import BARE_COLUMNS, bar, draw_keys, footer_items
from coffeerush.ui.words.errors import error_line, status_line
from coffeerush.ui.words.events import (
    has_two_meeples,
    last_round,
    last_turn,
    may_end_first,
    why_over,
)
from coffeerush.ui.words.i18n import N_, _, ngettext, pgettext
from coffeerush.ui.words.names import item_list, phase_name
from coffeerush.ui.words.table import (
    asked_line,
    bot_to_move,
    doing,
    go_on_line,
    moving_line,
    pause_line,
    slow_after,
    step_on_line,
    thinking_line,
)
from protocol import CUPS, FREE_STEPS, MAX_PLAYERS, Phase, Seat, Step, View

from .actions import (
    AT_THE_DOOR,
    FIRST_WHILE_WAITING,
    KEYMAP,
    SECOND_WHILE_WAITING,
    Action,
    cap_of,
    is_offered,
    labels_of,
    lit_of,
    may_pause,
    spare_of,
)
from .draw_board import draw_board, step_marks
from .draw_hand import (
    ALL_ORDERS_KEY,
    belt_rows,
    draw_belt,
    draw_cards,
    draw_cups,
    draw_expiring,
    draw_more_orders,
    draw_order_list,
    draw_orders,
    draw_pictures,
    forecast_parts,
    header_counts,
    newest_room,
    order_names,
    suggestion_parts,
    upgrade_boxes,
    upgrades_in,
)
from .draw_lists import (
    SHOWN,
    TOLD,
    draw_choices,
    draw_guide_box,
    draw_newest,
    draw_pane,
    draw_tabs,
    hide_newest,
    list_rows,
)
from .draw_lobby import (
    asker_parts,
    draw_invitation,
    draw_joining,
    draw_lobby,
    draw_tiny,
    make_asker_clickable,
)
from .draw_moments import draw_moments, over_board
from .draw_people import (
    draw_blocks,
    draw_lines,
    draw_spoken,
    draw_turns,
    emote_parts,
    watched_lines,
)
from .draw_result import draw_result
from .draw_talk import draw_talk
from .draw_tournament import draw_tournament
from .lists import choices_of, handovers
from .panes import (
    COVERING,
    MIN_PANE,
    guide_box,
    is_new,
    last_message,
    log_or_guide,
    newest_message,
    open_pane,
    pane_title,
    said_line,
    under_narrow,
    unread,
)
from .scene import Scene
from .state import MIDDLE, TYPING, Layout, Ui, age_minutes, ending_of, layout_of
from .text_input import longest

# Header, message line and footer of a game


CLOCK_BAR: Final = 8
"""The cells of the bar of the turn clock."""
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
    gaps = (2, 1) if kind_of(*scene.ui.size) == "narrow" else (2,)
    # words are left out before numbers, and truncated before the clock
    tries = (
        *product(gaps, rights, lefts),
        *product(gaps[-1:], rights, [turn_parts(scene, brief=True)]),
    )
    if (
        scene.ui.heading
    ):  # in a replay, the deck is left out before the turn, and that before scores
        with_scores = product(gaps[-1:], rights[:2], lefts[:-1])
        tries = (*with_scores, *product(gaps[-1:], rights, lefts))

    def cells(one: tuple[int, Parts, Parts]) -> int:
        return _right_cells(one[1], one[0]) + size(one[2])

    room, spare = canvas.columns - 1, _spare(scene)
    steady = fit(tries, room - spare, cells)
    gap, right, left = steady if cells(steady) <= room - spare else fit(tries, room, cells)
    end = canvas.puts(1, 0, left, canvas.columns - 1 - _right_cells(right, gap))
    start = 1 + size([*takewhile(lambda part: not part[1].startswith(glyphs.POINTER), left)])
    canvas.marks["turn"] = Area(start, 0, max(end - start, 0), 1)
    x = canvas.columns - 1 - size(right)
    for style, text in right:
        canvas.marks[style.rpartition(":")[2]] = Area(x, 0, width(text), 1)
        x = canvas.put(x, 0, text, style)


def _spare(scene: Scene) -> int:
    """Return by how many cells a turn's longest words are longer than those of this moment.

    With them, what the header leaves out stays the same from turn to turn. A narrow one has no room
    for that.
    """
    said = next((text for _style, text in turn_parts(scene) if text[0] == glyphs.POINTER), "")
    if kind_of(*scene.ui.size) == "narrow" or scene.setting_up or scene.ui.heading or not said:
        return 0
    own = (
        _("YOUR TURN: {what}").format(what=what)
        for what in (_steps_left(FREE_STEPS), _paid_step(), pgettext("what to do", "serve or end"))
        if scene.me is not None
    )
    of_others = (
        _("{name}: {what}").format(name=scene.name(seat), what=phase_name(phase))
        for seat, phase in product(scene.others, (Phase.MOVING, Phase.POURING, Phase.SERVING))
    )
    longest = max(map(width, (*own, *of_others)))
    return max(longest + width(f"{glyphs.POINTER} ") - width(said), 0)


def _right_cells(right: Parts, gap: int) -> int:
    """Return the cells that the right part takes, with the gaps around it."""
    return gap + size(right) + 1 if right else 0


def _brand(title: str) -> Parts:
    return [("class:header class:brand", title), ("class:header", "  ")]


def _lefts(scene: Scene) -> list[Parts]:
    turn, barred = turn_parts(scene), turn_parts(scene, barred=True)
    whole, brief = _("setting up"), ""
    if not scene.setting_up:
        whole = _("round {round}").format(round=scene.view.round)
        brief = _("R{round}").format(round=scene.view.round) + " "
    title = scene.table.name if scene.model.home else _("Coffee Rush")
    brand = _brand(scene.ui.heading or title)
    rounds = ("class:header", whole + "  ")
    if scene.ui.heading:
        return [
            [*brand, rounds, *barred],
            [*brand, ("class:header", brief), *turn],
            [*brand, *turn],
            [*brand, *turn_parts(scene, brief=True)],
            brand,
        ]
    watchers = scene.table.spectators if scene.me is not None else ()
    watched = _("watching: {names}").format(names=item_list(watchers))
    with_watchers = [rounds, *barred, ("class:header", "  " + watched)]
    return [
        *([[*brand, *with_watchers], with_watchers] if watchers else []),
        [*brand, rounds, *barred],
        [rounds, *barred],
        [rounds, *turn],
        [("class:header", brief), *turn],
        turn,
    ]


def turn_parts(scene: Scene, brief: bool = False, barred: bool = False) -> Parts:
    """Return whose turn it is and its phase, or what is wrong with the connection.

    If `brief`, it is one of both, and comes after the clock; if `barred`, that has a bar.
    """
    status = scene.model.status
    if status != "here":
        return [("class:warning", " " + status_line(scene.model) + " ")]
    if scene.model.pause is not None:
        return [("class:warning", " " + _("PAUSED") + " ")]
    if scene.ended:
        return [("class:warning", " " + _("CLOSED") + " ")]
    clock = _clock(scene, barred)
    if scene.model.bot_finishes:
        return [("class:header", f"{glyphs.POINTER} " + _("a bot finishes your turn"))]
    active = scene.view.active or 0  # a replay ends with nobody's turn
    name, what = scene.name(active), doing(scene.view)
    if scene.players[active].away and not scene.players[active].bot:
        what = pgettext("person", "away")
    style, text = (
        "class:header",
        name if brief else _("{name}: {what}").format(name=name, what=what),
    )
    if scene.ui.playing == "reading":
        text = _at_a_stop(scene, active, brief) or text
        if left := reading_clock(scene):
            text += f" {left}"
    if scene.turn.is_mine:
        style, what = "class:header class:turn", what_to_do(scene)
        text = what if brief else _("YOUR TURN: {what}").format(what=what)
    turn = (style, f"{glyphs.POINTER} {text}")
    gap = [("class:header", " ")] * bool(clock)
    return [*clock, *gap, turn] if brief else [turn, *gap, *clock]


def _at_a_stop(scene: Scene, active: Seat, brief: bool) -> str:
    """Return whose turn has ended, and who is next; "" while that turn goes on, and in the setup.

    If `brief`, only the latter.
    """
    up_next = scene.ui.up_next
    if scene.setting_up:  # they are still to place what the guide speaks of
        return ""
    if up_next is None:
        begins = scene.view.phase is Phase.MOVING and not scene.view.path[1:]
        return _("{name} is next").format(name=scene.name(active)) if begins else ""
    name = scene.name(up_next)
    then = _("you are next") if up_next == scene.me else _("{name} is next").format(name=name)
    done = _("{name} is done").format(name=scene.name(active))
    return then if brief else f"{done} {glyphs.DOT} {then}"


def reading_clock(scene: Scene) -> str:
    """Return the time left to read what the guide says of a move; "" without a limit."""
    until = scene.ui.reads_until
    return "" if until is None else _minutes(ceil(max(until - scene.ui.now, 0)))


def _clock(scene: Scene, barred: bool = False) -> Parts:
    """Return the time left in the turn; the last seconds are an alarm, also without colours."""
    left = scene.clock
    if left is None:
        return []
    text = _minutes(left)
    style = "class:header class:turn" if scene.turn.is_mine else "class:header"
    parts: Parts = []
    if barred and (limit := time_limit(scene.model)):
        full, empty = bar(left, limit, CLOCK_BAR)
        parts = [
            (f"{style} nobold", full),
            ("class:header class:dim", empty),
            ("class:header", " "),
        ]
    hurried = left <= HURRY_SECONDS
    return [*parts, ("class:warning", f"!{text}!") if hurried else (style, text)]


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def is_hurried(scene: Scene) -> bool:
    """Return whether this player's time is nearly up."""
    return scene.turn.is_mine and scene.clock is not None and scene.clock <= HURRY_SECONDS


def what_to_do(scene: Scene) -> str:
    """Return what this player has to do now, in a few words."""
    match scene.view.phase:
        case Phase.PLACING:
            if not has_two_meeples(scene.model):
                return pgettext("what to do", "place a meeple")
            place = pgettext("what to do", "place meeple {number} of 2")
            return place.format(number=len(scene.player(scene.me or 0).meeples) + 1)
        case Phase.FILLING:
            return pgettext("what to do", "fill your cups")
        case Phase.POURING:
            return pgettext("what to do", "pour")
        case Phase.SERVING:
            if not scene.turn.serves:
                return pgettext("what to do", "end your turn")
            return pgettext("what to do", "serve or end")
    left = scene.view.steps_left
    if left:
        return _steps_left(left)
    if scene.player(scene.me or 0).rush:
        return _paid_step()
    return pgettext("what to do", "no steps left")


def _steps_left(count: int) -> str:
    return ngettext("{count} step left", "{count} steps left", count).format(count=count)


def _paid_step() -> str:
    return _("a step costs {rush}1").format(rush=glyphs.RUSH)


def _rights(scene: Scene) -> list[Parts]:
    """Return this player's counts and the deck, longest wording first."""
    counts = header_counts(scene)
    return counts if scene.model.status == "here" else [*counts, []]


def message_lines(canvas: Canvas, scene: Scene, columns: int = 0) -> list[Parts]:
    """Return the message, wrapped: text field, question, refusal or suggestion.

    Above it is who asks to come in, what the owner asks, then the news. A note leaves what Space
    pours visible.
    `columns` are those of the message line unless others are given.
    """
    room = columns or canvas.columns - 2
    lines = wrap_parts(message_parts(scene, canvas.marks), room)
    said = scene.ui.note or (scene.hint and not scene.guide)
    told = said and scene.ui.asked in ("", "pour") and not guide_box(scene)
    if told and scene.tells_pours and scene.ui.mode == "table":
        lines += wrap_parts(suggestion_parts(scene, room), room)
    above = asker_parts(scene, room) + _request_parts(scene, room)
    if news := news_parts(scene, noted=scene.ui.mode in TYPING):
        above += wrap_parts(news, room)
    return above + [line for line in lines if line] if above else lines


def _request_parts(scene: Scene, columns: int) -> list[Parts]:
    """Return that the owner asks this player to host the table, in their turn, as one line."""
    if not (_asks_in_turn(scene) and scene.ui.mode == "table"):
        return []
    keys = "" if scene.ui.touch else " " + _("Press “H” to answer.")
    texts = (asked_line(scene.model) + keys, _("Host the table?") + keys)
    return [[("class:ask", fit(texts, columns, width))]]


def _asks_in_turn(scene: Scene) -> bool:
    """Return whether the owner asks this player to host the table while it is their turn."""
    return asks(scene.model) is not None and scene.turn.is_mine


def news_parts(scene: Scene, noted: bool = False) -> Parts:
    """Return the news of other people and, where the message has no room for it, the note."""
    ui = scene.ui
    parts: Parts = [("class:note", news) for news in ui.news]
    if noted and ui.note:
        parts.append(("class:refusal" if ui.refused else "class:note", ui.note))
    if parts and (noted or not ui.note) and (age := _age(ui)):
        parts.append(("class:note", age.strip()))
    return [piece for part in parts for piece in (("", " "), part)][1:]


def draw_news(canvas: Canvas, scene: Scene) -> None:
    """Write what an update has brought over the top of what covers the table, until a key.

    A turn that begins comes first, with its clock.
    """
    ui, lines = scene.ui, []
    if ui.key_at < ui.turn_at and scene.turn.is_mine:
        lines.append(turn_parts(scene))
    if ui.key_at < ui.asker_at:
        lines += asker_parts(scene, canvas.columns - 2)
    if ui.key_at < ui.note_at <= ui.now and not ui.asked:
        lines.append(news_parts(scene, noted=True))
    wrapped = [part for line in lines if line for part in wrap_parts(line, canvas.columns - 2)]
    canvas.fill(0, 0, canvas.columns, len(wrapped))
    for y, parts in enumerate(wrapped):
        canvas.puts(1, y, parts, canvas.columns - 2)


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
            make_asker_clickable(canvas, area.x, y, area.columns)
    canvas.fill(0, end, canvas.columns, len(below))
    for y, parts in enumerate(below, start=end):
        canvas.puts(1, y, parts, canvas.columns - 2)


def _with_newest(canvas: Canvas, scene: Scene, lines: list[Parts], y: int) -> list[Parts]:
    """Put a new chat message above a message whose last line is at `y`, unless it is visible."""
    if any(lines):
        hide_newest(canvas, Area(0, y - len(lines) + 1, canvas.columns, len(lines)))
    said, others = newest_message(scene), [line for line in lines if line]
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
        if parts in asker and is_offered(scene, AT_THE_DOOR[0]):
            make_asker_clickable(canvas, 0, top + offset, canvas.columns)


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
    is_lost = scene.model.status == "lost" or scene.model.elsewhere
    trouble = scene.model.trouble if is_lost else None
    if trouble and scene.model.may_go_on and not ui.touch:
        return [
            ("class:warning", error_line(trouble)),
            ("", "  "),
            ("class:ask", go_on_line(scene.model)),
        ]
    if ui.note and not guide_box(scene):
        return _note_parts(scene)
    if trouble:
        return [("class:warning", error_line(trouble))]
    status = status_line(scene.model) if scene.model.status != "here" else ""
    if width(status) > ui.size[0] - STATUS_EDGE:
        return [("class:warning", status)]
    spoken = emote_parts(scene, marks)
    if spoken and (guide_box(scene) or not scene.turn.is_mine):
        return spoken
    if (moving := moving_line(scene.model)) and not _asks_in_turn(scene):
        cancels = scene.model.owner and any(choice.wish for choice in handovers(scene))
        keys: Parts = [("", "  "), ("class:note", _("Press “H” to stop asking."))]
        return [("class:ask", moving), *(keys if cancels and not ui.touch else ())]
    if scene.model.pause is not None:
        return _paused_parts(scene)
    if slow := slow_line(scene):
        return [("class:note", slow)]
    if scene.stage != "game" or guide_box(scene):
        return []
    if scene.turn.must_step_on:
        last = _last_round(scene, ui.size[0] - 2 - width(step_on_line()))
        told = step_on_line() in scene.guide and open_pane(scene, kind_of(*ui.size)) == "guide"
        walk = _walk_parts(scene) or [("class:warning", step_on_line())]
        return last if told else [*last, *walk]
    if scene.hint and not scene.guide:  # which says the same
        return [("class:note", scene.hint.text)]
    kind, room = kind_of(*ui.size), ui.size[0] - 2
    if scene.tells_pours and ui.mode != "orders":  # in which Space does nothing
        return suggestion_parts(scene, room)
    offer = [*_last_round(scene, room), *_upgrade_parts(scene), *_walk_parts(scene)]
    # boxes show what expires in their frames; the wide layout also shows who sent orders
    room -= size(offer)
    forecast = [] if kind == "wide" else forecast_parts(scene, room, expiring=kind == "narrow")
    return [*offer, *forecast] or spoken


def _paused_parts(scene: Scene) -> Parts:
    paused: Parts = [("class:ask", pause_line(scene.model))]
    keys: Parts = [("", "  "), ("class:note", _("Press “p” to resume."))]
    return [*paused, *keys] if may_pause(scene) and not scene.ui.touch else paused


def slow_line(scene: Scene) -> str:
    """Return that a bot is still thinking, and how long at most, if it seems to have stopped."""
    seat, ui = bot_to_move(scene.model), scene.ui
    if seat is None or ui.playing or ui.now - ui.moved_at < slow_after(scene.table):
        return ""
    from coffeerush.ui.advice.advice import move_seconds

    return thinking_line(scene.name(seat), move_seconds())


def _note_parts(scene: Scene) -> Parts:
    """Return the note and that a walk must go on, if there is room for both.

    Its age takes no line of its own.
    """
    ui, room = scene.ui, scene.ui.size[0] - 2
    said = (f"{glyphs.REFUSED} " if ui.refused else "") + ui.note
    rows = len(wrap(said, room, ""))
    text = fit([said + _age(ui), said], rows, lambda text: len(wrap(text, room, "")))
    if ui.refused or not scene.turn.must_step_on or kind_of(*ui.size) == "narrow":
        return [("class:refusal", text)] if ui.refused else _told_parts(scene, text)
    return [*_told_parts(scene, text), ("", "  "), ("class:warning", step_on_line())]


def _told_parts(scene: Scene, text: str) -> Parts:
    """Return a note; that the game ends or may, and which turn is the last, stands out."""
    known = [line for line in (last_round(scene.model), last_turn(scene.model)) if line]
    coming = may_end_first(scene.model)
    loud = next((line for line in (" ".join(known), *known, coming) if line and line in text), "")
    before, loud, after = text.partition(loud) if loud else (text, "", "")
    style = "class:warning" if loud == coming else "class:urgent"
    parts: Parts = [("class:note", before), (style, loud), ("class:note", after)]
    return [part for part in parts if part[1]]


def _last_round(scene: Scene, room: int) -> Parts:
    """Return that the round is the last, where the header has no room for it, or may be."""
    # on a narrow terminal, what expires needs the room
    coming = may_end_first(scene.model) if kind_of(*scene.ui.size) != "narrow" else ""
    if coming and width(coming) <= room:
        return [("class:warning", coming), ("", "  ")]
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
    if not scene.offers_upgrade or scene.ui.mode == "upgrades":
        return []
    return [("class:ask", _("Upgrade possible: press “g”.")), ("", "   ")]


def _walk_parts(scene: Scene) -> Parts:
    """Return the walk that the guide advises, on a narrow terminal without a pane for the guide."""
    if kind_of(*scene.ui.size) != "narrow" or not scene.guide or not scene.turn.steps:
        return []
    if open_pane(scene, "narrow") == "guide" or under_narrow(scene).rows >= MIN_PANE:
        return []
    from coffeerush.ui.advice.advice import advised

    steps = [intent for intent in advised(scene.view).intents if isinstance(intent, Step)]
    if not steps:
        return []
    begin = scene.player(scene.me or 0).meeples[steps[0].meeple - 1]
    other = "" if steps[0].meeple == scene.turn.meeple else cap_of(Action.MEEPLE) + " "
    walk = step_marks([begin, *(step.cell for step in steps)])
    return [("class:guide", _("Hint:")), ("class:step", f" {other}{walk}"), ("", "   ")]


_FIELDS: Final = {
    "chat": N_("Say:"),
    "name": N_("New name:"),
    "table_name": N_("New name of the table:"),
    "letter": N_("Your letter, A to Z:"),
    "pause": N_("Pause, and why:"),
}


def field_label(ui: Ui) -> str:
    """Return the label of the open text field."""
    return _(_FIELDS[ui.mode])


def _typed_parts(ui: Ui) -> Parts:
    """Return the text field and, near its end, how many characters still fit."""
    label = field_label(ui)
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
    labels = _footer_labels(scene, canvas.columns)
    draw_keys(canvas, y, KEYMAP, labels, lit_of(scene, labels))


def _footer_labels(scene: Scene, columns: int) -> dict[Action, str]:
    """Return the labels for a footer.

    While the guide explains others' moves, one can pause and talk before anything else.
    """
    labels = labels_of(scene)
    waits = FIRST_WHILE_WAITING[-1] in labels and scene.ui.guide and not scene.turn.is_mine
    first = FIRST_WHILE_WAITING if waits else (*labels,)
    for second in SECOND_WHILE_WAITING if waits else spare_of(scene):
        shown = {item.label for item in footer_items(KEYMAP, labels, columns)[0]}
        if {labels.get(action) or "" for action in first} <= shown | {""}:
            break
        labels[second] = ""
    return labels


# The screen of a game in its three layouts


CHAT_SHARE: Final = 0.4
GUIDED_CHAT_SHARE: Final = 0.3
"""The chat's share of a wide terminal, and next to the guide, which is to be read as a whole."""
GUIDE_ROWS: Final = 6
"""The most lines that the guide says at once on a normal terminal, below its title."""
LEAST_BLOCK: Final = 3
"""Rows of another player next to a list."""
BOXES_EDGE: Final = 3
"""The edges of the boxes of cups and orders, which share one."""
LOG_ROWS: Final = 4
"""The lines of a log that a belt leaves."""
LEAST_GUIDE, LEAST_LOG = 4, 2
"""The lines of the guide, and of another pane, that a list of many orders leaves."""
LEAST_PANE: Final = 2
"""Rows of a pane above a long message."""


def draw_game(canvas: Canvas, scene: Scene) -> None:
    """Draw everything but the message and the footer."""
    layout = layout_of(canvas.columns, canvas.rows, scene.ui.tiles)
    draw_header(canvas, scene)
    walked = scene.ended or len(scene.view.path) > 1
    bare = walked and over_board(scene, canvas.columns, canvas.rows) is not None
    draw_board(canvas, Scene(scene.model, scene.ui, bare=True) if bare else scene, layout)
    draw_talk(canvas, scene, layout)
    canvas.marks["board"] = layout.board
    over = lists = layout.side
    match layout.kind:
        case "wide":
            lists = _wide(canvas, scene, layout)
        case "normal" if canvas.columns >= MIDDLE and not _alone_below(scene):
            _middle(canvas, scene, layout)
        case "normal":
            over = lists = _normal(canvas, scene, layout)
        case _:
            over = lists = _narrow(canvas, scene, layout)
    if guide_box(scene):
        draw_guide_box(canvas, scene)
    draw_choices(canvas, scene, lists)
    if scene.ui.mode == "orders":
        draw_order_list(canvas, scene, over)
        hide_newest(canvas, over)


def _plays(scene: Scene) -> bool:
    """Return whether this player has cups and orders to draw."""
    return scene.own is not None and scene.me is not None


def _upgrades(canvas: Canvas, scene: Scene, line: Area) -> None:
    """Draw this player's upgrades right-aligned in the title line of the cups."""
    if "upgrades" not in scene.signs:
        return
    me, room = scene.me or 0, line.columns - width(_("Your cups")) - 8
    label = " " + _("upgrades") + " "
    names = upgrades_in(scene, me, room - width(label)) or upgrade_boxes(scene, me)
    parts: Parts = [("class:label", label), ("class:upgrade", f"{names} ")]
    begin = line.x + line.columns - size(parts) - 1
    canvas.puts(begin, line.y, parts)
    canvas.zone(begin, line.y, size(parts), 1, Target("key", "g"))


# Wide: pictures of cups, orders on a belt


def _wide(canvas: Canvas, scene: Scene, layout: Layout) -> Area:
    """Draw it, and return the area of an open list."""
    side, belt, below = layout.side, layout.belt, layout.below
    people, cards = side, layout.cards
    if _plays(scene):
        more = _more_for_lanes(scene, belt, below)
        belt, cards = replace(belt, rows=belt.rows + more), cards + more
        below = replace(below, y=below.y + more, rows=below.rows - more)
        # the fewer players, the larger the cups
        cups = 6 + max(side.rows - 17, 0) // 4 + MAX_PLAYERS - 1 - len(scene.others)
        canvas.rule(side.x, side.y, side.columns, _("Your cups"))
        _upgrades(canvas, scene, side)
        inside = Area(side.x + 1, side.y + 1, side.columns - 1, cups - 1)
        draw_pictures(canvas, scene, inside)
        canvas.marks["cups"] = inside
        people = Area(side.x, side.y + cups, side.columns, side.rows - cups)
        draw_belt(canvas, scene, belt)
    elif scene.me is None:  # spectators have no belt: the log gets its lines
        cards = belt.y
        below = Area(0, cards + 1, below.columns, below.y + below.rows - cards - 1)
    blocks, lists = _next_to_list(scene, people, side)
    draw_blocks(canvas, scene, blocks)
    if lists.rows:  # a click beside the list leaves it open
        canvas.zone(people.x, people.y, people.columns, people.rows, Target("row", 0))
    draw_cards(canvas, scene, 1, cards, canvas.columns - 2)
    guided = open_pane(scene, "wide") == "guide"
    chat = int(below.columns * (GUIDED_CHAT_SHARE if guided else CHAT_SHARE))
    below = _above_message(canvas, scene, below)
    if last_message(scene) is None and (guided or scene.setting_up):
        # the guide is read as a whole, also in the room of the empty chat
        _pane(canvas, scene, below, "wide")
        return lists
    rest = Area(below.columns - chat + 1, below.y + 1, chat - 1, below.rows - 1)
    if last_message(scene) is None:
        canvas.rule(below.columns - chat, below.y, chat, _("Latest turns"))
        draw_turns(canvas, scene, replace(rest, columns=rest.columns - 1))
    else:
        canvas.rule(below.columns - chat, below.y, chat, pane_title("chat"))
        draw_pane(canvas, scene, rest, "chat")
    _pane(canvas, scene, Area(0, below.y, below.columns - chat - 1, below.rows), "wide")
    return lists


def _more_for_lanes(scene: Scene, belt: Area, pane: Area) -> int:
    """Return how many rows that a pane can spare go to the belt, where a lane is full."""
    shown = _rows_of_moment(scene)
    wanted = (belt_rows(scene) if shown is None else shown + 1) - belt.rows
    return max(wanted, 0) if wanted <= pane.rows - 1 - LOG_ROWS else 0


def _next_to_list(scene: Scene, people: Area, side: Area) -> tuple[Area, Area]:
    """Return the area of the other players and that of an open list.

    The list is above the other players, else over them, else also over the cups.
    """
    rows = list_rows(scene, people.columns)
    left = people.rows - rows
    if left < 0:
        return people, side
    if rows and left < LEAST_BLOCK * len(scene.others):
        return people, people
    return replace(people, y=people.y + rows, rows=left), replace(people, rows=rows)


def _above_message(canvas: Canvas, scene: Scene, area: Area) -> Area:
    """Return the area that a message of several lines leaves a pane: at least title and a line."""
    covered = len(message_lines(canvas, scene)) - 1
    return replace(area, rows=max(area.rows - covered, min(area.rows, LEAST_PANE)))


def _pane(canvas: Canvas, scene: Scene, area: Area, kind: str, has_scores: bool = False) -> None:
    """Draw the tabs and the open pane."""
    draw_pane(canvas, scene, _under_title(area), open_pane(scene, kind))
    draw_tabs(canvas, scene, area, kind, has_scores)


def _under_title(area: Area) -> Area:
    return Area(area.x + 1, area.y + 1, area.columns - 1, area.rows - 1)


# Normal: one line per player and cup


def _normal(canvas: Canvas, scene: Scene, layout: Layout) -> Area:
    """Draw it, and return the area of an open list."""
    below, count = layout.below, len(scene.others)
    replaced = _guide_replaces(scene, below.rows - count)
    if scene.me is None or replaced:
        count = 0
    pane = Area(0, below.y + count, below.columns, below.rows - count)
    side, down = _side_and_hand(canvas, scene, layout, pane)
    pane = _above_message(canvas, scene, replace(pane, y=pane.y + down, rows=pane.rows - down))
    if scene.me is None:
        draw_blocks(canvas, scene, side)
    draw_lines(canvas, scene, Area(0, below.y + down, below.columns, count))
    _pane(canvas, scene, pane, "normal", has_scores=replaced)
    return side


def _side_and_hand(canvas: Canvas, scene: Scene, layout: Layout, pane: Area) -> tuple[Area, int]:
    """Draw cups, orders and hand; return the area of the first two, and the rows that a pane lost.

    Many orders take the end of the hand's line first, where the supply is.
    """
    more = _more_for_orders(canvas, scene, layout.side, pane)
    side = replace(layout.side, rows=layout.side.rows + more)
    if scene.me is not None:
        _side(canvas, scene, side, more)
    columns = side.x - 2 if more else canvas.columns - 2
    draw_cards(canvas, scene, 1, layout.cards, columns)
    return side, max(more - 1, 0)


def _more_for_orders(canvas: Canvas, scene: Scene, side: Area, pane: Area) -> int:
    """Return how many rows below the board go to the orders, which would share lines."""
    if not _plays(scene):
        return 0
    lines = side.rows - _cup_rows(canvas, side.rows) - BOXES_EDGE
    shown = _rows_of_moment(scene)
    if shown is not None:
        return max(shown - lines - 1, 0)
    wanted = len(scene.orders) - lines
    # not by the length of its text, with which nothing moves
    kept = LEAST_GUIDE if open_pane(scene, "normal") == "guide" else LEAST_LOG
    return max(min(wanted, max(pane.rows - 1 - kept, 0) + 1), 0)


def _rows_of_moment(scene: Scene) -> int | None:
    """Return the rows of the orders while a moment shows them as they were before it."""
    shown = scene.ui.moments
    if shown and shown.orders and scene.ui.animated and shown.size == scene.ui.size:
        return shown.orders.area.rows
    return None


# Middle: a broad normal terminal has others' orders by name beside the log; a high one has pictures


PEOPLE_SHARE: Final = 0.54
"""The others' share of these columns."""
PICTURE_ROWS: Final = 6
"""The rows of the cups as pictures, with their title."""
LIST_ROWS: Final = 10
"""The rows that these leave for the orders in a box."""


def _alone_below(scene: Scene) -> bool:
    """Return whether the pane needs the whole width: the guide does, to be read as a whole."""
    return scene.me is None or open_pane(scene, "normal") == "guide"


def _middle(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    _side_and_hand(canvas, scene, layout, replace(layout.below, rows=0))  # which others need
    below = _above_message(canvas, scene, layout.below)
    people = int(canvas.columns * PEOPLE_SHARE)
    left = Area(0, below.y + 1, below.columns - people, below.rows - 1)
    draw_pane(
        canvas, scene, replace(left, x=1, columns=left.columns - 2), open_pane(scene, "normal")
    )
    draw_tabs(canvas, scene, below, "normal")
    draw_blocks(canvas, scene, replace(left, x=left.columns, columns=people))


def _guide_replaces(scene: Scene, rows: int) -> bool:
    """Return whether the guide replaces the lines of the other players, which leave it so few rows.

    That depends on the size alone: else they would come and go with the length of its text.
    """
    return open_pane(scene, "normal") == "guide" and rows <= GUIDE_ROWS


def _cup_rows(canvas: Canvas, rows: int) -> int:
    """Return the rows of the cups in their box beside the board, which has so many rows."""
    as_pictures = canvas.columns >= MIDDLE and rows >= PICTURE_ROWS + LIST_ROWS
    return PICTURE_ROWS - 1 if as_pictures else CUPS


def _side(canvas: Canvas, scene: Scene, area: Area, more: int = 0) -> None:
    """Draw cups and orders in boxes; the orders have so many rows `more` than the board."""
    if not _plays(scene):
        canvas.box(area.x, area.y, area.columns, area.rows, _("Loading your cups…"))
        _all_orders(canvas, scene, Area(area.x + 2, area.y + 1, area.columns - 4, area.rows - 2))
        return
    cups = _cup_rows(canvas, area.rows - more)
    draw = draw_cups if cups == CUPS else draw_pictures
    canvas.box(area.x, area.y, area.columns, cups + 2, _("Your cups"))
    _upgrades(canvas, scene, Area(area.x, area.y, area.columns - 1, 1))
    draw(canvas, scene, Area(area.x + 2, area.y + 1, area.columns - 4, cups))
    canvas.marks["cups"] = Area(area.x + 1, area.y + 1, area.columns - 2, cups)
    # the boxes share an edge, which gives the orders one more line
    y, rows = area.y + cups + 1, area.rows - cups - 1
    # without the edge below them, which is about the turn to come
    canvas.marks["orders"] = Area(area.x, y, area.columns, rows - 1)
    title = _("Your orders  1▸2▸3▸4▸✗")
    shown = title if "slots" in scene.signs else _("Your orders")
    canvas.box(area.x, y, area.columns, rows, shown)
    canvas.put(area.x, y, glyphs.TEE_RIGHT, "class:frame")
    canvas.put(area.x + area.columns - 1, y, glyphs.TEE_LEFT, "class:frame")
    # one column wider, because the status at its end may touch the frame
    inner = Area(area.x + 2, y + 1, area.columns - 3, rows - 2)
    if not draw_orders(canvas, scene, inner):
        _name_key(canvas, Area(inner.x, y, inner.columns - 2, 1), width(title) + TITLE_EDGE)
    draw_expiring(canvas, scene, area.x + area.columns - 2, y + rows - 1, area.columns - 4)


TITLE_EDGE: Final = 3
"""Cells of a frame and of blanks around its title."""


def _name_key(canvas: Canvas, frame: Area, taken: int) -> None:
    """Draw which key shows whole names, at the end of a frame with its first cells taken."""
    wordings = [pgettext("key", "whole names"), ""]
    text = fit(wordings, frame.columns - taken - len(f" {ALL_ORDERS_KEY}  "), width)
    cells = width(f"{ALL_ORDERS_KEY} {text}".rstrip())
    x = frame.x + frame.columns - cells - 1
    canvas.put(x - 1, frame.y, " " * (cells + 2))
    draw_more_orders(canvas, Area(x, frame.y, cells, 1), text)


def _all_orders(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a player's orders until the cups are known."""
    assert scene.me is not None, "spectators have no cups to wait for"
    known = order_names(scene, scene.me)
    lines = [part for line in known for part in wrap(line, area.columns, "      ")]
    shown = lines if len(lines) <= area.rows else lines[: area.rows - 1]
    for offset, line in enumerate(shown):
        canvas.put(area.x, area.y + offset, line, "", area.columns)
    if len(shown) < len(lines):
        _more_of_others(canvas, replace(area, y=area.y + area.rows - 1, rows=1))


def _watched(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw everybody's orders as recipes for a spectator."""
    lines = watched_lines(scene, area.columns)
    shown = lines if len(lines) <= area.rows else lines[: area.rows - 1]
    for offset, parts in enumerate(shown):
        canvas.puts(area.x, area.y + offset, parts, area.columns)
    if len(shown) < len(lines):
        _more_of_others(canvas, replace(area, y=area.y + area.rows - 1, rows=1))


def _more_of_others(canvas: Canvas, line: Area) -> None:
    """Draw which key shows the rest."""
    x = canvas.put(line.x, line.y, _("Tab"), "class:key") + 1
    canvas.put(x, line.y, pane_title("others"), "class:keylabel", line.x + line.columns - x)
    canvas.zone(line.x, line.y, line.columns, 1, Target("pane", "others"))


# Narrow: no boxes


def _narrow(canvas: Canvas, scene: Scene, layout: Layout) -> Area:
    """Draw the pane right of the board, and below it the log if there is room, and the hand.

    Returns the area of an open list.
    """
    name, log = open_pane(scene, "narrow"), log_or_guide(scene)
    y = canvas.rows - 3
    room = newest_room(scene, canvas.columns)
    draw_cards(canvas, scene, 0, y, canvas.columns)
    spoken = draw_spoken(canvas, scene, Area(canvas.columns - room, y, room, 1))
    # what the message covers is counted, or can be scrolled
    covered = message_rows(canvas, scene)
    free = min(y - 1, canvas.rows - 2 - covered)
    area = Area(layout.side.x, 1, layout.side.columns, free)
    under = under_narrow(scene)
    if name != log and under.rows >= MIN_PANE:
        area = replace(area, rows=min(free, under.y - 1))
        canvas.rule(0, under.y, canvas.columns, pane_title(log))
        draw_pane(canvas, scene, _under_title(under), log, scroll=0)
    if name != "mine":
        canvas.put(area.x, 1, pane_title(name), "class:title", area.columns)
        canvas.zone(area.x, 1, area.columns, 1, Target("key", TAB))
        draw_pane(canvas, scene, Area(area.x, 2, area.columns, area.rows - 1), name)
    elif _plays(scene):
        canvas.marks["cups"] = Area(area.x, 1, area.columns, CUPS)
        orders = Area(area.x, 1 + CUPS, area.columns, max(area.rows - CUPS, 0))
        canvas.marks["orders"] = orders
        draw_cups(canvas, scene, Area(area.x, 1, area.columns, CUPS))
        if orders.rows:
            draw_orders(canvas, scene, orders)
    elif scene.me is None:
        _watched(canvas, scene, area)
    else:
        _all_orders(canvas, scene, area)
    said = newest_message(scene)
    if said and not spoken and (not is_new(scene) or width(said_line(said)) + 2 <= room):
        draw_newest(canvas, scene, Area(canvas.columns - room, y, room, 1))
    return Area(0, 1, canvas.columns, canvas.rows - 2 - max(covered, 1))


# Draw a whole screen: from a model, the screen's own state and a size to a canvas. Pure


def draw(model: Model, ui: Ui, columns: int, rows: int) -> Canvas:
    """Return the screen as a new canvas."""
    canvas = Canvas(columns, rows)
    paint(canvas, model, ui)
    return canvas


def show(model: Model, ui: Ui, columns: int, rows: int) -> tuple[Canvas, Ui]:
    """Return the screen, and the state after somebody has seen it."""
    canvas = draw(model, ui, columns, rows)
    return canvas, replace(ui, shown_to=model.history.total) if SHOWN in canvas.marks else ui


def told(canvas: Canvas, model: Model, ui: Ui) -> Canvas:
    """Write what came during a replay over its top lines, until the next key."""
    scene = Scene(model, replace(ui, read_to=max(ui.read_to, ui.shown_to)))
    draw_news(canvas, scene)
    if (said := newest_message(scene)) and unread(scene):
        canvas.fill(0, 0, canvas.columns, 1)
        canvas.put(1, 0, said_line(said), "class:said", canvas.columns - 2)
    return canvas


def before_result(model: Model, ui: Ui) -> tuple[Model, Ui]:
    """Return what is shown: at first, instead of a result, the last move and why the game ended."""
    before = ending_of(ui)
    if before is None or model.view is None:
        return model, ui
    assert before.view is not None, "a game that has ended was shown"
    note = why_over(model, model.view)
    ui = replace(ui, note=note, asked="", refused=False, playing="moves")
    return replace(before, view=_counted(before.view, model.view)), ui


def _counted(before: View, after: View) -> View:
    """Return a View of nobody's turn, with the orders of one and the counts of the other."""
    players = tuple(
        replace(now, orders=was.orders)
        for was, now in zip(before.players, after.players, strict=True)
    )
    return replace(before, active=None, players=players)


def paint(canvas: Canvas, model: Model, ui: Ui) -> None:
    """Draw the screen on a blank canvas."""
    model, ui = before_result(model, ui)
    columns, rows = canvas.columns, canvas.rows
    if is_tiny((columns, rows)):
        draw_tiny(canvas, ui.note if ui.asked == "leave" else "", is_guest=ui.is_guest)
        return
    scene = Scene(model, ui)
    if ui.mode in PAGES:
        draw_page(canvas, ui)
        draw_news(canvas, scene)
    elif ui.mode == "invitation" and model.invitation.addresses:
        draw_invitation(canvas, scene)
        draw_news(canvas, scene)
    elif scene.ui.mode == "tournament" and scene.stage in ("lobby", "result"):
        draw_tournament(canvas, scene)
        draw_message(canvas, scene, rows - 2)
    else:
        _draw_stage(canvas, scene)
        if not guide_box(scene) and choices_of(scene) is None:
            draw_moments(canvas, scene)
        draw_message(canvas, scene, rows - 2)
    draw_footer(canvas, scene, rows - 1)


def _draw_stage(canvas: Canvas, scene: Scene) -> None:
    match scene.stage:
        case "joining":
            draw_joining(canvas, scene)
        case "lobby":
            draw_lobby(canvas, scene)
        case "result":
            draw_result(canvas, scene)
        case _:
            draw_game(canvas, scene)
    if scene.stage in ("lobby", "result"):
        _draw_list(canvas, scene)


def _draw_list(canvas: Canvas, scene: Scene) -> None:
    """Draw an open list over the log or, if it needs more room, over all at the bottom.

    The winner stays. Whole rows are covered, so that nothing is cut off beside the list.
    """
    log = canvas.marks.get("log", Area(0, 0, 0, 0))
    columns = min(log.columns, READING_COLUMNS)
    rows = list_rows(scene, columns)
    if rows <= log.rows:
        canvas.fill(log.x, log.y, log.columns, rows)
        draw_choices(canvas, scene, replace(log, columns=columns))
        return
    columns, end = min(canvas.columns, READING_COLUMNS), canvas.rows - 2
    winner = canvas.marks.get("winners", Area(0, 0, 0, 1))
    top = max(winner.y + winner.rows, end - list_rows(scene, columns))
    canvas.fill(0, top, canvas.columns, end - top)
    for mark in ("qr", "seats"):  # whole or not at all
        area = canvas.marks.get(mark)
        if area and area.y < top < area.y + area.rows:
            canvas.fill(area.x, area.y, area.columns, top - area.y)
    draw_choices(canvas, scene, Area(0, top, columns, end - top))
