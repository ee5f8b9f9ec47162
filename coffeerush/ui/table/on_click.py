"""Mouse input at the table: a click on a cup, a cell or a list entry does what its key does."""

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.pages.pages import PAGES, click_row, press_page
from coffeerush.ui.terminal.canvas import Target, is_tiny, kind_of
from coffeerush.ui.terminal.keys import DOUBLE_SECONDS, ENTER, ESCAPE, Draft
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import counts_phrase, drink_name, tokens
from protocol import Cell, PlaceMeeple, Step

from .actions import Pressed, choose_meeple, cleared, rush_note, send, why_not
from .key_timing import TURN_PAUSE_SECONDS, is_again
from .keymap import Action
from .on_key import press
from .panes import (
    GUIDE_EDGE,
    chosen_pane,
    guide_area,
    guide_box,
    guide_left,
    guide_under,
    pane_lines,
    pane_names,
    under_narrow,
)
from .scene import Scene
from .state import TYPING, Ui, closed
from .text_input import with_mark

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder

WHEEL_LINES: Final = 3
"""Lines that one notch of the wheel scrolls a page."""


def click(model: Model, ui: Ui, target: Target, now: float) -> Pressed:
    """Apply a click on a zone of the canvas; if it can do nothing, the note says why."""
    ui = replace(ui, now=now)
    if is_tiny(ui.size):
        return ui, ()
    kind, value = target
    if kind == "key":
        return _key(model, ui, str(value), now)
    if ui.mode in PAGES:
        is_row = (ui.mode, kind) == ("settings", "row")
        return with_mark(ui, click_row(ui, int(value)) if is_row else ui)
    if ui.asked == "leave":  # it only cancels
        return cleared(Scene(model, ui)), ()
    if kind == "row":  # a long message or a list covers the table
        return cleared(Scene(model, ui)), ()
    if kind == "cup":
        return press(model, ui if ui.mode == "empty" else closed(ui), str(value), now)
    early = now - ui.turn_at < TURN_PAUSE_SECONDS
    scene = Scene(model, replace(closed(ui), key="", commit_at=None))
    if early or (scene.busy and model.status != "lost"):
        return ui, ()
    if kind == "pane" and value == "guide" and scene.ui.touch:
        return _guide(scene), ()
    if kind == "pane":
        return _pane(scene, str(value)), ()
    if scene.stage != "game":  # the frame that was clicked may be out of date
        return ui, ()
    if kind == "cell":
        return _cell(scene, int(value))
    if kind == "order" and int(value) < len(scene.orders):
        return _order(scene, scene.orders[int(value)])
    return ui, ()


def wheel(model: Model, ui: Ui, lines: int, now: float) -> Pressed:
    """Scroll what is open; `lines` is -1 or 1."""
    if ui.mode in PAGES and not is_tiny(ui.size):
        for _line in range(WHEEL_LINES if ui.mode != "settings" else 1):
            ui = press_page(ui, "up" if lines < 0 else "down")
        return ui, ()
    done, wishes = press(model, ui, "pageup" if lines < 0 else "pagedown", now)
    return replace(done, key=ui.key, key_at=ui.key_at, commit_at=ui.commit_at), wishes


def _key(model: Model, ui: Ui, key: str, now: float) -> Pressed:
    if key == ENTER and is_again(ui, key, DOUBLE_SECONDS):
        return ui, ()
    if ui.mode in TYPING and key not in (ENTER, ESCAPE):
        ui = closed(ui)  # a click outside the text field closes it
    return press(model, ui, key, now)


def _cell(scene: Scene, cell: Cell) -> Pressed:
    """Place a meeple, or walk with whichever meeple can; the host explains what is illegal."""
    if scene.places:
        return _place(scene, cell)
    if not scene.my_turn or not any(isinstance(intent, Step) for intent in scene.legal):
        return replace(cleared(scene), note=why_not(scene, [Action.MOVE], "")), ()
    assert scene.me is not None, "only a seat has a turn"
    meeples = scene.player(scene.me).meeples
    other = 3 - scene.meeple
    if cell not in scene.steps and Step(other, cell) in scene.legal:
        scene = Scene(scene.model, choose_meeple(scene, other))
    elif cell not in scene.steps and scene.can_choose_meeple and cell == meeples[other - 1]:
        return choose_meeple(scene, other), ()
    if cell == meeples[scene.meeple - 1]:
        return replace(
            cleared(scene), note=_("Your meeple is on this cell: click the cell to walk to.")
        ), ()
    if cell not in scene.steps and (walk := _walk(scene, cell)):
        return walk
    return replace(cleared(scene), note=rush_note(scene, cell)), (Step(scene.meeple, cell),)


def _walk(scene: Scene, cell: Cell) -> Pressed | None:
    """Walk to a cell some steps away; ask first if that costs rush tokens."""
    from coffeerush.ui.advice.advice import walk_to

    walk = walk_to(scene.view, scene.meeple, cell)
    if walk is None:
        return None
    if walk.rush and (scene.ui.asked, scene.ui.cursor) != ("walk", cell):
        note = _("Walking there costs {tokens}: click there again to go.")
        note = note.format(tokens=tokens(walk.rush))
        return replace(cleared(scene), asked="walk", cursor=cell, note=note), ()
    return send(cleared(scene), walk.steps)


def _place(scene: Scene, cell: Cell) -> Pressed:
    ui = replace(cleared(scene), cursor=cell)
    if cell not in scene.places:
        return replace(ui, note=_("There is a meeple on that cell: choose a free one.")), ()
    return ui, (PlaceMeeple(cell),)


def _order(scene: Scene, order: "OpenOrder") -> Pressed:
    if order.serve and order.serve in scene.legal:
        return cleared(scene), (order.serve,)
    note = why_not(scene, [Action.SERVE], "")
    drink = drink_name(scene.model, order.drink)
    if scene.options and order.lacks:
        text = _("{drink} still needs {ingredients}.")
        note = text.format(drink=drink, ingredients=counts_phrase(order.missing))
    elif scene.options:
        note = _("{drink} is ready: once your hand is empty, it can be served.").format(drink=drink)
    return replace(cleared(scene), note=note), ()


def _guide(scene: Scene) -> Ui:
    """Scroll the guide on or, once it is read, put it away until it has more to say."""
    left, rows = 0, under_narrow(scene).rows - 1
    if guide_box(scene):
        left, rows = guide_left(scene), guide_area(scene).rows
    elif guide_under(scene):
        lines = pane_lines(scene, "guide", scene.ui.size[0] - GUIDE_EDGE)
        left = len(lines) - rows - scene.ui.scroll
    if left > 0:
        return replace(cleared(scene), scroll=scene.ui.scroll + rows)
    return replace(cleared(scene), read=scene.topic, scroll=0)


def _pane(scene: Scene, name: str) -> Ui:
    """Show a pane; a click on the title of the open one goes to the next."""
    kind = kind_of(*scene.ui.size)
    name = "log" if name == "guide" else name
    if name not in pane_names(kind):
        return replace(cleared(scene), mode="chat", draft=Draft()) if name == "chat" else scene.ui
    pane = chosen_pane(scene.ui, kind, 1) if name == chosen_pane(scene.ui, kind) else name
    return replace(cleared(scene), pane=pane, scroll=0)
