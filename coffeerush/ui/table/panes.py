"""The panes of a game: which exist, which is open, and which lines are in it.

The lines of the log are worded in `ui/words/events.py`.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.advice.guide import hint_line
from coffeerush.ui.advice.guide_lessons import TO_DO
from coffeerush.ui.table.draw_people import emote_parts, everybody, watched_lines
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Fragment, kind_of, wrap
from coffeerush.ui.terminal.parts import window
from coffeerush.ui.words.events import digest, drink_list, event_line, others_turns, own_turn_end
from coffeerush.ui.words.i18n import N_, _
from coffeerush.ui.words.names import counts_line, drink_title, tokens
from coffeerush.ui.words.table import pause_line
from protocol import CUPS, MAX_PLAYERS, Emoted, Said

from .scene import Scene
from .state import Ui, layout_of

if TYPE_CHECKING:
    from coffeerush.league.table import Together

COVERING: Final = 2
"""Messages with more lines than this have a rule above if they cover the table."""
MIN_PANE: Final = 3
"""Minimum rows under a narrow board for a pane."""
GUIDE_EDGE: Final = 3
"""Cells next to the text of the guide's box: its margin, and the scroll arrows."""
LOW: Final = 16
"""Terminals with fewer rows show only the essentials of a lobby or a result."""
TALL: Final = 30
"""Terminals with at least as many rows show the games together below the scores by round.

More people than a table has need more.
"""
WINNER_ROWS: Final = 4
"""The rows below the top line of a result that the guide leaves to the winner, on others."""
PANES: Final = {
    "mine": N_("Yours"),
    "log": N_("Log"),
    "others": N_("Others"),
    "chat": N_("Chat"),
    "menu": N_("Supply and menu"),
    "guide": N_("Guide"),
}

TOGETHER: Final = "together"
"""The pane of a result with the games together."""
FROM_THE_TOP: Final = ("others", "menu", "guide")
"""Panes that start at their first line; the others end at their newest."""


def resized(model: Model, ui: Ui, size: tuple[int, int]) -> Ui:
    """Return the state for a new terminal size; a pane that was not open before is not scrolled."""
    if size != ui.size:
        ui = read_on(Scene(model, ui), replace(ui, size=size), model)
    total = model.history.total  # a new host counts from 0
    return replace(ui, read_to=min(ui.read_to, total), shown_to=min(ui.shown_to, total))


def newest_message(scene: Scene) -> Said | None:
    """Return the newest message of any person; None before the first, or if it is old."""
    return last_message(scene) if scene.ui.now < scene.ui.said_until else None


def last_message(scene: Scene) -> Said | None:
    """Return the newest message, however old; None before the first."""
    return next((event for event in reversed(scene.model.log) if isinstance(event, Said)), None)


def unread(scene: Scene) -> int:
    """Return the number of messages of others that have come since a pane showed the newest one."""
    return sum(not scene.model.has_said(said) for said in _new(scene))


def is_new(scene: Scene) -> bool:
    """Return whether the newest message of any person has come since then."""
    return bool(_new(scene))


def _new(scene: Scene) -> list[Said]:
    new = scene.model.history.since(scene.ui.read_to)
    return [event for event in new if isinstance(event, Said)]


def together_of(scene: Scene) -> "Together | None":
    """Return the results of all games of the people at the table, once they are counted."""
    return scene.record.together if scene.record else None


def can_flip(scene: Scene) -> bool:
    """Return whether Tab shows the games together in place of the scores by round, or back."""
    together = together_of(scene)
    if together is None:
        return False
    return scene.ui.size[1] < TALL + max(len(together.everybody) - MAX_PLAYERS, 0)


def is_flipped(scene: Scene) -> bool:
    """Return whether the games together are shown in place of the scores by round."""
    return can_flip(scene) and scene.ui.pane == TOGETHER


