"""What has happened, in words: events, the log, news since somebody's last turn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, takewhile
from operator import add, sub
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, tellable
from coffeerush.client.turn import have_tokens
from protocol import (
    MIN_PLAYERS,
    NOTHING,
    PENALTIES_TO_CLOSE,
    SLOTS,
    STAND_IN_SECONDS,
    CloseReason,
    Counts,
    CupEmptied,
    DrinkIndex,
    Emoted,
    Event,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HandoverFailed,
    HostStopping,
    Ingredient,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Phase,
    Pour,
    Poured,
    Renamed,
    RestReturned,
    Said,
    Seat,
    SeatsMoved,
    Serve,
    StartTaken,
    Step,
    Stepped,
    TableMoved,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    UpgradeActivated,
    View,
)

from .i18n import N_, Lines, _, language, ngettext
from .names import (
    and_list,
    cell_ingredient,
    cell_name,
    counted,
    counted_drinks,
    counts_line,
    counts_phrase,
    drink_name,
    emote_text,
    ingredient_name,
    item_list,
    level_mark,
    name_heard,
    name_or_you,
    penalties,
    poured_list,
    seat_name,
    tokens,
    upgrade_name,
    was_numbered,
)
from .table import handover_line, paused_line, resumed_line


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


def placed_line(model: Model) -> str:
    """Return where another player has just placed a meeple; "" after the setup."""
    placed = [event for event in tellable(model) if isinstance(event, MeeplePlaced)][-1:]
    is_news = model.view is not None and model.view.phase is Phase.PLACING
    return " ".join(
        event_line(event, model) for event in placed if is_news and event.seat != model.seat
    )


def has_two_meeples(model: Model) -> bool:
    """Return whether each player of the game has two meeples (R-COMP-4)."""
    return model.view is not None and len(model.view.players) == MIN_PLAYERS


def _mine(model: Model, seat: Seat) -> bool:
    return model.played == seat


def _meeple_placed(event: MeeplePlaced, model: Model) -> str:
    mine = _mine(model, event.seat)
    if has_two_meeples(model):
        text = (
            _("You place meeple {number} on {ingredient}, {cell}.")
            if mine
            else _("{name} places meeple {number} on {ingredient}, {cell}.")
        )
    else:
        text = (
            _("You place a meeple on {ingredient}, {cell}.")
            if mine
            else _("{name} places a meeple on {ingredient}, {cell}.")
        )
    return text.format(
        name=seat_name(model, event.seat),
        number=event.meeple,
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
    "deck": N_("The deck is empty: the café closes, and this round is the last."),
    "penalties": N_("Too many penalties: the café closes, and this round is the last."),
    "no_orders": N_("Nobody has an order: the café closes, and this round is the last."),
}


_WHY_OVER: Final[dict[CloseReason, str]] = {
    "deck": N_("The café closed: the deck was empty."),
    "penalties": N_("The café closed: too many penalties ({names})."),
    "no_orders": N_("The café closed: nobody had an order."),
}

_WHY_BRIEFLY: Final[dict[CloseReason, str]] = {
    "deck": N_("Closed: the deck was empty."),
    "penalties": N_("Closed: too many penalties."),
    "no_orders": N_("Closed: nobody had an order."),
}


def why_over(model: Model, view: View, brief: bool = False) -> str:
    """Return why a game that has ended did so; if `brief`, in a few words without names."""
    if brief:
        return _(_WHY_BRIEFLY[closing_reason(model, view)])
    names = and_list(name_or_you(model, seat) for seat in over_limit(view))
    return _(_WHY_OVER[closing_reason(model, view)]).format(names=names)


def over_limit(view: View) -> list[Seat]:
    """Return the players whose penalties close the café (R-TIME-2)."""
    players = enumerate(view.players)
    return [seat for seat, player in players if player.penalties >= PENALTIES_TO_CLOSE]


def closing_reason(model: Model, view: View) -> CloseReason:
    """Return why the token shows CLOSED; if nobody has told, what the view makes likely."""
    closed = (event for event in reversed(tellable(model)) if isinstance(event, TokenClosed))
    if event := next(closed, None):
        return event.reason
    if not view.deck:
        return "deck"
    return "penalties" if over_limit(view) else "no_orders"


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
    here = {view.name: level_mark(view) for view in model.players} if model.table else {}
    marked = [shown + here.get(name, "") for name, shown in zip(event.seats, names, strict=True)]
    return _("A game starts: {names}. The start player is {start}.").format(
        names=item_list(marked), start=names[event.start]
    )


_PEOPLE: Final = {
    "joined": N_("{name} sits down at the table."),
    "watching": N_("{name} is watching."),
    "waiting": N_("{name} wants to play next."),
    "made_room": N_("{name} makes room."),
    "left": N_("{name} leaves."),
    "away": N_("{name} is away."),
    "back": N_("{name} is back."),
    "removed": N_("{name} was removed from the table."),
    "replaced_by_bot": N_("{name} was removed from the table; a bot takes over."),
}


_WENT_OVER: Final = N_("{name} goes over to another table: {table}.")


def _people_changed(event: PeopleChanged, model: Model) -> str:
    if event.change == "removed" and was_numbered(model, event.name):
        return _("A bot was removed from the table.")
    if event.change == "made_room" and was_numbered(model, event.name):
        return _("A bot makes room.")
    text = _gone_lines(event.name, model).get(event.change)
    text = text or (_WENT_OVER if event.table else _PEOPLE[event.change])
    return _(text).format(
        name=name_heard(model, event.name), table=event.table, seconds=STAND_IN_SECONDS
    )


_BOT_PLAYS: Final[dict[str, str]] = {
    "left": N_("{name} leaves; a bot takes over."),
    "away": N_("{name} is away; a bot takes over."),
}
_BOT_WAITS: Final[dict[str, str]] = {
    "left": N_("{name} leaves; a bot takes over in {seconds} seconds."),
    "away": N_("{name} is away; a bot takes over in {seconds} seconds."),
}


def _gone_lines(name: str, model: Model) -> dict[str, str]:
    """Return the lines about a player who is away from a game: a bot plays for them, or will."""
    table = model.table
    if table is None or table.stage != "game":
        return {}
    seat = next((seat for seat in table.seats if seat.name == name and seat.away), None)
    return {} if seat is None else _BOT_PLAYS if seat.bot else _BOT_WAITS


def _said(event: Said, model: Model) -> str:
    if not event.table:
        return said_line(event.name, event.text)
    text = _("{name} ({table}) says to all tables: {text}")
    return text.format(name=event.name, table=event.table, text=event.text)


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
    Said: _said,
    PeopleChanged: _people_changed,
    Renamed: lambda event, model: _("{before} is now called {name}.").format(
        before=event.before, name=event.name
    ),
    SeatsMoved: lambda event, model: _("The owner has changed who sits where."),
    Emoted: lambda event, model: said_line(event.name, emote_text(event.emote)),
    GamePaused: lambda event, model: paused_line(event.name, event.reason),
    GameResumed: lambda event, model: resumed_line(event.name),
    TurnTimedOut: _turn_timed_out,
    HandoverFailed: lambda event, model: handover_line(event.name, event.reason),
    TableMoved: lambda event, model: (
        _("The table is on your computer now.")
        if event.name == model.name
        else _("The table is on {name}'s computer now.").format(name=event.name)
    ),
    HostStopping: lambda event, model: _("The host has closed the table."),
}


def host_line(model: Model, before: Model | None) -> str:
    """Return whose computer the table is on now, if it has another host than before; or empty."""
    term = before.table.term if before and before.table else 0
    if not term or model.table is None or model.table.term <= term:
        return ""
    moves = [event for event in model.log if isinstance(event, TableMoved)]
    return event_line(moves[-1], model) if moves else ""


# The log summarized: related events become one sentence
#
# Another player's turn is one sentence; the reader's turn has one sentence per run of actions of
# one kind. Undone actions are left out. Plain mode, which reports things as they happen, has one
# sentence per event instead.


TurnEvent: TypeAlias = UpgradeActivated | Stepped | CupEmptied | Poured | RestReturned | OrderServed
"""The event of one intent, which one undo reverts."""
ACTIONS: Final = (UpgradeActivated, Stepped, CupEmptied, Poured, RestReturned, OrderServed)
"""The classes of these events."""


def digest(model: Model) -> list[Said | str]:
    """Return the log, oldest first: sentences, and chat messages unchanged."""
    told = Model(
        *(model.role, model.name),
        seat=model.seat,
        table=model.table,
        dealt=model.dealt,
        view=model.view,
        history=model.history,
    )
    return [*_digest(told, language())]


@lru_cache(maxsize=32)  # each frame asks again, of each guest on a gateway
def _digest(model: Model, _language: str) -> list[Said | str]:
    """Return the log from those fields of a model that it depends on."""
    lines: list[Said | str] = []
    for (kind, seat), group in groupby(_worth_telling(model), _group_of):
        events = list(group)
        if kind == "said":
            lines += [event for event in events if isinstance(event, Said)]
        elif kind == "actions" and seat is not None:
            lines += _turn(model, seat, [event for event in events if isinstance(event, ACTIONS)])
        elif kind == "end":
            lines.append(" ".join(event_line(event, model) for event in events))
        else:
            lines += [_closed_or(event, model) for event in events]
    return lines


def _closed_or(event: Event, model: Model) -> str:
    """Return an event's line; of the end of the café with the game, that no other turn follows."""
    view = model.view
    if not isinstance(event, TokenClosed) or view is None or not view.standings:
        return event_line(event, model)
    log = tellable(model)
    after = log[log.index(event) :]
    if any(isinstance(event, TurnStarted) for event in after):
        return event_line(event, model)
    return why_over(model, view)


