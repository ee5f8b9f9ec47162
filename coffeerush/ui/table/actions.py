"""The actions at a table: when each is available, what its key says, and what it does."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Wish, has_company, has_left
from coffeerush.ui.advice.guide import follow
from coffeerush.ui.pages.pages import PAGES, Mode, mark_wish
from coffeerush.ui.terminal.canvas import kind_of
from coffeerush.ui.terminal.keys import DIRECTIONS, Draft
from coffeerush.ui.words.i18n import NC_, _, ngettext, pgettext
from coffeerush.ui.words.names import drink_name, ingredient_name, item_list, seat_colours, tokens
from coffeerush.ui.words.table import hints_line, pause_line
from protocol import (
    BOARD_SIDE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_ID,
    SLOTS,
    Cell,
    EndTurn,
    GamePaused,
    Ingredient,
    Intent,
    LetIn,
    Meeple,
    Phase,
    PlaceMeeple,
    Pour,
    Ready,
    ReturnRest,
    SeatView,
    Serve,
    SetPause,
    Start,
    Step,
    Undo,
)

from .keymap import Action
from .lists import Choice, choices_of, is_ready, marked_choice, open_seat, removals
from .panes import (
    FROM_THE_TOP,
    SCROLLED,
    TOGETHER,
    can_flip,
    chosen_pane,
    guide_box,
    guide_left,
    is_flipped,
    pane_lines,
    pane_of,
)
from .scene import Scene
from .state import TYPING, Ui, closed
from .text_input import READ_SECONDS

# Which actions are available now, and what Enter does


NextKind: TypeAlias = Literal[
    "sit",
    "start",
    "rematch",
    "ready",
    "place",
    "fill",
    "pour",
    "aside",
    "return",
    "serve",
    "end",
    "step",
]


class Next(Struct, frozen=True):
    """The next step, which Enter takes."""

    kind: NextKind
    wishes: tuple[Wish, ...] = ()
    """Sent one after another; () if nothing can be done, which is then explained."""
    asks: Literal["", "pour", "end", "start"] = ""
    """The question to ask before it is done."""


def next_of(scene: Scene) -> Next | None:
    """Return the action of Enter now; None if there is none."""
    if scene.model.may_sit and not scene.model.owner:
        return Next("sit", (scene.model.sitting_down,))
    if scene.stage == "lobby":
        return _start(scene) if scene.model.owner else _ready(scene)
    if scene.stage == "result":
        return Next("rematch", (Start(NO_ID),)) if scene.model.owner else _ready(scene)
    if not scene.options:
        return None
    match scene.view.phase:
        case Phase.PLACING:
            place = PlaceMeeple(scene.ui.cursor)
            return Next("place", (place,) if place in scene.legal else ())
        case Phase.FILLING:
            return _pour(scene) if scene.can_pour else Next("fill", (EndTurn(),))
    return _next_in_turn(scene)


def _start(scene: Scene) -> Next:
    """Start the game; ask first if a seat is open, as nobody can join a running game."""
    asks = open_seats(scene) and can_start(scene)
    return Next("start", (Start(NO_ID),), "start" if asks else "")


def can_start(scene: Scene) -> bool:
    """Return whether the host would start the game or rematch, rather than say what is missing."""
    here = staying(scene)
    return len(here) >= MIN_PLAYERS and all(seat.ready for seat in here)


def staying(scene: Scene) -> list[SeatView]:
    """Return the seats of who would play the next game; at a result some may have left."""
    result, model = scene.stage == "result", scene.model
    taken = [seat for seat in scene.seats if seat.status != "open"]
    return [seat for seat in taken if not (result and seat.away and has_left(model, seat.name))]


def open_seats(scene: Scene) -> int:
    """Return the number of open seats."""
    return sum(seat.status == "open" for seat in scene.seats)


def _ready(scene: Scene) -> Next | None:
    """Get ready; pressing Enter again does not revert it."""
    if scene.me is None or is_ready(scene, scene.me):
        return None
    return Next("ready", (Ready(NO_ID, True),))


def _next_in_turn(scene: Scene) -> Next:
    if scene.ui.asked == "end" and scene.can_end:
        return Next("end", (EndTurn(),))
    if scene.can_pour:
        return _pour(scene)
    if scene.can_return:
        return Next("return", (ReturnRest(),))
    if scene.serves:
        return Next("serve", (scene.serves[0].intent,))
    return Next("end", (EndTurn(),)) if scene.can_end else Next("step")


def _pour(scene: Scene) -> Next:
    """Pour as suggested; ask first if tokens would go back that were not set aside."""
    if scene.aside and not scene.to_pour:
        return Next("aside", (ReturnRest(),))
    asks = lost_tokens(scene) and ReturnRest() in scene.suggestion
    return Next("pour", scene.suggestion, "pour" if asks else "")


def lost_tokens(scene: Scene) -> list[Ingredient]:
    """Return the kinds of tokens that the suggestion gives back and that were not set aside."""
    return sorted(kind for kind in set(scene.given_back) if kind not in scene.aside)


def offers_of(scene: Scene) -> set[Action]:
    """Return the actions that do something now."""
    if scene.ui.mode in PAGES:
        return set()  # a page has its own keymap
    if scene.ui.mode in ("invitation", "orders"):
        return {Action.HELP, Action.CLOSE, Action.SCROLL_BACK, Action.SCROLL_ON}
    if scene.ui.mode in TYPING:
        return {Action.NEXT, Action.CLOSE}
    choices = choices_of(scene)
    if choices is not None:
        return _choosing(scene)
    offers = {Action.HELP, Action.RULES, Action.SETTINGS, Action.LEAVE}
    if scene.record is not None and scene.record.path:  # also once the table is closed
        offers |= {Action.REPLAY, Action.REVIEW}
        offers |= {Action.PANE} if can_flip(scene) else set()
    if scene.model.status == "over" or scene.stage == "joining":
        return offers
    offers |= {Action.SCROLL_BACK, Action.SCROLL_ON}
    if scene.me is not None and scene.stage in ("game", "result"):
        offers.add(Action.GUIDE)
    if scene.model.asking and scene.model.status == "here":
        offers |= {Action.LET_IN, Action.TURN_AWAY}
    if guide_box(scene):
        return (
            offers
            | {Action.NEXT, Action.CHAT}
            | ({Action.EMOTE} if scene.me is not None else set())
        )
    offered: dict[Action, object] = {
        Action.CHAT: True,
        Action.EMOTE: scene.me is not None,
        Action.NEXT: scene.model.status == "here" and next_of(scene),
        Action.INVITE: scene.model.invitation.addresses,
        Action.REMOVE: scene.model.owner and removals(scene),
        **(_in_game(scene) if scene.stage == "game" else _outside_game(scene)),
    }
    return offers | {action for action, is_offered in offered.items() if is_offered}


def _choosing(scene: Scene) -> set[Action]:
    offers = {Action.HELP, Action.CLOSE, Action.LEAVE, Action.SCROLL_BACK, Action.SCROLL_ON}
    return offers | {Action.NEXT} if marked_choice(scene) else offers


def _outside_game(scene: Scene) -> dict[Action, object]:
    """Return which actions are offered in a lobby and at a result."""
    lobby, seated, owner = scene.stage == "lobby", scene.me is not None, scene.model.owner
    return {
        Action.READY: seated and not owner,  # the owner always is
        Action.RENAME: lobby and seated,
        Action.LETTER: lobby and seated,
        Action.COLOUR: lobby and seated,
        Action.AGREE: owner,
        Action.ADD_BOT: lobby and owner and open_seat(scene) is not None and scene.table.bots,
    }


def may_pause(scene: Scene) -> bool:
    """Return whether this person may pause the game, or end its pause while the owner is away."""
    if scene.model.owner or scene.model.pause is None:
        return scene.model.owner
    owner, watching = scene.table.owner, scene.table.spectators
    if scene.me is None or owner is not None:
        return scene.me is not None and owner is not None and scene.seats[owner].away
    # an owner who watches has no seat: it is the one who has paused
    pauses = [one.name for one in scene.model.log if isinstance(one, GamePaused)]
    return pauses[-1] not in watching if pauses else not watching


def _in_game(scene: Scene) -> dict[Action, object]:
    """Return which actions the options allow; few on another player's turn."""
    undo = scene.undo or scene.aside
    pour = scene.can_pour and scene.to_pour
    return {
        Action.PAUSE: may_pause(scene),
        Action.PANE: True,
        Action.HINT: scene.options and scene.model.hints,
        Action.UPGRADES: scene.me is not None,
        Action.ORDERS: scene.own is not None and scene.orders,
        Action.MOVE: scene.places or scene.steps,
        Action.DIAGONAL: scene.steps and scene.diagonal,
        Action.MEEPLE: scene.can_choose_meeple,
        Action.POUR: pour,
        Action.SUGGEST: pour and scene.suggestion,
        Action.GIVE_BACK: scene.can_return,
        Action.UNDO: undo,
        Action.UNDO_ALL: undo,
        Action.SERVE: scene.serves,
        Action.EMPTY: scene.emptyable,
    }


