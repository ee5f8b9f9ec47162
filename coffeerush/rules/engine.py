"""From one State to the next."""

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

from .board import amount, ingredient
from .explain import illegal
from .legal import legal_intents, may_upgrade, steps_left
from .multiset import BITS, ONE
from .setup import Setup, deal
from .state import Player, State


def apply(state: State, seat: Seat, intent: Intent) -> State:
    """Return the State after `seat` did `intent`.

    Raises:
        IllegalIntent: the rules forbid it; `state` is as it was, as always.
    """
    if seat != state.active or intent not in legal_intents(state):
        raise illegal(state, seat, intent)
    return advance(state, intent)


def advance(state: State, intent: Intent) -> State:
    """Return the State after an intent that `legal_intents(state)` holds; it is not checked."""
    return _ADVANCE[type(intent)](state, intent)


def replay(setup: Setup, moves: Iterable[tuple[Seat, Intent]]) -> Iterator[State]:
    """Yield the dealt State, then the State after each move; raises `IllegalIntent`."""
    state = deal(setup)
    yield state
    for seat, intent in moves:
        state = apply(state, seat, intent)
        yield state


def _with(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    return (*players[:seat], player, *players[seat + 1 :])


def _acting(state: State) -> tuple[int, Player]:
    assert state.active is not None  # advance is only for legal intents
    return state.active, state.players[state.active]


# Setup


def meeples_each(state: State) -> int:
    """Return how many meeples each player has (R-COMP-4)."""
    return 2 if len(state.players) == 2 else 1


def _place(state: State, intent: PlaceMeeple) -> State:
    seat, player = _acting(state)
    players = _with(
        state.players, seat, replace(player, meeples=(*player.meeples, intent.cell))
    )
    placed = replace(
        state,
        players=players,
        standing=state.standing | 1 << intent.cell,
        active=(seat - 1) % len(players),  # R-SETUP-3, R-SETUP-4
    )
    if any(len(one.meeples) < meeples_each(state) for one in players):
        return placed
    if len(players) == 2:
        return _take_start_ingredients(placed)
    return _first_turn(_fill_first_cups(placed))


def start_ingredients(player: Player) -> int:
    """Return the packed ingredients under a player's meeples (R-SETUP-5)."""
    return sum(ONE[ingredient(cell)] for cell in player.meeples)


def _fill_first_cups(state: State) -> State:
    """Put the one token of each player into its first cup; the cups are all alike (R-SETUP-5)."""
    taken = [start_ingredients(player) for player in state.players]
    players = tuple(
        replace(player, cups=(gain, 0, 0))
        for player, gain in zip(state.players, taken, strict=True)
    )
    return replace(state, players=players, supply=state.supply - sum(taken))


def _take_start_ingredients(state: State) -> State:
    _, player = _acting(state)
    hand = start_ingredients(player)
    return replace(
        state, phase=Phase.FILLING, hand=hand, supply=state.supply - hand, previous=None
    )


def _end_filling(state: State) -> State:
    if state.active == state.start:
        return _first_turn(state)
    return _take_start_ingredients(replace(state, active=state.start))


def _first_turn(state: State) -> State:
    return replace(state, active=state.start, phase=Phase.MOVING, round=1, previous=None)


# A turn


def _activate(state: State, intent: ActivateUpgrade) -> State:
    seat, player = _acting(state)
    # R-UPG-1: the oldest three go; they score nothing, so which ones does not matter
    gone, kept = (
        player.completed[:COMPLETED_PER_UPGRADE],
        player.completed[COMPLETED_PER_UPGRADE:],
    )
    upgraded = replace(player, completed=kept, upgrades=player.upgrades | 1 << intent.upgrade)
    return replace(
        state,
        players=_with(state.players, seat, upgraded),
        discards=state.discards + gone,
        phase=Phase.MOVING,
        previous=state,
    )


def step_gain(state: State, player: Player, cell: int) -> int:
    """Return the packed multiset that entering `cell` takes from the supply (R-MOVE-3)."""
    kind = ingredient(cell)
    there = state.supply >> BITS * kind & 255
    return min(amount(player.upgrades, cell, state.standing), there) * ONE[kind]


def _step(state: State, intent: Step) -> State:
    seat, player = _acting(state)
    meeple, cell = intent.meeple - 1, intent.cell
    gain = step_gain(state, player, cell)
    standing, path, rush, spent = state.standing, state.path, state.rush, 0
    if not path:
        path = (player.meeples[meeple],)
        standing &= ~(1 << path[0])
    elif not steps_left(state):
        spent = 1  # R-MOVE-2
    meeples = (
        (cell,) if len(player.meeples) == 1 else _moved(player.meeples, meeple, cell)
    )
    return replace(
        state,
        players=_with(
            state.players, seat, replace(player, meeples=meeples, rush=player.rush - spent)
        ),
        supply=state.supply - gain,
        hand=state.hand + gain,
        rush=rush + spent,
        phase=Phase.MOVING,
        standing=standing,
        path=(*path, cell),  # R-MOVE-5: cells repeat freely
        meeple=meeple,
        previous=state,
    )


def _moved(meeples: tuple[int, ...], meeple: int, cell: int) -> tuple[int, ...]:
    return (cell, meeples[1]) if meeple == 0 else (meeples[0], cell)


def _cup_set(player: Player, cup: int, contents: int) -> Player:
    one, two, three = player.cups
    if cup == 1:
        return replace(player, cups=(contents, two, three))
    if cup == 2:
        return replace(player, cups=(one, contents, three))
    return replace(player, cups=(one, two, contents))


def _empty_cup(state: State, intent: EmptyCup) -> State:
    seat, player = _acting(state)
    return replace(
        state,
        players=_with(state.players, seat, _cup_set(player, intent.cup, 0)),
        supply=state.supply + player.cups[intent.cup - 1],  # R-POUR-3
        previous=state,
    )


def _pour(state: State, intent: Pour) -> State:
    seat, player = _acting(state)
    token = ONE[intent.ingredient]
    hand = state.hand - token
    poured = _cup_set(player, intent.cup, player.cups[intent.cup - 1] + token)
    return replace(
        state,
        players=_with(state.players, seat, poured),
        hand=hand,
        phase=_after_pouring(state, hand),
        previous=state,
    )


def _after_pouring(state: State, hand: int) -> Phase:
    if state.phase is Phase.FILLING:
        return Phase.FILLING
    return Phase.POURING if hand else Phase.SERVING


def _return_rest(state: State, intent: ReturnRest) -> State:
    return replace(
        state,
        supply=state.supply + state.hand,  # R-POUR-1
        hand=0,
        phase=Phase.SERVING,
        previous=state,
    )


def _serve(state: State, intent: Serve) -> State:
    seat, player = _acting(state)
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
        players=_with(state.players, seat, served),
        supply=state.supply + contents,
        rush=state.rush - earned,
        served=state.served + 1,
        phase=Phase.SERVING,
        previous=state,
    )


