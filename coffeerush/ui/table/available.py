"""What can be done at a moment, each with its label: what keys do, and what the footer says."""

from typing import Literal

from msgspec import Struct

from coffeerush.client.model import Wish
from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.words import status
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from protocol import (
    MIN_PLAYERS,
    NO_ID,
    SLOTS,
    EndTurn,
    Phase,
    PlaceMeeple,
    Ready,
    ReturnRest,
    Serve,
    Start,
)

from .choices import ChoiceBox, is_ready, menu_of, open_seat, removals
from .keymap import Action
from .panes import guide_box, guide_left
from .scene import Scene

Offers = dict[Action, str]


class Next(Struct, frozen=True):
    """What Enter does."""

    label: str
    wishes: tuple[Wish, ...] = ()
    """Sent one after another; empty where nothing can be done and `question` says why."""
    asks: Literal["", "pour", "end", "start"] = ""
    """What is asked before it is done."""
    question: str = ""


def next_of(scene: Scene) -> Next | None:
    """Return what Enter does now; None where it does nothing."""
    if scene.stage == "lobby":
        return _next_in_lobby(scene)
    if scene.stage == "result":
        return _next_in_result(scene)
    if not scene.options:
        return None
    match scene.view.phase:
        case Phase.PLACING:
            return _place(scene)
        case Phase.FILLING:
            return _pour(scene) if scene.can_pour else Next(pgettext("key", "done"), (EndTurn(),))
    return _next_in_turn(scene)


def _next_in_lobby(scene: Scene) -> Next | None:
    if scene.model.owner:
        return _start(scene)
    return _ready(scene, pgettext("key", "ready"))


def _next_in_result(scene: Scene) -> Next | None:
    if scene.model.owner:
        return Next(pgettext("key", "start a rematch"), (Start(NO_ID),))
    return _ready(scene, pgettext("key", "rematch"))


def _start(scene: Scene) -> Next:
    """Start; asks where somebody could still come, for nobody can once the game is on."""
    start = (Start(NO_ID),)
    free = sum(seat.status == "open" for seat in scene.seats)
    refused = any(seat.status == "person" and not seat.ready for seat in scene.seats)
    if not free or refused or len(scene.seats) - free < MIN_PLAYERS:
        return Next(pgettext("key", "start the game"), start)
    question = ngettext(
        "{count} seat is open: Enter again starts without it.",
        "{count} seats are open: Enter again starts without them.",
        free,
    )
    return Next(pgettext("key", "start the game"), start, "start", question.format(count=free))


def _ready(scene: Scene, label: str) -> Next | None:
    """Be ready; Enter pressed once more does not take it back."""
    if scene.me is None or is_ready(scene, scene.me):
        return None
    return Next(label, (Ready(NO_ID, True),))


def _place(scene: Scene) -> Next:
    place = PlaceMeeple(scene.ui.cursor)
    if place in scene.legal:
        return Next(pgettext("key", "place here"), (place,))
    return Next(
        pgettext("key", "place"),
        question=_("A meeple stands there: move the cursor to a free cell."),
    )


def _next_in_turn(scene: Scene) -> Next:
    if scene.ui.asked == "end" and scene.can_end:
        return Next(pgettext("key", "end turn"), (EndTurn(),))
    if scene.can_pour:
        return _pour(scene)
    if scene.can_return:
        return Next(pgettext("key", "give the rest back"), (ReturnRest(),))
    if scene.serves:
        intent = scene.serves[0].intent
        assert isinstance(intent, Serve)
        return Next(pgettext("key", "serve cup {cup}").format(cup=intent.cup), (intent,))
    if scene.can_end:
        return Next(pgettext("key", "end turn"), (EndTurn(),))
    if scene.view.path:
        return Next(
            pgettext("key", "step on"),
            question=_("Another meeple stands here: step on to a free cell."),
        )
    return Next(
        pgettext("key", "step first"), question=_("A turn needs at least one step: use the arrows.")
    )


def _pour(scene: Scene) -> Next:
    """Pour as suggested; asks where something would go back, unless it was set aside."""
    if scene.aside and not scene.to_pour:
        return Next(pgettext("key", "give back"), (ReturnRest(),))
    lost = [kind for kind in set(scene.given_back) if kind not in scene.aside]
    if not lost or ReturnRest() not in scene.suggestion:
        return Next(pgettext("key", "pour"), scene.suggestion)
    names = status.item_list(status.ingredient_name(kind) for kind in sorted(lost))
    question = _("No order needs {ingredients}: Enter again gives that back, 1-3 pour it.")
    return Next(
        pgettext("key", "pour"), scene.suggestion, "pour", question.format(ingredients=names)
    )


