"""The sentences of the first-game guide; with `plain`, without keys and what plain mode reports."""

from collections.abc import Iterator
from typing import TypeAlias

from coffeerush.client.model import Model
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import and_list, counts_line, drink_name, seat_name
from protocol import (
    COMPLETED_PER_UPGRADE,
    ActivateUpgrade,
    OrdersDrawn,
    OrderServed,
    OwnView,
    Phase,
    TableView,
    TurnStarted,
    View,
)

Sentences: TypeAlias = Iterator[str]

# Before the first turn


def lobby(model: Model, table: TableView, plain: bool) -> Sentences:
    """Explain the lobby."""
    yield _("This table is for two to four players, and some of them may be bots.")
    if plain:
        return
    if model.owner:
        yield _("Press a to add a bot, and Enter to start once everybody is ready.")
    elif not table.seats[model.seat or 0].ready:
        yield _("Press r when you are ready.")
    else:
        yield _("The game starts once everybody is ready.")


def setup(model: Model, view: View, own: OwnView, plain: bool) -> Sentences:
    """Explain the setup: placing meeples, and the first pours of two players."""
    if view.phase is Phase.PLACING:
        yield from _placing(model, view, plain)
    elif not model.my_turn:
        name = seat_name(model, view.active or 0)
        yield _("{name} pours the first ingredients into cups; then the first turn begins.").format(
            name=name
        )
    elif any(own.hand):
        yield _("With two players, you first pour what was under your meeples.")
        yield _exactly()
        yield from _pouring(model, plain)
    elif not plain:
        yield _("Everything is poured: press Enter.")


def _placing(model: Model, view: View, plain: bool) -> Sentences:
    if model.my_turn:
        yield _("You begin with the ingredient under your meeple, and move on from there.")
        if not plain:
            yield _("Choose a cell with the arrow keys and press Enter to place your meeple there.")
        yield from _hint(model, plain)
        return
    name = seat_name(model, view.active or 0)
    yield _("Everybody places a meeple on the board; {name} is placing one now.").format(name=name)
    yield _("Meanwhile, look at your orders: each is a drink with the ingredients it needs.")
    yield _(
        "At the end of each of your turns, every order moves to the next slot. After "
        "slot 4 it becomes a penalty, so serve it in time."
    )


# The first turn


def first_turn(model: Model, view: View, own: OwnView, plain: bool) -> Sentences:
    """Explain the next action of the player's first turn."""
    if any(own.hand):
        if view.phase is Phase.POURING:
            yield _exactly()
            yield from _pouring(model, plain)
        else:
            yield from _walking(model, view, own, plain)
    elif not view.path:
        yield from _starting(model, own, plain)
    elif _blocked(model, view):
        yield from _walking(model, view, own, plain)
    else:
        yield from _serving(model, view, plain)


def _starting(model: Model, own: OwnView, plain: bool) -> Sentences:
    yield _(
        "Your turn: take up to three steps. Each gives you the ingredient of the cell you enter."
    )
    yield from _upgrading(own)
    if not plain:
        yield _("Use the arrow keys to step where the board shows an arrow; u undoes a step.")
    yield from _hint(model, plain)


def _upgrading(own: OwnView) -> Sentences:
    if any(isinstance(option.intent, ActivateUpgrade) for option in own.options):
        yield _(
            "For {count} completed orders you could activate an upgrade now, before "
            "your first step."
        ).format(count=COMPLETED_PER_UPGRADE)


def _walking(model: Model, view: View, own: OwnView, plain: bool) -> Sentences:
    if _blocked(model, view):
        yield _("Another meeple is here: you may pass through, but not stop, so keep going.")
        yield from _hint(model, plain)
        return
    rush = view.players[own.seat].rush
    if not plain:
        yield _in_hand(view, own, rush)
    if view.steps_left or rush:
        yield _("Take another step, or pour once you have what you need.")
    yield from _pouring(model, plain)


