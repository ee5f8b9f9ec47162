"""Draw a frame of a replay: board, everybody's cups and orders, log, progress bar."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import PAGES, chips, kinds_of, token_style
from coffeerush.ui.table.draw_board import draw_board
from coffeerush.ui.table.draw_game import draw_header, paint
from coffeerush.ui.table.draw_hand import (
    BARRED_COLUMNS,
    LONG_BAR,
    draw_cards,
    draw_cups,
    draw_order_list,
    draw_orders,
    draw_pictures,
    slot_texts,
    standing_parts,
    summary,
    upgrade_boxes,
)
from coffeerush.ui.table.draw_lobby import draw_head
from coffeerush.ui.table.draw_moments import draw_moments
from coffeerush.ui.table.draw_people import MARK_CELLS, status
from coffeerush.ui.table.draw_result import draw_result
from coffeerush.ui.table.on_update import moment_of
from coffeerush.ui.table.panes import pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Hint, Moment, Moments, OrdersBefore, layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Parts,
    Target,
    fit,
    kind_of,
    pad,
    size,
    widest,
    width,
    wrap,
)
from coffeerush.ui.terminal.keys import Draft, drawn
from coffeerush.ui.terminal.parts import draw_keys, draw_marks, window
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    bot_word,
    drink_name,
    ingredient_code,
    seat_style,
    short_decimal,
)
from protocol import (
    CUPS,
    CupEmptied,
    OrderServed,
    PenaltiesTaken,
    Poured,
    Seat,
    TokenClosed,
    UpgradeActivated,
)

from .analysis import (
    MARKED,
    MAX_CHART,
    MIN_CHART,
    POINTER_CELLS,
    PageLine,
    chart,
    chart_title,
)
from .replay import Frame, Replay, better_walk, event_lines, name_of, notes
from .replay_input import (
    RATES,
    REPLAY_KEYS,
    ReplayAction,
    Watch,
    marked_turn,
    page_lines,
)

MIN_BAR: Final = 10
MIN_LOG: Final = 2
WIDE_LOG: Final = 6
"""Lines left to the log before players get lines for orders by name."""
MAX_LINES: Final = 3
"""Maximum lines per player, including orders by name."""
NO_CELL: Final = -1
"""The cursor position when no meeple is being placed."""
NOTE_ROWS: Final = 2
"""Rows that are the note's in each frame of a review, or more on a high screen."""
SHORT_NOTE: Final = 3
"""Rows of the note of a good turn on a narrow screen, so that orders are left."""
LONG_NOTE: Final = 4
"""Rows of a note that needs more, for which the players give way if there are no others."""
NOTE_KEEPS: Final = 6
"""Rows that the review's note leaves: header, some of the board, progress bar, footer."""
TITLED_LOG: Final = 5
"""Minimum lines of a log with a title."""


def draw_replay(replay: Replay, watch: Watch, columns: int, rows: int) -> Canvas:
    """Return a replay's screen as a new canvas."""
    canvas = Canvas(columns, rows)
    paint_replay(canvas, replay, watch)
    return canvas


def paint_replay(canvas: Canvas, replay: Replay, watch: Watch) -> None:
    """Draw a replay's screen on a blank canvas."""
    columns, rows = canvas.columns, canvas.rows
    shown = watch.shown(replay)
    frame = shown.frame(watch.at)
    if watch.page.mode in PAGES or kind_of(columns, rows) == "tiny":
        paint(canvas, frame.model, watch.page)
        return
    if lines := page_lines(replay, watch):
        _draw_page(canvas, replay, watch, lines)
        return
    heading = _("Analysis") if watch.reviewing else _("Replay")
    scene = Scene(frame.model, replace(watch.page, heading=heading))
    known, free = watch.reviewing, rows - NOTE_KEEPS
    if known:  # "you" is its player, in the log as in its note
        frame = replace(frame, model=shown.seen_by(frame, known.seat))
    narrow = kind_of(columns, rows) == "narrow"
    # what was better is worth hiding the orders, what is less important is not
    most = [free] if known and known.marked_at(watch.at) else [SHORT_NOTE, free]
    if not narrow:
        free = _note_rows(_under(canvas).rows)
        told = len(_now(frame, columns, 1))  # the players and the log need one row for it
        most = [free + 1 - told, max(free, LONG_NOTE)]
    elif watch.page.mode == "orders":
        known = None
    wordings = [*notes(replay, known, watch.at, glyphs.POINTER)] if known else []
    said = _note_lines(canvas, [watch.note] if watch.note else wordings, most)
    if scene.stage == "result":
        draw_result(canvas, scene, 2 + len(said))
        canvas.fill(0, rows - 2, columns, 2)
        _draw_note(canvas, said, rows - 2 - len(said))
    else:
        _draw_note(canvas, said, _draw_game(canvas, scene, shown, watch, frame, len(said)))
    _draw_bar(canvas, shown, watch, rows - 2)
    draw_keys(canvas, rows - 1, REPLAY_KEYS, _labels(shown, watch, scene))


