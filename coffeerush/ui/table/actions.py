"""Action handlers: what each action of the keymap does while it is offered."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import Wish, has_company
from coffeerush.ui.advice.guide import follow
from coffeerush.ui.pages.pages import Mode, mark_wish
from coffeerush.ui.terminal.canvas import kind_of
from coffeerush.ui.terminal.keys import DIRECTIONS, Draft
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import seat_colours, tokens
from coffeerush.ui.words.table import hints_line, pause_line
from protocol import (
    BOARD_SIDE,
    MAX_PLAYERS,
    NO_ID,
    Cell,
    Ingredient,
    Intent,
    LetIn,
    Meeple,
    Pour,
    Ready,
    ReturnRest,
    SetPause,
    Step,
    Undo,
)

from .available import next_of
from .choices import is_ready
from .key_timing import READ_SECONDS
from .key_words import next_question
from .keymap import Action
from .panes import (
    FROM_THE_TOP,
    SCROLLED,
    TOGETHER,
    chosen_pane,
    is_flipped,
    pane_lines,
    pane_of,
)
from .scene import Scene
from .state import Ui, closed

Pressed: TypeAlias = tuple[Ui, tuple[Wish, ...]]

SCROLL_LINES: Final = 3


def cleared(scene: Scene) -> Ui:
    """Return the screen's state with question, note and others' trails cleared.

    Messages that a pane has shown are read, and so is one that stands in the place of a note.
    """
    in_place = scene.stage != "game" or kind_of(*scene.ui.size) == "narrow"
    read_to = scene.model.history.total if in_place else max(scene.ui.read_to, scene.ui.shown_to)
    forgotten = {"note": "", "note_at": float("inf"), "refused": False, "trails": False}
    return replace(scene.ui, asked="", read_to=read_to, **forgotten)


def send(ui: Ui, wishes: tuple[Wish, ...]) -> Pressed:
    """Send the first wish, and queue the rest: only one intent is in flight at a time."""
    later = tuple(wish for wish in wishes[1:] if isinstance(wish, Intent))
    return replace(ui, plan=later, asked="", note=ui.note), wishes[:1]


def _move(scene: Scene, key: str) -> Pressed:
    rows, columns = DIRECTIONS[key]
    if scene.places:
        return replace(cleared(scene), cursor=_neighbour(scene.ui.cursor, rows, columns, True)), ()
    assert scene.me is not None, "only a seat steps"
    there = _neighbour(scene.player(scene.me).meeples[scene.meeple - 1], rows, columns, False)
    if there < 0:
        return replace(cleared(scene), note=_("The board ends there.")), ()
    # illegal steps are sent too: the host explains why they are refused
    return replace(cleared(scene), note=rush_note(scene, there)), (Step(scene.meeple, there),)


def rush_note(scene: Scene, cell: Cell) -> str:
    """Return the cost of a step; "" if it is free."""
    option = scene.steps.get(cell)
    if option is None or not option.rush_cost or scene.me is None:
        return ""
    left = scene.player(scene.me).rush - option.rush_cost
    return _("That step cost a rush token; {tokens} left.").format(tokens=tokens(left))


def _neighbour(cell: int, rows: int, columns: int, clamped: bool) -> int:
    """Return the adjacent cell in a direction; off the board, the cell itself if clamped, or -1."""
    row, column = divmod(cell, BOARD_SIDE)
    row, column = row + rows, column + columns
    if not (0 <= row < BOARD_SIDE and 0 <= column < BOARD_SIDE):
        return cell if clamped else -1
    return BOARD_SIDE * row + column


def _pour(scene: Scene, key: str) -> Pressed:
    pour = Pour(scene.to_pour[0], int(key))
    return cleared(scene), (pour,) if pour in scene.legal else ()


def _give_back(scene: Scene, key: str) -> Pressed:
    """Set the first token aside; once the others are poured, those set aside go back together."""
    if len(scene.to_pour) <= 1:
        return _set_aside(scene, ()), (ReturnRest(),)
    return _set_aside(scene, (*scene.aside, scene.to_pour[0])), ()


def _set_aside(scene: Scene, aside: tuple[Ingredient, ...]) -> Ui:
    return replace(cleared(scene), turn=replace(scene.ui.turn, aside=aside))


def _next(scene: Scene, key: str) -> Pressed:
    coming = next_of(scene)
    assert coming is not None, "it is offered"
    if coming.asks and scene.ui.asked != coming.asks:
        return replace(scene.ui, asked=coming.asks, note=next_question(scene, coming)), ()
    ui = replace(cleared(scene), note="" if coming.wishes else next_question(scene, coming))
    return send(ui, coming.wishes)


def _undo(scene: Scene, key: str) -> Pressed:
    if scene.aside:
        return _set_aside(scene, scene.aside[:-1]), ()
    return cleared(scene), (Undo(),)


def choose_meeple(scene: Scene, meeple: Meeple) -> Ui:
    """Select the meeple that steps."""
    return replace(cleared(scene), turn=replace(scene.ui.turn, meeple=meeple))


def _hint(scene: Scene, key: str) -> Pressed:
    from coffeerush.ui.advice.advice import hint

    return replace(cleared(scene), note=hint(scene.model)), ()


def _guide(scene: Scene, key: str) -> Pressed:
    """Turn the first-game guide off, or on again; both stay so."""
    on = not scene.ui.guide
    ui = guiding(Scene(scene.model, cleared(scene)), on)
    if not on:
        return replace(ui, note=_("The guide is off; F4 turns it on again.")), ()
    return replace(ui, note=_("The guide is on; F4 turns it off.")), ()


def guiding(scene: Scene, on: bool) -> Ui:
    """Return the screen's state with the first-game guide on or off from now on."""
    settings = replace(scene.ui.settings, guided=not on)
    ui = replace(scene.ui, guide=on, settings=settings, read=(), scroll=0)
    return replace(ui, progress=follow(ui.progress, scene.model, scene.model)) if on else ui