def _in_hand(view: View, own: OwnView, rush: int) -> str:
    if view.steps_left:
        text = ngettext(
            "In your hand: {hand}. You have {count} step left.",
            "In your hand: {hand}. You have {count} steps left.",
            view.steps_left,
        )
    elif rush:
        text = _("In your hand: {hand}. One more step would cost a rush token.")
    else:
        text = _("In your hand: {hand}. You have no steps left, so pour now.")
    return text.format(hand=counts_line(own.hand), count=view.steps_left)


def _blocked(model: Model, view: View) -> bool:
    """Tell whether the moving meeple shares its cell with another one (R-MOVE-4)."""
    standing = [cell for player in view.players for cell in player.meeples]
    return bool(view.path) and standing.count(view.path[-1]) > 1


def _exactly() -> str:
    return _("A cup becomes a drink when it holds exactly what an order needs, and nothing else.")


def _pouring(model: Model, plain: bool) -> Sentences:
    if not plain:
        yield _(
            "1, 2 or 3 pours the next token into that cup; Space pours everything as suggested."
        )
    yield from _hint(model, plain)


def _hint(model: Model, plain: bool) -> Sentences:
    from .hint import hint

    advice = hint(model, brief=True)
    if advice:
        yield advice if plain else _("Hint: {advice}").format(advice=advice)


def _serving(model: Model, view: View, plain: bool) -> Sentences:
    from .pours import open_orders

    orders = open_orders(view, model.seat or 0)
    if any(not order.lacks for order in orders):
        yield _("One of your cups holds exactly what an order needs: serve it to score a point.")
        yield _rushing(view)
        if not plain:
            yield _("Press Enter to serve it.")
        return
    if view.served:
        yield _("Well done. What is left in your other cups stays there for your next turn.")
    else:
        yield _("You cannot serve anything yet, which is normal on your first turn.")
        yield _("What is in your cups stays there for your next turn.")
    if not plain:
        yield _("Press Enter to end your turn.")
    yield _("When you end your turn, each of your orders moves to the next slot.")


def _rushing(view: View) -> str:
    """Explain the order rush that serving causes (R-RUSH-1)."""
    if len(view.players) == 2:
        return _("Every order you serve sends the other player a new one.")
    return _("Every order you serve sends each of the next two players a new one.")


# Other players' turns, and the player's second turn


def watching(model: Model, view: View, turns: int, plain: bool) -> Sentences:
    """Explain other players' turns; after the player's first turn, also what its end caused."""
    names = _rushed(model)
    if turns:
        yield _("Your turn is over, and each of your orders has moved to the next slot.")
    if names:
        yield _("For the orders you served, {names} got new ones.").format(names=and_list(names))
    if turns and len(view.players) == 2:
        yield _("With two players you also draw a new order after each of your turns.")
    if not plain:
        name = seat_name(model, view.active or 0)
        yield _("Now it is {name}'s turn, and the log shows what happens.").format(name=name)
    if not names:
        yield _("When others serve orders, you get new ones: they arrive in your slot 1.")


def _rushed(model: Model) -> list[str]:
    """Return who got new orders because of what the player served in their first turn."""
    served = False
    names: list[str] = []
    for event in model.log:
        if isinstance(event, TurnStarted):
            if names:
                break
            served = False
        served = served or (isinstance(event, OrderServed) and event.seat == model.seat)
        if served and isinstance(event, OrdersDrawn) and event.reason == "order_rush":
            names.append(seat_name(model, event.seat))
    return names


def second_turn(model: Model, view: View, own: OwnView, plain: bool) -> Sentences:
    """Introduce the second turn, and end the guide."""
    from .pours import open_orders

    yield _("Your second turn: you know what to do now. Move, pour, serve, and end your turn.")
    yield from _upgrading(own)
    if orders := open_orders(view, own.seat):
        text = _("Your most urgent order is {drink}, in slot {slot}.")
        yield text.format(drink=drink_name(model, orders[0].drink), slot=orders[0].slot)
    if plain:
        text = _("Type “{hint}” for a good move and “{rules}” for the rules. The guide ends here.")
        yield text.format(hint=said("hint"), rules=said("rules"))
    else:
        yield _("i shows a hint, ? all keys, F2 the rules. The guide ends here.")
