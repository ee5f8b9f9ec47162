"""Events in words: one sentence each, with only what this client may know."""

from collections.abc import Callable
from typing import Any, Final

from coffeerush.client.model import Model
from protocol import (
    CupEmptied,
    DrinkIndex,
    Emoted,
    Event,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HostStopping,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Poured,
    Renamed,
    RestReturned,
    Said,
    Seat,
    SeatsMoved,
    StartTaken,
    Stepped,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    UpgradeActivated,
)

from .i18n import N_, _, ngettext
from .names import (
    and_list,
    cell_ingredient,
    cell_name,
    counted_drinks,
    counts_line,
    counts_phrase,
    drink_name,
    emote_text,
    ingredient_name,
    item_list,
    name_heard,
    seat_name,
    tokens,
    upgrade_name,
    was_bot,
)
from .table import paused_line, resumed_line


def event_line(event: Event, model: Model) -> str:
    """Return an event as a sentence, addressed to the person whose model it is."""
    return _LINES[type(event)](event, model)


def drink_names(model: Model, drinks: tuple[DrinkIndex, ...]) -> str:
    """Return the names of drinks as part of a sentence."""
    return and_list(counted_drinks(model, drinks))


def drink_list(model: Model, drinks: tuple[DrinkIndex, ...]) -> str:
    """Return the names of drinks as a list after a label."""
    return item_list(counted_drinks(model, drinks))


def said_line(name: str, text: str) -> str:
    """Return the line with the words of a person at the table."""
    return _("{name} says: {text}").format(name=name, text=text)


def _mine(model: Model, seat: Seat) -> bool:
    return model.played == seat


def _meeple_placed(event: MeeplePlaced, model: Model) -> str:
    text = (
        _("You place a meeple on {ingredient}, {cell}.")
        if _mine(model, event.seat)
        else _("{name} places a meeple on {ingredient}, {cell}.")
    )
    return text.format(
        name=seat_name(model, event.seat),
        ingredient=cell_ingredient(event.cell),
        cell=cell_name(event.cell),
    )


def _start_taken(event: StartTaken, model: Model) -> str:
    text = (
        _("You start with {gain}.") if _mine(model, event.seat) else _("{name} starts with {gain}.")
    )
    return text.format(name=seat_name(model, event.seat), gain=counts_phrase(event.gain))


def _upgrade_activated(event: UpgradeActivated, model: Model) -> str:
    text = (
        _("You discard {orders} and activate the upgrade {upgrade}.")
        if _mine(model, event.seat)
        else _("{name} discards {orders} and activates the upgrade {upgrade}.")
    )
    return text.format(
        name=seat_name(model, event.seat),
        orders=drink_names(model, event.discarded),
        upgrade=upgrade_name(event.upgrade),
    )


def _stepped(event: Stepped, model: Model) -> str:
    if event.rush_spent:
        text = (
            _("You spend a rush token, step to {ingredient}, {cell}, and take {gain}.")
            if _mine(model, event.seat)
            else _("{name} spends a rush token, steps to {ingredient}, {cell}, and takes {gain}.")
        )
    else:
        text = (
            _("You step to {ingredient}, {cell}, and take {gain}.")
            if _mine(model, event.seat)
            else _("{name} steps to {ingredient}, {cell}, and takes {gain}.")
        )
    return text.format(
        name=seat_name(model, event.seat),
        ingredient=cell_ingredient(event.cell),
        cell=cell_name(event.cell),
        gain=counts_phrase(event.gain),
    )


def _cup_emptied(event: CupEmptied, model: Model) -> str:
    if _mine(model, event.seat):
        text = (
            _("You empty a cup into the supply: {returned}.")
            if event.cup is None
            else _("You empty cup {cup} into the supply: {returned}.")
        )
    elif event.cup is None:
        text = _("{name} empties a cup into the supply: {returned}.")
    else:  # in a replay
        text = _("{name} empties cup {cup} into the supply: {returned}.")
    return text.format(
        name=seat_name(model, event.seat), cup=event.cup, returned=counts_line(event.returned)
    )


def _poured(event: Poured, model: Model) -> str:
    name = seat_name(model, event.seat)
    if event.ingredient is None:
        if _mine(model, event.seat):
            return _("You pour an ingredient into a cup.")
        return _("{name} pours an ingredient into a cup.").format(name=name)
    text = (
        _("You pour {ingredient} into cup {cup}.")
        if _mine(model, event.seat)
        else _("{name} pours {ingredient} into cup {cup}.")  # in a replay
    )
    return text.format(name=name, ingredient=ingredient_name(event.ingredient), cup=event.cup)


def _rest_returned(event: RestReturned, model: Model) -> str:
    text = (
        _("You give {returned} back to the supply.")
        if _mine(model, event.seat)
        else _("{name} gives {returned} back to the supply.")
    )
    return text.format(name=seat_name(model, event.seat), returned=counts_phrase(event.returned))


def _order_served(event: OrderServed, model: Model) -> str:
    if event.rush_gained:
        text = (
            _("You serve {drink} and earn a rush token.")
            if _mine(model, event.seat)
            else _("{name} serves {drink} and earns a rush token.")
        )
    else:
        text = _("You serve {drink}.") if _mine(model, event.seat) else _("{name} serves {drink}.")
    return text.format(name=seat_name(model, event.seat), drink=drink_name(model, event.drink))


