"""Setup after the deal: placing meeples and filling the first cups (R-SETUP-3 to R-SETUP-5)."""

from msgspec.structs import replace

from protocol import Phase, PlaceMeeple

from .board import ingredient
from .multiset import ONE
from .state import Player, State, acting, with_player


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
    if any(len(one.meeples) < meeples_each for one in players):
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


def end_filling(state: State) -> State:
    """Let the other player fill, or start the first turn."""
    if state.active == state.start:
        return _first_turn(state)
    return _take_start_ingredients(replace(state, active=state.start))


def _first_turn(state: State) -> State:
    return replace(state, active=state.start, phase=Phase.MOVING, round=1, previous=None)
