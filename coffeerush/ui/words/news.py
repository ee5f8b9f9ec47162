"""What others did since the player's last turn, or while the player was away, in a line."""

from collections.abc import Iterable, Sequence

from coffeerush.client.model import Model, tellable
from protocol import (
    Event,
    GameEnded,
    GameStarted,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Seat,
    TokenClosed,
    TurnStarted,
    UpgradeActivated,
)

from .events import drink_list, drink_names, event_line
from .i18n import _, ngettext
from .log_summary import ACTIONS, other_deeds, without_undone
from .names import and_list, seat_name, upgrade_name
from .safe_text import Lines

_GONE = ("away", "left")
"""Changes from which on a bot plays for somebody."""


def since_turn(model: Model) -> Lines:
    """Return the orders that others served since this player's last turn, and their consequences.

    The wordings become shorter; () if it is not this player's turn, or nothing was served.
    """
    log = _since_turn(model)
    if not any(isinstance(event, OrderServed) and event.seat != model.seat for event in log):
        return ()
    served = [event for event in log if isinstance(event, OrderServed)]
    count, orders = len(served), _received(model, log)
    words = (
        (
            ngettext("{count} order served", "{count} orders served", count),
            ngettext("{count} new for you", "{count} new for you", orders),
        ),
        (
            ngettext("{count} served", "{count} served", count),
            ngettext("{count} for you", "{count} for you", orders),
        ),
    )
    counts = (
        _(", ").join([done.format(count=count), *[new.format(count=orders)] * bool(orders)])
        for done, new in words
    )
    mine = [words[1][1].format(count=orders)] * bool(orders)
    news = (
        " ".join([*_served(model, log), *_got(orders)]),
        brief := _("; ").join([*_drinks(model, log), *mine]),
        *counts,
    )
    whole, short, *counted = (_("Since your turn: {news}").format(news=one) for one in news)
    return (whole, short, brief, *counted)


def while_away(model: Model) -> str:
    """Return the events while this player, just back, was away; "" if there were none."""
    log = _absence(model)
    mine = [one for one in log if getattr(one, "seat", None) == model.seat]
    lost = [one for one in mine if isinstance(one, PenaltiesTaken)]
    news = _served(model, log)
    if bought := [one.upgrade for one in mine if isinstance(one, UpgradeActivated)]:
        names = and_list(map(upgrade_name, bought))
        news.append(_("A bot activates {upgrades} for you.").format(upgrades=names))
    if served := tuple(one.drink for one in mine if isinstance(one, OrderServed)):
        drinks = drink_names(model, served)
        news.append(_("A bot serves {drinks} for you.").format(drinks=drinks))
    elif not bought and (turns := _turns_played(model, log)):
        text = ngettext(
            "A bot takes {count} turn for you.", "A bot takes {count} turns for you.", turns
        )
        news.append(text.format(count=turns))
    news += [event_line(one, model) for one in lost]
    news += _got(_received(model, log))
    return _("While you were away: {news}").format(news=" ".join(news)) if news else ""


def _turns_played(model: Model, log: Sequence[Event]) -> int:
    """Return in how many turns something was done on this player's seat."""
    starts = [place for place, one in enumerate(log) if isinstance(one, TurnStarted)]
    first = log[: starts[0]] if starts else log
    went_on = any(isinstance(one, ACTIONS) and one.seat == model.seat for one in first)
    turns = (log[place] for place in starts)
    return went_on + sum(isinstance(one, TurnStarted) and one.seat == model.seat for one in turns)


def last_round(model: Model) -> str:
    """Return that this round is the last, and why; "" if it is not, or not known why."""
    if model.view is None or not model.view.closed or model.view.active is None:
        return ""
    closed = [event for event in tellable(model) if isinstance(event, TokenClosed)]
    return event_line(closed[-1], model) if closed else ""


def played_oneself(model: Model, log: Iterable[Event]) -> list[Event]:
    """Return events without what a bot did on this player's seat while they were away."""
    found: list[Event] = []
    away = False
    for event in log:
        if isinstance(event, PeopleChanged) and event.name == model.name:
            away = event.change in _GONE
        if not (away and getattr(event, "seat", None) == model.seat):
            found.append(event)
    return found


def _since_turn(model: Model) -> list[Event]:
    """Return the events since this player's last turn ended; [] if it is not their turn."""
    found: list[Event] = []
    turn: Seat | None = None
    for event in without_undone(tellable(model)):
        if isinstance(event, GameStarted | TurnStarted | GameEnded):
            if turn in (None, model.seat):
                found = []
            turn = event.seat if isinstance(event, TurnStarted) else None
        elif turn is not None and turn != model.seat:
            found.append(event)
    return found if turn == model.seat else []


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


def _served(model: Model, log: Sequence[Event]) -> list[str]:
    """Return a sentence for each other player who has served something."""
    return [
        _("{name} {deeds}.").format(name=seat_name(model, seat), deeds=other_deeds(model, [*run]))
        for seat, run in _by_seat(model, log).items()
    ]


def _drinks(model: Model, log: Sequence[Event]) -> list[str]:
    """Return the name of each other player who has served something, and the drinks."""
    return [
        _("{name}: {drinks}").format(
            name=seat_name(model, seat),
            drinks=drink_list(model, tuple(one.drink for one in run)),
        )
        for seat, run in _by_seat(model, log).items()
    ]


def _by_seat(model: Model, log: Sequence[Event]) -> dict[Seat, list[OrderServed]]:
    """Return the orders that each other player has served."""
    served: dict[Seat, list[OrderServed]] = {}
    for event in log:
        if isinstance(event, OrderServed) and event.seat != model.seat:
            served.setdefault(event.seat, []).append(event)
    return served


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
