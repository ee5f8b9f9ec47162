"""The actions at a table, one row each: keys, help, when, label, effect, and why not now.

`Action` is the table, with a row for each action in the order of footer and help. Above it are the
functions of the rows, in about the same order; below it, the questions that drawing and input ask.
`input` decides which row a key means now; it also sends what is typed, and asks the questions of
lists.

Names that several functions use:

- `scene.turn`: what can be done in the turn now; `scene.ui.turn`: what its person has drafted, such
  as tokens set aside, and the walk planned ahead while others play (`ahead`);
- `scene.plans`: others play, and a walk can be planned; `scene.turn.planned`: it is one's turn, and
  that walk can begin;
- `scene.ui.plan`: intents that follow once the host has accepted the one before;
- `scene.ui.asked`: the question that the same key answers if it is pressed again;
- `scene.model.home`: one's own table, while one looks at another.
"""

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.handover import asks, hands_over, standbys
from coffeerush.client.model import Wish, has_company, has_left, is_kept, may_close_host
from coffeerush.client.talk import AnswerOffer
from coffeerush.client.turn import Decision, must_step_on, neighbour
from coffeerush.ui.advice.guide import follow
from coffeerush.ui.advice.guide_lessons import late_upgrade_line, undo_button
from coffeerush.ui.pages.pages import ORDER_MARKS, PAGES, PLAYER_MARKS, Help, Mode, mark_wish
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import WIDE, Target, is_tiny, kind_of
from coffeerush.ui.terminal.keys import (
    BACKSPACE,
    DIRECTIONS,
    ENTER,
    ESCAPE,
    INTERRUPT,
    TAB,
    Draft,
    HelpRows,
    Keymap,
    bound,
)
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import timed_out
from coffeerush.ui.words.i18n import N_, NC_, _, ngettext, pgettext
from coffeerush.ui.words.names import (
    counted,
    direction_name,
    emote_text,
    ingredient_name,
    item_list,
    seat_colours,
    sentence_case,
    tokens,
)
from coffeerush.ui.words.table import (
    bot_stays_line,
    hints_line,
    pause_line,
    standby_line,
    step_on_line,
    watcher_line,
)
from protocol import (
    BOARD,
    COMPLETED_PER_UPGRADE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_ID,
    Cell,
    CloseTable,
    Colour,
    Emote,
    EndTurn,
    GamePaused,
    Ingredient,
    Intent,
    LetIn,
    LookAt,
    Meeple,
    Phase,
    PlaceMeeple,
    Pour,
    Queue,
    Ready,
    Refusal,
    ReturnRest,
    Seat,
    SeatView,
    Serve,
    SetPause,
    StandUp,
    Start,
    Step,
    TableSummary,
)

from .draw_hand import ALL_ORDERS_KEY
from .lists import (
    LISTS,
    OF_A_GAME,
    TOURNAMENT_KEY,
    choices_of,
    handovers,
    is_ready,
    knows_tournament,
    making_room,
    marked_choice,
    open_seat,
    removals,
    table_of,
)
from .panes import (
    SCROLLED,
    TOGETHER,
    can_flip,
    chosen_pane,
    guide_box,
    guide_left,
    guide_tells,
    is_flipped,
    pane_lines,
    pane_of,
    starts_at_top,
)
from .scene import Scene, hinted_at
from .state import MIDDLE, READING, TYPING, Hint, Ui, closed
from .text_input import to_all

# What a row says


Pressed: TypeAlias = tuple[Ui, tuple[Wish, ...]]
"""What a key leads to: the next state, and the wishes to send."""

Situation: TypeAlias = Literal["table", "guide", "list", "reading", "typing", "page", "closed"]
"""What is in front: the table, the guide's box over it, a list, a text to read, a text field, a
page; or a table that is closed or not joined yet."""


def _always(scene: Scene) -> bool:
    return True


def _never(scene: Scene) -> bool:
    return False


def _nothing(scene: Scene) -> str:
    return ""


class ActionRow(Struct, frozen=True):
    """Everything about an action; texts are untranslated, or functions that translate them."""

    keys: tuple[str, ...]
    """By their names in prompt_toolkit; a click on the cap presses the first one."""
    help: str
    weight: int = 0
    """Priority in a footer with too little room; the highest stay."""
    cap: str = ""
    """The keys as footer and help show them; "" for the first one alone."""
    at: tuple[Situation, ...] = ("table",)
    """The situations in which it may be offered."""
    when: Callable[[Scene], object] = _always
    """Whether it does something now, in one of these situations."""
    label: tuple[str, str] | Callable[[Scene], str] = _nothing
    """What the footer says next to the cap; "" leaves it out, so that only the help has it."""
    lit: Callable[[Scene], object] = _never
    """Whether it stands out in the footer, because it has just become possible."""
    do: Callable[[Scene, str], Pressed] | None = None
    """What a key of it does while it is offered; None to open what `opens` says."""
    opens: Mode = "table"
    """The page, list, text or text field that it opens, or that `do` may open; the same key closes
    a list or a text. "table" closes whatever is open."""
    chooses: tuple[str, str] = ("", "")
    """The label of Enter in the list that it opens."""
    why_not: Callable[[Scene], str] = _nothing
    """Why it is not offered, to a player on their turn, to spectators if it is for anybody; "" if
    that needs no words."""
    who: Literal["players", "owner", "anybody"] = "players"
    """Who may do it; the others hear that they may not."""
    anytime: bool = False
    """Whether it need not wait for the host's answer to earlier keys."""
    beside_guide: Literal["never", "if offered", "always"] = "never"
    """Whether its keys act while the guide's box is open; other keys scroll or close the box."""
    looks: bool = False
    """Whether it only shows something: a note, such as a hint, and others' trails stay."""
    once: bool = False
    """Whether a held key does it only once."""
    bare: bool = False
    """Whether the cap may stand without a label in a footer with too little room."""
    on_page: tuple[Literal["game", "lobby", "result", "apart"], ...] = ()
    """The stages in which it keeps a button of its own on the browser's page; in others it is under
    "more". "apart": the page has another place for it, or shows what it would lead to."""
    stays: Callable[[Scene], str] = _nothing
    """The label with which it keeps its place among "more" on that page in a game, offered or not;
    "" if it comes and goes."""
    whole: str = ""
    """Its label there, where it says of what; "" for the one in the footer."""
    told: Callable[[Scene], object] = _never
    """Whether what the browser's page says now is about it: its button then stands nearby."""
    clickable: bool = True
    """Whether a click on the cap does it: its keys do not choose between several things."""
    from_outside: bool = False
    """Whether it is also offered to somebody who only looks at the table from another one."""


# What several actions do


def cleared(scene: Scene) -> Ui:
    """Return the screen's state with question, note and others' trails cleared.

    Messages that a pane has shown are read, and so is one that stands in the place of a note.
    """
    in_place = scene.stage != "game" or kind_of(*scene.ui.size) == "narrow"
    read_to = scene.model.history.total if in_place else max(scene.ui.read_to, scene.ui.shown_to)
    forgotten = {"note": "", "note_at": float("inf"), "news": (), "refused": False}
    return replace(scene.ui, asked="", read_to=read_to, trails=False, **forgotten)


def refused(scene: Scene, why: str) -> Ui:
    """Return the state after a key that does nothing: it says why, unless that needs no words."""
    return replace(cleared(scene), note=why, refused=bool(why))


def send(ui: Ui, wishes: tuple[Wish, ...]) -> Pressed:
    """Send the first wish, and queue the intents after it: only one is in flight at a time.

    `input` sends the next one once the host has answered.
    """
    later = tuple(wish for wish in wishes[1:] if isinstance(wish, Intent))
    return replace(ui, plan=later, asked=""), wishes[:1]


def _decided(scene: Scene, decision: Decision) -> Pressed:
    intents, draft = decision
    return send(replace(cleared(scene), turn=draft), intents)


def _opened(scene: Scene, mode: Mode) -> Pressed:
    # from outside a table, who is there hears only what is for all
    draft = to_all() if mode == "chat" and scene.model.home else Draft()
    ui = replace(cleared(scene), mode=mode, help=help_of(scene), draft=draft, scroll=0, marked="")
    return ui, ()


def _is_seated(scene: Scene) -> bool:
    return scene.me is not None


# Steps, and which meeple makes them; while others play, the walk that is planned for the next turn


def _move(scene: Scene, key: str) -> Pressed:
    rows, columns = DIRECTIONS[key]
    if scene.turn.places:
        there = neighbour(scene.ui.cursor, rows, columns)
        cursor = scene.ui.cursor if there is None else there
        return replace(cleared(scene), cursor=cursor), ()
    if scene.plans:
        return _planned_step(scene, rows, columns), ()
    step = scene.turn.step(rows, columns)
    if step is None:
        return refused(scene, _("The board ends there.")), ()
    return replace(cleared(scene), note=rush_note(scene, step.cell)), (step,)