def _ready(scene: Scene, key: str) -> Pressed:
    assert scene.me is not None, "it is offered to seats"
    return cleared(scene), (Ready(NO_ID, not is_ready(scene, scene.me)),)


def _opens(mode: Mode) -> Callable[[Scene, str], Pressed]:
    return lambda scene, key: (
        replace(cleared(scene), mode=mode, draft=Draft(), scroll=0, marked=""),
        (),
    )


def _pause(scene: Scene, key: str) -> Pressed:
    """Let a paused game go on; else ask for the reason of the pause."""
    if scene.model.pause is None:
        return _opens("pause")(scene, key)
    return cleared(scene), (SetPause(NO_ID, False),)


def _let_in(scene: Scene, key: str) -> Pressed:
    """Answer the guest who asks first, unless the key was meant for somebody shown before."""
    asker = scene.model.asking[0]
    if scene.ui.asker != asker.guest or scene.ui.now - scene.ui.asker_at < READ_SECONDS:
        return replace(cleared(scene), note=_("Somebody else is asking now; check who it is.")), ()
    return cleared(scene), (LetIn(NO_ID, asker.guest, key == "d"),)


def _colour(scene: Scene, key: str) -> Pressed:
    """Choose the next colour that nobody else has chosen."""
    assert scene.me is not None, "it is offered to seats"
    chosen = {seat.colour for number, seat in enumerate(scene.seats) if number != scene.me}
    now = seat_colours(scene.seats)[scene.me]
    others = ((now + more) % MAX_PLAYERS for more in range(1, MAX_PLAYERS + 1))
    wanted = next(one for one in others if one not in chosen)
    settings = replace(scene.ui.settings, colour=wanted)
    return replace(cleared(scene), settings=settings), (mark_wish(settings),)


def _pane(scene: Scene, key: str) -> Pressed:
    if scene.stage == "result":
        pane = "" if is_flipped(scene) else TOGETHER
    else:
        pane = chosen_pane(scene.ui, kind_of(*scene.ui.size), -1 if key == "s-tab" else 1)
    return replace(cleared(scene), pane=pane, scroll=0), ()


