"""Draw a frame of a replay: board, everybody's cups and orders, log, progress bar."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.table.draw.board import draw_board
from coffeerush.ui.table.draw.frame import draw_header
from coffeerush.ui.table.draw.hand import draw_cards
from coffeerush.ui.table.draw.orders import draw_order_list
from coffeerush.ui.table.draw.result import draw_result
from coffeerush.ui.table.draw.screen import paint
from coffeerush.ui.table.layout import layout_of
from coffeerush.ui.table.panes import pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, kind_of, width, wrap
from coffeerush.ui.terminal.keys import drawn
from coffeerush.ui.terminal.parts import draw_keys
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import short_decimal

from .frames import Frame, Replay, event_lines
from .keymap import REPLAY_KEYS, ReplayAction
from .on_key import Watch
from .reviewing import notes
from .seats import draw_lines, draw_narrow_side, draw_side, orders_title

MIN_BAR: Final = 10
MIN_LOG: Final = 2
WIDE_LOG: Final = 6
"""Lines left to the log before players get lines for orders by name."""
MAX_LINES: Final = 3
"""Maximum lines per player, including orders by name."""
NO_CELL: Final = -1
"""The cursor position when no meeple is being placed."""
NOTE_KEEPS: Final = 6
"""Rows that the review's note leaves: header, some of the board, progress bar, footer."""
TITLED_LOG: Final = 4
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
    scene = Scene(frame.model, watch.page)
    known, free = watch.reviewing, rows - NOTE_KEEPS
    if kind_of(columns, rows) != "narrow":
        # the hand stays visible, too
        free = rows - 3 - layout_of(columns, rows).cards - len(_now(frame, columns))
    elif watch.page.mode == "orders":
        known = None
    said = _note_lines(canvas, notes(replay, known, watch.at) if known else (), free)
    if scene.stage == "result":
        draw_result(canvas, scene, 2 + len(said))
        canvas.fill(0, rows - 2, columns, 2)
    else:
        _draw_game(canvas, scene, shown, watch, frame, len(said))
    _draw_note(canvas, said)
    draw_bar(canvas, shown, watch, rows - 2)
    draw_keys(canvas, rows - 1, REPLAY_KEYS, labels(watch, scene))


