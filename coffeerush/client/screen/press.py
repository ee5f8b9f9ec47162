"""From a key to the next state of the screen and what is wished: pure, with the time handed in."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client import words
from coffeerush.client.model import Model, Wish
from coffeerush.i18n import _
from protocol import BOARD_SIDE, NO_ID, Intent, Pour, Ready, ReturnRest, Step, Undo

from .choices import menu_of
from .draft import type_key
from .draw_panes import FROM_THE_TOP, pane_names
from .keys import DIRECTIONS, ENTER, ESCAPE, INTERRUPT, Action, actions_of, meant
from .layout import kind_of
from .offers import end_question, next_of, offers_of
from .scene import Scene
from .ui import Ui

Pressed: TypeAlias = tuple[Ui, tuple[Wish, ...]]

TURN_PAUSE_SECONDS: Final = 0.3
"""Enter is ignored that long after a turn begins: it was meant for something else."""
HELD_SECONDS: Final = 0.12
"""An Enter that follows another one this quickly comes from a key that is held."""
TYPED_MOST: Final = 16
SCROLL_LINES: Final = 3

_ANYTIME: Final = {
    *(Action.HELP, Action.LEAVE, Action.PANE, Action.SCROLL_BACK, Action.SCROLL_ON, Action.CHAT),
}
"""What needs no answer of the host first."""


def press(model: Model, ui: Ui, key: str, now: float) -> Pressed:
    """Return what a key does; `key` is a character or a name of prompt_toolkit."""
    ui = replace(ui, now=now)
    if key == ENTER and ui.mode not in ("chat", "name"):
        held = now - ui.next_at < HELD_SECONDS or now - ui.turn_at < TURN_PAUSE_SECONDS
        ui = replace(ui, next_at=now)
        if held:
            return ui, ()
    return _press(Scene(model, ui), key)


def go_on(model: Model, ui: Ui, now: float) -> Pressed:
    """Return what was asked for before and can be done now: a plan first, then waiting keys."""
    if not model.can_act:
        return ui, ()
    ui = replace(ui, now=now)
    if ui.plan:
        first, *rest = ui.plan
        if first not in Scene(model, ui).legal:
            return replace(ui, plan=()), ()
        return replace(ui, plan=tuple(rest)), (first,)
    if ui.typed:
        key, *keys = ui.typed
        return _press(Scene(model, replace(ui, typed=tuple(keys))), key, again=True)
    return ui, ()


def see(before: Model, after: Model, ui: Ui, now: float) -> Ui:
    """Return the state of the screen after the model has changed."""
    ui = replace(ui, now=now)
    if after.my_turn and not before.my_turn:
        ui = replace(ui, turn_at=now)
    if after.my_turn != before.my_turn or (after.refusal and after.refusal != before.refusal):
        ui = replace(ui, plan=(), typed=(), asked="", note="")
    if after.table is not before.table:
        clock = after.table.clock if after.table else None
        ui = replace(ui, clock_until=None if clock is None else now + clock)
        if before.table and after.table and before.table.stage != after.table.stage:
            ui = replace(ui, mode="chat" if ui.mode == "chat" else "table", scroll=0)
    return _hand_seen(after, ui)


def _hand_seen(model: Model, ui: Ui) -> Ui:
    """Forget what was set aside of a hand that is not there any more."""
    own = model.view.own if model.view and model.my_turn else None
    short = own is None or any(ui.aside.count(kind) > own.hand[kind] for kind in ui.aside)
    if ui.aside and short:
        ui = replace(ui, aside=())
    return ui


def _press(scene: Scene, key: str, again: bool = False) -> Pressed:
    if key == INTERRUPT:
        return _leave(scene, key)
    if scene.ui.mode in ("chat", "name"):
        return type_key(scene.ui, key)
    key = meant(key)
    actions = actions_of(key)
    anytime = bool(_ANYTIME & set(actions)) and scene.ui.mode == "table"
    if scene.busy and not again and not anytime and scene.ui.mode != "help":
        return replace(scene.ui, typed=(*scene.ui.typed, key)[:TYPED_MOST]), ()
    if scene.ui.mode == "help":
        return _in_help(scene, key), ()
    if menu_of(scene) is not None:
        return _in_menu(scene, key)
    offers = offers_of(scene)
    wanted = next((action for action in actions if action in offers), None)
    asked, fresh = scene.ui.asked, replace(scene.ui, note="", asked="")
    if wanted is None:
        return replace(fresh, note=_why_not(scene, actions, key)), ()
    scene = Scene(scene.model, replace(fresh, asked=asked))
    return _ACTIONS[wanted](scene, key)


def _quiet(scene: Scene) -> Ui:
    return replace(scene.ui, asked="", note="")


def _send(ui: Ui, wishes: tuple[Wish, ...]) -> Pressed:
    """Send the first, and the others when it is answered: one intent is in flight at a time."""
    later = tuple(wish for wish in wishes[1:] if isinstance(wish, Intent))
    return replace(ui, plan=later, asked="", note=ui.note), wishes[:1]


# Open: help and choices


def _in_help(scene: Scene, key: str) -> Ui:
    actions = actions_of(key)
    if Action.SCROLL_ON in actions or key == "down":
        return replace(scene.ui, scroll=scene.ui.scroll + SCROLL_LINES)
    if Action.SCROLL_BACK in actions or key == "up":
        return replace(scene.ui, scroll=max(scene.ui.scroll - SCROLL_LINES, 0))
    if key in (ESCAPE, ENTER) or {Action.HELP, Action.LEAVE} & set(actions):
        return replace(scene.ui, mode="table", scroll=0)
    return scene.ui


_OPENERS: Final = {
    "upgrades": Action.UPGRADES,
    "empty": Action.EMPTY,
    "serve": Action.SERVE,
    "bots": Action.ADD_BOT,
    "seats": Action.REMOVE,
}


def _in_menu(scene: Scene, key: str) -> Pressed:
    """Pick by a digit; the key that opened it closes it."""
    menu = menu_of(scene)
    assert menu is not None, "only called while one is open"
    closed = replace(_quiet(scene), mode="table")
    if key in (ESCAPE, ENTER) or _OPENERS[scene.ui.mode] in actions_of(key):
        return closed, ()
    if Action.LEAVE in actions_of(key):
        return _leave(Scene(scene.model, closed), key)
    if Action.SCROLL_ON in actions_of(key) or Action.SCROLL_BACK in actions_of(key):
        return _in_help(scene, key), ()
    choice = next((one for one in menu.choices if one.digit == key), None)
    if choice is None or choice.wish is None:
        return scene.ui, ()
    if choice.digit == "0" and scene.serves:
        return replace(closed, asked="end", note=end_question(scene)), ()
    return _send(closed, (choice.wish,))


# Actions


def _help(scene: Scene, key: str) -> Pressed:
    return replace(_quiet(scene), mode="help", scroll=0), ()


def _move(scene: Scene, key: str) -> Pressed:
    rows, columns = DIRECTIONS[key]
    if scene.places:
        return replace(_quiet(scene), cursor=_beside(scene.ui.cursor, rows, columns, True)), ()
    assert scene.me is not None, "only a seat steps"
    here = scene.player(scene.me).meeples[scene.meeple - 1]
    there = _beside(here, rows, columns, False)
    if there < 0:
        return replace(_quiet(scene), note=_("The board ends there.")), ()
    option = scene.steps.get(there)
    note = ""
    if option is not None and option.rush_cost:
        left = scene.player(scene.me).rush - option.rush_cost
        note = _("That step costs a rush token; {tokens} left.").format(tokens=words.tokens(left))
    # What is not legal is sent too: the host knows why not.
    return replace(_quiet(scene), note=note), (Step(scene.meeple, there),)


def _beside(cell: int, rows: int, columns: int, clamped: bool) -> int:
    """Return the cell in a direction; at the edge the cell itself or, not clamped, -1."""
    row, column = divmod(cell, BOARD_SIDE)
    row, column = row + rows, column + columns
    if not (0 <= row < BOARD_SIDE and 0 <= column < BOARD_SIDE):
        return cell if clamped else -1
    return BOARD_SIDE * row + column


def _pour(scene: Scene, key: str) -> Pressed:
    pour = Pour(scene.to_pour[0], int(key))
    return (_quiet(scene), (pour,)) if pour in scene.legal else (_quiet(scene), ())


def _give_back(scene: Scene, key: str) -> Pressed:
    """Set the first token aside; when the others are poured, all set aside go back at once."""
    if len(scene.to_pour) <= 1:
        return replace(_quiet(scene), aside=()), (ReturnRest(),)
    return replace(_quiet(scene), aside=(*scene.ui.aside, scene.to_pour[0])), ()


def _suggest(scene: Scene, key: str) -> Pressed:
    return _send(replace(_quiet(scene), aside=()), scene.suggestion)


def _next(scene: Scene, key: str) -> Pressed:
    coming = next_of(scene)
    assert coming is not None, "it is offered"
    if coming.asks and scene.ui.asked != coming.asks:
        return replace(scene.ui, asked=coming.asks, note=coming.question), ()
    ui = replace(_quiet(scene), note=coming.question if not coming.wishes else "")
    return _send(ui, coming.wishes)


def _undo(scene: Scene, key: str) -> Pressed:
    if scene.aside:
        return replace(_quiet(scene), aside=scene.ui.aside[:-1]), ()
    return _quiet(scene), (Undo(),)


def _undo_all(scene: Scene, key: str) -> Pressed:
    return _send(replace(_quiet(scene), aside=()), (Undo(),) * scene.undo)


def _meeple(scene: Scene, key: str) -> Pressed:
    return replace(_quiet(scene), meeple=3 - scene.meeple), ()


def _ready(scene: Scene, key: str) -> Pressed:
    assert scene.me is not None, "it is offered to seats"
    return _quiet(scene), (Ready(NO_ID, not scene.seats[scene.me].ready),)


def _opens(mode: str) -> Callable[[Scene, str], Pressed]:
    return lambda scene, key: (replace(_quiet(scene), mode=mode, draft="", scroll=0), ())


def _pane(scene: Scene, key: str) -> Pressed:
    count = len(pane_names(kind_of(*scene.ui.size)))
    by = -1 if key == "s-tab" else 1
    return replace(_quiet(scene), pane=(scene.ui.pane + by) % count, scroll=0), ()


def _scroll(scene: Scene, key: str) -> Pressed:
    """Scroll the pane: what is read from its newest line goes the other way."""
    names = pane_names(kind_of(*scene.ui.size))
    from_the_top = names[scene.ui.pane % len(names)] in FROM_THE_TOP
    on = key == "pagedown"
    by = SCROLL_LINES if on is from_the_top else -SCROLL_LINES
    return replace(scene.ui, scroll=max(scene.ui.scroll + by, 0)), ()


def _leave(scene: Scene, key: str) -> Pressed:
    """Ask first where others play on; what is over is left at once."""
    nothing_on = scene.model.status in ("over", "joining") or scene.stage in ("lobby", "result")
    if (nothing_on and key != INTERRUPT) or scene.ui.asked == "leave" or scene.ui.leaving:
        return replace(_quiet(scene), leaving=True), ()
    note = _("Leave the table? Press q or Ctrl-C again; any other key stays.")
    return replace(scene.ui, mode="table", asked="leave", note=note), ()


_ACTIONS: Final[dict[Action, Callable[[Scene, str], Pressed]]] = {
    Action.HELP: _help,
    Action.MOVE: _move,
    Action.DIAGONAL: _move,
    Action.POUR: _pour,
    Action.GIVE_BACK: _give_back,
    Action.SUGGEST: _suggest,
    Action.NEXT: _next,
    Action.UNDO: _undo,
    Action.UNDO_ALL: _undo_all,
    Action.MEEPLE: _meeple,
    Action.READY: _ready,
    Action.UPGRADES: _opens("upgrades"),
    Action.EMPTY: _opens("empty"),
    Action.SERVE: _opens("serve"),
    Action.ADD_BOT: _opens("bots"),
    Action.REMOVE: _opens("seats"),
    Action.RENAME: _opens("name"),
    Action.CHAT: _opens("chat"),
    Action.PANE: _pane,
    Action.SCROLL_BACK: _scroll,
    Action.SCROLL_ON: _scroll,
    Action.LEAVE: _leave,
}


def _why_not(scene: Scene, actions: list[Action], key: str) -> str:
    """Return a sentence for a key that does nothing now; nothing for an unknown key."""
    if scene.stage != "game" or not actions:
        return ""
    if scene.me is None:
        return _("You are looking on: the players play.")
    if not scene.my_turn:
        name = scene.name(scene.view.active or 0)
        return _("It is the turn of {name}.").format(name=name)
    return _NOT_NOW.get(actions[-1], lambda: "")()


_NOT_NOW: Final[dict[Action, Callable[[], str]]] = {
    Action.MOVE: lambda: _("No step is possible now: u takes back, Enter goes on."),
    Action.POUR: lambda: _("There is nothing to pour now."),
    Action.GIVE_BACK: lambda: _("There is nothing to give back now."),
    Action.SUGGEST: lambda: _("There is nothing to pour now."),
    Action.UNDO: lambda: _("This is where your turn began: there is nothing to take back."),
    Action.UNDO_ALL: lambda: _("This is where your turn began: there is nothing to take back."),
    Action.SERVE: lambda: _("No cup is an order: cups and orders must be equal."),
    Action.EMPTY: lambda: _("Every cup is empty."),
    Action.MEEPLE: lambda: _("Only one meeple moves in a turn."),
}
