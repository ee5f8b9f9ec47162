"""The intents of a turn, one function each from a State to the next."""

from msgspec.structs import replace

from protocol import (
    COMPLETED_PER_UPGRADE,
    ActivateUpgrade,
    EmptyCup,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
)

from .board import amount, ingredient
from .legal import steps_left
from .multiset import BITS, ONE
from .state import Player, State, acting, with_player


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
    meeples = (cell,) if len(player.meeples) == 1 else _moved(player.meeples, meeple, cell)
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


def _moved(meeples: tuple[int, ...], meeple: int, cell: int) -> tuple[int, ...]:
    return (cell, meeples[1]) if meeple == 0 else (meeples[0], cell)


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
    poured = _cup_set(player, intent.cup, player.cups[intent.cup - 1] + token)
    return replace(
        state,
        players=with_player(state, seat, poured),
        hand=hand,
        phase=_after_pouring(state, hand),
        previous=state,
    )


def _after_pouring(state: State, hand: int) -> Phase:
    if state.phase is Phase.FILLING:
        return Phase.FILLING
    return Phase.POURING if hand else Phase.SERVING


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