def _read(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """Return the pane that scrolls and, if it is the guide, its text."""
    name = pane_of(scene)
    return name, scene.guide if name == "guide" else ()


def chosen_pane(ui: Ui, kind: str, by: int = 0) -> str:
    """Return the selected pane of a layout, or the one `by` panes after it."""
    names = pane_names(kind)
    place = names.index(ui.pane) if ui.pane in names else 0
    return names[(place + by) % len(names)]


def read_on(before: Scene, ui: Ui, model: Model) -> Ui:
    """Reset scrolling unless the same pane, and the same guide text, is still shown."""
    if ui.mode != "table" or not ui.scroll or _read(before) == _read(Scene(model, ui)):
        return ui
    return replace(ui, scroll=0)


def with_guide(ui: Ui) -> Ui:
    """Show the guide in place of another pane, except where it has a place of its own."""
    if not ui.pane or kind_of(*ui.size) == "narrow":
        return ui
    return replace(ui, pane="", scroll=0 if ui.mode == "table" else ui.scroll)


def followed(model: Model, ui: Ui) -> Ui:
    """Show the newest lines of the log or the chat again, if that pane is scrolled back."""
    if ui.mode != "table" or not ui.scroll or pane_of(Scene(model, ui)) in FROM_THE_TOP:
        return ui
    return replace(ui, scroll=0)


def pane_names(kind: str) -> tuple[str, ...]:
    """Return the panes that Tab cycles through in a layout."""
    if kind == "narrow":
        return ("mine", "others", "log", "chat", "menu")
    # in the widest layout the chat is always visible
    return ("log", "others", "chat", "menu") if kind == "normal" else ("log", "others", "menu")


def pane_of(scene: Scene) -> str:
    """Return the pane that scrolls; outside a game that is the log, or the guide."""
    if guide_box(scene):
        return "guide"
    if scene.stage != "game":
        return log_or_guide(scene)
    return open_pane(scene, kind_of(*scene.ui.size))


def starts_at_top(scene: Scene, name: str) -> bool:
    """Return whether a pane starts at its first line.

    In a game that has room for more than the guide, the guide ends at its last one: the hint. It
    also does so with what others have done. But that the last round, or one's last turn, begins
    comes before all else.
    """
    if name != "guide" or scene.stage != "game":
        return name in FROM_THE_TOP
    begins_last = scene.view.closed and not (scene.turn.is_mine and scene.view.path)
    return bool(scene.guide) and (kind_of(*scene.ui.size) == "narrow" or begins_last)


def open_pane(scene: Scene, kind: str) -> str:
    """Return the open pane of a layout."""
    return log_or_guide(scene, chosen_pane(scene.ui, kind))


def log_or_guide(scene: Scene, name: str = "log") -> str:
    """Return the pane to show for `name`: while active, the guide replaces the log.

    At a result a narrow layout has no room; there, the guide has a box.
    """
    room = scene.stage == "game" or kind_of(*scene.ui.size) != "narrow"
    guided = scene.guide or _watches_guided(scene)
    return "guide" if name == "log" and guided and room else name


def _watches_guided(scene: Scene) -> bool:
    """Return whether the guide keeps its pane in a turn of others of which it has told all."""
    is_on = scene.guided and scene.stage == "game"
    return is_on and scene.own is not None and not scene.setting_up and not scene.turn.is_mine


def under_narrow(scene: Scene) -> Area:
    """Return the area under board and orders on a narrow terminal, for the log or the guide."""
    columns, rows = scene.ui.size
    mine = open_pane(scene, "narrow") == "mine"
    layout = layout_of(columns, rows)
    needed = CUPS + len(scene.orders)
    if scene.me is None:  # as far as the log keeps some rows
        needed = min(len(watched_lines(scene, layout.side.columns)), rows - 4 - MIN_PANE)
    high = max(layout.board.rows, needed if mine else 0)
    return Area(0, 1 + high, columns, rows - 4 - high)


def guide_box(scene: Scene) -> bool:
    """Return whether the guide covers the table, because a narrow terminal has no room for it."""
    kind = kind_of(*scene.ui.size)
    if kind != "narrow" or scene.ui.mode != "table" or not scene.guide:
        return False
    if scene.topic in ((), scene.ui.read):
        return False
    if scene.stage == "result":
        return True
    return open_pane(scene, "narrow") != "guide" and not _fits_under(scene)


def _fits_under(scene: Scene) -> bool:
    """Return whether all that the guide says fits under a narrow board."""
    under = under_narrow(scene)
    return len(pane_lines(scene, "guide", under.columns - GUIDE_EDGE)) < under.rows


def guide_tells(scene: Scene, advice: str) -> bool:
    """Return whether a hint can be read in the guide, unless that is scrolled back."""
    if scene.guide[-1:] != (hint_line(advice),):
        return False
    kind = kind_of(*scene.ui.size)
    shown = open_pane(scene, kind) == "guide" if kind != "narrow" else _fits_under(scene)
    return shown or scene.ui.touch  # a page shows all of it


def guide_left(scene: Scene) -> int:
    """Return the number of lines below the visible ones in the guide's box."""
    area = guide_area(scene)
    lines = pane_lines(scene, "guide", scene.ui.size[0] - GUIDE_EDGE)
    return len(lines) - window(len(lines), area.rows, scene.ui.scroll).stop


def guide_area(scene: Scene) -> Area:
    """Return the area of the text in the guide's box, which leaves the winner of a result."""
    columns, rows = scene.ui.size
    above = 1
    if scene.stage == "result":
        above += len(scene.view.standings) if rows < LOW else WINNER_ROWS
    below = 1 + _message_rows(scene)
    return Area(1, 1 + above, columns - 1, rows - 1 - below - above)


def _message_rows(scene: Scene) -> int:
    """Return the rows below the guide for what does not go away by itself: it must also be read."""
    rows = is_new(scene) + bool(emote_parts(scene)) + bool(scene.model.asking)
    rows += len(wrap(" ".join(scene.ui.news), scene.ui.size[0] - 2, "")) * bool(scene.ui.news)
    if scene.model.pause is not None:  # and how it goes on
        rows += len(wrap(pause_line(scene.model), scene.ui.size[0] - 2, "")) + 1
    return rows + (rows > COVERING)


def said_line(said: Said) -> str:
    """Format a message; names cannot contain `>`, so the first one ends the name."""
    if said.table:
        text = _("<{name} ({table}), to all> {text}")
        return text.format(name=said.name, table=said.table, text=said.text)
    return f"<{said.name}> {said.text}"


def pane_title(name: str) -> str:
    """Return a pane's title."""
    return _(PANES[name])


def pane_lines(scene: Scene, name: str, columns: int | None) -> list[Fragment]:
    """Return all lines of a pane, wrapped to its width unless that is None, as (style, line)."""
    return [
        (_line_style(scene, name, line), part)
        for line in SCROLLED[name](scene)
        for part in _wrapped(line, name, columns)
    ]


def _line_style(scene: Scene, name: str, line: Said | str) -> str:
    """Return the style of a line; in the guide, that of what to do, or of a hint asked for."""
    if isinstance(line, Said):
        return "class:said"
    if name != "guide" or line not in scene.guide:
        return ""
    asked = scene.hint and line == hint_line(scene.hint.text)
    if asked:
        return "class:todo underline"
    return "class:todo" if _text(line).startswith(TO_DO) else "class:guide"


def newest_lines(scene: Scene, name: str, columns: int | None, end: int) -> range:
    """Return which of the `end` lines of a pane have the newest message; empty if none has."""
    if name not in ("log", "chat"):
        return range(0)
    for line in reversed(SCROLLED[name](scene)):
        start = end - len(_wrapped(line, name, columns))
        if isinstance(line, Said):
            return range(start, end)
        end = start
    return range(0)


def _wrapped(line: Said | str, name: str, columns: int | None) -> Sequence[str]:
    indent = {"others": "     ", "menu": "    "}.get(name, "  ")
    return wrap(_text(line), columns, indent) if columns else (_text(line),)


def _text(line: Said | str) -> str:
    return said_line(line) if isinstance(line, Said) else line


def _log_lines(scene: Scene) -> list[Said | str]:
    """Return the log, oldest first, without what is shown elsewhere at the moment."""
    lines = digest(scene.model)
    if lines and lines[-1] in (scene.ui.note, *scene.ui.news):
        del lines[-1]
    for emote in scene.ui.emotes:
        line = event_line(Emoted(emote.name, emote.emote), scene.model)
        if emote.until > scene.ui.now and line in lines:
            del lines[len(lines) - 1 - lines[::-1].index(line)]
    return lines


def _chat_lines(scene: Scene) -> list[Said] | list[str]:
    """Return the chat, oldest first."""
    said = [event for event in scene.model.log if isinstance(event, Said)]
    return said or [_("No messages yet.")]


def _guide_lines(scene: Scene) -> Sequence[Said | str]:
    """Return the guide's text, in turns of others below what they have done; at last only that.

    Who has ended the game comes above it. Until they have done anything, it tells what this player
    got and lost as their own turn ended.
    """
    if not _watches_guided(scene):
        return scene.guide
    if scene.guide and kind_of(*scene.ui.size) == "narrow":
        return scene.guide
    turns = others_turns(scene.model, rush="rush" in scene.signs)
    done = [text for _seat, text in turns if text]
    told = (*scene.guide, *done) if scene.view.closed else (*done, *scene.guide)
    return told or own_turn_end(scene.model)


def menu_lines(scene: Scene) -> list[str]:
    """Return the supply, the deck, and every drink with its recipe."""
    view = scene.view
    known = [
        _("Supply: {tokens}, and {rush}").format(
            tokens=counts_line(view.supply), rush=tokens(view.rush_supply)
        ),
        _("Cards left to draw: {count}").format(count=view.deck),
    ]
    if view.discards:
        gone = drink_list(scene.model, view.discards)
        known.append(_("Discarded for upgrades: {orders}").format(orders=gone))
    if view.removed:
        out = drink_list(scene.model, view.removed)
        known.append(_("Starters out of the game: {orders}").format(orders=out))
    blank = "" if kind_of(*scene.ui.size) == "narrow" else "  "
    return known + [
        f"{glyphs.SPECIALTY + ' ' if drink.specialty else blank}"
        f"{drink_title(drink)}: {counts_line(drink.recipe)} (x{drink.count})"
        for drink in scene.view.menu
    ]


SCROLLED: Final[dict[str, Callable[[Scene], Sequence[Said | str]]]] = {
    "log": _log_lines,
    "others": everybody,
    "chat": _chat_lines,
    "menu": menu_lines,
    "guide": _guide_lines,
}
"""The panes that scroll, and the functions that return their lines."""
