"""From a key to the next state of the screen and what is wished: pure, with the time handed in."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.advice.guide import guide_over
from coffeerush.ui.pages.pages import PAGES, press_page
from coffeerush.ui.table.draw.panes import menu_end, read_on
from coffeerush.ui.terminal.keyboard import ENTER, ESCAPE, INTERRUPT
from coffeerush.ui.words import status
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.invitation import code_line, new_code_line
from protocol import EndTurn, Refusal, TableView, TurnTimedOut

from .actions import ACTIONS, Pressed, end_guide, leave, lost_line, quiet, send, why_not
from .available import end_question, next_of, offers_of
from .choices import Menu, menu_of, removals
from .key_timing import HELD_SECONDS, REPEAT_SECONDS, is_again, is_early, is_final, is_held
from .keymap import Action, actions_of, meant
from .layout import is_tiny
from .panes import guide_area, guide_box, guide_left
from .scene import Scene
from .state import Mode, Ui, closed
from .text_input import type_key

TYPED_MOST: Final = 16
PAGE_OVERLAP: Final = 4
"""Lines of a list that stay when it is turned, and those below it."""

_ANYTIME: Final = {
    *(Action.HELP, Action.LEAVE, Action.PANE, Action.SCROLL_BACK, Action.SCROLL_ON, Action.CHAT),
    *(Action.RULES, Action.SETTINGS, Action.INVITE),
}
"""What needs no answer of the host first."""
_BESIDE_GUIDE: Final = _ANYTIME - {Action.PANE, Action.CHAT} | {Action.CLOSE}
"""What does not close the box of the guide, or not alone."""
TYPING: Final[tuple[Mode, ...]] = ("chat", "name")
"""What takes every character as text."""
_OF_A_TURN: Final[tuple[Mode, ...]] = ("empty", "serve")
"""Lists that close with the turn they were opened in."""


def press(model: Model, ui: Ui, key: str, now: float) -> Pressed:
    """Return what a key does; `key` is a character or a name of prompt_toolkit."""
    before = replace(ui, now=now, sure_at=None)
    ui = replace(before, key=key, key_at=now)
    if ui.mode in TYPING or ui.mode in PAGES:
        return _press(Scene(model, ui), key)
    anytime = bool(_ANYTIME & set(actions_of(meant(key))))
    if is_held(before, key) or (is_early(ui, key) and not anytime):
        return ui, ()
    done = _press(Scene(model, ui), key)
    if is_final(ui, done) and is_again(before, key, REPEAT_SECONDS):
        return replace(ui, sure_at=now + HELD_SECONDS), ()
    return done


def go_on(model: Model, ui: Ui, now: float) -> Pressed:
    """Return what was asked for before and can be done now: a plan first, then waiting keys."""
    ui = replace(ui, now=now)
    if ui.sure_at is not None and now >= ui.sure_at:
        return _press(Scene(model, replace(ui, sure_at=None)), ui.key)
    if not model.can_act:
        return ui, ()
    if ui.plan:
        first, *rest = ui.plan
        if first not in Scene(model, ui).legal:
            return replace(ui, plan=()), ()
        return replace(ui, plan=tuple(rest)), (first,)
    if ui.mode in TYPING or ui.mode in PAGES or ui.mode == "invitation":
        ui = replace(ui, typed=())  # they were meant for the table
    if ui.typed:
        key, *keys = ui.typed
        ui = replace(ui, typed=tuple(keys))
        done = _press(Scene(model, ui), key, again=True)
        # Who saw nothing happen has pressed once more than was meant.
        return (replace(ui, typed=()), ()) if is_final(ui, done) else done
    return ui, ()


def see(before: Model, after: Model, ui: Ui, now: float, came: float | None = None) -> Ui:
    """Return the state of the screen after the model has changed.

    Args:
        before: what was shown.
        after: what is shown now.
        ui: the state until now.
        now: when it is shown.
        came: when it was heard; by default now.
    """
    ui = replace(ui, now=now)
    if (after.epoch, after.game) != (before.epoch, before.game):
        ui = replace(ui, meeple=1, aside=(), plan=(), typed=(), sure_at=None)
    if _turn_of(after) != _turn_of(before):
        ui = closed(ui) if ui.mode in _OF_A_TURN else ui
        turn_at = now if after.my_turn else ui.turn_at
        ui = replace(ui, plan=(), typed=(), sure_at=None, turn_at=turn_at)
        if ui.asked != "leave" and ui.note != _time_up(after):
            # what was said was about the turn before
            ui = replace(ui, asked="", note="", refused=False)
    if before.status != after.status and "lost" in (before.status, after.status):
        ui = _status_seen(after, ui)
    if after.refusal is not None and after.refusal is not before.refusal:
        note = status.refusal_line(after.refusal)
        ui = replace(ui, plan=(), typed=(), asked="", note=note, refused=True)
    ui = _code_seen(before, _time_seen(before, after, ui), after)
    if after.table is not before.table:
        ui = _table_seen(before.table, after.table, ui, now if came is None else came)
    ui = _open_seen(after, _question_seen(after, _removals_seen(before, after, ui)))
    ui = read_on(Scene(before, ui), _guide_seen(after, ui), after)
    return _cursor_seen(before, after, _hand_seen(after, ui))


def _table_seen(before: TableView | None, after: TableView | None, ui: Ui, came: float) -> Ui:
    clock = after.clock if after else None
    ui = replace(ui, clock_until=None if clock is None else came + clock)
    if before and after and before.stage != after.stage:
        # an Enter of before was not meant for what it does now
        ui = ui if ui.mode == "chat" else closed(ui)
        ui = replace(ui, scroll=0, turn_at=ui.now, sure_at=None)
    return ui


def _removals_seen(before: Model, after: Model, ui: Ui) -> Ui:
    """Close the choice of whom to remove where one of its keys means somebody else now."""
    if ui.mode != "seats" or not (before.table and after.table):
        return ui
    was, now = (
        {one.key: one.text for one in removals(Scene(model, ui))} for model in (before, after)
    )
    if all(was.get(key, name) == name for key, name in now.items()):
        return ui
    note = status.refusal_line(Refusal("stale", ""))
    return replace(closed(ui), note=note, refused=True)


def _open_seen(model: Model, ui: Ui) -> Ui:
    """Close a list that is not offered any more: it must not come back by itself."""
    if ui.mode in _OPENERS and menu_of(Scene(model, ui)) is None:
        return closed(ui)
    return closed(ui) if ui.mode == "invitation" and not model.invitation.addresses else ui


def _question_seen(model: Model, ui: Ui) -> Ui:
    """Take back the question whether to start when it is about other seats now."""
    if ui.asked != "start":
        return ui
    coming = next_of(Scene(model, ui))
    same = coming is not None and coming.question == ui.note
    return ui if same else replace(ui, asked="", note="")


def _status_seen(model: Model, ui: Ui) -> Ui:
    """Say how it stands with the host; keys of before do nothing when it is back."""
    note = ""
    in_game = model.table is not None and model.table.stage == "game"
    if model.status == "lost" and model.owner and in_game:  # else there is nothing to bring back
        note = lost_line()
    elif model.status == "here" and model.my_turn:
        note = _("The host is back: your turn is where it was.")
    return replace(ui, plan=(), typed=(), sure_at=None, asked="", note=note, refused=False)


def _time_seen(before: Model, after: Model, ui: Ui) -> Ui:
    """Say that the own time was up, and who has finished the turn."""
    new = after.history.total - before.history.total
    for event in after.log[-new:] if new > 0 else ():
        if isinstance(event, TurnTimedOut) and event.seat == after.seat:
            ui = replace(ui, note=_time_up(after), asked="", refused=True)
    return ui


def _code_seen(before: Model, ui: Ui, after: Model) -> Ui:
    """Say that others need another code now."""
    code = after.invitation.code
    if not before.invitation.code or code == before.invitation.code:
        return ui
    return replace(ui, note=f"{new_code_line()} {code_line(code)}", asked="", refused=False)


def _time_up(model: Model) -> str:
    return "" if model.seat is None else status.event_line(TurnTimedOut(model.seat), model)


def _guide_seen(model: Model, ui: Ui) -> Ui:
    """End the first-game guide where it has nothing more to say."""
    return end_guide(ui) if ui.guide and guide_over(model) else ui


def _turn_of(model: Model) -> tuple[object, ...]:
    """Return what tells a turn from all others; of bots' turns in between none may be shown."""
    view = model.view
    return (model.epoch, model.game, model.my_turn, *((view.round, view.active) if view else ()))