def _group_of(event: Event) -> tuple[str, Seat | None]:
    if isinstance(event, ACTIONS):
        return "actions", event.seat
    if isinstance(event, PenaltiesTaken) or (
        isinstance(event, OrdersDrawn) and event.reason != "deal"
    ):
        return "end", None
    return ("said" if isinstance(event, Said) else "other"), None


def _worth_telling(model: Model) -> Iterator[Event]:
    """Yield events worth a line; of turn starts, only the reader's and the first of each round."""
    round_ = 0
    for event in without_undone(tellable(model)):
        if isinstance(event, TurnStarted):
            known, round_ = event.round == round_, event.round
            if known and event.seat != model.played:
                continue
        yield event


def without_undone(log: Iterable[Event]) -> list[Event]:
    """Return events without undone ones, and without the undos."""
    kept: list[Event] = []
    for event in log:
        if not isinstance(event, IntentUndone):
            kept.append(event)
        elif (last := _last_action(kept, event.seat)) is not None:
            del kept[last]
    return kept


def _last_action(events: list[Event], seat: Seat) -> int | None:
    """Return the index of the seat's last action, if it belongs to the current turn."""
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, ACTIONS):
            return index if event.seat == seat else None
        if isinstance(event, TurnStarted):
            return None
    return None


def _turn(model: Model, seat: Seat, actions: list[TurnEvent]) -> list[str]:
    runs = [list(run) for _kind, run in groupby(actions, type)]
    if seat == model.played:
        return [_own(model, run) for run in runs]
    parts = _("; ").join(_other_deeds(model, run) for run in runs)
    return [_("{name} {deeds}.").format(name=seat_name(model, seat), deeds=parts)]


