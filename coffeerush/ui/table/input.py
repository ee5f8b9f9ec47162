"""Input at the table: keys and clicks, each with a time, to the next state and wishes. Pure."""

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from coffeerush.client.model import CloseHost, GoOn, Model, OpenToGuests
from coffeerush.ui.pages.pages import PAGES, click_page, press_page
from coffeerush.ui.terminal.canvas import Target, is_tiny, kind_of
from coffeerush.ui.terminal.keys import DOUBLE_SECONDS, EDITING, ENTER, ESCAPE, INTERRUPT, Draft
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import counts_phrase, drink_name, tokens
from coffeerush.ui.words.table import end_of_guests_line, guests_soon
from coffeerush.ui.words.tournament import breaking_off_line
from protocol import (
    BOARD_SIDE,
    NO_ID,
    SLOTS,
    BeginRound,
    Bye,
    Cell,
    EndTournament,
    EndTurn,
    Enter,
    GetTables,
    HandOver,
    LetIn,
    LookAt,
    PlaceMeeple,
    Remove,
    RemoveSpectator,
    Start,
    Step,
    TakeOver,
)

from .actions import (
    IN_HALL,
    KEYMAP,
    OPENERS,
    SEE_SECONDS,
    Action,
    Pressed,
    again_line,
    choose_meeple,
    cleared,
    is_offered,
    leave,
    next_of,
    planning,
    refused,
    rush_note,
    send,
    situation_of,
    take,
    why_not,
)
from .draw_lists import choices_end
from .lists import (
    Choice,
    Choices,
    choices_of,
    has_values,
    is_person,
    knows_tournament,
    marked_choice,
    turned_back,
)
from .panes import (
    chosen_pane,
    guide_area,
    guide_box,
    guide_left,
    pane_names,
)
from .scene import Scene
from .state import READING, TYPING, Ui, closed
from .text_input import is_typing, type_key, with_mark

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder


MAX_TYPED: Final = 16
PAGE_OVERLAP: Final = 6
"""Lines of a list that stay visible when it scrolls by a page, and the lines below it."""


# Unintended input: held keys, pasted text, keys pressed before the turn began
#
# A keyboard repeats a held key after up to a second, then many times a second, and a terminal does
# not tell repeats from presses. So if a key may be held, an irreversible action is delayed until it
# is clear whether another repeat follows (debounce).


TURN_PAUSE_SECONDS: Final = 0.3
"""For how long Enter and Space are ignored after a turn begins: they were meant for something
else."""
SKIP_SECONDS: Final = 3.0
"""For how long Space and Enter do not say that they do nothing, once others' moves have been shown:
they were meant to skip them."""
HELD_SECONDS: Final = 0.12
"""A key that follows the same key within this time is held."""
REPEAT_SECONDS: Final = 2.0
"""The longest delay before a keyboard repeats a held key."""
TABLES_SECONDS: Final = 2.0
"""How often an open list of the host's tables is renewed."""
PASTE_SECONDS: Final = 0.3
"""The longest time that the rest of a pasted text may take to arrive."""

_FINAL: Final = (
    *(EndTurn, PlaceMeeple, Start, Remove, RemoveSpectator, LetIn, HandOver, TakeOver, BeginRound),
)


def _is_final(before: Ui, done: Pressed) -> bool:
    """Return whether a result includes something that cannot be undone."""
    ui, wishes = done
    return any(isinstance(wish, _FINAL) for wish in wishes) or ui.leaving > before.leaving


def _is_again(ui: Ui, key: str, seconds: float) -> bool:
    """Return whether a key repeats the previous one within `seconds`."""
    return key == ui.key and ui.now - ui.key_at < seconds


def _is_held(ui: Ui, key: str) -> bool:
    """Return whether a key is held that does nothing while held."""
    once = any(action.value.once for action in KEYMAP.actions_of(key))
    return once and _is_again(ui, key, HELD_SECONDS)