def _planned_step(scene: Scene, rows: int, columns: int) -> Ui:
    """Add a step to the walk that is planned, if it would be legal as things are."""
    ahead, turn = scene.ui.turn.ahead, scene.turn
    here = ahead[-1].cell if ahead else turn.position
    assert here is not None, "who plays has placed a meeple"
    there = neighbour(here, rows, columns)
    if there is None:
        return refused(scene, _("The board ends there."))
    meeple = ahead[-1].meeple if ahead else turn.meeple
    return planning(scene, (*ahead, Step(meeple, there)))


def planning(scene: Scene, steps: tuple[Step, ...]) -> Ui:
    """Plan a walk for this player's next turn, in words too; it stays as it is if it is illegal."""
    from coffeerush.ui.advice.ahead import turn_ahead

    before, after = scene.view, turn_ahead(scene.view, steps)
    if len(after.path[1:]) < len(steps):
        return refused(scene, _("As things stand, you cannot get there."))
    own = after.own
    assert own is not None, "only a seat plans"
    rush = before.players[own.seat].rush - after.players[own.seat].rush
    text = _("Planned for your turn: {directions} ({gain}). “{undo}” undoes a step.")
    if must_step_on(after, own):
        text = _(
            "Planned for your turn: {directions} ({gain}). Another meeple is there: plan a "
            "step to a free cell."
        )
    elif rush:
        text = _(
            "Planned for your turn: {directions} ({gain}), for {rush}. “{undo}” undoes a step."
        )
    note = text.format(
        undo=undo_button() if scene.ui.touch else cap_of(Action.UNDO),
        directions=item_list(map(direction_name, after.path, after.path[1:])),
        gain=item_list(counted(own.hand, (BOARD[cell] for cell in after.path[1:]))) or _("nothing"),
        rush=tokens(rush),
    )
    ui = cleared(scene)
    return replace(ui, turn=replace(ui.turn, ahead=steps), note=note if steps else "")


def _move_label(scene: Scene) -> str:
    if scene.plans:
        return "" if kind_of(*scene.ui.size) == "narrow" else pgettext("key", "plan a walk")
    return pgettext("key", "step") if scene.turn.steps else pgettext("key", "choose")


def _no_step(scene: Scene) -> str:
    if scene.setting_up:
        return _("You cannot step yet: first fill your cups.")
    if scene.ui.touch:
        return _("No step is possible now.")
    return _("No step is possible now: “u” undoes a step, Enter continues.")


def _can_choose_meeple(scene: Scene) -> bool:
    begins = scene.plans and not scene.ui.turn.ahead and len(scene.turn.meeples) > 1
    return begins or scene.turn.can_choose_meeple


def rush_note(scene: Scene, cell: Cell) -> str:
    """Return the cost of a step; "" if it is free."""
    option = scene.turn.steps.get(cell)
    if option is None or not option.rush_cost or scene.me is None:
        return ""
    left = scene.player(scene.me).rush - option.rush_cost
    return _("That step cost a rush token; {tokens} left.").format(tokens=tokens(left))


def choose_meeple(scene: Scene, meeple: Meeple) -> Ui:
    """Select the meeple that steps."""
    return replace(cleared(scene), turn=replace(scene.ui.turn, meeple=meeple))


# Tokens in hand: pour them, or set them aside to give them back


def _may_pour(scene: Scene) -> bool:
    return scene.turn.can_pour and bool(scene.turn.to_pour)


def _pour_first(scene: Scene, key: str) -> Pressed:
    pour = Pour(scene.turn.to_pour[0], int(key))
    return cleared(scene), (pour,) if pour in scene.turn.legal else ()


def _nothing_to_pour(scene: Scene) -> str:
    if scene.turn.must_step_on:
        return step_on_line()
    begins = scene.turn.steps and not scene.view.path and not scene.ui.touch
    return _first_step_line() if begins else _("You have nothing to pour now.")


def _first_step_line() -> str:
    return _("A turn needs at least one step: use the arrow keys.")


def _nothing_to_give_back(scene: Scene) -> str:
    return step_on_line() if scene.turn.must_step_on else _("You have nothing to give back now.")


def _give_back_label(scene: Scene) -> str:
    coming = next_of(scene)
    enter_does_it = coming is not None and coming.kind in ("aside", "return")
    return "" if enter_does_it else pgettext("key", "give back")


def _pour_all(scene: Scene, key: str) -> Pressed:
    if scene.ui.playing == "reading":
        return has_read(scene), ()
    if scene.ui.playing:
        return replace(cleared(scene), playing="", played_at=scene.ui.now), ()
    suggested = (*scene.suggestion, *scene.then_served)
    return send(cleared(scene), suggested or (*scene.turn.all_ready,))


def has_read(scene: Scene) -> Ui:
    """Return the state once this player has read what the guide says of others' moves."""
    return replace(cleared(scene), playing="moves", read=scene.topic)


def _can_pour_all(scene: Scene) -> bool:
    """Return whether Space pours as suggested or, with nothing in hand, serves what is ready.

    In others' turns, it skips what is shown of them.
    """
    return bool(scene.ui.playing or scene.suggestion or scene.turn.serves)


def _pour_all_label(scene: Scene) -> str:
    if scene.ui.playing:
        if not (scene.ui.guide or scene.ended):
            return ""
        is_read = scene.ui.playing == "reading"
        return pgettext("key", "continue") if is_read else pgettext("key", "skip")
    if not _may_pour(scene):  # Enter gives back what was set aside, and serves
        return ""
    return pgettext("key", "pour, serve") if scene.then_served else pgettext("key", "pour all")


def _after_pouring(scene: Scene) -> str:
    """Return why Space does nothing or, once everything is poured and served, what is next."""
    coming = next_of(scene)
    if coming is None or coming.kind not in ("end", "fill") or scene.ui.touch:
        return _no_hints(scene) or _nothing_to_pour(scene)
    if coming.kind == "fill":
        return _("Everything is poured: press Enter.")
    return _("Press Enter to end your turn.")


def _no_hints(scene: Scene) -> str:
    return "" if scene.model.hints else hints_line(scene.model.hints)


# Enter: the next action


NextKind: TypeAlias = Literal[
    "sit",
    "queue",
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
    "walk",
    "step",
]


class Next(Struct, frozen=True):
    """The next step, which Enter takes."""

    kind: NextKind
    wishes: tuple[Wish, ...] = ()
    """Sent one after another; () if nothing can be done, which is then explained."""
    asks: Literal["", "pour", "steps", "start", "queue"] = ""
    """The question to ask before it is done; the list of orders has another one before the end of
    a turn."""


def next_of(scene: Scene) -> Next | None:
    """Return the action of Enter now; None if there is none."""
    if scene.me is None and not (scene.model.owner and scene.stage in ("lobby", "result")):
        return _wait(scene)
    if scene.model.awaits_round and scene.stage in ("lobby", "result"):
        return None  # no other game begins
    if scene.stage == "lobby":
        ready = None if scene.model.owner else _ready(scene)
        return _start(scene) if ready is None and scene.model.may_start else ready
    if scene.stage == "result":
        return _rematch(scene) if scene.model.owner else _ready(scene)
    if not scene.turn.options:
        return None
    match scene.view.phase:
        case Phase.PLACING:
            place = PlaceMeeple(scene.ui.cursor)
            return Next("place", (place,) if place in scene.turn.legal else ())
        case Phase.FILLING:
            return _pour(scene) if scene.turn.can_pour else Next("fill", (EndTurn(),))
    return _next_in_turn(scene)


def _start(scene: Scene) -> Next:
    """Start the game; ask first if a seat is open, as nobody can join a running game."""
    asks = open_seats(scene) and can_start(scene)
    return Next("start", (Start(NO_ID),), "start" if asks else "")


def _rematch(scene: Scene) -> Next:
    """Start a rematch; ask first if people wait for a seat and nobody makes room by the rule."""
    asks = makes_room_first(scene) and can_start(scene)
    return Next("rematch", (Start(NO_ID),), "queue" if asks else "")


def makes_room_first(scene: Scene) -> bool:
    """Return whether the owner has to decide who makes room for people in the queue."""
    return bool(scene.model.queued) and scene.table.next_game.rotation == "owner"


def _wait(scene: Scene) -> Next | None:
    """Take a seat or a place in the queue; pressing Enter again does not revert it."""
    if scene.model.is_queuing:
        return None
    return Next("sit" if scene.model.may_sit else "queue", (Queue(NO_ID, True),))


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
    if scene.turn.planned:
        return Next("walk", scene.turn.planned)
    if scene.ui.asked == "end" and scene.turn.can_end:
        return Next("end", (EndTurn(),))
    if scene.turn.can_pour:
        return _pour(scene)
    if scene.turn.can_return:
        return Next("return", (ReturnRest(),))
    if scene.turn.urgent:
        return Next("serve", (scene.turn.urgent[0],))
    return Next("end", (EndTurn(),)) if scene.turn.can_end else Next("step")