def _own(model: Model, run: list[TurnEvent]) -> str:
    """Return a sentence about the reader's actions of one kind."""
    match run[0]:
        case Stepped():
            text = _("You take {gains}, for {rush}.") if _spent(run) else _("You take {gains}.")
            return text.format(gains=_gains(run), rush=tokens(_spent(run)))
        case Poured():
            return _("You pour {pours}.").format(pours=_pours(run))
        case OrderServed():
            text = _("You serve {drinks} and earn {rush}.")
            text = text if _earned(run) else _("You serve {drinks}.")
            return text.format(drinks=_served(model, run), rush=tokens(_earned(run)))
    return " ".join(event_line(action, model) for action in run)


def _other_deeds(model: Model, run: list[TurnEvent]) -> str:
    """Return the predicate for another player's actions of one kind; the name goes before it."""
    match run[0]:
        case Stepped():
            text = _("takes {gains}, for {rush}") if _spent(run) else _("takes {gains}")
            return text.format(gains=_gains(run), rush=tokens(_spent(run)))
        case Poured():
            count = len(run)
            text = ngettext("pours {count} ingredient", "pours {count} ingredients", count)
            return text.format(count=count)
        case RestReturned(returned=returned):
            return _("gives {returned} back").format(returned=counts_phrase(returned))
        case OrderServed():
            text = _("serves {drinks} and earns {rush}")
            text = text if _earned(run) else _("serves {drinks}")
            return text.format(drinks=_served(model, run), rush=tokens(_earned(run)))
        case UpgradeActivated(upgrade=upgrade):
            return _("activates {upgrade}").format(upgrade=upgrade_name(upgrade))
    emptied = [counts_line(event.returned) for event in run if isinstance(event, CupEmptied)]
    text = ngettext("empties a cup ({returned})", "empties {count} cups ({returned})", len(emptied))
    return text.format(count=len(emptied), returned=_("; ").join(emptied))


