"""The engine: from a State and an intent to the next State; sans-I/O, and without chance."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from protocol import (
    COMPLETED_PER_UPGRADE,
    PENALTIES_TO_CLOSE,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Undo,
)

from .board import BITS, ONE, amount, ingredient
from .legal import illegal, legal_intents, may_upgrade, steps_left
from .state import OpenOrders, Player, Setup, State, acting, deal, with_player


def apply(state: State, seat: Seat, intent: Intent) -> State:
    """Return the State after `seat` plays `intent`; raises `IllegalIntent`."""
    if seat != state.active or intent not in legal_intents(state):
        raise illegal(state, seat, intent)
    return advance(state, intent)


def advance(state: State, intent: Intent) -> State:
    """Return the State after an intent from `legal_intents(state)`; legality is not checked."""
    return _ADVANCE[type(intent)](state, intent)


def replay(setup: Setup, moves: Iterable[tuple[Seat, Intent]]) -> Iterator[State]:
    """Yield the dealt State, then the State after each move; raises `IllegalIntent`."""
    state = deal(setup)
    yield state
    for seat, intent in moves:
        state = apply(state, seat, intent)
        yield state


# Setup after the deal: placing meeples and filling the first cups (R-SETUP-3 to R-SETUP-5)


def place(state: State, intent: PlaceMeeple) -> State:
    """Place the next meeple; after the last one, start filling the cups."""
    seat, player = acting(state)
    players = with_player(state, seat, replace(player, meeples=(*player.meeples, intent.cell)))
    placed = replace(
        state,
        players=players,
        standing=state.standing | 1 << intent.cell,
        active=(seat - 1) % len(players),  # R-SETUP-3, R-SETUP-4
    )
    meeples_each = 2 if len(players) == 2 else 1  # R-COMP-4
    if any(len(other.meeples) < meeples_each for other in players):
        return placed
    if len(players) == 2:
        return _take_start_ingredients(placed)
    return _first_turn(_fill_first_cups(placed))


def start_ingredients(player: Player) -> int:
    """Return the packed ingredients under a player's meeples (R-SETUP-5)."""
    return sum(ONE[ingredient(cell)] for cell in player.meeples)


def _fill_first_cups(state: State) -> State:
    """Put each player's single token into cup 1, as any cup would do (R-SETUP-5)."""
    taken = [start_ingredients(player) for player in state.players]
    players = tuple(
        replace(player, cups=(gain, 0, 0))
        for player, gain in zip(state.players, taken, strict=True)
    )
    return replace(state, players=players, supply=state.supply - sum(taken))


def _take_start_ingredients(state: State) -> State:
    _, player = acting(state)
    hand = start_ingredients(player)
    return replace(state, phase=Phase.FILLING, hand=hand, supply=state.supply - hand, previous=None)


def _end_filling(state: State) -> State:
    """Let the other player fill, or start the first turn."""
    if state.active == state.start:
        return _first_turn(state)
    return _take_start_ingredients(replace(state, active=state.start))


def _first_turn(state: State) -> State:
    return replace(state, active=state.start, phase=Phase.MOVING, round=1, previous=None)


# The intents of a turn, one function each from a State to the next


def activate(state: State, intent: ActivateUpgrade) -> State:
    """Discard three completed orders for an upgrade (R-UPG-1)."""
    seat, player = acting(state)
    # R-UPG-1: the oldest three; they all score the same, so the choice does not matter
    cost = COMPLETED_PER_UPGRADE
    gone, kept = player.completed[:cost], player.completed[cost:]
    upgraded = replace(player, completed=kept, upgrades=player.upgrades | 1 << intent.upgrade)
    return replace(
        state,
        players=with_player(state, seat, upgraded),
        discards=state.discards + gone,
        phase=Phase.MOVING,
        previous=state,
    )


def step_gain(state: State, player: Player, cell: int) -> int:
    """Return the packed multiset that entering `cell` takes from the supply (R-MOVE-3)."""
    kind = ingredient(cell)
    there = state.supply >> BITS * kind & 255
    return min(amount(player.upgrades, cell, state.standing), there) * ONE[kind]


