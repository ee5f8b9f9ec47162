"""Table talk: what bots say now and then, and the answer to what has just happened. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from coffeerush.client.model import Model
from protocol import (
    Emoted,
    EmoteName,
    Event,
    GameStarted,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Seat,
    TokenClosed,
    TurnStarted,
)

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


def answer_to(before: Model, after: Model) -> EmoteName | None:
    """Return what this player may say to the latest event between two models; None for nothing."""
    if after.seat is None:
        return None
    answers = (_answer(after, after.seat, event, count) for event, count in _told(before, after))
    return next(filter(None, reversed([*answers])), None)


def _answer(model: Model, me: Seat, event: Event, count: int) -> EmoteName | None:
    match event:
        case Emoted(name=name, emote=emote) if name != model.name:
            return ANSWERS.get(emote)
        case PenaltiesTaken(seat=seat) if seat == me:
            return "oops"
        case OrdersDrawn(seat=seat, reason="order_rush") if seat == me:
            return "thanks"
        case OrderServed(seat=seat) if seat != me and count >= MANY:
            return "bravo" if count == MANY else "wow"
    return None


def bot_remark(before: Model, after: Model) -> tuple[str, EmoteName] | None:
    """Return the name of a bot and what it says to the events between two models.

    Everybody at the table sees the same events, and so the same remarks, without a message.
    """
    if after.table is None or after.table.stage != "game":
        return None
    bots = [seat for seat, one in enumerate(after.table.seats) if one.status == "bot"]
    for event, count in _told(before, after):
        for bot, temper in zip(bots, TEMPERS, strict=False):
            occasion = _occasion(event, bot, count)
            if occasion and (emote := temper.get(occasion)):
                return after.table.seats[bot].name, emote
    return None


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


def _told(before: Model, after: Model) -> Iterator[tuple[Event, int]]:
    """Yield the events between two models, each with the orders served so far in its turn.

    Those from before this client came, or came back, are over.
    """
    if before.table is None or after.epoch != before.epoch:
        return
    fresh = after.fresh(before)
    first, count = len(after.log) - len(fresh), 0
    for at, event in enumerate(after.log):
        match event:
            case TurnStarted():
                count = 0
            case OrderServed():
                count += 1
        if at >= first:
            yield event, count