def _is_early(ui: Ui, key: str, before: Ui) -> bool:
    """Return whether a key was meant for what an update has replaced, or is part of a paste.

    Space is not, once another key has been pressed in the turn.
    """
    has_begun = before.key != " " and before.key_at > ui.turn_at
    pause = TURN_PAUSE_SECONDS if key == ENTER or (key == " " and not has_begun) else 0
    early = ui.now - ui.turn_at < pause or ui.turn_at > ui.drawn_at
    since = max(ui.lost_at, ui.result_at) if key in (ENTER, " ") else ui.lost_at
    lost = ui.now - since < SEE_SECONDS
    return early or lost or ui.now - ui.pasted_at < PASTE_SECONDS


# Keys


def press(model: Model, ui: Ui, key: str, now: float) -> Pressed:
    """Apply a key; `key` is a character or one of prompt_toolkit's key names."""
    if key in EDITING and not KEYMAP.actions_of(key) and not is_typing(ui):
        return ui, ()
    text, key = key, KEYMAP.resolve(key)
    before = replace(ui, now=now, commit_at=None)
    ui = replace(before, key=key, key_at=now)
    if ui.mode in TYPING or ui.mode in PAGES:
        if key == INTERRUPT or is_tiny(ui.size):
            return _press(Scene(model, ui), key)
        return type_key(ui, text) if ui.mode in TYPING else with_mark(ui, press_page(ui, text))
    anytime = any(action.value.anytime for action in KEYMAP.actions_of(key))
    if _is_held(before, key) or (_is_early(ui, key, before) and not anytime):
        return ui, ()
    done = _press(Scene(model, ui), key)
    if _is_final(ui, done) and _is_again(before, key, REPEAT_SECONDS):
        return replace(ui, commit_at=now + HELD_SECONDS, commit=done[1]), ()
    return done


def acts(model: Model, ui: Ui, key: str) -> bool:
    """Return whether a key does something while others' moves are shown, other than skip them."""
    scene = Scene(model, ui)
    if situation_of(scene) != "table" or ui.asked == "leave":
        return True
    return any(is_offered(scene, action) for action in KEYMAP.actions_of(KEYMAP.resolve(key)))


def run_pending(model: Model, ui: Ui, now: float) -> Pressed:
    """Continue what is pending and possible now: a delayed key, the plan, then queued keys.

    An open list of the host's tables is renewed, and so is the tournament.
    """
    ui = replace(ui, now=now)
    if ui.commit_at is not None and now >= ui.commit_at:
        ui = replace(ui, commit_at=None)
        done = _press(Scene(model, ui), ui.key)
        return done if done[1] == ui.commit else (ui, ())
    if ui.mode in ("hall", "tournament") and now >= ui.tables_at + TABLES_SECONDS:
        return replace(ui, tables_at=now), (GetTables(NO_ID),)
    if not model.can_act:
        return ui, ()
    if ui.plan:
        first, *rest = ui.plan
        if first in Scene(model, ui).turn.legal:
            return replace(ui, plan=tuple(rest)), (first,)
        if isinstance(first, Step):
            ui = refused(Scene(model, ui), _("The rest of your walk is not possible."))
        ui = replace(ui, plan=())
    return _run_typed(model, ui)


def _run_typed(model: Model, ui: Ui) -> Pressed:
    """Apply queued keys until one of them sends something."""
    while ui.typed:
        if ui.mode in TYPING or ui.mode in PAGES or ui.mode in READING:
            return replace(ui, typed=()), ()  # the queued keys were meant for the table
        key, *keys = ui.typed
        ui = replace(ui, typed=tuple(keys))
        done = _press(Scene(model, ui), key, again=True)
        if _is_final(ui, done):
            # people who see nothing happen press again: that must not do something final
            return replace(ui, typed=()), ()
        ui, wishes = done
        if wishes:
            return done
    return ui, ()