def step(state: State, intent: Step) -> State:
    """Move a meeple and take the ingredient of its new cell (R-MOVE-1 to R-MOVE-5)."""
    seat, player = acting(state)
    meeple, cell = intent.meeple - 1, intent.cell
    gain = step_gain(state, player, cell)
    standing, path, rush, spent = state.standing, state.path, state.rush, 0
    if not path:
        path = (player.meeples[meeple],)
        standing &= ~(1 << path[0])
    elif not steps_left(state):
        spent = 1  # R-MOVE-2
    meeples = (cell, *player.meeples[1:]) if meeple == 0 else (player.meeples[0], cell)
    return replace(
        state,
        players=with_player(
            state, seat, replace(player, meeples=meeples, rush=player.rush - spent)
        ),
        supply=state.supply - gain,
        hand=state.hand + gain,
        rush=rush + spent,
        phase=Phase.MOVING,
        standing=standing,
        path=(*path, cell),  # R-MOVE-5: a cell may be entered again
        meeple=meeple,
        previous=state,
    )


def _cup_set(player: Player, cup: int, contents: int) -> Player:
    cups = list(player.cups)
    cups[cup - 1] = contents
    return replace(player, cups=tuple(cups))


def empty_cup(state: State, intent: EmptyCup) -> State:
    """Return the tokens of a cup to the supply (R-POUR-3)."""
    seat, player = acting(state)
    return replace(
        state,
        players=with_player(state, seat, _cup_set(player, intent.cup, 0)),
        supply=state.supply + player.cups[intent.cup - 1],  # R-POUR-3
        previous=state,
    )


def pour(state: State, intent: Pour) -> State:
    """Pour one token from the hand into a cup (R-POUR-1), where it stays (R-POUR-2)."""
    seat, player = acting(state)
    token = ONE[intent.ingredient]
    hand = state.hand - token
    following = Phase.POURING if hand else Phase.SERVING
    poured = _cup_set(player, intent.cup, player.cups[intent.cup - 1] + token)
    return replace(
        state,
        players=with_player(state, seat, poured),
        hand=hand,
        phase=Phase.FILLING if state.phase is Phase.FILLING else following,
        previous=state,
    )


def return_rest(state: State, intent: ReturnRest) -> State:
    """Return the tokens left in hand to the supply (R-POUR-1)."""
    return replace(
        state,
        supply=state.supply + state.hand,  # R-POUR-1
        hand=0,
        phase=Phase.SERVING,
        previous=state,
    )


def serve(state: State, intent: Serve) -> State:
    """Complete an order with the cup that matches it (R-SERVE-1, R-SERVE-2)."""
    seat, player = acting(state)
    contents = player.cups[intent.cup - 1]
    drink = state.menu.by_recipe[contents]
    earned = 1 if state.menu.specialty[drink] and state.rush else 0  # R-SERVE-2
    slots = list(player.orders)
    orders = list(slots[intent.slot - 1])
    orders.remove(drink)
    slots[intent.slot - 1] = tuple(orders)
    served = replace(
        _cup_set(player, intent.cup, 0),
        orders=tuple(slots),
        completed=(*player.completed, drink),
        rush=player.rush + earned,
    )
    return replace(
        state,
        players=with_player(state, seat, served),
        supply=state.supply + contents,
        rush=state.rush - earned,
        served=state.served + 1,
        phase=Phase.SERVING,
        previous=state,
    )


def undo(state: State, intent: Undo) -> State:
    """Undo the last intent of this turn."""
    assert state.previous is not None  # legal_intents lists Undo only then
    return state.previous


# The end of a turn: order rush, flow of time, next turn (R-RUSH-*, R-TIME-*, R-END-1, R-END-4)


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


_ADVANCE: Final[dict[type, Callable[..., State]]] = {
    PlaceMeeple: place,
    ActivateUpgrade: activate,
    Step: step,
    EmptyCup: empty_cup,
    Pour: pour,
    ReturnRest: return_rest,
    Serve: serve,
    EndTurn: lambda state, intent: (
        _end_filling(state) if state.phase is Phase.FILLING else end_turn(state)
    ),
    Undo: undo,
}