def _undo(state: State, intent: Undo) -> State:
    assert state.previous is not None  # legal_intents lists Undo only then
    return state.previous


# The end of a turn


def _end_turn(state: State, intent: EndTurn) -> State:
    if state.phase is Phase.FILLING:
        return _end_filling(state)
    seat, _ = _acting(state)
    after = _flow_of_time(_order_rush(state, seat), seat)
    if len(after.players) > 2 and not any(any(player.orders) for player in after.players):
        after = replace(after, closed=True)  # R-END-4
    return _next_turn(after, seat)


def _draw(state: State, seat: int, n: int) -> State:
    """Let `seat` draw up to `n` orders into slot 1; an empty deck closes (R-RUSH-2)."""
    player = state.players[seat]
    first, *others = player.orders
    drawn = replace(player, orders=(first + state.deck[:n], *others))
    deck = state.deck[n:]
    return replace(
        state,
        players=_with(state.players, seat, drawn),
        deck=deck,
        closed=state.closed or not deck,
    )


def _order_rush(state: State, seat: int) -> State:
    if not state.served:
        return state
    count = len(state.players)
    for left in range(1, min(count, 3)):  # R-RUSH-1: the next two, with 2 players the other
        state = _draw(state, (seat + left) % count, state.served)
    return state


def _flow_of_time(state: State, seat: int) -> State:
    player = state.players[seat]
    one, two, three, fallen = player.orders
    rush = min(len(fallen), state.rush)
    aged = replace(
        player,
        orders=((), one, two, three),
        penalties=player.penalties + fallen,
        rush=player.rush + rush,
    )
    after = replace(
        state,
        players=_with(state.players, seat, aged),
        rush=state.rush - rush,  # R-TIME-1
        closed=state.closed or len(aged.penalties) >= PENALTIES_TO_CLOSE,  # R-TIME-2
    )
    return _draw(after, seat, 1) if len(state.players) == 2 else after  # R-TIME-3


def _next_turn(state: State, seat: int) -> State:
    count = len(state.players)
    following = (seat + 1) % count
    over = state.closed and following == state.start  # R-END-1
    standing = sum(1 << cell for player in state.players for cell in player.meeples)
    upgrade = may_upgrade(state.players[following])
    return replace(
        state,
        active=None if over else following,
        phase=Phase.OVER if over else Phase.UPGRADE if upgrade else Phase.MOVING,
        standing=standing,
        round=state.round + (following == state.start and not over),
        path=(),
        meeple=None,
        served=0,
        previous=None,
    )


_ADVANCE: Final[dict[type, Callable[[State, Intent], State]]] = {
    PlaceMeeple: _place,
    ActivateUpgrade: _activate,
    Step: _step,
    EmptyCup: _empty_cup,
    Pour: _pour,
    ReturnRest: _return_rest,
    Serve: _serve,
    EndTurn: _end_turn,
    Undo: _undo,
}  # type: ignore[dict-item]  # each handler takes the one class that is its key