def _intent_undone(event: IntentUndone, model: Model) -> str:
    if _mine(model, event.seat):
        return _("You undo an action.")
    return _("{name} undoes an action.").format(name=seat_name(model, event.seat))


def _orders_drawn(event: OrdersDrawn, model: Model) -> str:
    count = len(event.drinks)
    if _mine(model, event.seat):
        text = ngettext("You get the order {drinks}.", "You get the orders {drinks}.", count)
    else:
        text = ngettext(
            "{name} gets the order {drinks}.", "{name} gets the orders {drinks}.", count
        )
    return text.format(name=seat_name(model, event.seat), drinks=drink_names(model, event.drinks))


def _penalties_taken(event: PenaltiesTaken, model: Model) -> str:
    count = len(event.drinks)
    if _mine(model, event.seat):
        text = ngettext(
            "{drinks} expires: you take a penalty and {rush}.",
            "{drinks} expire: you take {count} penalties and {rush}.",
            count,
        )
    else:
        text = ngettext(
            "{drinks} expires: {name} takes a penalty and {rush}.",
            "{drinks} expire: {name} takes {count} penalties and {rush}.",
            count,
        )
    return text.format(
        name=seat_name(model, event.seat),
        drinks=drink_names(model, event.drinks),
        count=count,
        rush=tokens(event.rush_gained),
    )


_CLOSED: Final = {
    "deck": N_(
        "The deck is empty: the start player token shows CLOSED, and this round is the last."
    ),
    "penalties": N_(
        "Too many penalties: the start player token shows CLOSED, and this round is the last."
    ),
    "no_orders": N_(
        "Nobody has an order: the start player token shows CLOSED, and this round is the last."
    ),
}


def _turn_started(event: TurnStarted, model: Model) -> str:
    text = (
        _("Round {round}: it is your turn.")
        if _mine(model, event.seat)
        else _("Round {round}: it is {name}'s turn.")
    )
    return text.format(name=seat_name(model, event.seat), round=event.round)


def _game_ended(event: GameEnded, model: Model) -> str:
    if len(event.winners) > 1:
        names = and_list(seat_name(model, seat) for seat in event.winners)
        return _("The game is over; {names} share the victory.").format(names=names)
    (winner,) = event.winners
    if _mine(model, winner):
        return _("The game is over; you win.")
    return _("The game is over; {name} wins.").format(name=seat_name(model, winner))


def _game_started(event: GameStarted, model: Model) -> str:
    names = [name_heard(model, name, seat) for seat, name in enumerate(event.seats)]
    return _("A game starts: {names}. The start player is {start}.").format(
        names=item_list(names), start=names[event.start]
    )


_PEOPLE: Final = {
    "joined": N_("{name} sits down at the table."),
    "watching": N_("{name} is watching."),
    "left": N_("{name} leaves."),
    "away": N_("{name} is away."),
    "back": N_("{name} is back."),
    "removed": N_("{name} was removed from the table."),
    "replaced_by_bot": N_("{name} was removed from the table; a bot takes over."),
}


def _people_changed(event: PeopleChanged, model: Model) -> str:
    if event.change == "removed" and was_bot(model, event.name):
        return _("A bot was removed from the table.")
    return _(_PEOPLE[event.change]).format(name=name_heard(model, event.name))


def _renamed(event: Renamed, model: Model) -> str:
    return _("{before} is now called {name}.").format(before=event.before, name=event.name)


def _turn_timed_out(event: TurnTimedOut, model: Model) -> str:
    text = (
        _("Your time is up; a bot finishes your turn.")
        if _mine(model, event.seat)
        else _("{name}'s time is up; a bot finishes the turn.")
    )
    return text.format(name=seat_name(model, event.seat))


_LINES: Final[dict[type, Callable[[Any, Model], str]]] = {
    MeeplePlaced: _meeple_placed,
    StartTaken: _start_taken,
    UpgradeActivated: _upgrade_activated,
    Stepped: _stepped,
    CupEmptied: _cup_emptied,
    Poured: _poured,
    RestReturned: _rest_returned,
    OrderServed: _order_served,
    IntentUndone: _intent_undone,
    OrdersDrawn: _orders_drawn,
    PenaltiesTaken: _penalties_taken,
    TokenClosed: lambda event, model: _(_CLOSED[event.reason]),
    TurnStarted: _turn_started,
    GameEnded: _game_ended,
    GameStarted: _game_started,
    Said: lambda event, model: said_line(event.name, event.text),
    PeopleChanged: _people_changed,
    Renamed: _renamed,
    SeatsMoved: lambda event, model: _("The owner has changed who sits where."),
    Emoted: lambda event, model: said_line(event.name, emote_text(event.emote)),
    GamePaused: lambda event, model: paused_line(event.name, event.reason),
    GameResumed: lambda event, model: resumed_line(event.name),
    TurnTimedOut: _turn_timed_out,
    HostStopping: lambda event, model: _("The host has closed the table."),
}