def _press(scene: Scene, key: str, again: bool = False) -> Pressed:
    """Apply a key of the keymap; `again` if it was queued before."""
    if key == INTERRUPT or (is_tiny(scene.ui.size) and key == "q"):
        return leave(scene, key)
    if is_tiny(scene.ui.size):
        return cleared(scene), ()
    actions = KEYMAP.actions_of(key)
    if scene.ui.asked == "leave" and Action.LEAVE not in actions and not again:
        return cleared(scene), ()  # it only cancels
    if Action.HELP in actions and (scene.ui.mode in READING or choices_of(scene) is not None):
        return take(scene, Action.HELP, key)
    if scene.ui.mode in READING:
        return _reading(scene, key), ()
    if guide_box(scene) and not any(_acts_beside_guide(scene, action) for action in actions):
        # keys typed ahead were not meant for a box that was not visible yet
        # a note that the box covers stays
        scene = Scene(scene.model, cleared(scene)) if scene.ui.asked else scene
        return scene.ui if again else _advance_guide(scene), ()
    is_anytime = any(action.value.anytime for action in actions)
    leaves = key == ESCAPE or (scene.ui.mode == "leaving" and Action.LEAVE in actions)
    waits = not (is_anytime if scene.ui.mode == "table" else leaves)
    if scene.model.may_go_on and key == ENTER and not again and scene.ui.mode not in TYPING:
        return closed(cleared(scene)), (GoOn(),)
    if scene.busy and not again and waits:
        if scene.model.status == "lost":
            return closed(refused(scene, why_not(scene, actions, key))), ()
        return replace(scene.ui, typed=(*scene.ui.typed, key)[:MAX_TYPED]), ()
    choices = choices_of(scene)
    if choices is not None:
        return _choosing(scene, choices, key)
    wanted = next((action for action in actions if is_offered(scene, action)), None)
    if _is_skip(scene, key) and _does_nothing(scene, wanted, key):
        return scene.ui, ()
    if wanted is None:
        return refused(scene, why_not(scene, actions, key)), ()
    asked, fresh = scene.ui.asked, cleared(scene)
    done = take(Scene(scene.model, replace(fresh, asked=asked)), wanted, key)
    return _looking(scene.ui, done) if wanted.value.looks and not asked else done


def _is_skip(scene: Scene, key: str) -> bool:
    """Return whether a key was meant to skip others' moves, or to read on in the guide."""
    since = scene.ui.now - max(scene.ui.turn_at, scene.ui.played_at)
    reads_on = key == " " and scene.guided and scene.turn.is_mine and scene.ui.trails
    return since < SKIP_SECONDS or reads_on


def _does_nothing(scene: Scene, wanted: Action | None, key: str) -> bool:
    """Return whether a key that skips others' moves would only say that it does nothing here."""
    if wanted is None:
        return key == " "
    coming = next_of(scene) if key == ENTER and scene.stage == "game" else None
    return coming is not None and not (coming.wishes or coming.asks) and scene.ui.trails


def _looking(before: Ui, done: Pressed) -> Pressed:
    """Keep the note, unless it is a refusal, and others' trails with a key that only shows."""
    ui, wishes = done
    if before.refused:
        return replace(ui, trails=before.trails, news=before.news), wishes
    kept = {"note": before.note, "note_at": before.note_at, "refused": before.refused}
    return replace(ui, trails=before.trails, news=before.news, **kept), wishes


def _acts_beside_guide(scene: Scene, action: Action) -> bool:
    """Return whether a key acts while the guide's box is open, rather than scroll or close it."""
    row = action.value
    offered = row.beside_guide == "if offered" and is_offered(scene, action)
    return offered or row.beside_guide == "always"


def _reading(scene: Scene, key: str) -> Ui:
    """Scroll or close what can only be read."""
    if key in (ESCAPE, ENTER, "q") or OPENERS[scene.ui.mode] in KEYMAP.actions_of(key):
        return closed(cleared(scene))
    # as far as an invitation can be longer than the screen; drawing stops at its last line
    most = len(scene.orders) - 1 if scene.ui.mode == "orders" else scene.ui.size[1]
    page = max(most // 2, 1)
    by = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}.get(key, 0)
    return replace(scene.ui, scroll=min(max(scene.ui.scroll + by, 0), most))