def _cursor_seen(before: Model, after: Model, ui: Ui) -> Ui:
    """Begin to place a meeple on a free cell."""
    places = Scene(after, ui).places
    if not places or ui.cursor in places or Scene(before, ui).places:
        return ui
    return replace(ui, cursor=min(places))


def _hand_seen(model: Model, ui: Ui) -> Ui:
    """Forget what was set aside of a hand that is not there any more."""
    own = model.view.own if model.view and model.my_turn else None
    short = own is None or any(ui.aside.count(kind) > own.hand[kind] for kind in ui.aside)
    if ui.aside and short:
        ui = replace(ui, aside=())
    return ui


def _press(scene: Scene, key: str, again: bool = False) -> Pressed:
    if key == INTERRUPT or (is_tiny(scene.ui.size) and meant(key) == "q"):
        return leave(scene, key)
    if is_tiny(scene.ui.size):
        return quiet(scene), ()
    if scene.ui.mode in TYPING:
        return type_key(scene.ui, key)
    if scene.ui.mode in PAGES:
        return press_page(scene.ui, key), ()
    key = meant(key)
    if scene.ui.mode == "invitation":
        closes = key in (ESCAPE, ENTER, "q") or Action.INVITE in actions_of(key)
        return closed(quiet(scene)) if closes else scene.ui, ()
    actions = actions_of(key)
    anytime = bool(_ANYTIME & set(actions)) and scene.ui.mode == "table"
    if guide_box(scene) and not _BESIDE_GUIDE & set(actions):
        # what was typed ahead was not meant for a box that nobody had seen
        return scene.ui if again else _turned_guide(Scene(scene.model, quiet(scene))), ()
    if scene.busy and not again and not anytime:
        if scene.model.status == "lost":
            return replace(closed(quiet(scene)), note=why_not(scene, actions, key)), ()
        return replace(scene.ui, typed=(*scene.ui.typed, key)[:TYPED_MOST]), ()
    if menu_of(scene) is not None:
        return _in_menu(scene, key)
    offers = offers_of(scene)
    wanted = next((action for action in actions if action in offers), None)
    asked, fresh = scene.ui.asked, quiet(scene)
    if wanted is None:
        return replace(fresh, note=why_not(scene, actions, key)), ()
    scene = Scene(scene.model, replace(fresh, asked=asked))
    return ACTIONS[wanted](scene, key)


