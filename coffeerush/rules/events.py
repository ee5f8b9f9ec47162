"""The events between two States, as one reader may know them (R-INFO-1, R-INFO-2)."""

from protocol import (
    PENALTIES_TO_CLOSE,
    ActivateUpgrade,
    CupEmptied,
    EmptyCup,
    EndTurn,
    GameEnded,
    GameEvent,
    Intent,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Phase,
    PlaceMeeple,
    Pour,
    Poured,
    RestReturned,
    ReturnRest,
    Seat,
    Serve,
    StartTaken,
    Step,
    Stepped,
    TokenClosed,
    TurnStarted,
    Undo,
    UpgradeActivated,
)

from .multiset import unpack
from .placing import start_ingredients
from .scoring import standings
from .state import State


def deal_events(state: State) -> tuple[GameEvent, ...]:
    """Return the first orders of each seat, in the order of the deal (R-SETUP-2)."""
    count = len(state.players)
    return tuple(
        OrdersDrawn(seat, state.players[seat].orders[0] + state.players[seat].orders[1], "deal")
        for seat in ((state.start + turn) % count for turn in range(count))
    )


def events(
    before: State, intent: Intent, after: State, reader: Seat | None
) -> tuple[GameEvent, ...]:
    """Return the events when the active seat played `intent`, as `reader` may know them."""
    seat = before.active
    assert seat is not None  # an intent was accepted, so somebody could act
    mine = reader == seat
    match intent:
        case PlaceMeeple(cell=cell):
            meeple = len(after.players[seat].meeples)
            return (MeeplePlaced(seat, meeple, cell), *_after_setup(before, after))
        case ActivateUpgrade(upgrade=upgrade):
            return (UpgradeActivated(seat, upgrade, after.discards[len(before.discards) :]),)
        case Step(meeple=meeple, cell=cell):
            gain = unpack(before.supply - after.supply)
            return (Stepped(seat, meeple, cell, gain, after.rush - before.rush),)
        case EmptyCup(cup=cup):
            return (CupEmptied(seat, unpack(after.supply - before.supply), cup if mine else None),)
        case Pour(ingredient=ingredient, cup=cup):
            return (Poured(seat, ingredient, cup) if mine else Poured(seat),)
        case ReturnRest():
            return (RestReturned(seat, unpack(after.supply - before.supply)),)
        case Serve(cup=cup, slot=slot):
            drink = after.players[seat].completed[-1]
            earned = before.rush - after.rush
            return (OrderServed(seat, drink, slot, earned, cup if mine else None),)
        case Undo():
            return (IntentUndone(seat),)
        case EndTurn():
            if before.phase is Phase.FILLING:
                return _after_setup(before, after)
            return _turn_ended(before, after, seat)


def _after_setup(before: State, after: State) -> tuple[GameEvent, ...]:
    found: list[GameEvent] = []
    if after.phase is Phase.FILLING:
        found += [_start_taken(after, after.active)]
    elif after.phase is not Phase.PLACING:
        if before.phase is Phase.PLACING:
            found += [_start_taken(after, seat) for seat in range(len(after.players))]
        found.append(TurnStarted(after.start, after.round))
    return tuple(found)


def _start_taken(state: State, seat: Seat | None) -> StartTaken:
    assert seat is not None  # a game that is being set up has an active seat
    return StartTaken(seat, unpack(start_ingredients(state.players[seat])))


def _turn_ended(before: State, after: State, seat: Seat) -> tuple[GameEvent, ...]:
    count = len(before.players)
    found: list[GameEvent] = []
    for left in range(1, count):
        receiver = (seat + left) % count
        had = len(before.players[receiver].orders[0])
        if drawn := after.players[receiver].orders[0][had:]:
            found.append(OrdersDrawn(receiver, drawn, "order_rush"))
    was, now = before.players[seat], after.players[seat]
    if expired := now.penalties[len(was.penalties) :]:
        found.append(PenaltiesTaken(seat, expired, now.rush - was.rush))
    if now.orders[0]:
        found.append(OrdersDrawn(seat, now.orders[0], "flow_of_time"))
    if after.closed and not before.closed:
        found.append(_closed(after, seat))
    if after.active is None:
        found.append(GameEnded(tuple(one.seat for one in standings(after) if one.rank == 1)))
    else:
        found.append(TurnStarted(after.active, after.round))
    return tuple(found)


def _closed(after: State, seat: Seat) -> TokenClosed:
    if not after.deck:
        return TokenClosed("deck")
    penalties = len(after.players[seat].penalties) >= PENALTIES_TO_CLOSE
    return TokenClosed("penalties" if penalties else "no_orders")