def _draw_page(canvas: Canvas, replay: Replay, watch: Watch, lines: list[PageLine]) -> None:
    """Draw the page of a review, which has no place in the game; a click on a turn goes there."""
    scene = Scene(replay.frame(watch.at).model, watch.page)
    known, end = watch.reviewing, canvas.rows - 2
    assert known
    draw_head(canvas, scene, _("Analysis for {name}").format(name=name_of(replay, known.seat)))
    area = Area(1, 1, canvas.columns - 2, end - 1)
    shown = window(len(lines), area.rows, watch.read)
    for y, at in enumerate(shown, start=area.y):
        parts, number = lines[at]
        if number is not None:
            canvas.zone(area.x, y, area.columns, 1, Target("rev", known.done[number].turn.rev))
            if number == watch.row:
                pointer = pad(glyphs.POINTER, POINTER_CELLS)
                parts = [
                    ("class:ask", text) for text in (pointer, *(text for _style, text in parts[1:]))
                ]
        canvas.puts(area.x, y, parts, area.columns)
    draw_marks(canvas, area, shown, len(lines))
    _draw_chart(
        canvas, scene, watch, replace(area, y=area.y + len(lines), rows=area.rows - len(lines))
    )
    if watch.typed is not None:
        _draw_typed(canvas, replay, watch.typed, end)
    else:
        said = [*wrap(watch.note, area.columns)] if watch.note else []
        _draw_note(canvas, said, end + 1 - len(said))
    draw_keys(canvas, end + 1, REPLAY_KEYS, _labels(replay, watch, scene))


def _draw_chart(canvas: Canvas, scene: Scene, watch: Watch, area: Area) -> None:
    """Draw the chance to win after each turn as bars, if there is room; a click goes to a turn."""
    known, y = watch.reviewing, area.y + (area.rows > MIN_CHART + 1)
    high = min(area.y + area.rows - y, MAX_CHART)
    if known is None or known.review is None or high < MIN_CHART:
        return
    lines, bars = chart(known, known.review, watch.row, area.columns, high - 2)
    canvas.rule(0, y, canvas.columns, chart_title())
    for below, line in enumerate(lines, start=y + 1):
        canvas.put(area.x, below, line, seat_style(scene.seats, known.seat))
    for bar, turn in zip(bars, known.done, strict=True):
        place = Area(area.x + bar.x, y + 1, bar.columns, len(lines))
        if bar.style:
            canvas.tint(place, bar.style)
        chosen = turn is known.done[watch.row]
        style = "class:ask" if chosen else bar.style or "class:label"
        left = (bar.columns - width(bar.round)) // 2
        canvas.put(place.x + left, y + high - 1, bar.round, style)
        canvas.zone(place.x, y + 1, place.columns, high - 1, Target("rev", turn.turn.rev))


def _under(canvas: Canvas) -> Area:
    """Return what is below the hand and above the progress bar."""
    y = layout_of(canvas.columns, canvas.rows).board.rows + 2
    return Area(0, y, canvas.columns, canvas.rows - 2 - y)


