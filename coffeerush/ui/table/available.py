"""Which actions are available now, and what Enter does."""

from typing import Literal, TypeAlias

from msgspec import Struct

from coffeerush.client.model import Wish, has_left
from coffeerush.ui.pages.pages import PAGES
from protocol import (
    MIN_PLAYERS,
    NO_ID,
    EndTurn,
    GamePaused,
    Ingredient,
    Phase,
    PlaceMeeple,
    Ready,
    ReturnRest,
    SeatView,
    Start,
)

from .choices import choices_of, is_ready, marked_choice, open_seat, removals
from .keymap import Action
from .panes import can_flip, guide_box
from .scene import Scene
from .state import TYPING

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
