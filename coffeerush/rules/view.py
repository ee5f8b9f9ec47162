"""What a reader may know of a game: Views, events, and the score (R-INFO-1, R-INFO-2)."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from protocol import (
    COMPLETED_PER_UPGRADE,
    MAX_TALLY_ROUNDS,
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
    Option,
    OrdersDrawn,
    OrderServed,
    OwnView,
    PenaltiesTaken,
    Phase,
    PlaceMeeple,
    PlayerView,
    Pour,
    Poured,
    RestReturned,
    ReturnRest,
    Seat,
    Serve,
    Standing,
    StartTaken,
    Step,
    Stepped,
    Tally,
    TokenClosed,
    TurnStarted,
    Undo,
    UpgradeActivated,
    View,
)

from .board import ONE, ingredient, unpack
from .engine import start_ingredients, step_gain
from .legal import legal_intents, steps_left
from .state import Player, State

# Scores, standings and tallies by round (R-END-2, R-END-3)


Turn = tuple[State, State]
"""The States at the start of a turn and at the start of the next one, or the end of the game."""


def score(player: Player) -> int:
    """Return a player's current score (R-END-2)."""
    return len(player.completed) + 2 * player.upgrades.bit_count() - len(player.penalties)


def standings(state: State) -> tuple[Standing, ...]:
    """Return all seats, best first; seats that tie on everything share a rank (R-END-3)."""
    worth = [(score(player), len(player.completed), player.rush) for player in state.players]
    seats = sorted(range(len(worth)), key=lambda seat: worth[seat], reverse=True)
    return tuple(
        Standing(
            seat=seat, rank=1 + sum(other > worth[seat] for other in worth), score=worth[seat][0]
        )
        for seat in seats
    )


def tallies(states: Iterable[State]) -> tuple[Tally, ...]:
    """Return a tally for each seat; () until a round is finished.

    Args:
        states: of one game in order: at least the first State of each turn, and the last one;
            others in between make no difference.
    """
    turns = list(pairwise(_beginnings(states)))
    # R-END-1: the end of the game also ends a round
    rounds = [now for was, now in turns if now.active is None or now.round != was.round]
    if not rounds:
        return ()
    return tuple(_tally(turns, rounds, seat) for seat in range(len(rounds[0].players)))


def _beginnings(states: Iterable[State]) -> Iterator[State]:
    """Yield the first State of each turn, and the first after the end; undo starts no turn."""
    latest = None
    for state in states:
        if state.round and (state.round, state.active) != latest:
            latest = (state.round, state.active)
            yield state


def _tally(turns: list[Turn], rounds: list[State], seat: Seat) -> Tally:
    served = [
        (_served(after.players[seat]) - _served(before.players[seat]), -before.round)
        for before, after in turns
        if before.active == seat
    ]
    most, earliest = max(served)
    return Tally(
        scores=tuple(score(state.players[seat]) for state in rounds[-MAX_TALLY_ROUNDS:]),
        best_served=most,
        best_round=-earliest if most else 0,
    )


def _served(player: Player) -> int:
    """Return the number of orders that a player has served in the whole game (R-UPG-1)."""
    return len(player.completed) + COMPLETED_PER_UPGRADE * player.upgrades.bit_count()


# Views: what a reader may know of a State (R-INFO-1, R-INFO-2)


HIDDEN_HAND: Final = (Phase.FILLING, Phase.POURING)
"""Phases in which the hand is private: it would reveal what was poured."""


def view_for(state: State, reader: Seat | None) -> View:
    """Return the view of the seat `reader`, or of a spectator (None)."""
    public = _public(state)
    return public if reader is None else with_own(public, state, reader)


def with_own(public: View, state: State, seat: Seat) -> View:
    """Turn a spectator's View of the same State into that of `seat`."""
    return replace(public, own=_own(state, seat))