def _pour(scene: Scene) -> Next:
    """Pour as suggested; ask first if tokens would go back that were not set aside.

    Or if steps are left: the last line does not name Enter then, as a button does to who taps.
    """
    if scene.turn.only_aside:
        return Next("aside", (ReturnRest(),))
    if gives_back(scene):
        return Next("pour", scene.suggestion, "pour")
    walks = scene.view.phase is Phase.MOVING and scene.view.steps_left and not scene.ui.touch
    return Next("pour", scene.suggestion, "steps" if walks and scene.suggestion else "")


def gives_back(scene: Scene) -> bool:
    """Return whether the suggestion gives tokens back that were not set aside."""
    return bool(lost_tokens(scene)) and ReturnRest() in scene.suggestion


def lost_tokens(scene: Scene) -> list[Ingredient]:
    """Return the kinds of tokens that the suggestion gives back and that were not set aside."""
    return sorted(kind for kind in set(scene.given_back) if kind not in scene.turn.aside)


def _has_next(scene: Scene) -> bool:
    """Return whether Enter does something: sends a text, chooses, reads on, or takes that step."""
    if scene.ui.mode in TYPING:
        return True
    if choices_of(scene) is not None:
        return marked_choice(scene) is not None
    return guide_box(scene) or (scene.model.status == "here" and next_of(scene) is not None)


def _next(scene: Scene, key: str) -> Pressed:
    coming = next_of(scene)
    assert coming is not None, "it is offered"
    if coming.asks and scene.ui.asked != coming.asks:
        return replace(scene.ui, asked=coming.asks, note=next_question(scene, coming)), ()
    ui = cleared(scene) if coming.wishes else refused(scene, next_question(scene, coming))
    return send(ui, coming.wishes)


def next_question(scene: Scene, coming: Next) -> str:
    """Return the question Enter asks before acting, or why it does nothing; "" if neither."""
    if scene.ui.touch:
        return _tap_question(scene, coming)
    if coming.asks == "start":
        free = open_seats(scene)
        question = ngettext(
            "{count} seat is open: press Enter again to start anyway.",
            "{count} seats are open: press Enter again to start anyway.",
            free,
        )
        return question.format(count=free)
    if coming.asks == "queue":
        question = _(
            "In line for a seat: {names}. Press Enter again to start without them, or “{key}” to "
            "make room."
        )
        key = cap_of(Action.STAND_UP)
        return question.format(names=item_list(scene.model.queued), key=key)
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
    if coming.asks == "steps":
        return _steps_question(scene)
    if coming.wishes:
        return ""
    if coming.kind == "pour":
        return _("This table plays without hints: press 1-3 to pour, or 0 to give back.")
    if coming.kind == "place":
        return _("There is a meeple on that cell: move the cursor to a free one.")
    if scene.turn.must_step_on:
        return step_on_line()
    return _first_step_line()


def _steps_question(scene: Scene) -> str:
    """Return the question before a pour after which no step is possible any more."""
    left = scene.view.steps_left
    question = ngettext(
        "{count} step left: press Enter again to pour now.",
        "{count} steps left: press Enter again to pour now.",
        left,
    )
    return question.format(count=left)


def _tap_question(scene: Scene, coming: Next) -> str:
    """Return the same to somebody who taps."""
    free, lost = open_seats(scene), lost_tokens(scene) if coming.asks == "pour" else []
    match coming.asks:
        case "start":
            text = ngettext(
                "{count} seat is open: tap again to start anyway.",
                "{count} seats are open: tap again to start anyway.",
                free,
            )
        case "queue":
            text = _(
                "In line for a seat: {names}. Tap again to start without them, or “{button}” to "
                "make room."
            )
        case "pour" if any(order.missing[kind] for order in scene.orders for kind in lost):
            text = _("This would go back: {ingredients}. Tap again to give it back, or tap a cup.")
        case "pour":
            text = _("No order needs this: {ingredients}. Tap again to give it back, or tap a cup.")
        case _ if coming.wishes:
            return ""
        case _ if coming.kind == "pour":
            return _("This table plays without hints: tap a cup to pour into it.")
        case _ if coming.kind == "place":
            return _("There is a meeple on that cell: choose a free one.")
        case _ if scene.turn.must_step_on:
            return step_on_line()
        case _:
            return _("A turn needs at least one step: tap the cell to walk to.")
    return text.format(
        count=free,
        names=item_list(scene.model.queued),
        button=sentence_case(_stand_up_label(scene)),
        ingredients=item_list(map(ingredient_name, lost)),
    )


def _picks(scene: Scene) -> bool:
    """Return whether a digit does at once what the open list of a turn is for."""
    return scene.ui.mode in OF_A_GAME and marked_choice(scene) is not None and not scene.ui.touch


def _pick_label(scene: Scene) -> str:
    return pgettext(*OPENERS[scene.ui.mode].value.chooses)


def _next_label(scene: Scene) -> str:
    if scene.ui.mode in TYPING:
        return pgettext("key", "send")
    if (choice := marked_choice(scene)) is not None:
        if isinstance(choice.wish, EndTurn):
            return pgettext("key", "end turn")
        if isinstance(choice.wish, LookAt):
            return ""  # as another key does
        if isinstance(choice.wish, Queue):
            return _play_next_label(scene)
        return pgettext(*OPENERS[scene.ui.mode].value.chooses)
    if guide_box(scene):
        return pgettext("key", "more") if guide_left(scene) else pgettext("key", "close")
    coming = next_of(scene)
    assert coming is not None, "it is offered"
    lobby = scene.stage == "lobby"
    match coming.kind:
        case "sit":
            return pgettext("key", "take a seat")
        case "queue":
            return pgettext("key", "play next")
        case "start" | "rematch" if not can_start(scene):
            return ""  # Enter says what is missing, as lobby and result do
        case "start":
            return pgettext("key", "start the game")
        case "rematch":
            return pgettext("key", "start a rematch")
        case "ready":
            return pgettext("key", "ready") if lobby else pgettext("key", "rematch")
        case "place":
            return pgettext("key", "place here") if coming.wishes else pgettext("key", "place")
        case "fill":
            return pgettext("key", "done")
        case "aside":
            return pgettext("key", "give back")
        case "return":
            return pgettext("key", "give the rest back")
        case "serve":
            (intent,) = coming.wishes
            assert isinstance(intent, Serve)
            return pgettext("key", "serve cup {cup}").format(cup=intent.cup)
        case "end":
            return pgettext("key", "end turn")
        case "walk":
            return pgettext("key", "walk as planned")
    return ""  # Space pours, or Enter says that there are no hints; or only a step goes on


def _serves_next(scene: Scene) -> bool:
    coming = next_of(scene) if scene.ui.mode == "table" and scene.stage == "game" else None
    return coming is not None and coming.kind in ("serve", "end")


# Undo


def _can_undo(scene: Scene) -> bool:
    planned = scene.plans and scene.ui.turn.ahead
    return bool(scene.turn.undoable or scene.turn.aside or planned)


def _undo(scene: Scene, key: str) -> Pressed:
    if scene.plans:
        return planning(scene, scene.ui.turn.ahead[:-1]), ()
    return _decided(scene, scene.turn.undo())


def _undo_all(scene: Scene, key: str) -> Pressed:
    if scene.plans:
        return planning(scene, ()), ()
    return _decided(scene, scene.turn.undo(whole=True))


def _nothing_to_undo(scene: Scene) -> str:
    return _("This is where your turn began: there is nothing to undo.")


# Upgrades and orders


def _upgrades_label(scene: Scene) -> str:
    """Return "" unless one can be activated, and may pay off; the help has the key as well."""
    return pgettext("key", "upgrades") if _can_upgrade(scene) else ""


def _can_upgrade(scene: Scene) -> bool:
    """Return whether an upgrade can be activated, and may pay off."""
    return scene.stage == "game" and scene.offers_upgrade


def _open_upgrades(scene: Scene, key: str) -> Pressed:
    """Show what upgrades do, and in this player's turn why not to activate one, or why none can be.

    The list itself says how many orders they cost.
    """
    ui, _wishes = _opened(scene, "upgrades")
    if scene.turn.upgrades:
        return replace(ui, note="" if scene.offers_upgrade else _why_no_upgrade(scene)), ()
    player = scene.player(scene.me or 0)
    may_later = player.completed >= COMPLETED_PER_UPGRADE and not all(player.upgrades)
    if not scene.turn.options or not may_later:
        return ui, ()
    reason = "stepped" if scene.view.path else "upgraded"
    why = refusal_line(Refusal("wrong_phase", "", {"reason": reason}))
    return replace(ui, note=why, refused=True), ()


