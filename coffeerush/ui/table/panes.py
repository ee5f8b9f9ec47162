"""The panes of a game: which there are, which is open, and the lines in it."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.table.draw.people import everybody
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.areas import Area, kind_of
from coffeerush.ui.terminal.canvas import Fragment, wrap
from coffeerush.ui.terminal.list_view import window
from coffeerush.ui.words.events import drink_names
from coffeerush.ui.words.i18n import N_, _
from coffeerush.ui.words.log_summary import digest
from coffeerush.ui.words.names import counts_line, drink_title, tokens
from protocol import CUPS, Said

from .layout import layout_of
from .scene import Scene
from .state import Ui

GUIDE_EDGE: Final = 3
"""Cells beside the text of the guide's box: what is before it, and what tells that there is more.
"""
PANES: Final = {
    "mine": N_("Yours"),
    "log": N_("Log"),
    "others": N_("Others"),
    "chat": N_("Chat"),
    "menu": N_("Supply and menu"),
    "guide": N_("Guide"),
}

FROM_THE_TOP: Final = ("others", "menu", "guide")
"""Panes that are read from their first line; the others from their newest."""


def resized(model: Model, ui: Ui, size: tuple[int, int]) -> Ui:
    """Return the state in another size of the terminal; another pane is read from its start."""
    return read_on(Scene(model, ui), replace(ui, size=size), model) if size != ui.size else ui


def _read(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """Return the pane that scrolls, and of the guide what it says."""
    name = pane_of(scene)
    return name, scene.guide if name == "guide" else ()


def chosen_pane(ui: Ui, kind: str, by: int = 0) -> str:
    """Return the pane that is chosen in a layout, or the one that comes `by` panes after it."""
    names = pane_names(kind)
    place = names.index(ui.pane) if ui.pane in names else 0
    return names[(place + by) % len(names)]


def read_on(before: Scene, ui: Ui, model: Model) -> Ui:
    """Return the state scrolled as `before` only if the same is read on the table."""
    if ui.mode != "table" or not ui.scroll or _read(before) == _read(Scene(model, ui)):
        return ui
    return replace(ui, scroll=0)


def pane_names(kind: str) -> tuple[str, ...]:
    """Return the panes that Tab goes through in a layout."""
    if kind == "narrow":
        return ("mine", "others", "log", "chat", "menu")
    # in the widest layout the chat has a place of its own
    return ("log", "others", "chat", "menu") if kind == "normal" else ("log", "others", "menu")


def pane_of(scene: Scene) -> str:
    """Return the pane that scrolls: outside of a game there is the log alone."""
    if scene.stage != "game":
        return "log"
    return "guide" if guide_box(scene) else open_pane(scene, kind_of(*scene.ui.size))


def open_pane(scene: Scene, kind: str) -> str:
    """Return the pane that is open in a layout."""
    return log_or_guide(scene, chosen_pane(scene.ui, kind))


def log_or_guide(scene: Scene, name: str = "log") -> str:
    """Return the pane that stands where another should: while the guide speaks it has the log's."""
    return "guide" if name == "log" and scene.guide else name


def under_narrow(scene: Scene) -> Area:
    """Return what a narrow terminal has under board and orders, for the log or the guide."""
    columns, rows = scene.ui.size
    mine = open_pane(scene, "narrow") == "mine"
    high = max(layout_of(columns, rows).board.rows, CUPS + len(scene.orders) if mine else 0)
    return Area(0, 1 + high, columns, rows - 4 - high)


def guide_box(scene: Scene) -> bool:
    """Tell whether what the guide says stands over the table: a narrow one has no room beside."""
    narrow = scene.stage == "game" and kind_of(*scene.ui.size) == "narrow"
    if not narrow or scene.ui.mode != "table" or scene.guide in ((), scene.ui.read):
        return False
    if open_pane(scene, "narrow") == "guide":
        return False
    under = under_narrow(scene)
    return len(pane_lines(scene, "guide", under.columns - GUIDE_EDGE)) > under.rows - 1


def guide_left(scene: Scene) -> int:
    """Return how many lines come after those that the box of the guide shows."""
    area = guide_area(*scene.ui.size)
    lines = pane_lines(scene, "guide", scene.ui.size[0] - GUIDE_EDGE)
    return len(lines) - window(len(lines), area.rows, scene.ui.scroll).stop


def guide_area(columns: int, rows: int) -> Area:
    """Return where the box of the guide has its text."""
    return Area(1, 2, columns - 1, rows - 3)


def pane_title(name: str) -> str:
    """Return the title of a pane."""
    return _(PANES[name])


def pane_lines(scene: Scene, name: str, columns: int) -> list[Fragment]:
    """Return all lines of a pane, wrapped to its width, each after its style."""
    indent = {"others": "     ", "menu": "    "}.get(name, "  ")
    plain = "class:guide" if name == "guide" else ""
    return [
        ("class:said" if isinstance(line, Said) else plain, part)
        for line in SCROLLED[name](scene)
        for part in wrap(_text(line), columns, indent)
    ]


def _text(line: Said | str) -> str:
    """Return a line as it is written; a name ends at the first `>`, for it has none in it."""
    return f"<{line.name}> {line.text}" if isinstance(line, Said) else line


def log_lines(scene: Scene) -> list[Said | str]:
    """Return what happened, in sentences, and what was said, oldest first."""
    return digest(scene.model)


def guide_lines(scene: Scene) -> tuple[str, ...]:
    """Return what the first-game guide says now."""
    return scene.guide


def chat_lines(scene: Scene) -> list[Said] | list[str]:
    """Return what was said, oldest first."""
    said = [event for event in scene.model.log if isinstance(event, Said)]
    return said or [_("Nobody has said a word yet.")]


def menu_lines(scene: Scene) -> list[str]:
    """Return supply, cards, and every drink of the deck with its recipe."""
    view = scene.view
    known = [
        _("Supply: {tokens}, and {rush}").format(
            tokens=counts_line(view.supply), rush=tokens(view.rush_supply)
        ),
        _("Cards left to draw: {count}").format(count=view.deck),
    ]
    if view.discards:
        gone = drink_names(scene.model, view.discards)
        known.append(_("Discarded for upgrades: {orders}").format(orders=gone))
    if view.removed:
        out = drink_names(scene.model, view.removed)
        known.append(_("Starters out of the game: {orders}").format(orders=out))
    return known + [
        f"{glyphs.SPECIALTY if drink.specialty else ' '} "
        f"{drink_title(drink)}: {counts_line(drink.recipe)} (x{drink.count})"
        for drink in scene.view.menu
    ]


SCROLLED: Final[dict[str, Callable[[Scene], Sequence[Said | str]]]] = {
    "log": log_lines,
    "others": everybody,
    "chat": chat_lines,
    "menu": menu_lines,
    "guide": guide_lines,
}
"""The panes that scroll, each with its lines."""