def _public(state: State) -> View:
    over = state.phase is Phase.OVER
    return View(
        players=tuple(_player(player) for player in state.players),
        start=state.start,
        active=state.active,
        phase=state.phase,
        round=state.round,
        closed=state.closed,
        supply=unpack(state.supply),
        rush_supply=state.rush,
        deck=len(state.deck),
        discards=state.discards,
        removed=state.removed,
        path=state.path,
        meeple=None if state.meeple is None else state.meeple + 1,
        steps_left=steps_left(state),
        served=state.served,
        hand=None if state.phase in HIDDEN_HAND else unpack(state.hand),
        menu=state.menu.drinks,
        standings=standings(state) if over else (),
    )


def _player(player: Player) -> PlayerView:
    active = player.upgrades
    return PlayerView(
        orders=player.orders,
        completed=len(player.completed),
        penalties=len(player.penalties),
        rush=player.rush,
        upgrades=(bool(active & 1), bool(active & 2), bool(active & 4), bool(active & 8)),
        meeples=player.meeples,
        score=score(player),
    )


def _own(state: State, seat: Seat) -> OwnView:
    player = state.players[seat]
    one, two, three = player.cups
    acts = seat == state.active
    intents = legal_intents(state) if acts else ()
    return OwnView(
        seat=seat,
        cups=(unpack(one), unpack(two), unpack(three)),
        hand=unpack(state.hand if acts else 0),
        options=tuple(_option(state, player, intent) for intent in intents),
        undo=_undo_count(state) if acts else 0,
    )


def _option(state: State, player: Player, intent: Intent) -> Option:
    match intent:
        case Step(cell=cell):
            return Option(
                intent,
                gain=unpack(step_gain(state, player, cell)),
                rush_cost=0 if steps_left(state) else 1,
            )
        case PlaceMeeple(cell=cell):
            return Option(intent, gain=unpack(ONE[ingredient(cell)]))
        case Serve(cup=cup):
            return Option(intent, order=state.menu.by_recipe[player.cups[cup - 1]])
    return Option(intent)


def _undo_count(state: State) -> int:
    count, earlier = 0, state.previous
    while earlier is not None:
        count, earlier = count + 1, earlier.previous
    return count


# The events between two States, as one reader may know them (R-INFO-1, R-INFO-2)


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
                return tuple(_after_setup(before, after))
            return tuple(_turn_ended(before, after, seat))


def _after_setup(before: State, after: State) -> Iterator[GameEvent]:
    if after.phase is Phase.FILLING:
        yield _start_taken(after, after.active)
    elif after.phase is not Phase.PLACING:
        if before.phase is Phase.PLACING:
            yield from (_start_taken(after, seat) for seat in range(len(after.players)))
        yield TurnStarted(after.start, after.round)


def _start_taken(state: State, seat: Seat | None) -> StartTaken:
    assert seat is not None  # a game that is being set up has an active seat
    return StartTaken(seat, unpack(start_ingredients(state.players[seat])))


def _turn_ended(before: State, after: State, seat: Seat) -> Iterator[GameEvent]:
    count = len(before.players)
    for left in range(1, count):
        receiver = (seat + left) % count
        had = len(before.players[receiver].orders[0])
        if drawn := after.players[receiver].orders[0][had:]:
            yield OrdersDrawn(receiver, drawn, "order_rush")
    was, now = before.players[seat], after.players[seat]
    if expired := now.penalties[len(was.penalties) :]:
        yield PenaltiesTaken(seat, expired, now.rush - was.rush)
    if now.orders[0]:
        yield OrdersDrawn(seat, now.orders[0], "flow_of_time")
    if after.closed and not before.closed:
        yield _closed(after, seat)
    if after.active is None:
        yield GameEnded(tuple(best.seat for best in standings(after) if best.rank == 1))
    else:
        yield TurnStarted(after.active, after.round)


def _closed(after: State, seat: Seat) -> TokenClosed:
    if not after.deck:
        return TokenClosed("deck")
    penalties = len(after.players[seat].penalties) >= PENALTIES_TO_CLOSE
    return TokenClosed("penalties" if penalties else "no_orders")