def _why_no_upgrade(scene: Scene) -> str:
    if scene.is_late_for_upgrade:
        return late_upgrade_line(scene.view)
    return _("Better not now: this turn is worth more without an upgrade.")


def _orders_label(scene: Scene) -> str:
    return pgettext("key", "orders") if kind_of(*scene.ui.size) == "narrow" else ""


# Before and after a game


def _in_lobby(scene: Scene) -> bool:
    return scene.stage == "lobby" and scene.me is not None


def _may_get_ready(scene: Scene) -> bool:
    """Return whether this player has to say that they are ready; the owner always is."""
    return scene.stage in ("lobby", "result") and scene.me is not None and not scene.model.owner


def _get_ready(scene: Scene, key: str) -> Pressed:
    assert scene.me is not None, "it is offered to seats"
    return cleared(scene), (Ready(NO_ID, not is_ready(scene, scene.me)),)


def _ready_label(scene: Scene) -> str:
    ready = scene.me is not None and is_ready(scene, scene.me)
    return pgettext("key", "not ready") if ready else pgettext("key", "ready")


def _watches(scene: Scene) -> bool:
    return scene.me is None and scene.model.status == "here"


def _may_play_next(scene: Scene) -> bool:
    """Return whether this person watches; the list that opens for latecomers takes the key too."""
    return _watches(scene) and (scene.ui.mode == "hall" or situation_of(scene) != "list")


def _play_next(scene: Scene, key: str) -> Pressed:
    """Take a seat or a place in the queue, or give up that place."""
    return closed(cleared(scene)), (Queue(NO_ID, not scene.model.is_queuing),)


def _play_next_label(scene: Scene) -> str:
    if scene.model.is_queuing:
        return pgettext("key", "leave line")
    sits = scene.model.may_sit
    return pgettext("key", "take a seat") if sits else pgettext("key", "play next")


def place_in_line(scene: Scene) -> str:
    """Return what a spectator can do about a seat; "" for a player."""
    if scene.me is not None or scene.model.home:
        return ""
    if scene.ui.touch:
        return watcher_line(scene.model, sentence_case(_play_next_label(scene)))
    coming = next_of(scene) if situation_of(scene) == "table" else None
    by_enter = coming is not None and coming.kind in ("sit", "queue")  # as the footer says
    return watcher_line(scene.model, cap_of(Action.NEXT if by_enter else Action.PLAY_NEXT))


def _may_stand_up(scene: Scene) -> bool:
    """Return whether this person has a seat to give up, or may have others stand up."""
    between = scene.stage in ("lobby", "result")
    return between and (bool(making_room(scene)) if scene.model.owner else scene.me is not None)


def _stand_up(scene: Scene, key: str) -> Pressed:
    """Stand up; the owner chooses who does."""
    if scene.model.owner:
        return _opened(scene, "room")
    return cleared(scene), (StandUp(NO_ID),)


def _stand_up_label(scene: Scene) -> str:
    if not scene.model.owner:
        return pgettext("key", "stand up")
    return pgettext("key", "make room") if scene.model.queued else ""


def _nothing_recorded(scene: Scene) -> str:
    return _("There is no record of a finished game to show now.")


def _nobody_asks(scene: Scene) -> str:
    asks = scene.model.may_let_in
    return _("No guest is waiting to be let in.") if asks else _only_the_owner()


def _only_the_owner() -> str:
    return refusal_line(Refusal("not_owner", ""))


def _is_recorded(scene: Scene) -> bool:
    """Return whether the game is on disk; that stays so once the table is closed."""
    return scene.record is not None and scene.record.is_kept


def _can_add_bot(scene: Scene) -> bool:
    may = scene.stage == "lobby" and scene.model.owner and bool(scene.table.bots)
    return may and open_seat(scene) is not None


def _remove_label(scene: Scene) -> str:
    """Return what is removed where there is room: at a result, the screen does not say it.

    Who has played with bots alone wants other things there.
    """
    if scene.stage == "game" or (scene.stage == "result" and not has_company(scene.model)):
        return ""
    whole = scene.stage == "result" and scene.ui.size[0] >= MIDDLE
    return pgettext("key", "remove somebody") if whole else pgettext("key", "remove")


def _colour(scene: Scene, key: str) -> Pressed:
    """Choose the next colour that no other person has."""
    settings = replace(scene.ui.settings, colour=_next_colour(scene))
    return replace(cleared(scene), settings=settings), (mark_wish(settings),)


def _next_colour(scene: Scene) -> Colour | None:
    if scene.me is None:
        return None
    taken = {seat.colour for number, seat in enumerate(scene.seats) if number != scene.me}
    now = seat_colours(scene.seats)[scene.me]
    others = ((now + more) % MAX_PLAYERS for more in range(1, MAX_PLAYERS))
    return next((name for name in others if name not in taken), None)


# Guests who wait in a browser


SEE_SECONDS: Final = 0.7
"""How long a person needs to see that a key now means something else.

For as long, no key answers a guest who has begun to ask, acts after a list has closed by itself, or
dismisses what the guide has just said.
"""


def _has_qr_code(scene: Scene) -> bool:
    """Return whether the page on how others join has more than the lobby, which tells the rest."""
    invitation = scene.model.invitation
    return scene.stage == "lobby" and (bool(invitation.page) or invitation.guests_due)


def _is_asked(scene: Scene) -> bool:
    return bool(scene.model.asking) and scene.model.status == "here"


def _answer(scene: Scene, let_in: bool) -> Pressed:
    """Answer the guest who asks first, unless the key was meant for somebody shown before."""
    asker = scene.model.asking[0]
    if scene.ui.asker != asker.guest or scene.ui.now - scene.ui.asker_at < SEE_SECONDS:
        return refused(scene, _("Somebody else is asking now; check who it is.")), ()
    return cleared(scene), (LetIn(NO_ID, asker.guest, let_in),)


# The pause


def may_pause(scene: Scene) -> bool:
    """Return whether this person may pause the game, or end its pause while the owner is away."""
    if scene.model.owner or scene.model.pause is None:
        return scene.model.owner
    owner, watching = scene.table.owner, scene.table.spectators
    if scene.me is None or owner is not None:
        return scene.me is not None and owner is not None and scene.seats[owner].away
    # an owner who watches has no seat: it is the one who has paused
    pauses = [event.name for event in scene.model.log if isinstance(event, GamePaused)]
    return pauses[-1] not in watching if pauses else not watching


def _pause(scene: Scene, key: str) -> Pressed:
    """Let a paused game go on, or pause it; ask for the reason if there is somebody to read it."""
    if scene.model.pause is None and has_company(scene.model):
        return _opened(scene, "pause")
    return cleared(scene), (SetPause(NO_ID, scene.model.pause is None),)


def _pause_label(scene: Scene) -> str:
    is_paused = scene.model.pause is not None
    return pgettext("key", "resume") if is_paused else pgettext("key", "pause")


# Chat and panes


SCROLL_LINES: Final = 3


def _is_crowded(scene: Scene) -> bool:
    """Return whether the guide's box is open on a terminal that is too narrow for more keys."""
    return kind_of(*scene.ui.size) == "narrow" and guide_box(scene)


def _chat_label(scene: Scene) -> str:
    return "" if _is_crowded(scene) else pgettext("key", "chat")


def _emote_label(scene: Scene) -> str:
    return "" if _is_crowded(scene) else pgettext("key", "say")


def _answer_label(scene: Scene) -> str:
    """Return what it says, as in a bubble; a button to touch needs no quotes."""
    answer = scene.ui.offer.emote
    if not answer or _is_crowded(scene):
        return ""
    text = emote_text(answer)
    return text if scene.ui.touch else _("“{text}”").format(text=text)


def _say_answer(scene: Scene, key: str) -> Pressed:
    """Say what is offered as an answer, once."""
    answer = scene.ui.offer.emote
    return replace(cleared(scene), offer=AnswerOffer()), (Emote(NO_ID, answer),) if answer else ()


def _has_panes(scene: Scene) -> bool:
    """Return whether there is another pane; at a result, that is the one with all games."""
    if scene.stage == "game":
        return scene.model.status != "over" and not guide_box(scene)
    return _is_recorded(scene) and can_flip(scene)


def _pane(scene: Scene, key: str) -> Pressed:
    if scene.stage == "result":
        pane = "" if is_flipped(scene) else TOGETHER
    else:
        pane = chosen_pane(scene.ui, kind_of(*scene.ui.size), -1 if key == "s-tab" else 1)
    return replace(cleared(scene), pane=pane, scroll=0), ()