def _gains(run: list[TurnEvent]) -> str:
    gains = (counted(step.gain) for step in run if isinstance(step, Stepped))
    return and_list(chain.from_iterable(gains))


def _spent(run: list[TurnEvent]) -> int:
    return sum(step.rush_spent for step in run if isinstance(step, Stepped))


def _pours(run: list[TurnEvent]) -> str:
    """Return the reader's pours by cup; those a bot made for them are counted, not named."""
    pours = [(pour.cup, pour.ingredient) for pour in run if isinstance(pour, Poured)]
    known = [pour for pour in pours if None not in pour]
    hidden = len(run) - len(known)
    cups = dict.fromkeys(cup for cup, _kind in known if cup)
    poured = poured_list(
        (cup, cast(Counts, tuple(known.count((cup, kind)) for kind in Ingredient))) for cup in cups
    )
    text = ngettext("{count} ingredient", "{count} ingredients", hidden).format(count=hidden)
    return _("; ").join([*filter(None, [poured]), *([text] if hidden else [])])


def _served(model: Model, run: list[TurnEvent]) -> str:
    return drink_names(model, tuple(event.drink for event in run if isinstance(event, OrderServed)))


def _earned(run: list[TurnEvent]) -> int:
    return sum(event.rush_gained for event in run if isinstance(event, OrderServed))


# What others did since the player's last turn, or while the player was away, in a line


_GONE = ("away", "left")
"""Changes from which on a bot plays for somebody."""


def timed_out(model: Model) -> str:
    """Return that a bot has finished this player's last turn; "" if none has."""
    own = [
        event
        for event in tellable(model)
        if isinstance(event, TurnStarted | TurnTimedOut) and event.seat == model.seat
    ]
    if not own or not isinstance(own[-1], TurnTimedOut):
        return ""
    return _("Your time was up, and a bot finished your last turn.")


def since_turn(model: Model) -> Lines:
    """Return what others served since this player's last turn, its consequences, and penalties.

    The wordings become shorter; () if it is not this player's turn, or there was nothing of this.
    """
    log = _since_turn(model)
    if not _by_seat(model, log):
        return ()
    served = [event for event in log if isinstance(event, OrderServed)]
    count, orders, lost = len(served), _received(model, log), _lost(log)
    words = (
        (
            ngettext("{count} order served", "{count} orders served", count),
            ngettext("{count} new for you", "{count} new for you", orders),
            lost,
        ),
        (
            ngettext("{count} served", "{count} served", count),
            ngettext("{count} order for you", "{count} orders for you", orders),
            lost,
        ),
        (
            ngettext("{count} served", "{count} served", count),
            ngettext("{count} for you", "{count} for you", orders),
            0 if count else lost,  # which the players' line also shows
        ),
    )
    counts = (
        _(", ").join(
            [
                *[done.format(count=count)] * bool(count),
                *[new.format(count=orders)] * bool(orders),
                *[_whose(model, log, taken)] * bool(taken),
            ]
        )
        for done, new, taken in words
    )
    mine = [words[1][1].format(count=orders)] * bool(orders)
    news = (
        " ".join([*_serves_since(model, log), *_got(orders)]),
        brief := _("; ").join([*_drinks(model, log), *mine]),
        *counts,
    )
    whole, short, *counted = (_("Since your turn: {news}").format(news=text) for text in news)
    return (whole, short, brief, *counted)


def _whose(model: Model, log: Iterable[Event], taken: int) -> str:
    """Return a count of penalties, and who took them."""
    seats = dict.fromkeys(event.seat for event in log if isinstance(event, PenaltiesTaken))
    names = item_list(seat_name(model, seat) for seat in seats)
    return _("{penalties} ({names})").format(penalties=penalties(taken), names=names)


def since_lines(model: Model) -> list[tuple[Seat, str]]:
    """Return what has come of the turns since this player's last one, by seat, in sentences.

    It says what others activated, served and sent by that, and who took penalties, which this
    player did as that turn ended; [] if it is not their turn.
    """
    lines, turns = dict[Seat, list[Event]](), [list[Event]()]
    for event in without_undone(tellable(model)) if model.my_turn else ():
        if isinstance(event, GameStarted):
            turns = [[]]
        elif isinstance(event, TurnStarted) and event.seat == model.seat:
            turns.append([])
        turns[-1].append(event)
    for event in turns[-2] if len(turns) > 1 else ():
        if isinstance(event, PenaltiesTaken) or (
            isinstance(event, OrderServed | UpgradeActivated) and event.seat != model.seat
        ):
            lines.setdefault(event.seat, []).append(event)
    return [(seat, " ".join(_since_line(model, seat, log))) for seat, log in lines.items()]