def _note_rows(rows: int) -> int:
    """Return how many of the rows below the hand are the note's."""
    return max(NOTE_ROWS, rows // 3)


def _draw_game(
    canvas: Canvas, scene: Scene, replay: Replay, watch: Watch, frame: Frame, said: int
) -> int:
    """Draw a position and return the row of the `said` lines of the review's note below it.

    Players, log and note have the same places in all frames.
    """
    end = canvas.rows - 2 - said
    viewpoint = frame.viewpoint if watch.viewpoint is None else watch.viewpoint
    page = replace(watch.page, cursor=NO_CELL, hint=_better(watch))
    own = Scene(replay.seen_by(frame, viewpoint), page)
    layout = layout_of(canvas.columns, canvas.rows, own.ui.tiles)
    draw_header(canvas, scene)
    draw_board(canvas, own, layout)
    y = layout.board.y + layout.board.rows
    now = _now(frame, canvas.columns)
    if watch.page.mode == "orders" and layout.kind == "narrow":
        area = Area(0, 1, canvas.columns, canvas.rows - 3)
        draw_order_list(canvas, own, area, _orders_title(own))
        return end
    if layout.kind == "narrow":
        under = Area(0, y, canvas.columns, end - y)
        logged = not said or under.rows > 0
        free = canvas.rows - 2 - said - 1 - len(now) * logged
        side = replace(layout.side, rows=min(layout.side.rows, free))
        _draw_narrow_side(canvas, own, frame, side)
        if logged:
            _draw_narrow_under(canvas, own, frame, under)
        return end
    fits = len(own.orders) < layout.side.rows - PICTURES_ROWS
    pictured = layout.kind == "wide" or (fits and layout.side.columns >= PICTURES_COLUMNS)
    side = layout.side
    _draw_side(canvas, own, frame, side, pictured)
    if watch.page.mode == "orders":
        draw_order_list(canvas, own, side, _orders_title(own))
    draw_cards(canvas, own, 1, y, canvas.columns - 2)
    below = _draw_below(
        canvas, own, frame, said, _note_rows(_under(canvas).rows) * bool(watch.reviewing)
    )
    if watch.page.mode == "table" and any(isinstance(event, SHOWN) for event in frame.events):
        before = replay.frame(frame.rev - 1)
        then = Scene(replay.seen_by(before, viewpoint), page)
        orders = Canvas(canvas.columns, canvas.rows)
        _draw_side(orders, then, before, side, pictured)
        _draw_moment(canvas, own, then, frame, orders)
    return below


def _draw_below(canvas: Canvas, scene: Scene, frame: Frame, said: int, noted: int) -> int:
    """Draw players and log below the hand, and return the row of the `said` lines of a note.

    Args:
        canvas: to draw on.
        scene: from the point of view that is shown.
        frame: the position.
        said: how many lines the note has.
        noted: how many rows are its own in each frame.
    """
    under, count = _under(canvas), len(frame.cups)
    free = under.rows - noted
    rows = count * max(min((free - WIDE_LOG) // count, MAX_LINES), 1)
    headed = free - rows > (1 if noted else MIN_LOG)
    titled = free - rows - headed >= TITLED_LOG
    left = under.rows - said - rows - headed
    now = _now(frame, canvas.columns, max(left, 1))
    if left < len(now):  # some of the players without the others would mislead
        rows, headed = 0, False
        now = _now(frame, canvas.columns, under.rows - said)
    if rows:
        _draw_lines(canvas, scene, frame, replace(under, rows=rows + headed), headed)
    y = under.y + rows + headed
    below = min(max(under.y + free, y + len(now)), under.y + under.rows - said)
    _draw_log(canvas, frame, Area(0, y, under.columns, below - y), now, titled)
    return below


def _better(watch: Watch) -> Hint | None:
    """Return the walk that would have been better, in a marked turn of the game."""
    known = watch.reviewing
    marked = known.marked_at(watch.at) if known and known.line is None else None
    return Hint("", better_walk(marked), ()) if marked else None


def _draw_narrow_under(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the log, the players if they leave room for it, and the supply if there is more room."""
    y, rows, count = area.y, area.rows, len(frame.cups)
    if rows > count + MIN_LOG:
        draw_cards(canvas, scene, 0, y, area.columns)
        y, rows = y + 1, rows - 1
    if rows >= count + MIN_LOG:
        _draw_lines(canvas, scene, frame, Area(0, y, area.columns, count))
        y, rows = y + count, rows - count
    now = _now(frame, area.columns)
    _draw_log(canvas, frame, Area(0, y, area.columns, rows), now, rows >= TITLED_LOG)


def _draw_log(canvas: Canvas, frame: Frame, area: Area, now: Sequence[str], titled: bool) -> None:
    """Draw the lines of what happens `now` and, if there is room, earlier events above."""
    if titled and area.rows:
        canvas.rule(area.x, area.y, area.columns, pane_title("log"))
        area = Area(area.x, area.y + 1, area.columns, area.rows - 1)
    room = area.columns - 2
    if len(now) > area.rows:  # the current events are more important than what is above
        area = Area(area.x, area.y + area.rows - len(now), area.columns, len(now))
        canvas.fill(area.x, area.y, area.columns, area.rows)
    left = area.rows - len(now)
    earlier = frame.model.log[: -len(frame.events)][-left:] if left else ()
    before: list[str] = []
    for event in reversed(earlier):  # whole, as no line may begin in mid-sentence
        lines = wrap(event_line(event, frame.model), room)
        if len(lines) > left - len(before):
            break
        before = [*lines, *before]
    shown = [("class:dim", line) for line in before] + [("class:score", line) for line in now]
    for y, (style, line) in enumerate(shown, start=area.y):
        canvas.put(area.x + 1, y, line, style, room)


def _now(frame: Frame, columns: int, rows: int = 0) -> tuple[str, ...]:
    """Return the lines of what happens in a frame; the latest events if they have so many rows."""
    first, *others = event_lines(frame)
    events = [first, *others]
    whole = wrap(" ".join(events), columns - 2)
    if not 0 < rows < len(whole):
        return whole
    latest = (
        _("{rev}. {sentence}").format(rev=frame.rev, sentence=" ".join(others[left_out:]))
        for left_out in range(len(others))
    )
    lines = [wrap(text, columns - 2) for text in latest]
    return fit([whole, *lines], rows, len)


def _note_lines(canvas: Canvas, wordings: Sequence[str], rows: Iterable[int]) -> list[str]:
    """Return the lines of what the review says: the longest wording for the first of these rows.

    If none fits, that for the next; at last the shortest, which may be cut.
    """
    wrapped = [
        [part for line in text.split("\n") for part in wrap(line, canvas.columns - 2)]
        for text in wordings
    ]
    fitting = (lines for most in rows for lines in wrapped if len(lines) <= most)
    lines, most = next(fitting, wrapped[-1] if wrapped else []), canvas.rows - NOTE_KEEPS
    return lines if len(lines) <= most else [*lines[: most - 1], " ".join(lines[most - 1 :])]


def _draw_note(canvas: Canvas, lines: list[str], y: int) -> None:
    """Draw what the review says."""
    canvas.fill(0, y, canvas.columns, len(lines))
    for row, line in enumerate(lines, start=y):
        canvas.put(1, row, line, "class:guide", canvas.columns - 2)


SHOWN: Final = (OrderServed, UpgradeActivated, PenaltiesTaken, TokenClosed)
"""The events of a step that are shown as at the table."""


def _draw_moment(canvas: Canvas, scene: Scene, then: Scene, frame: Frame, orders: Canvas) -> None:
    """Show what happens in a step as at the table, but still, as long as the step is shown.

    Args:
        canvas: with the position.
        scene: of the position, from the point of view that is shown.
        then: the same before the step.
        frame: the position.
        orders: with the orders before the step, so that each is seen to go from its own row.
    """
    ui, found = scene.ui, list[Moment]()
    if not ui.animated or not ui.settings.moments:
        return
    was: OrdersBefore | None = None
    for event in frame.events:
        places: tuple[Area, ...] = ()
        if isinstance(event, OrderServed) and event.seat == scene.me:
            open_orders = [(order.slot, order.drink) for order in then.orders]
            number = open_orders.index((event.slot, event.drink))
            places = tuple(filter(None, [orders.marks.get(f"order{number}")]))
            area = orders.marks["orders"]
            was = OrdersBefore(area, orders.copy(area), (), ())
        moment = moment_of(event, then.model, scene.view.served, places)
        found += [moment] if moment and isinstance(event, SHOWN) else []
    shown = Moments(tuple(found), 0, (canvas.columns, canvas.rows), orders=was, still=True)
    draw_moments(canvas, Scene(scene.model, replace(ui, moments=shown)))


# Everybody's cups, orders and counts in a replay: lines for all, details for one seat


CUPS_ROWS: Final = CUPS + 2
PICTURES_ROWS: Final = 8
PICTURES_COLUMNS: Final = 60
"""The least columns for pictures of the cups on other than the widest terminals.

There, each order keeps a line below them.
"""
ORDER_COLUMNS: Final = 80
"""Maximum width of an order, so that its recipe stays near its name."""
NAME_CELLS: Final = 10
CUP_CELLS: Final = 24
"""Minimum cells of a cup with its contents and purpose."""
CUP_COLUMN: Final = 9
"""The cells of a cup in a player's line: its ingredients and a gap."""
COUNTS_GAP: Final = 2
"""The cells after the numbers of orders."""
COUNTED_FROM: Final = 72
"""Width from which on a line has the number of orders in each slot."""


def _draw_side(canvas: Canvas, scene: Scene, frame: Frame, area: Area, pictures: bool) -> None:
    """Draw the cups and orders of the seat whose point of view is shown, as at the table."""
    name, inner = scene.name(_seat_of(scene)), area.columns - 4
    rows = PICTURES_ROWS if pictures else CUPS_ROWS
    cups = Area(area.x + 2, area.y + 1, inner, rows - 2)
    title = _("{name}: cups").format(name=name)
    if pictures:
        canvas.rule(area.x, area.y, area.columns, title)
        _draw_pictures(canvas, scene, frame, cups)
        y, end = area.y + rows, area.y + area.rows
        canvas.rule(area.x, y, area.columns, _orders_title(scene))
    else:  # the boxes share an edge
        y, end = area.y + rows - 1, area.y + area.rows - 1
        canvas.box(area.x, area.y, area.columns, rows, title)
        _draw_cups(canvas, scene, frame, cups)
        canvas.box(area.x, y, area.columns, end + 1 - y, _orders_title(scene))
        canvas.put(area.x, y, glyphs.TEE_RIGHT, "class:frame")
        canvas.put(area.x + area.columns - 1, y, glyphs.TEE_LEFT, "class:frame")
    canvas.marks["cups"] = cups
    canvas.marks["orders"] = Area(area.x, y, area.columns, area.y + area.rows - y)
    orders = Area(area.x + 2, y + 1, min(inner, ORDER_COLUMNS), end - y - 1)
    draw_orders(canvas, scene, orders)


def _draw_narrow_side(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the same without boxes, below the hand or, if there is none, the counts."""
    parts = fit(_narrow_wordings(scene, _seat_of(scene)), area.columns, size)
    canvas.puts(area.x, area.y, parts, area.columns)
    _draw_cups(canvas, scene, frame, Area(area.x, area.y + 1, area.columns, CUPS))
    if area.rows > 1 + CUPS:
        rest = Area(area.x, area.y + 1 + CUPS, area.columns, area.rows - 1 - CUPS)
        draw_orders(canvas, scene, rest)


def _narrow_wordings(scene: Scene, seat: Seat) -> Iterator[Parts]:
    """Yield a player's line: whole, with a number for the penalties, without the word for a bot."""
    player, name = scene.player(seat), ("class:title", f"{scene.name(seat)} ")
    word = [("class:label", f"{text} ")] if (text := bot_word(scene.players[seat])) else []
    held = kinds_of(scene.turn.hand) if scene.turn.hand and scene.view.active == seat else []
    parts: Parts = [*chips(held)] if held else [("class:count", summary(scene, seat))]
    yield [name, *word, *parts]
    counts = f"{player.score} {glyphs.PENALTY}{player.penalties} {glyphs.RUSH}{player.rush}"
    yield [name, *word, ("class:count", counts)]
    yield [name, *parts]


def _seat_of(scene: Scene) -> Seat:
    """Return the seat whose point of view is shown."""
    assert scene.me is not None, "a replay takes somebody's eyes"
    return scene.me


def _orders_title(scene: Scene) -> str:
    """Return the title of a box with the orders of that seat."""
    return _("{name}: orders  1▸2▸3▸4▸✗").format(name=scene.name(_seat_of(scene)))


def _draw_cups(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the cups, each with the last change to its right."""
    done = _changes(scene, frame)
    columns = area.columns - max(map(size, done.values()), default=-1) - 1
    beside = columns >= CUP_CELLS
    draw_cups(canvas, scene, Area(area.x, area.y, columns if beside else area.columns, area.rows))
    for cup, parts in done.items():
        x, y = area.x + columns + 1, area.y + cup - 1
        if not beside:  # it replaces the cup's purpose
            held = chips(kinds_of(scene.own.cups[cup - 1])) if scene.own else []
            x = area.x + 2 + size(held) + bool(held)
            canvas.fill(x, y, area.x + area.columns - x, 1)
        canvas.puts(x, y, parts, area.x + area.columns - x)


def _draw_pictures(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw pictures of the cups, each with the last change below it."""
    draw_pictures(canvas, scene, area)
    columns = (area.columns + 2) // CUPS
    for cup, parts in _changes(scene, frame).items():
        spaced: Parts = [("", " "), *parts, ("", " ")]
        x = min(area.x + (cup - 1) * columns, area.x + area.columns - size(spaced))
        canvas.puts(x, area.y + area.rows, spaced, size(spaced))


def _changes(scene: Scene, frame: Frame) -> dict[int, Parts]:
    """Return the changes to the seat's cups in this frame, by cup."""
    done: dict[int, Parts] = {}
    for event in frame.events:
        match event:
            case Poured(seat=scene.me, ingredient=kind, cup=cup) if kind is not None and cup:
                done[cup] = [("class:gain", "+"), (token_style(kind), ingredient_code(kind))]
            case CupEmptied(seat=scene.me, returned=returned, cup=cup) if cup:
                done[cup] = [("class:penalty", "-"), *chips(kinds_of(returned))]
            case OrderServed(seat=scene.me, drink=drink, cup=cup) if cup:
                done[cup] = [("class:serve", f"{glyphs.SERVED} {drink_name(scene.model, drink)}")]
    return done


def _draw_lines(
    canvas: Canvas, scene: Scene, frame: Frame, area: Area, headed: bool = False
) -> None:
    """Draw as many lines per player as fit; a click on them selects that point of view."""
    count = len(frame.cups)
    rows = area.rows // count
    (titles, *lines), by_slot = _lines(scene, frame, area.columns)
    if headed:
        canvas.puts(area.x, area.y, titles, area.columns)
    for seat, parts in enumerate(lines):
        y = area.y + headed + seat * rows
        canvas.zone(area.x, y, area.columns, rows, Target("seat", seat))
        canvas.puts(area.x, y, parts, area.columns)
        canvas.marks[f"seat{seat}"] = Area(area.x + 1, y, size(parts[1:3]), 1)
        canvas.marks[f"slots{seat}"] = Area(area.x + by_slot.start, y, len(by_slot), 1)
        _orders(canvas, scene, seat, Area(area.x + 3, y + 1, area.columns - 4, rows - 1))


def _orders(canvas: Canvas, scene: Scene, seat: Seat, area: Area) -> None:
    """Draw the orders by name, next to each other; a slot's number is on its first name's line."""
    lines = wrap("   ".join(slot_texts(scene, seat)), area.columns, "")
    shown = [*lines[: area.rows - 1], " ".join(lines[area.rows - 1 :])] if area.rows else []
    for y, line in enumerate(shown, start=area.y):
        canvas.put(area.x, y, line, "class:label", area.columns)


def _lines(scene: Scene, frame: Frame, columns: int) -> tuple[list[Parts], range]:
    """Return a line of titles and the first line of each player, and where orders are counted.

    Their names stay whole if there is room; all columns stay where they are in each frame.
    """
    seats = range(len(frame.cups))
    called = [scene.name(seat) + status(scene, seat, brief=True) for seat in seats]
    standings = [_standing(scene, seat, columns) for seat in seats]
    counted = columns >= COUNTED_FROM
    counts = [_counts(scene, seat) if counted else [] for seat in seats]
    known = widest(standings) + widest(counts)
    room = columns - MARK_CELLS - known
    cell = max(min((room - NAME_CELLS) // CUPS, CUP_COLUMN), 1)
    names = max(min(max(map(width, called)), room - CUPS * cell), NAME_CELLS)
    lines: list[Parts] = []
    for seat, shown in zip(seats, called, strict=True):
        style = seat_style(scene.seats, seat) + " reverse" * (seat == scene.me)
        held: Parts = []
        for parts in _held(frame, seat):
            held += [*parts, ("", " " * (cell - size(parts)))]
        lines.append(
            [
                ("class:turn", glyphs.POINTER if scene.view.active == seat else " "),
                (style, scene.letter(seat)),
                ("class:name", " " + pad(fit((shown, scene.name(seat)), names, width), names)),
                *standings[seat],
                *counts[seat],
                *held,
            ]
        )
    end = MARK_CELLS + names + known
    by_slot = pad(_("orders by slot"), end - COUNTS_GAP, right=True)
    titles = by_slot + " " * COUNTS_GAP if counted else " " * end
    where = range(end - widest(counts), end)
    return [[("class:label", titles + _("cups"))], *lines], where


def _standing(scene: Scene, seat: Seat, columns: int) -> Parts:
    """Return a player's score, penalties, rush tokens and upgrades."""
    return [
        *standing_parts(scene, seat, LONG_BAR if columns >= BARRED_COLUMNS else 0),
        ("class:upgrade", f"{upgrade_boxes(scene, seat)} "),
    ]


def _counts(scene: Scene, seat: Seat) -> Parts:
    """Return the number of orders in each slot."""
    parts: Parts = []
    for slot, drinks in enumerate(scene.player(seat).orders, start=1):
        style = "class:urgent" if drinks and scene.is_expiring(seat, slot) else "class:count"
        parts += [("class:label", f" {slot}:"), (style, str(len(drinks)))]
    return [*parts, ("", " " * COUNTS_GAP)]


def _held(frame: Frame, seat: Seat) -> list[Parts]:
    """Return the contents of a seat's cups in order, each in a few cells."""
    held = [
        [(style, text) for style, text in chips(kinds_of(cup)) if style] for cup in frame.cups[seat]
    ]
    return [parts or [("class:dim", glyphs.DOT)] for parts in held]


def cups_parts(frame: Frame, seat: Seat) -> Parts:
    """Return the contents of a seat's cups in order, between brackets."""
    parts: Parts = []
    for held in _held(frame, seat):
        parts += [("class:label", " ["), *held, ("class:label", "]")]
    return parts


# The progress bar and the footer


def _draw_bar(canvas: Canvas, replay: Replay, watch: Watch, y: int) -> None:
    """Draw the clickable progress bar, or the number being typed."""
    if watch.typed is not None:
        _draw_typed(canvas, replay, watch.typed, y)
        return
    place = pad(replay.place(watch.at), 1 + 2 * len(str(replay.stop)))
    if canvas.columns >= COUNTED_FROM:
        place = pgettext("key of a replay", "step") + f" {place}"
    begin = canvas.put(1, y, place, "class:score") + 1
    end = canvas.columns - 4 - max(width(_pace(rate)) for rate in RATES)
    mark, style = (glyphs.POINTER, "class:turn") if watch.playing else (" ", "class:label")
    canvas.put(end + 1, y, f"{mark} {_pace(watch.rate)}", style)
    _draw_way(canvas, replay, watch, begin, y, max(end - begin, MIN_BAR))


def _draw_typed(canvas: Canvas, replay: Replay, typed: Draft, y: int) -> None:
    """Draw the number being typed, which stays visible even if its label is cut."""
    room = canvas.columns - len(typed.text) - 4
    x = canvas.put(1, y, typed_label(replay), "class:label", room)
    canvas.puts(x + 1, y, drawn(typed, canvas.columns - x - 1, "class:draft"))


def _draw_way(canvas: Canvas, replay: Replay, watch: Watch, x: int, y: int, columns: int) -> None:
    """Draw a line with a tick at the start of each round, and a mark at the current position."""
    most = columns - 1
    here = watch.at * most // replay.last
    canvas.put(x, y, glyphs.LINE * (here + 1), "class:path")
    canvas.put(x + here, y, glyphs.LINE * (columns - here), "class:frame")
    for rev in replay.rounds:
        place = rev * most // replay.last
        canvas.put(x + place, y, glyphs.TEE_UP, "class:path" if place < here else "class:frame")
    for reviewed in watch.reviewing.marked if watch.reviewing else ():
        canvas.put(x + reviewed.turn.rev * most // replay.last, y, MARKED, "class:urgent")
    canvas.put(x + here, y, glyphs.MINE, "class:turn")
    for place in range(columns):
        # the first rev at which the mark is drawn here
        rev = -(-place * replay.last // most)
        canvas.zone(x + place, y, 1, 1, Target("rev", rev))


def typed_label(replay: Replay) -> str:
    """Return what the number being typed is for."""
    return _("Go to (0 to {last}), then Enter:").format(last=replay.stop)


def _pace(rate: float) -> str:
    text = ngettext("{count} step/s", "{count} steps/s", int(rate) or 2)  # as "0.5 steps"
    return text.format(count=short_decimal(rate))


def _labels(replay: Replay, watch: Watch, scene: Scene) -> dict[ReplayAction, str]:
    """Return each binding's label by its first action: what it does, or what it has selected."""
    if watch.page.mode == "orders":
        return {
            ReplayAction.HELP: pgettext("key", "help"),
            ReplayAction.ORDERS: pgettext("key", "close"),
        }
    known = watch.reviewing
    leave = pgettext("key", "back") if watch.goes_back or known else pgettext("key", "leave")
    if page_lines(replay, watch):
        return {
            ReplayAction.HELP: pgettext("key", "help"),
            ReplayAction.TURN_BACK: pgettext("key", "choose") if known and known.review else "",
            ReplayAction.START: pgettext("key of a replay", "start, end"),
            ReplayAction.PLAY: pgettext("key of a replay", "play"),
            ReplayAction.ANALYSIS: _analysis_label(replay, watch),
            ReplayAction.LINE: line_label(replay, watch),
            ReplayAction.LEAVE: leave,
        }
    turn, pace = pgettext("key of a replay", "turn"), pgettext("key of a replay", "pace")
    step = pgettext("key of a replay", "go to step")
    if known and known.line is None:  # there is less room
        turn = pgettext("key of a replay", "own turn")
        pace, step = pace if watch.playing else "", ""
    viewpoint, play = watch.viewpoint, pgettext("key of a replay", "play")
    player = pgettext("key of a replay", "player")
    return {
        ReplayAction.HELP: pgettext("key", "help"),
        ReplayAction.BACK: pgettext("key of a replay", "step"),
        ReplayAction.TURN_BACK: turn,
        ReplayAction.MARK_BACK: pgettext("key of a replay", "next order"),
        ReplayAction.START: pgettext("key of a replay", "start, end"),
        ReplayAction.GO_TO: step,
        ReplayAction.PLAY: pgettext("key of a replay", "stop") if watch.playing else play,
        ReplayAction.SLOWER: pace,
        ReplayAction.NEXT_VIEWPOINT: player if viewpoint is None else scene.name(viewpoint),
        ReplayAction.ANALYSIS: _analysis_label(replay, watch),
        ReplayAction.LINE: line_label(replay, watch),
        ReplayAction.LEAVE: leave,
    }


def _analysis_label(replay: Replay, watch: Watch) -> str:
    """Return the label of the key that starts a review, then leads to its page and its turns."""
    known, analysis = watch.reviewing, pgettext("key of a replay", "analysis")
    if known is None or watch.viewpoint not in (None, known.seat):
        return analysis
    if page_lines(replay, watch):
        return pgettext("key of a replay", "show turn") if known.review else ""
    return analysis


def line_label(replay: Replay, watch: Watch) -> str:
    """Return the label of the key of the better line; "" if there is none here."""
    if watch.reviewing and watch.reviewing.line is not None:
        return pgettext("key of a replay", "as played")
    return pgettext("key of a replay", "better") if marked_turn(replay, watch) else ""