def _advance_guide(scene: Scene) -> Ui:
    """Scroll the guide's box by a page, or close it at its end."""
    if guide_left(scene):
        return replace(scene.ui, scroll=scene.ui.scroll + guide_area(scene).rows)
    return replace(scene.ui, read=scene.topic, scroll=0)


# Open lists


def _scrolled(scene: Scene, by: int) -> Ui:
    page = max(scene.ui.size[1] - PAGE_OVERLAP, 1)
    if scene.ui.mode == "tournament":  # a podium may be above it
        page = scene.ui.size[1] // 3
    return replace(scene.ui, scroll=min(max(scene.ui.scroll + by * page, 0), choices_end(scene)))


def _marked_beside(scene: Scene, choices: Choices, by: int) -> Ui:
    """Mark the next entry that can be chosen, if there is one, and show it."""
    keys = [choice.key for choice in choices if choice.is_open]
    marked = marked_choice(scene)
    if not keys:
        return scene.ui
    row = min(max(keys.index(marked.key) + by, 0), len(keys) - 1) if marked else 0
    return replace(scene.ui, marked=keys[row], scroll=0)


def _choosing(scene: Scene, choices: Choices, key: str) -> Pressed:
    """Apply a key to the open list: mark, choose, scroll or close."""
    done, actions = closed(cleared(scene)), KEYMAP.actions_of(key)
    marked = marked_choice(scene)
    if scene.ui.mode == "leaving" and Action.LEAVE in actions:
        return leave(scene, key)
    if scene.ui.mode == "succeed":  # the key that answers must not leave a digit to the turn
        if key == ESCAPE:
            return done, (TakeOver(NO_ID, False),)
        if OPENERS[scene.ui.mode] in actions:
            return scene.ui, ()
    if key == ESCAPE or OPENERS[scene.ui.mode] in actions or (key == ENTER and marked is None):
        return done, ()
    if key in ("up", "down"):
        return _marked_beside(scene, choices, -1 if key == "up" else 1), ()
    if key in ("left", "right") and marked and has_values(marked):
        wish = turned_back(scene, marked) if key == "left" else marked.wish
        key, marked = ENTER, replace(marked, wish=wish or marked.wish)
    if Action.LEAVE in actions:
        return leave(Scene(scene.model, done), key)
    if scene.ui.mode == "hall" and (opener := OPENERS["tournament"]) in actions:
        return take(scene, opener, key) if knows_tournament(scene.model) else (done, ())
    if scene.ui.mode == "emotes" and OPENERS["chat"] in actions:
        return take(Scene(scene.model, done), OPENERS["chat"], key)
    if key in ("pageup", "pagedown"):
        return _scrolled(scene, 1 if key == "pagedown" else -1), ()
    in_hall = (action for action in IN_HALL if action in actions and is_offered(scene, action))
    if action := next(in_hall, None):
        return take(scene, action, key)
    choice = (
        marked if key == ENTER else next((choice for choice in choices if choice.key == key), None)
    )
    if choice is not None and choice.closes:
        return done, ()
    if choice is None or choice.wish is None:
        return scene.ui, ()
    if isinstance(choice.wish, Bye):
        return replace(done, leaving=True), ()
    if choice.wish == EndTurn():
        return replace(done, asked="end", note=_end_question(scene)), ()
    question = _question(scene, choice, _("Enter") if key == ENTER else key)
    if question and (scene.ui.asked, scene.ui.removing) != ("remove", choice.key):
        asking = replace(cleared(scene), asked="remove", note=question)
        return replace(asking, removing=choice.key, marked=choice.key), ()
    if choice.wish == CloseHost():
        return replace(done, leaving=True), (choice.wish,)
    if isinstance(choice.wish, OpenToGuests):
        note = guests_soon() if choice.wish.allowed else ""
        return replace(cleared(scene), note=note), (choice.wish,)
    stays = scene.ui.mode in ("agreed", "tournament")  # people change several things there
    return send(replace(cleared(scene), marked=choice.key) if stays else done, (choice.wish,))