def _since_line(model: Model, seat: Seat, log: list[Event]) -> Iterator[str]:
    """Yield what a seat did since this player's last turn, in sentences."""
    name = seat_name(model, seat)
    bought = [event.upgrade for event in log if isinstance(event, UpgradeActivated)]
    served = tuple(event.drink for event in log if isinstance(event, OrderServed))
    lost = [event.drinks for event in log if isinstance(event, PenaltiesTaken)]
    if bought:
        names = and_list(map(upgrade_name, bought))
        yield _("{name} activated {upgrades}.").format(name=name, upgrades=names)
    if served:
        orders = tuple(order.drink for order in received(model) if order.seat == seat)
        text = _("{name} served {drinks} and sent you {orders}.")
        text = text if orders else _("{name} served {drinks}.")
        sent = drink_names(model, orders) if orders else ""
        yield text.format(name=name, drinks=drink_names(model, served), orders=sent)
    if expired := tuple(chain.from_iterable(lost)):
        mine = _mine(model, seat)
        text = _("You took {penalties}: {drinks}.") if mine else _("{name} took {penalties}.")
        taken, drinks = penalties(len(expired)), drink_list(model, expired)
        yield text.format(name=name, penalties=taken, drinks=drinks)


def others_turns(model: Model, rush: bool = True) -> list[tuple[Seat, str]]:
    """Return others' turns since this player's last one, each with its seat and in sentences.

    Of each it says what was served and activated, and which penalties came of it; of the last one,
    which is in progress, before that and of others without any, what was taken. Without
    `rush`, the rush tokens that orders earn are left out.
    """
    turns: list[tuple[Seat, list[Event]]] = []
    for event in without_undone(tellable(model)):
        if isinstance(event, GameStarted):
            turns = []
        elif isinstance(event, TurnStarted):
            turns = [] if event.seat == model.seat else [*turns, (event.seat, [])]
        elif turns:
            earns = isinstance(event, OrderServed) and not rush
            turns[-1][1].append(replace(event, rush_gained=0) if earns else event)
    turns = turns[1 - len(model.players) :]  # all that a spectator is told
    return [
        (seat, _turn_line(model, seat, log, over=at < len(turns)))
        for at, (seat, log) in enumerate(turns, start=1)
    ]


def own_turn_end(model: Model) -> Lines:
    """Return what this player got and lost as their last turn ended, in sentences."""
    ended: list[Event] = []
    turn: Seat | None = None
    for event in tellable(model):
        if isinstance(event, GameStarted | TurnStarted):
            turn = event.seat if isinstance(event, TurnStarted) else None
            ended = [] if turn in (None, model.seat) else ended
        elif isinstance(event, OrdersDrawn | PenaltiesTaken) and turn == event.seat == model.seat:
            ended.append(event)
    return tuple(event_line(event, model) for event in ended)


def _turn_line(model: Model, seat: Seat, log: list[Event], *, over: bool) -> str:
    """Return a turn in sentences: its deeds, what was served first, and what it sent to oneself."""
    done: list[TurnEvent] = [
        event for event in log if isinstance(event, ACTIONS) and event.seat == seat
    ]
    served = [event for event in done if isinstance(event, OrderServed)]
    bought = [event for event in done if isinstance(event, UpgradeActivated)]
    lost = _lost(event for event in log if isinstance(event, PenaltiesTaken) and event.seat == seat)
    best: list[TurnEvent] = [*served, *bought]
    if not (served or lost or (over and bought)):
        best = [event for event in done if not isinstance(event, Poured | RestReturned)]
    deeds = [_other_deeds(model, [*run]) for _kind, run in groupby(best, type)]
    deeds += [_("takes {penalties}").format(penalties=penalties(lost))] * bool(lost)
    name, lines = seat_name(model, seat), list[str]()
    if deeds:
        lines.append(_("{name} {deeds}.").format(name=name, deeds=_("; ").join(deeds)))
    for event in log:
        if isinstance(event, OrdersDrawn) and event.seat == model.seat:
            lines.append(event_line(event, model))
    return " ".join(lines)


