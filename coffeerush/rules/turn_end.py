"""The end of a turn: order rush, flow of time, next turn (R-RUSH-*, R-TIME-*, R-END-1, R-END-4)."""

from typing import Final

from msgspec.structs import replace

from protocol import PENALTIES_TO_CLOSE, Phase

from .legal import may_upgrade
from .state import OpenOrders, State, acting, with_player

_NO_ORDERS: Final[OpenOrders] = ((), (), (), ())


def end_turn(state: State) -> State:
    """End the active player's turn: order rush, flow of time, next turn or the end."""
    seat, _ = acting(state)
    after = _flow_of_time(_order_rush(state, seat), seat)
    return _next_turn(_without_orders(after), seat)


def _without_orders(state: State) -> State:
    """Close if nobody has an open order, since nobody could ever draw one again (R-END-4).

    Not with 2 players: one has just drawn, unless the deck is empty and the token CLOSED already.
    """
    if any(player.orders != _NO_ORDERS for player in state.players):
        return state
    return replace(state, closed=True)


def _draw(state: State, seat: int, n: int) -> State:
    """Let `seat` draw up to `n` orders into slot 1; close if the deck runs out (R-RUSH-2)."""
    player = state.players[seat]
    first, *others = player.orders
    drawn = replace(player, orders=(first + state.deck[:n], *others))
    deck = state.deck[n:]
    return replace(
        state, players=with_player(state, seat, drawn), deck=deck, closed=state.closed or not deck
    )


def _order_rush(state: State, seat: int) -> State:
    if not state.served:
        return state
    count = len(state.players)
    for left in range(1, min(count, 3)):  # R-RUSH-1: the next two seats, with 2 players the other
        state = _draw(state, (seat + left) % count, state.served)
    return state


def _flow_of_time(state: State, seat: int) -> State:
    player = state.players[seat]
    one, two, three, expired = player.orders
    rush = min(len(expired), state.rush)
    aged = replace(
        player,
        orders=((), one, two, three),
        penalties=player.penalties + expired,
        rush=player.rush + rush,
    )
    after = replace(
        state,
        players=with_player(state, seat, aged),
        rush=state.rush - rush,  # R-TIME-1
        closed=state.closed or len(aged.penalties) >= PENALTIES_TO_CLOSE,  # R-TIME-2
    )
    return _draw(after, seat, 1) if len(state.players) == 2 else after  # R-TIME-3


def _next_turn(state: State, seat: int) -> State:
    following = (seat + 1) % len(state.players)
    over = state.closed and following == state.start  # R-END-1
    upgrade = may_upgrade(state.players[following])
    return replace(
        state,
        active=None if over else following,
        phase=Phase.OVER if over else Phase.UPGRADE if upgrade else Phase.MOVING,
        standing=state.standing | 1 << state.path[-1],
        round=state.round + (following == state.start and not over),
        path=(),
        meeple=None,
        served=0,
        previous=None,
    )