def _question(scene: Scene, choice: Choice, key: str) -> str:
    """Return the question before an entry is chosen, which the same key confirms; "" for none."""
    question = ""
    if is_person(scene, choice):
        question = _("Remove {name} for good? They cannot come back to this table.")
        question = question.format(name=choice.name)
    elif isinstance(choice.wish, EndTournament):
        question = _("End the tournament as it stands now?")
    elif isinstance(choice.wish, BeginRound):
        question = breaking_off_line(scene.model)
    elif isinstance(choice.wish, Enter) and not choice.wish.entered:
        question = _("Withdraw from the tournament?")
    elif choice.wish == OpenToGuests(allowed=False):
        question = end_of_guests_line()
    elif choice.wish == CloseHost():
        question = _("Send everybody home?")
    return f"{question} {again_line(scene, key)}" if question else ""


def _end_question(scene: Scene) -> str:
    """Return the question before ending the turn: what could still be served."""
    touch = scene.ui.touch
    if not scene.turn.urgent:
        return _("End the turn?") if touch else _("Enter ends the turn.")
    serve = scene.turn.urgent[0]
    drink = drink_name(scene.model, scene.turn.serves[serve])
    last = serve.slot == SLOTS
    if touch:
        text = _("{drink} is ready in cup {cup} but not served. End the turn anyway?")
        loss = _("{drink} is ready in cup {cup} and would become a penalty. End the turn anyway?")
    else:
        text = _("{drink} is ready in cup {cup} but not served: Enter ends the turn anyway.")
        loss = _(
            "{drink} is ready in cup {cup} and would become a penalty: Enter ends the turn anyway."
        )
    return (loss if last else text).format(drink=drink, cup=serve.cup)


# Mouse input at the table: a click on a cup, a cell or a list entry does what its key does


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
        return with_mark(ui, click_page(ui, target))
    if ui.asked == "leave":  # it only cancels
        return cleared(Scene(model, ui)), ()
    if kind == "row":  # a long message or a list covers the table
        return cleared(Scene(model, ui)), ()
    if kind == "cup":
        return press(model, ui if ui.mode == "empty" else closed(ui), str(value), now)
    if kind == "look":
        return closed(cleared(Scene(model, ui))), (LookAt(NO_ID, int(value)),)
    early = now - ui.turn_at < TURN_PAUSE_SECONDS
    scene = Scene(model, replace(closed(ui), key="", commit_at=None))
    if early or (scene.busy and model.status != "lost"):
        return ui, ()
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
    if key == ENTER and _is_again(ui, key, DOUBLE_SECONDS):
        return ui, ()
    if ui.mode in TYPING and key not in (ENTER, ESCAPE):
        ui = closed(ui)  # a click outside the text field closes it
    return press(model, ui, key, now)


def _cell(scene: Scene, cell: Cell) -> Pressed:
    """Place a meeple, or walk with whichever meeple can; the host explains what is illegal."""
    if scene.turn.places:
        return _place(scene, cell)
    if scene.plans:
        return _plan_walk(scene, cell), ()
    if not any(isinstance(intent, Step) for intent in scene.turn.legal):
        return refused(scene, why_not(scene, [Action.MOVE], "")), ()
    assert scene.me is not None, "only a seat has a turn"
    meeples, rush = scene.player(scene.me).meeples, scene.player(scene.me).rush
    other, in_reach = scene.turn.other_meeple, cell in scene.turn.steps
    if not in_reach and Step(other, cell) in scene.turn.legal:
        scene = Scene(scene.model, choose_meeple(scene, other))
    elif not in_reach and scene.turn.can_choose_meeple and cell == meeples[other - 1]:
        return choose_meeple(scene, other), ()
    if cell == scene.turn.position:
        note = _("Your meeple is on this cell: click the cell to walk to.")
        note = (
            _("Your meeple is on this cell: tap the cell to walk to.") if scene.ui.touch else note
        )
        return refused(scene, note), ()
    if cell not in scene.turn.steps and (walk := _walk(scene, cell)):
        return walk
    left = scene.view.steps_left + rush
    if _distance(scene, cell) > left:
        text = ngettext("Too far: {count} step left.", "Too far: {count} steps left.", left)
        return refused(scene, text.format(count=left)), ()
    return replace(cleared(scene), note=rush_note(scene, cell)), (Step(scene.turn.meeple, cell),)