def while_away(model: Model) -> str:
    """Return the events while this player, just back, was away; "" if there were none."""
    log = _absence(model)
    mine = [event for event in log if getattr(event, "seat", None) == model.seat]
    lost = [event for event in mine if isinstance(event, PenaltiesTaken)]
    news = _serves_since(model, log)
    if bought := [event.upgrade for event in mine if isinstance(event, UpgradeActivated)]:
        names = and_list(map(upgrade_name, bought))
        news.append(_("A bot activates {upgrades} for you.").format(upgrades=names))
    if served := tuple(event.drink for event in mine if isinstance(event, OrderServed)):
        drinks = drink_names(model, served)
        news.append(_("A bot serves {drinks} for you.").format(drinks=drinks))
    elif not bought and (turns := _turns_played(model, log)):
        text = ngettext(
            "A bot takes {count} turn for you.", "A bot takes {count} turns for you.", turns
        )
        news.append(text.format(count=turns))
    news += [event_line(event, model) for event in lost]
    news += _got(_received(model, log))
    return _("While you were away: {news}").format(news=" ".join(news)) if news else ""


def _turns_played(model: Model, log: Sequence[Event]) -> int:
    """Return in how many turns something was done on this player's seat."""
    first = takewhile(lambda event: not isinstance(event, TurnStarted), log)
    went_on = any(isinstance(event, ACTIONS) and event.seat == model.seat for event in first)
    begun = [event for event in log if isinstance(event, TurnStarted) and event.seat == model.seat]
    return went_on + len(begun)


def last_round(model: Model) -> str:
    """Return that this round is the last, and why; "" if it is not, or not known why."""
    if model.view is None or not model.view.closed or model.view.active is None:
        return ""
    closed = [event for event in tellable(model) if isinstance(event, TokenClosed)]
    return event_line(closed[-1], model) if closed else ""


def last_turn(model: Model) -> str:
    """Return which turn is this player's last, once the last round has begun; "" to others."""
    view = model.view
    if view is None or view.own is None or view.active is None or not view.closed:
        return ""
    if not has_turn_left(view.own.seat, view):
        return _("You have had your last turn: the game ends with this round.")
    if model.my_turn:
        return _("This is your last turn: serve what you can.")
    return _("Your next turn is your last.")


def played_oneself(model: Model, log: Iterable[Event]) -> list[Event]:
    """Return events without what a bot did on this player's seat while they were away."""
    kept: list[Event] = []
    away = False
    for event in log:
        if isinstance(event, PeopleChanged) and event.name == model.name:
            away = event.change in _GONE
        if not (away and getattr(event, "seat", None) == model.seat):
            kept.append(event)
    return kept


def _since_turn(model: Model) -> list[Event]:
    """Return the events since this player's last turn ended; [] if it is not their turn."""
    since: list[Event] = []
    turn: Seat | None = None
    for event in without_undone(tellable(model)):
        if isinstance(event, GameStarted | TurnStarted | GameEnded):
            if turn in (None, model.seat):
                since = []
            turn = event.seat if isinstance(event, TurnStarted) else None
        elif turn is not None and turn != model.seat:
            since.append(event)
    return since if turn == model.seat else []


def _absence(model: Model) -> list[Event]:
    """Return the known events between this player's leaving and return, before the next turn."""
    log = tellable(model)
    own = [
        (place, event.change)
        for place, event in enumerate(log)
        if isinstance(event, PeopleChanged) and event.name == model.name
    ]
    back = next((place for place, change in reversed(own) if change == "back"), None)
    if back is None or any(isinstance(event, TurnStarted) for event in log[back:]):
        return []
    gone = [place for place, change in own if change in _GONE and place < back]
    return without_undone(log[gone[-1] if gone else 0 : back])


def _serves_since(model: Model, log: Sequence[Event]) -> list[str]:
    """Return sentences on what each other player has served, and which penalties they took."""
    return [line for seat, run in _by_seat(model, log).items() for line in _told(model, seat, run)]


def _told(model: Model, seat: Seat, run: Sequence[OrderServed | PenaltiesTaken]) -> Iterator[str]:
    """Yield what a player has served, in a sentence, and each of their penalties."""
    serves: list[TurnEvent] = [event for event in run if isinstance(event, OrderServed)]
    if serves:
        deeds = _other_deeds(model, serves)
        yield _("{name} {deeds}.").format(name=seat_name(model, seat), deeds=deeds)
    yield from (event_line(event, model) for event in run if isinstance(event, PenaltiesTaken))