def _draw_game(
    canvas: Canvas, scene: Scene, replay: Replay, watch: Watch, frame: Frame, said: int
) -> None:
    """Draw a position, above the `said` lines of the review's note."""
    viewpoint = frame.viewpoint if watch.viewpoint is None else watch.viewpoint
    own = Scene(replay.seen_by(frame, viewpoint), replace(watch.page, cursor=NO_CELL))
    layout = layout_of(canvas.columns, canvas.rows)
    draw_header(canvas, scene)
    draw_board(canvas, own, layout)
    y = layout.board.y + layout.board.rows
    under = Area(0, y, canvas.columns, canvas.rows - 2 - y - said)
    now = _now(frame, canvas.columns)
    if watch.page.mode == "orders" and layout.kind == "narrow":
        area = Area(0, 1, canvas.columns, canvas.rows - 3)
        draw_order_list(canvas, own, area, orders_title(own))
        return
    if layout.kind == "narrow":
        logged = not said or under.rows > 0
        free = canvas.rows - 2 - said - 1 - len(now) * logged
        side = replace(layout.side, rows=min(layout.side.rows, free))
        draw_narrow_side(canvas, own, frame, side)
        if logged:
            _draw_narrow_under(canvas, own, frame, under)
        return
    draw_side(canvas, own, frame, layout.side, pictures=layout.kind == "wide")
    if watch.page.mode == "orders":
        draw_order_list(canvas, own, layout.side, orders_title(own))
    draw_cards(canvas, own, 1, y, canvas.columns - 2)
    under = Area(0, y + 1, canvas.columns, under.rows - 1)
    count = len(frame.cups)
    rows = count * max(min((under.rows + said - WIDE_LOG) // count, MAX_LINES), 1)
    if under.rows - rows < len(now):  # some of the players without the others would mislead
        rows = 0
    if rows:
        draw_lines(canvas, own, frame, Area(0, under.y, under.columns, rows))
    _draw_log(canvas, frame, Area(0, under.y + rows, under.columns, under.rows - rows))


def _draw_narrow_under(canvas: Canvas, scene: Scene, frame: Frame, area: Area) -> None:
    """Draw the log, the players if they leave room for it, and the supply if there is more room."""
    y, rows, count = area.y, area.rows, len(frame.cups)
    if rows > count + MIN_LOG:
        draw_cards(canvas, scene, 0, y, area.columns)
        y, rows = y + 1, rows - 1
    if rows >= count + MIN_LOG:
        draw_lines(canvas, scene, frame, Area(0, y, area.columns, count))
        y, rows = y + count, rows - count
    _draw_log(canvas, frame, Area(0, y, area.columns, rows))


def _draw_log(canvas: Canvas, frame: Frame, area: Area) -> None:
    """Draw the events of this frame and, if there is room, earlier ones above."""
    if area.rows >= TITLED_LOG:
        canvas.rule(area.x, area.y, area.columns, pane_title("log"))
        area = Area(area.x, area.y + 1, area.columns, area.rows - 1)
    room, now = area.columns - 2, _now(frame, area.columns)
    if len(now) > area.rows:  # the current events are more important than what is above
        area = Area(area.x, area.y + area.rows - len(now), area.columns, len(now))
        canvas.fill(area.x, area.y, area.columns, area.rows)
    left = area.rows - len(now)
    earlier = frame.model.log[: -len(frame.events)][-left:] if left else ()
    lines = [part for one in earlier for part in wrap(event_line(one, frame.model), room)]
    before = lines[-left:] if left else []
    y = area.y
    for style, text in [("class:dim", one) for one in before] + [
        ("class:score", one) for one in now
    ]:
        canvas.put(area.x + 1, y, text, style, room)
        y += 1


def _now(frame: Frame, columns: int) -> tuple[str, ...]:
    """Return the lines of what happens in a frame."""
    return wrap(" ".join(event_lines(frame)), columns - 2)


def _note_lines(canvas: Canvas, wordings: Iterable[str], free: int) -> list[str]:
    """Return the lines of what the review says, in the longest wording for `free` lines."""
    most, lines = canvas.rows - NOTE_KEEPS, list[str]()
    for text in wordings:
        lines = [*wrap(text, canvas.columns - 2)]
        if len(lines) <= free:
            break
    return lines if len(lines) <= most else [*lines[: most - 1], " ".join(lines[most - 1 :])]


def _draw_note(canvas: Canvas, lines: list[str]) -> None:
    """Draw what the review says above the progress bar."""
    y = canvas.rows - 2 - len(lines)
    canvas.fill(0, y, canvas.columns, len(lines))
    for row, line in enumerate(lines, start=y):
        canvas.put(1, row, line, "class:guide", canvas.columns - 2)


# The progress bar and the footer


def draw_bar(canvas: Canvas, replay: Replay, watch: Watch, y: int) -> None:
    """Draw the clickable progress bar, or the number being typed."""
    if watch.typed is not None:
        text = _("Go to (0 to {last}), then Enter:").format(last=replay.last)
        # the number being typed stays visible even if its label is truncated
        x = canvas.put(1, y, text, "class:label", canvas.columns - len(watch.typed.text) - 4)
        canvas.puts(x + 1, y, drawn(watch.typed, canvas.columns - x - 1, "class:draft"))
        return
    place = f"{watch.at:>{len(str(replay.last))}}/{replay.last}"
    begin = canvas.put(1, y, place, "class:score") + 1
    pace = speed(watch)
    end = canvas.columns - 1 - (width(pace) + 3 if watch.playing else 0)
    if watch.playing:
        canvas.put(end + 1, y, f"{glyphs.POINTER} {pace}", "class:turn")
    _draw_way(canvas, replay, watch, begin, y, max(end - begin, MIN_BAR))


def _draw_way(canvas: Canvas, replay: Replay, watch: Watch, x: int, y: int, columns: int) -> None:
    """Draw a line with a tick at the start of each round, and a mark at the current position."""
    most = columns - 1
    here = watch.at * most // replay.last
    canvas.put(x, y, glyphs.LINE * (here + 1), "class:path")
    canvas.put(x + here, y, glyphs.LINE * (columns - here), "class:frame")
    for rev in replay.rounds:
        place = rev * most // replay.last
        canvas.put(x + place, y, glyphs.TEE_UP, "class:path" if place < here else "class:frame")
    for one in watch.reviewing.marked if watch.reviewing else ():
        canvas.put(x + one.turn.rev * most // replay.last, y, glyphs.PENALTY, "class:penalty")
    canvas.put(x + here, y, glyphs.MINE, "class:turn")
    for place in range(columns):
        # the first rev at which the mark is drawn here
        rev = -(-place * replay.last // most)
        canvas.zone(x + place, y, 1, 1, Target("rev", rev))


def speed(watch: Watch) -> str:
    """Return the playback speed in words."""
    return _("{count}/s").format(count=short_decimal(watch.rate))


def labels(watch: Watch, scene: Scene) -> dict[ReplayAction, str]:
    """Return each binding's label by its first action: what it does, or what it has selected."""
    if watch.page.mode == "orders":
        return {
            ReplayAction.HELP: pgettext("key", "help"),
            ReplayAction.ORDERS: pgettext("key", "close"),
        }
    viewpoint, play = watch.viewpoint, pgettext("key of a replay", "play")
    player = pgettext("key of a replay", "player")
    return {
        ReplayAction.HELP: pgettext("key", "help"),
        ReplayAction.BACK: pgettext("key of a replay", "step"),
        ReplayAction.TURN_BACK: pgettext("key of a replay", "turn"),
        ReplayAction.MARK_BACK: pgettext("key of a replay", "order"),
        ReplayAction.GO_TO: pgettext("key of a replay", "go to"),
        ReplayAction.PLAY: pgettext("key of a replay", "stop") if watch.playing else play,
        ReplayAction.SLOWER: speed(watch),
        ReplayAction.NEXT_VIEWPOINT: player if viewpoint is None else scene.name(viewpoint),
        ReplayAction.REVIEW: pgettext("key of a replay", "review"),
        ReplayAction.LINE: _line_label(watch),
        ReplayAction.LEAVE: pgettext("key", "leave"),
    }


def _line_label(watch: Watch) -> str:
    """Return the label of the key of the better line; "" if there is none here."""
    known = watch.reviewing
    if known is None or (known.line is None and known.marked_at(watch.at) is None):
        return ""
    better = pgettext("key of a replay", "better")
    return pgettext("key of a replay", "played") if known.line is not None else better