def _distance(scene: Scene, cell: Cell) -> int:
    """Return the fewest steps from the meeple to a cell, as if no meeple were in the way."""
    assert scene.turn.position is not None, "it is placed"
    places = divmod(cell, BOARD_SIDE), divmod(scene.turn.position, BOARD_SIDE)
    apart = [abs(there - here) for there, here in zip(*places, strict=True)]
    return max(apart) if scene.diagonal else sum(apart)


def _plan_walk(scene: Scene, cell: Cell) -> Ui:
    """Plan to walk on to a cell in this player's next turn; a click on its end plans nothing."""
    from coffeerush.ui.advice.advice import walk_to
    from coffeerush.ui.advice.ahead import turn_ahead

    if scene.path[-1:] == (cell,) and scene.ui.turn.ahead:
        return planning(scene, ())
    ahead = scene.ui.turn.ahead
    walk = walk_to(turn_ahead(scene.view, ahead), scene.turn.meeple, cell)
    if not (walk and walk.steps):
        return refused(scene, _("As things stand, you cannot get there."))
    return planning(scene, (*ahead, *walk.steps))


def _walk(scene: Scene, cell: Cell) -> Pressed | None:
    """Walk to a cell some steps away; ask first if free steps are left but others cost tokens."""
    from coffeerush.ui.advice.advice import walk_to

    walk = walk_to(scene.view, scene.turn.meeple, cell)
    if walk is None:
        return None
    costs = walk.rush and scene.view.steps_left
    if costs and (scene.ui.asked, scene.ui.cursor) != ("walk", cell):
        note = _("Walking there costs {tokens}: click there again to go.")
        note = _("Walking there costs {tokens}: tap there again to go.") if scene.ui.touch else note
        note = note.format(tokens=tokens(walk.rush))
        return replace(cleared(scene), asked="walk", cursor=cell, note=note), ()
    return send(cleared(scene), walk.steps)


def _place(scene: Scene, cell: Cell) -> Pressed:
    if cell not in scene.turn.places:
        ui = refused(scene, _("There is a meeple on that cell: choose a free one."))
        return replace(ui, cursor=cell), ()
    return replace(cleared(scene), cursor=cell), (PlaceMeeple(cell),)


def _order(scene: Scene, order: "OpenOrder") -> Pressed:
    if order.serve and order.serve in scene.turn.legal:
        return cleared(scene), (order.serve,)
    note = why_not(scene, [Action.SERVE], "")
    drink = drink_name(scene.model, order.drink)
    if order.lacks and (scene.turn.options or scene.ui.touch):
        text = _("{drink} still needs {ingredients}.")
        note = text.format(drink=drink, ingredients=counts_phrase(order.missing))
        return replace(cleared(scene), note=note), ()  # an answer
    if scene.turn.options:
        note = _("{drink} is ready: once your hand is empty, it can be served.").format(drink=drink)
    return refused(scene, note), ()


def _pane(scene: Scene, name: str) -> Ui:
    """Show a pane; a click on the title of the open one goes to the next."""
    kind = kind_of(*scene.ui.size)
    name = "log" if name == "guide" else name
    if name not in pane_names(kind):
        return replace(cleared(scene), mode="chat", draft=Draft()) if name == "chat" else scene.ui
    pane = chosen_pane(scene.ui, kind, 1) if name == chosen_pane(scene.ui, kind) else name
    return replace(cleared(scene), pane=pane, scroll=0)