def _drinks(model: Model, log: Sequence[Event]) -> list[str]:
    """Return each other player's name with what they served, and how many penalties they took."""
    lines = []
    for seat, run in _by_seat(model, log).items():
        served = tuple(event.drink for event in run if isinstance(event, OrderServed))
        lost = _lost(run)
        done = item_list([*counted_drinks(model, served), *[penalties(lost)] * bool(lost)])
        lines.append(_("{name}: {drinks}").format(name=seat_name(model, seat), drinks=done))
    return lines


def _lost(log: Iterable[Event]) -> int:
    """Return how many penalties were taken."""
    return sum(len(event.drinks) for event in log if isinstance(event, PenaltiesTaken))


def _by_seat(model: Model, log: Sequence[Event]) -> dict[Seat, list[OrderServed | PenaltiesTaken]]:
    """Return the orders that each other player has served, and the penalties they took."""
    done: dict[Seat, list[OrderServed | PenaltiesTaken]] = {}
    for event in log:
        if isinstance(event, OrderServed | PenaltiesTaken) and event.seat != model.seat:
            done.setdefault(event.seat, []).append(event)
    return done


def _received(model: Model, log: Sequence[Event]) -> int:
    """Return the number of orders that this player got."""
    return sum(
        len(event.drinks)
        for event in log
        if isinstance(event, OrdersDrawn) and event.seat == model.seat
    )


def _got(orders: int) -> list[str]:
    text = ngettext("You get {count} new order.", "You get {count} new orders.", orders)
    return [text.format(count=orders)] if orders else []


# Orders that rivals sent since the player's last turn, and orders about to expire


class Sent(Struct, frozen=True):
    """An order that a rival's serving brought (R-RUSH-1)."""

    seat: Seat
    """The seat that served."""
    drink: DrinkIndex


def received(model: Model) -> tuple[Sent, ...]:
    """Return the orders sent to this player since their last turn ended, oldest first."""
    sent: list[Sent] = []
    turn: Seat | None = None
    for event in model.log:
        if isinstance(event, GameStarted):
            sent, turn = [], None
        elif isinstance(event, TurnStarted):
            # what came before this player's turn stays in slot 1 until that turn ends
            sent = [] if turn == model.seat else sent
            turn = event.seat
        elif isinstance(event, OrdersDrawn) and turn is not None and turn != model.seat:
            mine = event.seat == model.seat and event.reason == "order_rush"
            sent += [Sent(turn, drink) for drink in event.drinks] if mine else []
    return tuple(sent)


def senders_of(
    orders: Iterable[tuple[int, DrinkIndex]], sent: Iterable[Sent]
) -> tuple[Seat | None, ...]:
    """Return the sender of each order; None for those that are older.

    Args:
        orders: the slot, from 1, and the drink of each.
        sent: the orders that were sent.
    """
    left = list(sent)
    senders: list[Seat | None] = []
    for slot, drink in orders:
        new = next((order for order in left if slot == 1 and order.drink == drink), None)
        senders.append(new.seat if new else None)
        if new:
            left.remove(new)
    return tuple(senders)


class LatestTurn(Struct):
    """What all may know of a seat's latest turn."""

    taken: Counts = NOTHING
    """The ingredients that it took, less those that it gave back."""
    served: tuple[DrinkIndex, ...] = ()
    expired: tuple[DrinkIndex, ...] = ()


def latest_turns(model: Model) -> dict[Seat, LatestTurn]:
    """Return the latest turn of each seat, also one in progress, as far as the log goes back."""
    turns: dict[Seat, LatestTurn] = {}
    for event in without_undone(tellable(model)):
        if isinstance(event, TurnStarted):
            turns[event.seat] = LatestTurn()
        turn = turns.get(getattr(event, "seat", -1), LatestTurn())
        match event:
            case Stepped(gain=gain):
                turn.taken = _summed(map(add, turn.taken, gain))
            case RestReturned(returned=returned):
                turn.taken = _summed(map(sub, turn.taken, returned))
            case OrderServed(drink=drink):
                turn.served += (drink,)
            case PenaltiesTaken(drinks=drinks):
                turn.expired += drinks
    return turns


def _summed(counts: Iterable[int]) -> Counts:
    return cast(Counts, tuple(max(count, 0) for count in counts))


def turns_of(seat: Seat, view: View) -> int:
    """Return the number of turns that a seat has completed in a game that is on."""
    assert view.active is not None, "the game is on"
    count = len(view.players)
    passed = (view.active - view.start) % count > (seat - view.start) % count
    return view.round - 1 + passed


