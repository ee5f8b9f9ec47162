"""Labels of keys in the footer, and the questions they ask before taking effect."""

from typing import Final

from coffeerush.ui.terminal.canvas import kind_of
from coffeerush.ui.words.i18n import NC_, _, ngettext, pgettext
from coffeerush.ui.words.names import drink_name, ingredient_name, item_list
from protocol import SLOTS, EndTurn, Serve

from .available import Next, NextKind, can_start, lost_tokens, next_of, offers_of, open_seats
from .choices import Choice, is_ready, marked_choice
from .keymap import Action
from .panes import guide_box, guide_left, is_flipped
from .scene import Scene
from .state import TYPING

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
