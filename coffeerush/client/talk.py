"""Table talk: what bots say now and then, and the answer to what has just happened."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    CupEmptied,
    Emoted,
    EmoteName,
    Event,
    GameStarted,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Poured,
    RestReturned,
    Said,
    Seat,
    Stepped,
    TokenClosed,
    TurnStarted,
    UpgradeActivated,
)

from .model import Model

MANY: Final = 2
"""With so many orders in one turn, others say something."""
Occasion: TypeAlias = Literal["start", "many", "others' many", "penalty", "last round"]
TEMPERS: Final[tuple[Mapping[Occasion, EmoteName], ...]] = (
    {"start": "hello", "many": "wow", "last round": "hurry"},
    {"others' many": "bravo", "penalty": "oops"},
    {"penalty": "wow", "many": "thanks"},
)
"""What each bot of a table says, and on which occasions."""
ANSWERS: Final[Mapping[EmoteName, EmoteName]] = {
    "hello": "hello",
    "bravo": "thanks",
    "wow": "thanks",
    "hurry": "oops",
}
"""The answer to what another player says, if there is one."""
ANSWER_TURNS: Final = 1
"""The turns that may begin until an answer comes too late."""


class AnswerOffer(Struct, frozen=True):
    """An answer that this player may give to what has just happened."""

    emote: EmoteName | None = None
    turns: int = 0
    """How many turns have begun since it was offered."""
    to: Seat | None = None
    """Who is answered; None if that is everybody."""
    until: float = inf
    """When it is too late even if nobody else's turn begins, by the clock of a screen."""


def has_talk(before: Model, after: Model) -> bool:
    """Return whether somebody has said something; a newcomer may read what was said before."""
    comes = before.table is None and after.table is not None
    return comes or any(isinstance(event, Said) for event in after.fresh(before))


def offered(offer: AnswerOffer, before: Model, after: Model) -> AnswerOffer:
    """Offer an answer to the latest event between two models, and withdraw one that is too late."""
    if after.seat is None or after.table is None or after.table.stage != "game":
        return AnswerOffer()
    told = [heard for heard in _told(before, after) if heard.is_new]
    answers = (_answer(after, after.seat, heard) for heard in reversed(told))
    if answer := next(filter(None, answers), None):
        return answer
    turns = offer.turns + sum(isinstance(heard.event, TurnStarted) for heard in told)
    late = offer.emote is None or turns > ANSWER_TURNS
    return AnswerOffer() if late else replace(offer, turns=turns)


def _answer(model: Model, me: Seat, told: "_Told") -> AnswerOffer | None:
    match told.event:
        case Emoted(name=name, emote=emote) if name != model.name and emote in ANSWERS:
            seats = model.table.seats if model.table else ()
            speaker = next(
                (seat for seat, sitting in enumerate(seats) if sitting.name == name), None
            )
            return AnswerOffer(ANSWERS[emote], to=speaker)
        case PenaltiesTaken(seat=seat) if seat == me:
            return AnswerOffer("oops")
        case OrdersDrawn(seat=seat, reason="order_rush") if seat == me:
            return AnswerOffer("oops", to=told.active)
        case OrderServed(seat=seat) if seat != me and told.served >= MANY:
            return AnswerOffer("bravo" if told.served == MANY else "wow", to=seat)
    return None


def bot_remarks(before: Model, after: Model) -> tuple[tuple[str, EmoteName], ...]:
    """Return the bots' names and what they say to the events between two models: one a round.

    Everybody at the table sees the same events, and so the same remarks, without a message.
    """
    if after.table is None or after.table.stage != "game":
        return ()
    seats = after.table.seats
    bots = [seat for seat, place in enumerate(seats) if place.status == "bot"]
    remarks, quiet = [], 0
    for heard in _told(before, after):
        if isinstance(heard.event, GameStarted):
            quiet = 0
        number = max(heard.round, 1)
        if quiet >= number:
            continue
        for bot, temper in zip(bots, TEMPERS, strict=False):
            occasion = _occasion(heard.event, bot, heard.served)
            if occasion and (emote := temper.get(occasion)):
                quiet = number
                if heard.is_new:
                    remarks.append((seats[bot].name, emote))
                break
    return tuple(remarks)


def _occasion(event: Event, bot: Seat, count: int) -> Occasion | None:
    match event:
        case GameStarted():
            return "start"
        case TokenClosed():
            return "last round"
        case PenaltiesTaken(seat=seat) if seat == bot:
            return "penalty"
        case OrderServed(seat=seat) if count == MANY:
            return "many" if seat == bot else "others' many"
    return None


class _Told(NamedTuple):
    """An event, and where in its game it is."""

    event: Event
    round: int
    """Of the latest turn that began before it in the log; 0 if none did."""
    served: int
    """Orders served so far in its turn, without those undone."""
    active: Seat | None
    """Whose turn it is, if that is in the log."""
    is_new: bool
    """Whether it is between the two models."""


_INTENTS: Final = {CupEmptied, OrderServed, Poured, RestReturned, Stepped, UpgradeActivated}
"""The events of one intent, which one undo reverts."""


def _told(before: Model, after: Model) -> Iterator[_Told]:
    """Yield the log if there are events between two models, of which this client saw both."""
    fresh = after.fresh(before)
    if not fresh or before.table is None or after.epoch != before.epoch:
        return
    first, number = len(after.log) - len(fresh), 0
    active: Seat | None = None
    serves: list[bool] = []  # of each intent in this turn
    for at, event in enumerate(after.log):
        kind = type(event)
        if kind in _INTENTS:
            serves.append(kind is OrderServed)
        elif kind is IntentUndone:
            del serves[-1:]
        elif isinstance(event, TurnStarted):
            number, active = event.round, event.seat
            serves.clear()
        elif kind is GameStarted:
            number = 0
        yield _Told(event, number, sum(serves), active, at >= first)
