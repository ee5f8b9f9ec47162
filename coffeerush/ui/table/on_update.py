"""From an update to the next state of the screen: pure."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.advice.guide import guide_over
from coffeerush.ui.pages.page import Mode
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.invitation import code_line, new_code_line
from coffeerush.ui.words.refusals import refusal_line
from protocol import Refusal, TableView, TurnTimedOut

from .actions import end_guide, lost_line
from .available import next_of
from .choices import choices_of, removals
from .key_words import next_question
from .on_key import OPENERS
from .panes import read_on
from .scene import Scene
from .state import Ui, closed

_OF_A_TURN: Final[tuple[Mode, ...]] = ("empty", "serve")
"""Lists that close with the turn they were opened in."""


def _open_seen(model: Model, ui: Ui) -> Ui:
    """Close a list that is not offered any more: it must not come back by itself."""
    if ui.mode in OPENERS and choices_of(Scene(model, ui)) is None:
        return closed(ui)
    return closed(ui) if ui.mode == "invitation" and not model.invitation.addresses else ui


def _question_seen(model: Model, ui: Ui) -> Ui:
    """Take back the question whether to start when it is about other seats now."""
    if ui.asked != "start":
        return ui
    scene = Scene(model, ui)
    coming = next_of(scene)
    same = coming is not None and next_question(scene, coming) == ui.note
    return ui if same else replace(ui, asked="", note="")


def see(before: Model, after: Model, ui: Ui, now: float, came: float | None = None) -> Ui:
    """Return the state of the screen after the model has changed.

    Args:
        before: what was shown.
        after: what is shown now.
        ui: the state until now.
        now: when it is shown.
        came: when it was heard; by default now.
    """
    ui = replace(ui, now=now, turn=ui.turn.seen(before, after))
    if (after.epoch, after.game) != (before.epoch, before.game):
        ui = replace(ui, plan=(), typed=(), sure_at=None)
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
        note = refusal_line(after.refusal)
        ui = replace(ui, plan=(), typed=(), asked="", note=note, refused=True)
    ui = _code_seen(before, _time_seen(before, after, ui), after)
    if after.table is not before.table:
        ui = _table_seen(before.table, after.table, ui, now if came is None else came)
    ui = _open_seen(after, _question_seen(after, _removals_seen(before, after, ui)))
    ui = read_on(Scene(before, ui), _guide_seen(after, ui), after)
    return _cursor_seen(before, after, ui)


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
        {one.key: one.name for one in removals(Scene(model, ui))} for model in (before, after)
    )
    if all(was.get(key, name) == name for key, name in now.items()):
        return ui
    note = refusal_line(Refusal("stale", ""))
    return replace(closed(ui), note=note, refused=True)


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
    return "" if model.seat is None else event_line(TurnTimedOut(model.seat), model)


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