def offers_of(scene: Scene) -> Offers:
    """Return every action that does something now, with the label that the footer gives it."""
    if scene.ui.mode in PAGES:
        return {}  # a page has keys of its own
    if scene.ui.mode == "invitation":
        return {Action.CLOSE: pgettext("key", "close")}
    if scene.ui.mode in ("chat", "name"):
        return {Action.NEXT: pgettext("key", "send"), Action.CLOSE: pgettext("key", "leave it")}
    menu = menu_of(scene)
    if menu is not None:
        return _in_menu(menu)
    offers = {
        Action.HELP: pgettext("key", "help"),
        Action.RULES: "",
        Action.SETTINGS: "",
        Action.LEAVE: pgettext("key", "leave"),
    }
    if scene.model.status == "over" or scene.stage == "joining":
        return offers
    if scene.guide:
        offers[Action.CLOSE] = pgettext("key", "end guide")
    if guide_box(scene):
        scrolls = {Action.SCROLL_BACK: "", Action.SCROLL_ON: ""}
        label = pgettext("key", "more") if guide_left(scene) else pgettext("key", "close")
        return {**offers, Action.NEXT: label, **scrolls}
    offers |= {Action.CHAT: pgettext("key", "chat")}
    coming = next_of(scene)
    if coming is not None and scene.model.status == "here":
        offers[Action.NEXT] = coming.label
    offers |= {Action.SCROLL_BACK: "", Action.SCROLL_ON: ""}
    if scene.model.invitation.addresses:
        offers[Action.INVITE] = pgettext("key", "QR code") if scene.stage == "lobby" else ""
    if scene.stage == "lobby":
        return offers | _in_lobby(scene)
    if scene.stage == "result":
        return offers | _ready_offer(scene) | _removal(scene, pgettext("key", "remove"))
    offers |= _removal(scene, "")
    offers[Action.PANE] = pgettext("key", "panes")
    if scene.options:
        offers[Action.HINT] = pgettext("key", "hint")
    if scene.me is not None:
        offers[Action.UPGRADES] = pgettext("key", "upgrades")
    return offers | _in_turn(scene)


def _in_menu(menu: ChoiceBox) -> Offers:
    picks = any(one.wish and one.key.isdigit() for one in menu.choices)
    return {
        **({Action.PICK: pgettext("key", "choose")} if picks else {}),
        Action.CLOSE: pgettext("key", "close"),
        Action.LEAVE: pgettext("key", "leave"),
        Action.SCROLL_BACK: "",
        Action.SCROLL_ON: "",
    }


def _ready_offer(scene: Scene) -> Offers:
    if scene.me is None or scene.model.owner:  # an owner always is
        return {}
    return {
        Action.READY: pgettext("key", "not ready")
        if is_ready(scene, scene.me)
        else pgettext("key", "ready")
    }


def _in_lobby(scene: Scene) -> Offers:
    offers = _ready_offer(scene)
    if scene.me is not None:
        offers[Action.RENAME] = pgettext("key", "name")
    if scene.model.owner:
        if open_seat(scene) is not None and scene.table.bots:
            offers[Action.ADD_BOT] = pgettext("key", "add bot")
        offers |= _removal(scene, pgettext("key", "remove"))
    return offers


def _removal(scene: Scene, label: str) -> Offers:
    return {Action.REMOVE: label} if scene.model.owner and removals(scene) else {}


def _in_turn(scene: Scene) -> Offers:
    """Return what the options allow; empty on another's turn."""
    offers: Offers = {}
    if scene.places:
        offers[Action.MOVE] = pgettext("key", "choose")
    if scene.steps:
        offers[Action.MOVE] = pgettext("key", "step")
        if scene.diagonal:
            offers[Action.DIAGONAL] = pgettext("key", "diagonal")
    if scene.can_choose_meeple:
        offers[Action.MEEPLE] = pgettext("key", "other meeple")
    if scene.can_pour and scene.to_pour:
        offers |= {
            Action.POUR: pgettext("key", "pour"),
            Action.SUGGEST: pgettext("key", "as shown"),
        }
    if scene.can_return:
        offers[Action.GIVE_BACK] = pgettext("key", "back")
    if scene.undo or scene.aside:
        offers[Action.UNDO] = pgettext("key", "undo {count}").format(
            count=scene.undo + len(scene.aside)
        )
        offers[Action.UNDO_ALL] = ""
    if len(scene.serves) > 0:
        offers[Action.SERVE] = pgettext("key", "which")
    if scene.emptyable:
        offers[Action.EMPTY] = pgettext("key", "empty")
    return offers


def end_question(scene: Scene) -> str:
    """Return what would be lost by ending the turn now."""
    if not scene.serves:
        return _("Enter ends the turn.")
    option = scene.serves[0]
    assert isinstance(option.intent, Serve)
    assert option.order is not None, "a serve names its order"
    drink = status.drink_name(scene.model, option.order)
    last = option.intent.slot == SLOTS
    text = (
        _("{drink} is ready in cup {cup} and becomes a penalty: Enter ends the turn anyway.")
        if last
        else _("{drink} is ready in cup {cup} and not served: Enter ends the turn anyway.")
    )
    return text.format(drink=drink, cup=option.intent.cup)


def undo_label(scene: Scene) -> str:
    """Return the key that takes back: `u` steps where diagonal steps are legal (R-UPG-3)."""
    return _("Bksp") if scene.diagonal and scene.steps else "u"