def _turned_guide(scene: Scene) -> Ui:
    """Return what a key does to the box of the guide: it shows what comes after, else closes."""
    if guide_left(scene):
        page = guide_area(*scene.ui.size).rows
        return replace(scene.ui, scroll=scene.ui.scroll + page)
    return replace(scene.ui, read=scene.guide, scroll=0)


# Open: choices


def _scrolled(scene: Scene, menu: Menu, by: int) -> Ui:
    page = max(scene.ui.size[1] - PAGE_OVERLAP, 1)
    return replace(
        scene.ui, scroll=min(max(scene.ui.scroll + by * page, 0), menu_end(menu, scene.ui.size))
    )


_OPENERS: Final = {
    "upgrades": Action.UPGRADES,
    "empty": Action.EMPTY,
    "serve": Action.SERVE,
    "bots": Action.ADD_BOT,
    "seats": Action.REMOVE,
}


def _in_menu(scene: Scene, key: str) -> Pressed:
    """Pick by its key; the key that opened it closes it."""
    menu = menu_of(scene)
    assert menu is not None, "only called while one is open"
    done = closed(quiet(scene))
    if key in (ESCAPE, ENTER) or _OPENERS[scene.ui.mode] in actions_of(key):
        return done, ()
    if Action.LEAVE in actions_of(key):
        return leave(Scene(scene.model, done), key)
    if Action.SCROLL_ON in actions_of(key) or Action.SCROLL_BACK in actions_of(key):
        return _scrolled(scene, menu, 1 if Action.SCROLL_ON in actions_of(key) else -1), ()
    choice = next((one for one in menu.choices if one.key == key), None)
    if choice is None or choice.wish is None:
        return scene.ui, ()
    if choice.wish == EndTurn():
        return replace(done, asked="end", note=end_question(scene)), ()
    return send(done, (choice.wish,))