def _scroll(scene: Scene, key: str) -> Pressed:
    """Scroll the pane; panes that start at their newest line scroll the other way."""
    name = pane_of(scene)
    if name not in SCROLLED:
        return cleared(scene), ()
    on = key == "pagedown"
    by = SCROLL_LINES if on is (name in FROM_THE_TOP) else -SCROLL_LINES
    # an upper bound, as in the narrowest pane: drawing clamps it, so scrolling back hardly lags
    most = len(pane_lines(scene, name, scene.ui.size[0] // 2))
    return replace(cleared(scene), scroll=min(max(scene.ui.scroll + by, 0), most)), ()


def leave(scene: Scene, key: str) -> Pressed:
    """Leave; ask first unless the table is closed or not joined yet."""
    nothing_on = scene.model.status == "over" or scene.stage == "joining"
    if nothing_on or scene.ui.asked == "leave" or scene.ui.leaving:
        return replace(cleared(scene), leaving=True), ()
    note = _("Leave the table? Press “q” or Ctrl-C again; any other key cancels.")
    if scene.model.owner and has_company(scene.model):
        note = _(
            "Leave the table? The others can play on as long as this computer stays "
            "on. Press “q” or Ctrl-C again; any other key cancels."
        )
    elif scene.model.owner and scene.stage == "game":
        note = _(
            "Leave the table? You can continue the game later. Press “q” or Ctrl-C "
            "again; any other key cancels."
        )
    return replace(closed(cleared(scene)), asked="leave", note=note), ()


ACTIONS: Final[dict[Action, Callable[[Scene, str], Pressed]]] = {
    Action.HELP: _opens("help"),
    Action.MOVE: _move,
    Action.DIAGONAL: _move,
    Action.POUR: _pour,
    Action.GIVE_BACK: _give_back,
    Action.SUGGEST: lambda scene, key: send(
        cleared(scene), (*scene.suggestion, *scene.then_served)
    ),
    Action.NEXT: _next,
    Action.UNDO: _undo,
    Action.UNDO_ALL: lambda scene, key: send(_set_aside(scene, ()), (Undo(),) * scene.undo),
    Action.MEEPLE: lambda scene, key: (choose_meeple(scene, 3 - scene.meeple), ()),
    Action.READY: _ready,
    Action.REPLAY: lambda scene, key: (replace(cleared(scene), showing="replay"), ()),
    Action.REVIEW: lambda scene, key: (replace(cleared(scene), showing="review"), ()),
    Action.UPGRADES: _opens("upgrades"),
    Action.EMPTY: _opens("empty"),
    Action.SERVE: _opens("serve"),
    Action.ORDERS: _opens("orders"),
    Action.ADD_BOT: _opens("bots"),
    Action.REMOVE: _opens("seats"),
    Action.AGREE: _opens("agreed"),
    Action.INVITE: _opens("invitation"),
    Action.LET_IN: _let_in,
    Action.TURN_AWAY: _let_in,
    Action.RENAME: _opens("name"),
    Action.LETTER: _opens("letter"),
    Action.COLOUR: _colour,
    Action.PAUSE: _pause,
    Action.CHAT: _opens("chat"),
    Action.EMOTE: _opens("emotes"),
    Action.RULES: _opens("rules"),
    Action.SETTINGS: _opens("settings"),
    Action.HINT: _hint,
    Action.GUIDE: _guide,
    Action.PANE: _pane,
    Action.SCROLL_BACK: _scroll,
    Action.SCROLL_ON: _scroll,
    Action.LEAVE: leave,
}


def why_not(scene: Scene, actions: list[Action], key: str) -> str:
    """Return why a key does nothing now; "" for an unknown key."""
    if scene.stage != "game" or not actions:
        return ""
    if scene.model.status == "lost":
        return _("You cannot do anything until the host answers again; nothing is lost.")
    if scene.model.pause is not None:
        return pause_line(scene.model)
    if scene.me is None:
        return _("You are a spectator: only players can move.")
    if not scene.my_turn:
        return _("It is {name}'s turn.").format(name=scene.name(scene.view.active or 0))
    if not scene.model.hints and {Action.HINT, Action.SUGGEST} & set(actions):
        return hints_line(scene.model.hints)
    reasons = (_NOT_NOW[action] for action in actions if action in _NOT_NOW)
    return next(reasons, lambda: "")()


_NOT_NOW: Final[dict[Action, Callable[[], str]]] = {
    Action.MOVE: lambda: _("No step is possible now: “u” undoes a step, Enter continues."),
    Action.POUR: lambda: _("You have nothing to pour now."),
    Action.GIVE_BACK: lambda: _("You have nothing to give back now."),
    Action.SUGGEST: lambda: _("You have nothing to pour now."),
    Action.UNDO: lambda: _("This is where your turn began: there is nothing to undo."),
    Action.UNDO_ALL: lambda: _("This is where your turn began: there is nothing to undo."),
    Action.SERVE: lambda: _(
        "No cup matches an order: a cup must hold exactly what the order needs."
    ),
    Action.EMPTY: lambda: _("Every cup is empty."),
    Action.MEEPLE: lambda: _("You can only move one meeple per turn."),
}