def has_turn_left(seat: Seat, view: View) -> bool:
    """Return whether a seat has a turn to come or to end, so that orders can still expire."""
    return view.active is not None and not (view.closed and turns_of(seat, view) == view.round)


def may_end_first(model: Model) -> str:
    """Return who may close the café before this player's next turn; "" if nobody, or not in turn.

    Also whether that leaves them another turn.
    """
    view = model.view
    seats = who_may_close(view) if view and model.my_turn else []
    if view is None or not seats:
        return ""
    text = (
        ngettext(
            "{names} may reach {count} penalties: this turn may be your last.",
            "{names} may reach {count} penalties: this turn may be your last.",
            len(seats),
        )
        if who_may_end(view)
        else ngettext(
            "{names} may reach {count} penalties: your next turn may be your last.",
            "{names} may reach {count} penalties: your next turn may be your last.",
            len(seats),
        )
    )
    names = and_list(seat_name(model, seat) for seat in seats)
    return text.format(names=names, count=PENALTIES_TO_CLOSE)


def who_may_close(view: View) -> list[Seat]:
    """Return who may close the café before the next turn of the owner of a View, who is in turn.

    Those do who reach the limit with what expires at the end of their next turn (R-TIME-2).
    """
    if view.own is None or view.closed or not view.round:
        return []
    count = len(view.players)
    others = ((view.own.seat + turn) % count for turn in range(1, count))
    return [
        seat
        for seat in others
        if view.players[seat].penalties + len(view.players[seat].orders[SLOTS - 1])
        >= PENALTIES_TO_CLOSE
    ]


def who_may_end(view: View) -> list[Seat]:
    """Return those of them who play later in the same round, which is then the last (R-END-1)."""
    return [seat for seat in who_may_close(view) if turns_of(seat, view) < view.round]


def has_turn_ahead(model: Model) -> bool:
    """Return whether another player is acting, and this player has a turn after that."""
    view, table = model.view, model.table
    if view is None or view.own is None or table is None or table.stage != "game":
        return False
    seat, setup = view.own.seat, view.phase in (Phase.PLACING, Phase.FILLING)
    waits = view.active not in (None, seat) and not setup and has_turn_left(seat, view)
    return waits and have_tokens(view, view.own)


def sent_lines(model: Model) -> Lines:
    """Return the senders of orders since this player's last turn, with these orders (R-RUSH-1)."""
    sent = _sent(model)
    return tuple(
        ngettext(
            "{name} has sent you an order: {drinks}.",
            "{name} has sent you {count} orders: {drinks}.",
            len(drinks),
        ).format(name=seat_name(model, seat), count=len(drinks), drinks=drink_names(model, drinks))
        for seat in senders(model)
        if (drinks := tuple(order.drink for order in sent if order.seat == seat))
    )


def senders(model: Model) -> tuple[Seat, ...]:
    """Return who has sent orders since this player's last turn (R-RUSH-1)."""
    return tuple(dict.fromkeys(order.seat for order in _sent(model)))


def _sent(model: Model) -> tuple[Sent, ...]:
    return received(model) if model.view and model.view.active is not None else ()


def expiring_lines(model: Model, last: bool = False) -> Lines:
    """Return the orders that expire after this player's next, or the `last`, turn (R-TIME-1)."""
    if model.view is None or model.seat is None or not has_turn_left(model.seat, model.view):
        return ()
    drinks = model.view.players[model.seat].orders[SLOTS - 1]
    if not drinks:
        return ()
    if last and _can_serve_last(model.view):
        text = ngettext(
            "{drinks} becomes a penalty when this turn ends, unless you serve it.",
            "{drinks} become penalties when this turn ends, unless you serve them.",
            len(drinks),
        )
    elif last:
        text = ngettext(
            "{drinks} becomes a penalty when this turn ends.",
            "{drinks} become penalties when this turn ends.",
            len(drinks),
        )
    else:
        text = ngettext(
            "{drinks} becomes a penalty when your next turn ends, unless you serve it.",
            "{drinks} become penalties when your next turn ends, unless you serve them.",
            len(drinks),
        )
    return (text.format(drinks=drink_names(model, drinks)),)


def _can_serve_last(view: View) -> bool:
    """Return whether what this player can do now may serve an order in the last slot."""
    intents = [option.intent for option in view.own.options] if view.own else []
    return any(
        isinstance(intent, Step | Pour) or (isinstance(intent, Serve) and intent.slot == SLOTS)
        for intent in intents
    )