# Labels of keys in the footer, and the questions they ask before taking effect


_LABELS: Final = {
    Action.HELP: NC_("key", "help"),
    Action.DIAGONAL: NC_("key", "diagonal"),
    Action.POUR: NC_("key", "pour"),
    Action.GIVE_BACK: NC_("key", "give back"),
    Action.SUGGEST: NC_("key", "pour all"),
    Action.SERVE: NC_("key", "choose"),
    Action.EMPTY: NC_("key", "empty"),
    Action.UPGRADES: NC_("key", "upgrades"),
    Action.MEEPLE: NC_("key", "other meeple"),
    Action.REPLAY: NC_("key", "replay"),
    Action.REVIEW: NC_("key", "review"),
    Action.ADD_BOT: NC_("key", "add bot"),
    Action.LET_IN: NC_("key", "let in"),
    Action.TURN_AWAY: NC_("key", "turn away"),
    Action.RENAME: NC_("key", "name"),
    Action.LETTER: NC_("key", "letter"),
    Action.COLOUR: NC_("key", "colour"),
    Action.AGREE: NC_("key", "game setup"),
    Action.CHAT: NC_("key", "chat"),
    Action.EMOTE: NC_("key", "say"),
    Action.PANE: NC_("key", "panes"),
    Action.HINT: NC_("key", "hint"),
    Action.LEAVE: NC_("key", "leave"),
}
"""Labels that never change; actions without a label are in the help only."""
_NEXT: Final[dict[NextKind, tuple[str, str]]] = {
    "start": NC_("key", "start the game"),
    "rematch": NC_("key", "start a rematch"),
    "fill": NC_("key", "done"),
    "pour": NC_("key", "pour"),
    "aside": NC_("key", "give back"),
    "return": NC_("key", "give the rest back"),
    "end": NC_("key", "end turn"),
    "sit": NC_("key", "take a seat"),
}