def _pane_label(scene: Scene) -> str:
    if scene.stage != "result":
        return pgettext("key", "panes")
    return pgettext("key", "by round") if is_flipped(scene) else pgettext("key", "all games")


def _scroll(scene: Scene, key: str) -> Pressed:
    """Scroll the pane; panes that start at their newest line scroll the other way."""
    name = pane_of(scene)
    if name not in SCROLLED:
        return cleared(scene), ()
    on = key == "pagedown"
    by = SCROLL_LINES if on is starts_at_top(scene, name) else -SCROLL_LINES
    # an upper bound, as in the narrowest pane: drawing clamps it, so scrolling back hardly lags
    most = len(pane_lines(scene, name, scene.ui.size[0] // 2))
    return replace(cleared(scene), scroll=min(max(scene.ui.scroll + by, 0), most)), ()


def _close_label(scene: Scene) -> str:
    return pgettext("key", "cancel") if scene.ui.mode in TYPING else pgettext("key", "close")


# The tables of the host


def _hall_label(scene: Scene) -> str:
    """Return the label where there are more tables, or people who may want one."""
    wanted = scene.stage in ("lobby", "result") and has_too_few_seats(scene)
    return pgettext("key", "tables") if wanted or len(scene.model.tables) > 1 else ""


def has_too_few_seats(scene: Scene) -> bool:
    """Return whether somebody has no seat at the table, and no seat is open."""
    return bool(scene.table.spectators) and open_seat(scene) is None


def _marked_table(scene: Scene) -> TableSummary | None:
    """Return the table that is marked in the list of tables."""
    choice = marked_choice(scene) if scene.ui.mode == "hall" else None
    return None if choice is None else table_of(scene, choice)


def _may_look(scene: Scene) -> bool:
    return _marked_table(scene) is not None


def _look(scene: Scene, key: str) -> Pressed:
    table = _marked_table(scene)
    assert table is not None, "it is offered"
    return closed(cleared(scene)), (LookAt(NO_ID, table.number),)


def _say_to_all(scene: Scene, key: str) -> Pressed:
    """Open the chat with what makes a line one for all tables."""
    ui, wishes = _opened(scene, "chat")
    return replace(ui, draft=to_all()), wishes


def _may_close(scene: Scene) -> bool:
    table = _marked_table(scene)
    return table is not None and table.opened and scene.model.owns_hall


def _close_table(scene: Scene, key: str) -> Pressed:
    """Close the marked table; ask first."""
    table, choice = _marked_table(scene), marked_choice(scene)
    assert table is not None, "it is offered"
    assert choice is not None, "it is marked"
    if (scene.ui.asked, scene.ui.removing) == ("remove", choice.key):
        ui = replace(cleared(scene), marked="", tables_at=float("-inf"))
        return ui, (CloseTable(NO_ID, table.number),)
    text = _("Close {table}? Everybody there moves to another table.").format(table=table.name)
    note = f"{text} {again_line(scene, cap_of(Action.CLOSE_TABLE))}"
    asking = replace(cleared(scene), asked="remove", note=note)
    return replace(asking, removing=choice.key, marked=choice.key), ()


def again_line(scene: Scene, key: str) -> str:
    """Return how to confirm a question about an entry of a list."""
    if scene.ui.touch:
        return _("Tap it again to confirm.")
    return _("Press “{key}” again to confirm.").format(key=key)


def _may_rename_table(scene: Scene) -> bool:
    owns = scene.model.owner or scene.model.owns_hall
    return owns and scene.stage == "lobby" and scene.model.status == "here"


# Advice: hints, and the guide through a first game


def hint_now(scene: Scene) -> Hint | None:
    """Return a hint for this turn or the next one; None if there is none."""
    from coffeerush.ui.advice.advice import hint, hint_ahead, hinted_walk
    from coffeerush.ui.advice.ahead import turn_ahead

    model = scene.model
    text = hint(model) or hint_ahead(model)
    if not text:
        return None
    walk = hinted_walk(turn_ahead(scene.view) if scene.plans else scene.view)
    return Hint(text, walk, hinted_at(model, walk))


def _hint(scene: Scene, key: str) -> Pressed:
    """Give a hint: in the guide if that is shown, else as a note."""
    found, ui = hint_now(scene), cleared(scene)
    if found is None:
        return ui, ()
    ui = replace(ui, hint=found, scroll=0)
    if guide_tells(Scene(scene.model, ui), found.text):
        return ui, ()
    return replace(ui, note=found.text, scroll=scene.ui.scroll), ()


def _guide(scene: Scene, key: str) -> Pressed:
    """Turn the first-game guide off, or on again; both stay so."""
    on = not scene.ui.guide
    ui = guiding(Scene(scene.model, cleared(scene)), on)
    touch = ui.touch
    if not on:
        off = _("The guide is off.") if touch else _("The guide is off; F4 turns it on again.")
        return replace(ui, note=off), ()
    note = "" if touch else _("The guide is on; F4 turns it off.")
    if not scene.model.hints:
        note = hints_line(scene.model.hints)  # it is why the guide says nothing
    elif not Scene(scene.model, ui).guide:
        note = _("The guide is on and speaks in your turns; F4 turns it off.")
        note = _("The guide is on and speaks in your turns.") if touch else note
    return replace(ui, note=note), ()


def guiding(scene: Scene, on: bool) -> Ui:
    """Return the screen's state with the first-game guide on or off from now on."""
    settings = replace(scene.ui.settings, guided=not on)
    ui = replace(scene.ui, guide=on, settings=settings, read=(), scroll=0)
    return replace(ui, progress=follow(ui.progress, scene.model, scene.model)) if on else ui


def _guide_switch(scene: Scene) -> str:
    return pgettext("key", "end guide") if scene.ui.guide else pgettext("key", "guide")


def _guide_label(scene: Scene) -> str:
    shown = scene.ui.guide and scene.stage == "game"  # a result has little more to say
    return pgettext("key", "end guide") if shown else ""


# The tournament


def _tournament_label(scene: Scene) -> str:
    plays_narrow = scene.stage == "game" and kind_of(*scene.ui.size) == "narrow"
    known = scene.model.tournament is not None and not plays_narrow
    return pgettext("key", "tournament") if known or _between_games(scene) else ""


def _host_label(scene: Scene) -> str:
    return pgettext("key", "move the table") if _between_games(scene) else ""


def _between_games(scene: Scene) -> bool:
    """Return whether what an owner may want between games is told, since there is room."""
    return scene.stage in ("lobby", "result") and scene.ui.size[0] >= WIDE[0]


# Leaving


def leave(scene: Scene, key: str) -> Pressed:
    """Leave; ask first unless the table is closed or not joined yet, or a game alone is over."""
    alone = not has_company(scene.model) and not is_kept(scene.model)
    over = scene.model.status == "over" or (scene.stage == "result" and alone)
    nothing_on = over or scene.stage == "joining"
    is_seen = not is_tiny(scene.ui.size)
    again = scene.ui.asked == "leave" or (scene.ui.mode == "leaving" and is_seen)
    if nothing_on or again or scene.ui.leaving:
        return replace(cleared(scene), leaving=True), ()
    may_choose = standbys(scene.model) or may_close_host(scene.model)
    if may_choose and is_kept(scene.model) and is_seen:
        return _opened(scene, "leaving")
    note = _("Leave the table? Press “q” or Ctrl-C again; any other key cancels.")
    if scene.ui.touch:
        note = _("Leave the table? Tap “{button}” again to leave; any other tap cancels.")
        note = note.format(button=sentence_case(pgettext("key", "leave")))
    elif scene.model.owner and is_kept(scene.model):
        note = _(
            "Leave the table? The others can play on as long as this computer stays "
            "on. Press “q” or Ctrl-C again; any other key cancels."
        )
    elif scene.model.owner and scene.stage == "game":
        note = _(
            "Leave the table? You can continue the game later. Press “q” or Ctrl-C "
            "again; any other key cancels."
        )
    if stays := bot_stays_line(scene.model):
        note = f"{note} {stays}"
    if hands_over(scene.model) and is_seen:
        note = f"{note} {standby_line(scene.model)}".strip()
    return replace(closed(cleared(scene)), asked="leave", note=note), ()


# The actions


class Action(Enum):
    """An action at the table; of those that share a key, one is offered at a time."""

    _value_: ActionRow

    HELP = ActionRow(
        ("?", "f1"),
        N_("open or close this help (also F1)"),
        11,
        at=("table", "guide", "list", "reading", "closed"),
        label=NC_("key", "help"),
        opens="help",
        anytime=True,
        looks=True,
        beside_guide="always",
        bare=True,
        on_page=("apart",),
        who="anybody",
        from_outside=True,
    )
    MOVE = ActionRow(
        ("up", "down", "left", "right", "h", "j", "k", "l"),
        N_(
            "step, or choose a cell (also h j k l); each step after the third costs a rush token; "
            "while others play, plan your next walk"
        ),
        6,
        cap=N_("arrows"),
        when=lambda scene: scene.turn.places or scene.turn.steps or scene.plans,
        label=_move_label,
        do=_move,
        why_not=_no_step,
        clickable=False,
    )
    DIAGONAL = ActionRow(
        ("y", "o", "b", "n"),
        N_("diagonal step, with the upgrade"),
        6,
        cap="".join(f"{key}{way}" for key, way in zip("yobn", glyphs.DIAGONALS, strict=True)),
        when=lambda scene: (scene.turn.steps or scene.plans) and scene.diagonal,
        label=NC_("key", "diagonal"),
        do=_move,
        clickable=False,
    )
    POUR = ActionRow(
        ("1", "2", "3"),
        N_("pour the first token in hand into a cup"),
        5,
        cap="1-3",
        when=_may_pour,
        label=NC_("key", "pour"),
        do=_pour_first,
        why_not=_nothing_to_pour,
        clickable=False,
    )
    GIVE_BACK = ActionRow(
        ("0",),
        N_("give the first token in hand back"),
        1,
        when=lambda scene: scene.turn.can_return,
        label=_give_back_label,
        whole=N_("give the first token in hand back"),
        do=lambda scene, key: _decided(scene, scene.turn.give_back()),
        why_not=_nothing_to_give_back,
    )
    SUGGEST = ActionRow(
        (" ",),
        N_(
            "pour as suggested, and serve what is then ready; while others' moves are shown, skip "
            "them"
        ),
        10,
        cap=N_("Space"),
        when=_can_pour_all,
        label=_pour_all_label,
        lit=lambda scene: scene.ui.playing == "reading",
        do=_pour_all,
        why_not=_after_pouring,
        on_page=("apart",),
    )
    NEXT = ActionRow(
        (ENTER,),
        N_("the next action, named at the bottom of the screen"),
        10,
        cap=N_("Enter"),
        at=("table", "guide", "list", "typing"),
        when=_has_next,
        label=_next_label,
        lit=_serves_next,
        do=_next,
        once=True,
        on_page=("apart",),
        who="anybody",
        why_not=place_in_line,
    )
    UNDO = ActionRow(
        ("u", BACKSPACE),
        N_("undo one action, back to the start of the turn (also Bksp)"),
        9,
        when=_can_undo,
        label=NC_("key", "undo"),
        do=_undo,
        why_not=_nothing_to_undo,
        on_page=("game",),
    )
    UNDO_ALL = ActionRow(
        ("U",),
        N_("undo the whole turn"),
        when=_can_undo,
        do=_undo_all,
        why_not=_nothing_to_undo,
    )
    SERVE = ActionRow(
        ("s",),
        N_("choose which order a cup serves, or none"),
        3,
        when=lambda scene: scene.turn.serves,
        label=NC_("key", "choose"),
        whole=N_("serve an order"),
        opens="serve",
        chooses=NC_("key", "serve"),
        why_not=lambda scene: _(
            "No cup matches an order: a cup must hold exactly what the order needs."
        ),
    )
    EMPTY = ActionRow(
        ("e",),
        N_("empty a cup: then press 1-3"),
        2,
        when=lambda scene: scene.turn.emptyable,
        label=NC_("key", "empty"),
        whole=N_("empty a cup"),
        opens="empty",
        chooses=NC_("key", "empty"),
        why_not=lambda scene: _("Every cup is empty."),
    )
    UPGRADES = ActionRow(
        ("g",),
        N_("upgrades: see what they do, and activate one"),
        4,
        stays=lambda scene: pgettext("key", "upgrades"),
        when=lambda scene: scene.stage == "game" and _is_seated(scene),
        label=_upgrades_label,
        lit=_can_upgrade,
        told=_can_upgrade,
        on_page=("apart",),
        do=_open_upgrades,
        opens="upgrades",
        chooses=NC_("key", "activate"),
    )
    ORDERS = ActionRow(
        (ALL_ORDERS_KEY,),
        N_("see all your orders with whole names, if the screen shows only some"),
        2,
        when=lambda scene: scene.stage == "game" and scene.own is not None and scene.orders,
        label=_orders_label,
        opens="orders",
    )
    MEEPLE = ActionRow(
        ("m",),
        N_("move the other meeple (2 players)"),
        4,
        when=_can_choose_meeple,
        label=NC_("key", "other meeple"),
        do=lambda scene, key: (choose_meeple(scene, scene.turn.other_meeple), ()),
        why_not=lambda scene: _("You can only move one meeple per turn."),
    )
    READY = ActionRow(
        ("r",),
        N_("say that you are ready, or not (before and after a game)"),
        7,
        when=_may_get_ready,
        label=_ready_label,
        do=_get_ready,
        once=True,
    )
    PLAY_NEXT = ActionRow(
        ("r",),
        N_("as a spectator: take a seat or get in line to play next, or leave the line"),
        8,
        at=("table", "list"),
        when=_may_play_next,
        label=_play_next_label,
        do=_play_next,
        told=lambda scene: scene.model.is_queuing,
        who="anybody",
        once=True,
    )
    STAND_UP = ActionRow(
        ("s",),
        N_("stand up and watch; the owner chooses who does, and who plays next (between games)"),
        4,
        when=_may_stand_up,
        label=_stand_up_label,
        do=_stand_up,
        opens="room",
        chooses=NC_("key", "choose"),
    )
    REPLAY = ActionRow(
        ("v",),
        N_("replay the finished game, from its start"),
        6,
        at=("table", "guide", "closed"),
        when=_is_recorded,
        label=NC_("key", "replay"),
        do=lambda scene, key: (replace(cleared(scene), showing="replay"), ()),
        beside_guide="if offered",
        who="anybody",
        why_not=_nothing_recorded,
        on_page=("result",),
    )
    ANALYSIS = ActionRow(
        ("w",),
        N_("analyse your turns in the finished game"),
        5,
        at=("table", "guide", "closed"),
        when=_is_recorded,
        label=NC_("key", "analysis"),
        do=lambda scene, key: (replace(cleared(scene), showing="analysis"), ()),
        beside_guide="if offered",
        who="anybody",
        why_not=_nothing_recorded,
        on_page=("result",),
    )
    ADD_BOT = ActionRow(
        ("a",),
        N_("seat a bot (the owner, before the game)"),
        5,
        when=_can_add_bot,
        label=NC_("key", "add bot"),
        opens="bots",
        chooses=NC_("key", "add bot"),
        who="owner",
    )
    REMOVE = ActionRow(
        ("x",),
        N_("remove a bot, a guest or a spectator (the owner)"),
        3,
        when=lambda scene: scene.model.owner and removals(scene),
        label=_remove_label,
        opens="seats",
        chooses=NC_("key", "remove"),
        who="owner",
    )
    AGREE = ActionRow(
        ("o",),
        N_("the setup of the next game: who sits where, who begins, clock, hints (the owner)"),
        3,
        when=lambda scene: scene.stage in ("lobby", "result") and scene.model.owner,
        label=NC_("key", "game setup"),
        opens="agreed",
        chooses=NC_("key", "change"),
        who="owner",
    )
    INVITE = ActionRow(
        ("c",),
        N_("how others join: addresses, code, QR code (the owner)"),
        3,
        when=lambda scene: scene.model.invitation.addresses,
        label=lambda scene: pgettext("key", "QR code") if _has_qr_code(scene) else "",
        opens="invitation",
        anytime=True,
        beside_guide="always",
        who="owner",
    )
    LET_IN = ActionRow(
        ("d",),
        N_("let in the guest who is waiting in a browser"),
        8,
        at=("table", "guide"),
        when=_is_asked,
        label=NC_("key", "let in"),
        do=lambda scene, key: _answer(scene, let_in=True),
        beside_guide="always",
        once=True,
        on_page=("apart",),
        who="anybody",
        why_not=_nobody_asks,
    )
    TURN_AWAY = ActionRow(
        ("D",),
        N_("turn that guest away"),
        2,
        at=("table", "guide"),
        when=_is_asked,
        label=NC_("key", "turn away"),
        do=lambda scene, key: _answer(scene, let_in=False),
        beside_guide="always",
        once=True,
        on_page=("apart",),
        who="anybody",
        why_not=_nobody_asks,
    )
    HALL = ActionRow(
        ("z",),
        N_("the tables of this host: go to another one, watch one, or open one"),
        1,
        when=lambda scene: scene.model.status == "here",
        label=_hall_label,
        opens="hall",
        chooses=NC_("key", "go there"),
        anytime=True,
        beside_guide="always",
        who="anybody",
    )
    LOOK = ActionRow(
        ("w",),
        N_("in that list: watch the selected table; you keep your seat"),
        8,
        at=("list",),
        when=_may_look,
        label=NC_("key", "watch"),
        do=_look,
        anytime=True,
        on_page=("apart",),
        who="anybody",
    )
    SAY_TO_ALL = ActionRow(
        ("t",),
        N_("in that list: write to everybody at all tables"),
        7,
        at=("list",),
        when=lambda scene: scene.ui.mode == "hall",
        label=NC_("key", "say to all"),
        do=_say_to_all,
        anytime=True,
        on_page=("apart",),
        who="anybody",
    )
    CLOSE_TABLE = ActionRow(
        ("x",),
        N_("in that list: close a table that a player has opened (the owner of the first table)"),
        6,
        at=("list",),
        when=_may_close,
        label=NC_("key", "close table"),
        do=_close_table,
        anytime=True,
        on_page=("apart",),
        who="owner",
    )
    BACK = ActionRow(
        (ESCAPE,),
        N_("back to your own table from one that you watch"),
        9,
        cap=N_("Esc"),
        at=("table", "guide", "closed"),
        when=lambda scene: scene.model.home,
        label=NC_("key", "back"),
        do=lambda scene, key: (scene.ui, (LookAt(NO_ID, scene.model.home),)),
        anytime=True,
        beside_guide="always",
        on_page=("apart",),
        who="anybody",
        from_outside=True,
    )
    RENAME_TABLE = ActionRow(
        ("N",),
        N_("rename the table (its owner, before the game)"),
        when=_may_rename_table,
        opens="table_name",
        who="owner",
    )
    HOST = ActionRow(
        ("H",),
        N_("let another player host the table on their computer (the owner)"),
        when=lambda scene: scene.model.owner and handovers(scene),
        label=_host_label,
        opens="host",
        chooses=NC_("key", "choose"),
        anytime=True,
        beside_guide="always",
        who="owner",
        why_not=lambda scene: standby_line(scene.model),
    )
    SUCCEED = ActionRow(
        ("H",),
        N_("answer the owner, who is asking you to host the table"),
        8,
        when=lambda scene: asks(scene.model),
        label=NC_("key", "answer"),
        opens="succeed",
        chooses=NC_("key", "choose"),
        anytime=True,
        beside_guide="always",
        who="anybody",
    )
    TOURNAMENT = ActionRow(
        (TOURNAMENT_KEY,),
        N_("the tournament: enter it, see who leads; the owner of the first table runs it"),
        6,
        when=lambda scene: knows_tournament(scene.model),
        label=_tournament_label,
        opens="tournament",
        chooses=NC_("key", "choose"),
        anytime=True,
        beside_guide="always",
        on_page=("lobby", "result"),
        who="anybody",
    )
    RENAME = ActionRow(
        ("n",),
        N_("change your name (before the game)"),
        2,
        when=lambda scene: scene.stage == "lobby",
        label=NC_("key", "name"),
        opens="name",
        on_page=("lobby",),
        who="anybody",
    )
    LETTER = ActionRow(
        ("l",),
        N_("choose the letter that marks you (before the game)"),
        1,
        when=_in_lobby,
        label=NC_("key", "letter"),
        whole=N_("your letter"),
        opens="letter",
    )
    COLOUR = ActionRow(
        ("h",),
        N_("choose the next free colour (before the game)"),
        1,
        when=lambda scene: _in_lobby(scene) and _next_colour(scene) is not None,
        label=NC_("key", "colour"),
        whole=N_("your colour"),
        do=_colour,
    )
    PAUSE = ActionRow(
        ("p",),
        N_("pause or resume the game (the owner)"),
        1,
        when=lambda scene: scene.stage == "game" and may_pause(scene),
        label=_pause_label,
        do=_pause,
        opens="pause",
        anytime=True,
        who="owner",
    )
    CHAT = ActionRow(
        ("t",),
        N_("write to everybody, or after “/all” to all tables: Enter sends, Esc cancels"),
        2,
        at=("table", "guide"),
        stays=lambda scene: pgettext("key", "chat"),
        label=_chat_label,
        opens="chat",
        anytime=True,
        beside_guide="always",
        on_page=("lobby", "result"),
        who="anybody",
        from_outside=True,
    )
    EMOTE = ActionRow(
        ("f",),
        N_("say quickly, then 1-6: Hello! Bravo! Thanks! Oops! Wow! Hurry up!"),
        at=("table", "guide"),
        when=_is_seated,
        label=_emote_label,
        opens="emotes",
        chooses=NC_("key", "say"),
        anytime=True,
        beside_guide="always",
        on_page=("game", "lobby", "result"),
    )
    ANSWER = ActionRow(
        ("a",),
        N_("answer what has just happened, in one word"),
        1,
        at=("table", "guide"),
        when=lambda scene: scene.stage == "game" and _is_seated(scene) and scene.ui.offer.emote,
        label=_answer_label,
        do=_say_answer,
        told=lambda scene: not scene.turn.is_mine,  # in which it is in the way
        anytime=True,
        beside_guide="always",
        once=True,
    )
    PANE = ActionRow(
        (TAB, "s-tab"),
        N_("next pane: log, others, chat, menu"),
        3,
        cap=N_("Tab"),
        at=("table", "guide", "closed"),
        when=_has_panes,
        label=_pane_label,
        do=_pane,
        anytime=True,
        looks=True,
        on_page=("apart",),
        who="anybody",
        why_not=lambda scene: _("There are no other panes now."),
        from_outside=True,
    )
    SCROLL_BACK = ActionRow(
        ("pageup",),
        N_("scroll back"),
        cap=N_("PgUp"),
        at=("table", "guide", "list", "reading"),
        do=_scroll,
        anytime=True,
        looks=True,
        beside_guide="always",
        who="anybody",
        from_outside=True,
    )
    SCROLL_ON = ActionRow(
        ("pagedown",),
        N_("scroll forward"),
        cap=N_("PgDn"),
        at=("table", "guide", "list", "reading"),
        do=_scroll,
        anytime=True,
        looks=True,
        beside_guide="always",
        who="anybody",
        from_outside=True,
    )
    PICK = ActionRow(
        (),
        N_("choose from an open list (also arrows and Enter)"),
        3,
        cap="1-9",
        at=("list",),
        when=_picks,
        label=_pick_label,
        clickable=False,
    )
    CLOSE = ActionRow(
        (ESCAPE,),
        N_("close what is open"),
        9,
        cap=N_("Esc"),
        at=("list", "reading", "typing"),
        label=_close_label,
        on_page=("apart",),
        who="anybody",
    )
    HINT = ActionRow(
        ("i",),
        N_("hint: a good next move, and why"),
        4,
        when=lambda scene: (scene.turn.options or scene.plans) and scene.model.hints,
        label=NC_("key", "hint"),
        do=_hint,
        why_not=_no_hints,
        on_page=("game",),
    )
    GUIDE = ActionRow(
        ("f4",),
        N_("turn the guide through a first game on or off"),
        5,
        cap="F4",
        at=("table", "guide"),
        stays=_guide_switch,
        when=lambda scene: scene.stage in ("game", "result") and _is_seated(scene),
        label=_guide_label,
        do=_guide,
        anytime=True,
        beside_guide="always",
        once=True,
    )
    RULES = ActionRow(
        ("f2",),
        N_("the rules of the game"),
        cap="F2",
        at=("table", "guide", "closed"),
        opens="rules",
        anytime=True,
        looks=True,
        beside_guide="always",
        who="anybody",
        from_outside=True,
    )
    SETTINGS = ActionRow(
        ("f3",),
        N_("settings: language, colours, mouse, speed …"),
        cap="F3",
        at=("table", "guide", "closed"),
        opens="settings",
        anytime=True,
        looks=True,
        beside_guide="always",
        who="anybody",
    )
    LEAVE = ActionRow(
        ("q", INTERRUPT),
        N_("leave: press twice (also Ctrl-C)"),
        4,
        at=("table", "guide", "list", "closed"),
        label=NC_("key", "leave"),
        do=leave,
        opens="leaving",
        chooses=NC_("key", "choose"),
        anytime=True,
        beside_guide="always",
        once=True,
        who="anybody",
    )


ROWS: Final = {action: action.value for action in Action}
KEYMAP: Final = Keymap(
    *(
        bound(
            action,
            row.keys,
            row.cap or row.keys[0],
            row.help,
            row.weight,
            click=None if row.clickable else "",
            bare=row.bare,
        )
        for action, row in ROWS.items()
    )
)
_ACTIONS: Final = [*ROWS]
_AROUND_A_GAME: Final = {
    ROWS[action].help
    for action in _ACTIONS[_ACTIONS.index(Action.READY) : _ACTIONS.index(Action.CHAT)]
}
"""The help of what is not done in the turns of a game, but around it."""


def _help_rows(around: bool) -> HelpRows:
    return tuple(row for row in KEYMAP.help_rows() if (row[1] in _AROUND_A_GAME) is around)


HELP: Final = Help(
    (
        (N_("Keys"), _help_rows(around=False)),
        (N_("Before and after a game, for spectators, and for the owner"), _help_rows(around=True)),
    ),
    (
        (
            N_("On the board"),
            (
                (
                    glyphs.MINE,
                    N_("your meeple; other meeples are letters, as in the list of players"),
                ),
                (
                    f"{glyphs.UP} {glyphs.FROM} {glyphs.TO} {glyphs.DOWN}",
                    N_("where you can step; numbers are the path you have taken"),
                ),
                (
                    " ".join(glyphs.PASS[way] for way in "↑←→↓"),
                    N_("where you can step, but not stop: another meeple stands there"),
                ),
                ("x2", N_("what a step gives, if it is not one token")),
                (
                    f"{glyphs.DOT}b {glyphs.DOT}x",
                    N_("where the others have walked since your last turn, by their letters"),
                ),
                (glyphs.SPECIALTY, N_("a specialty cell, which an upgrade can double")),
            ),
        ),
        (
            N_("In your orders"),
            (
                *ORDER_MARKS,
                (N_("from B"), N_("an order that this player has sent you since your last turn")),
            ),
        ),
        (N_("At the top, and beside the players"), PLAYER_MARKS),
    ),
    marks_first=True,
)
IN_HALL: Final = (Action.LOOK, Action.SAY_TO_ALL, Action.CLOSE_TABLE, Action.PLAY_NEXT)
"""The actions in the list of tables, besides going to one."""
AT_THE_DOOR: Final = (Action.LET_IN, Action.TURN_AWAY)
"""The answers to a guest with a browser who asks to come in; the first one says yes."""
OPENERS: Final[dict[Mode, Action]] = {
    row.opens: action for action, row in ROWS.items() if row.opens != "table"
}
"""The action that opens each page, list, text and text field."""


# What drawing and input ask


def situation_of(scene: Scene) -> Situation:
    """Return what is in front."""
    mode = scene.ui.mode
    if mode in PAGES:
        return "page"  # which has its own keymap
    if mode in READING:
        return "reading"
    if mode in TYPING:
        return "typing"
    if mode in LISTS and choices_of(scene) is not None:
        return "list"
    if scene.model.status == "over" or scene.stage == "joining":
        return "closed"
    return "guide" if guide_box(scene) else "table"


def is_offered(scene: Scene, action: Action) -> bool:
    """Return whether an action does something now."""
    return _is_offered_in(scene, action, situation_of(scene))


def _is_offered_in(scene: Scene, action: Action, situation: Situation) -> bool:
    row = action.value
    if scene.model.home and not row.from_outside:
        return False
    return situation in row.at and bool(row.when(scene))


def take(scene: Scene, action: Action, key: str) -> Pressed:
    """Take an action that is offered, by one of its keys."""
    row = action.value
    return row.do(scene, key) if row.do else _opened(scene, row.opens)


def why_not(scene: Scene, actions: list[Action], key: str) -> str:
    """Return why a key does nothing now; "" for an unknown key."""
    if Action.HOST in actions and scene.model.status == "here" and not scene.model.home:
        return standby_line(scene.model)
    if not actions or scene.model.home or (scene.stage != "game" and not _watches(scene)):
        return ""
    if scene.model.status == "lost":
        return _("You cannot do anything until the host answers again; nothing is lost.")
    if scene.model.pause is not None:
        return pause_line(scene.model)
    if scene.me is None:
        return _why_watching(scene, actions)
    may = {action.value.who for action in actions}
    if may == {"owner"} and not scene.model.owner:
        return _only_the_owner()
    if not scene.turn.is_mine and "players" in may:
        now = _("It is {name}'s turn.").format(name=scene.name(scene.view.active or 0))
        return " ".join(filter(None, (timed_out(scene.model), now)))
    return next(filter(None, (action.value.why_not(scene) for action in actions)), "")


def _why_watching(scene: Scene, actions: list[Action]) -> str:
    """Return why a key does nothing for a spectator."""
    rows = [action.value for action in actions]
    if any(row.who == "anybody" for row in rows):
        return next(filter(None, (row.why_not(scene) for row in rows if row.who == "anybody")), "")
    if any(row.who == "owner" for row in rows):
        not_now = refusal_line(Refusal("wrong_stage", ""))
        return not_now if scene.model.owner else _only_the_owner()
    return " ".join((_("Only players can do that."), place_in_line(scene)))


def label_of(scene: Scene, action: Action) -> str:
    """Return the label of an offered action; "" if the footer leaves it out."""
    label = action.value.label
    return pgettext(*label) if isinstance(label, tuple) else label(scene)


FIRST_WHILE_WAITING: Final = (Action.EMOTE, Action.CHAT, Action.PAUSE)
"""What has its place while the guide explains others' moves to who can pause them."""
SECOND_WHILE_WAITING: Final = (
    *(Action.MEEPLE, Action.DIAGONAL, Action.ORDERS, Action.UPGRADES, Action.HINT),
    *FIRST_WHILE_WAITING[:-1],
)
"""What makes room for it, the least important first."""
_SPARE_BETWEEN_GAMES: Final = (Action.HOST, Action.TOURNAMENT)
"""What makes room for everything else, once no tournament is on; likewise."""
_SPARE_BEFORE_START: Final = (Action.COLOUR, Action.LETTER, Action.RENAME)
"""What makes room even for a tournament once all are ready: everybody has had time for it."""


def spare_of(scene: Scene) -> Sequence[Action]:
    """Return what makes room for everything else in a footer, the least important first."""
    first, *others = _SPARE_BETWEEN_GAMES
    if scene.stage == "lobby" and all(seat.ready for seat in scene.seats):
        others = [*_SPARE_BEFORE_START, *others]
    return [first] if scene.model.tournament else [first, *others]


def labels_of(scene: Scene) -> dict[Action, str]:
    """Return the label of each offered action for the footer; "" if it leaves it out."""
    here = situation_of(scene)
    labels = {
        action: label_of(scene, action) for action in ROWS if _is_offered_in(scene, action, here)
    }
    if scene.ui.asked == "leave" and not scene.ui.touch:
        return {action: label for action, label in labels.items() if action is Action.LEAVE}
    if scene.ended:  # any key skips to the result
        return {action: label for action, label in labels.items() if action is Action.SUGGEST}
    coming = next_of(scene)
    does_same = coming is None or coming.kind != "start"
    if here == "list":
        does_same = labels.get(Action.NEXT) == labels.get(Action.PLAY_NEXT)
        if labels.get(Action.NEXT) == labels.get(Action.PICK):  # entries have their keys
            labels[Action.PICK] = ""
    if Action.NEXT in labels and does_same:
        labels |= dict.fromkeys(labels.keys() & {Action.READY, Action.PLAY_NEXT}, "")
    if kind_of(*scene.ui.size) == "narrow" and scene.ui.mode == "table" and is_flipped(scene):
        # the key that leads back needs the room
        labels |= dict.fromkeys(labels.keys() - {Action.NEXT, Action.PANE}, "")
    return labels


ALWAYS_IN_A_GAME: Final = {
    *(Action.HELP, Action.PAUSE, Action.CHAT, Action.EMOTE, Action.PANE, Action.LEAVE),
}
"""What is no key of a moment."""


def help_of(scene: Scene) -> Help:
    """Return the help, which begins with the keys that do something now."""
    offered = {action for action, label in labels_of(scene).items() if label}
    now = {ROWS[action].help for action in offered - ALWAYS_IN_A_GAME}
    return replace(HELP, now=tuple(row for row in KEYMAP.help_rows() if row[1] in now))


def lit_of(scene: Scene, offered: Collection[Action]) -> set[Action]:
    """Return the offered actions that stand out, because they have become possible."""
    return {action for action in offered if action.value.lit(scene)}


def cap_of(action: Action) -> str:
    """Return the key cap of an action."""
    cap = action.value.cap
    return _(cap) if cap else action.value.keys[0]


def key_of(action: Action) -> Target:
    """Return the target of a click that presses an action's first key."""
    return Target("key", action.value.keys[0])


def seat_action(scene: Scene, seat: Seat) -> Action | None:
    """Return the action that a click on a seat takes before a game; None if it is not offered."""
    if scene.seats[seat].status == "open":
        action = Action.ADD_BOT
    else:
        action = Action.READY if seat == scene.me else Action.REMOVE
    return action if is_offered(scene, action) else None