_CHOOSE: Final[dict[str, tuple[str, str]]] = {
    "upgrades": NC_("key", "activate"),
    "empty": NC_("key", "empty"),
    "serve": NC_("key", "serve"),
    "bots": NC_("key", "add bot"),
    "seats": NC_("key", "remove"),
    "agreed": NC_("key", "change"),
    "emotes": NC_("key", "say"),
}
"""What choosing from a list does, by mode."""


def labels_of(scene: Scene) -> dict[Action, str]:
    """Return the label of each offered action; "" if the footer leaves it out.

    Of two keys that do the same, it has one; and that of the upgrades only if one can be activated,
    except on others' turns if there is room. Only narrow terminals need that of the orders.
    """
    labels = {action: _label(scene, action) for action in offers_of(scene)}
    coming = next_of(scene) if Action.NEXT in labels and scene.ui.mode == "table" else None
    if coming is not None:
        if Action.SUGGEST in labels and coming.kind == "pour":
            labels[Action.NEXT] = ""
        if scene.my_turn and not scene.upgrades:
            labels[Action.UPGRADES] = ""
        if coming.kind in ("aside", "return"):
            labels.pop(Action.GIVE_BACK, None)
    if kind_of(*scene.ui.size) == "narrow" and scene.ui.mode == "table":
        if guide_box(scene):
            labels |= {Action.CHAT: "", Action.EMOTE: ""}
        if is_flipped(scene):  # the key that leads back needs the room
            labels |= dict.fromkeys(labels.keys() - {Action.NEXT, Action.PANE}, "")
        if Action.ORDERS in labels:
            labels[Action.ORDERS] = pgettext("key", "orders")
        if scene.stage == "game" and not scene.upgrades:
            labels[Action.UPGRADES] = ""
    return labels


def lit_of(scene: Scene) -> set[Action]:
    """Return the actions that stand out in the footer, because they have become possible."""
    lit = {Action.UPGRADES} if scene.stage == "game" and scene.upgrades else set()
    if scene.ui.mode == "table" and Action.NEXT in offers_of(scene) and scene.stage == "game":
        coming = next_of(scene)
        lit |= {Action.NEXT} if coming is not None and coming.kind == "serve" else set()
    return lit


def _label(scene: Scene, action: Action) -> str:
    match action:
        case Action.NEXT:
            return _next_label(scene)
        case Action.CLOSE:
            typing = scene.ui.mode in TYPING
            return pgettext("key", "cancel") if typing else pgettext("key", "close")
        case Action.GUIDE:
            return pgettext("key", "end guide") if scene.ui.guide else ""
        case Action.MOVE:
            return pgettext("key", "step") if scene.steps else pgettext("key", "choose")
        case Action.UNDO:
            return pgettext("key", "undo {count}").format(count=scene.undo + len(scene.aside))
        case Action.SUGGEST if scene.then_served:
            return pgettext("key", "pour, serve")
        case Action.READY:
            ready = scene.me is not None and is_ready(scene, scene.me)
            return pgettext("key", "not ready") if ready else pgettext("key", "ready")
        case Action.PAUSE:
            is_paused = scene.model.pause is not None
            return pgettext("key", "go on") if is_paused else pgettext("key", "pause")
        case Action.PANE if scene.stage == "result":
            return (
                pgettext("key", "by round") if is_flipped(scene) else pgettext("key", "all games")
            )
        case Action.REMOVE if scene.stage != "game":
            return pgettext("key", "remove")
        case Action.INVITE if scene.stage == "lobby":
            return pgettext("key", "QR code")
    return pgettext(*_LABELS[action]) if action in _LABELS else ""


def _next_label(scene: Scene) -> str:
    if scene.ui.mode in TYPING:
        return pgettext("key", "send")
    if (choice := marked_choice(scene)) is not None:
        ends = isinstance(choice.wish, EndTurn)
        return pgettext(*(_NEXT["end"] if ends else _CHOOSE[scene.ui.mode]))
    if guide_box(scene):
        return pgettext("key", "more") if guide_left(scene) else pgettext("key", "close")
    coming = next_of(scene)
    assert coming is not None, "it is offered"
    match coming.kind:
        case "ready":
            lobby = scene.stage == "lobby"
            return pgettext("key", "ready") if lobby else pgettext("key", "rematch")
        case "place":
            return pgettext("key", "place here") if coming.wishes else pgettext("key", "place")
        case "serve":
            (intent,) = coming.wishes
            assert isinstance(intent, Serve)
            return pgettext("key", "serve cup {cup}").format(cup=intent.cup)
        case "step":
            return ""  # only a step goes on; Enter just says so
        case "pour" if not coming.wishes:
            return ""  # Enter says that there are no hints
        case "start" | "rematch" if not can_start(scene):
            return ""  # Enter says what is missing, as lobby and result do
    return pgettext(*_NEXT[coming.kind])


def next_question(scene: Scene, coming: Next) -> str:
    """Return the question Enter asks before acting, or why it does nothing; "" if neither."""
    if coming.asks == "start":
        free = open_seats(scene)
        question = ngettext(
            "{count} seat is open: press Enter again to start anyway.",
            "{count} seats are open: press Enter again to start anyway.",
            free,
        )
        return question.format(count=free)
    if coming.asks == "pour":
        lost = lost_tokens(scene)
        question = _(
            "No order needs this: {ingredients}. Press Enter again to give it back, or "
            "1-3 to pour it."
        )
        if any(order.missing[kind] for order in scene.orders for kind in lost):
            question = _(
                "This would go back: {ingredients}. Press Enter again to give it back, or "
                "1-3 to pour it."
            )
        return question.format(ingredients=item_list(map(ingredient_name, lost)))
    if coming.wishes:
        return ""
    if coming.kind == "pour":
        return _("This table plays without hints: press 1-3 to pour, or 0 to give back.")
    if coming.kind == "place":
        return _("There is a meeple on that cell: move the cursor to a free one.")
    if scene.view.path:
        return _("Another meeple is here: keep stepping until you reach a free cell.")
    return _("A turn needs at least one step: use the arrow keys.")


def remove_question(choice: Choice, key: str) -> str:
    """Return the question before removing a person, which the same key confirms."""
    question = _(
        "Remove {name}, for good? They cannot come back to this table. Press “{key}” "
        "again to confirm."
    )
    return question.format(name=choice.name, key=key)


def end_question(scene: Scene) -> str:
    """Return the question before ending the turn: what could still be served."""
    if not scene.serves:
        return _("Enter ends the turn.")
    option = scene.serves[0]
    assert isinstance(option.intent, Serve)
    assert option.order is not None, "a serve names its order"
    drink = drink_name(scene.model, option.order)
    last = option.intent.slot == SLOTS
    text = (
        _("{drink} is ready in cup {cup} and would become a penalty: Enter ends the turn anyway.")
        if last
        else _("{drink} is ready in cup {cup} but not served: Enter ends the turn anyway.")
    )
    return text.format(drink=drink, cup=option.intent.cup)


# Action handlers: what each action of the keymap does while it is offered


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


def _pour_first(scene: Scene, key: str) -> Pressed:
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


def _get_ready(scene: Scene, key: str) -> Pressed:
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
    Action.POUR: _pour_first,
    Action.GIVE_BACK: _give_back,
    Action.SUGGEST: lambda scene, key: send(
        cleared(scene), (*scene.suggestion, *scene.then_served)
    ),
    Action.NEXT: _next,
    Action.UNDO: _undo,
    Action.UNDO_ALL: lambda scene, key: send(_set_aside(scene, ()), (Undo(),) * scene.undo),
    Action.MEEPLE: lambda scene, key: (choose_meeple(scene, 3 - scene.meeple), ()),
    Action.READY: _get_ready,
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
