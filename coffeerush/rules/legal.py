"""The legal intents of the active seat; the only source of legality."""

from functools import lru_cache
from typing import Final

from protocol import (
    COMPLETED_PER_UPGRADE,
    CUPS,
    FREE_STEPS,
    SLOTS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
    Upgrade,
)

from .board import CELLS, NEAR, NEAR_MASK, can_enter
from .multiset import unpack
from .state import Player, State

Intents = tuple[Intent, ...]

# All possible intents, built once.
_PLACE: Final = tuple(PlaceMeeple(cell) for cell in CELLS)
_ACTIVATE: Final = tuple(ActivateUpgrade(upgrade) for upgrade in Upgrade)
_STEP: Final = tuple(tuple(Step(meeple, cell) for cell in CELLS) for meeple in (1, 2))
_EMPTY: Final = tuple(EmptyCup(cup) for cup in range(1, CUPS + 1))
_POUR: Final = tuple(tuple(Pour(kind, cup) for cup in range(1, CUPS + 1)) for kind in Ingredient)
_SERVE: Final = tuple(
    tuple(Serve(cup, slot) for slot in range(1, SLOTS + 1)) for cup in range(1, CUPS + 1)
)
_RETURN: Final[Intents] = (ReturnRest(),)
_END: Final[Intents] = (EndTurn(),)
_UNDO: Final[Intents] = (Undo(),)
ALL_INTENTS: Final[Intents] = (
    *_PLACE,
    *_ACTIVATE,
    *(step for steps in _STEP for step in steps),
    *_EMPTY,
    *(pour for pours in _POUR for pour in pours),
    *_RETURN,
    *(serve for serves in _SERVE for serve in serves),
    *_END,
    *_UNDO,
)

_DIAGONAL: Final = int(Upgrade.DIAGONAL_MOVE)

# Precomputed lists of the most common results.
_STEPS_FROM: Final = tuple(
    tuple(tuple(tuple(steps[cell] for cell in near) for near in by_cell) for by_cell in NEAR)
    for steps in _STEP
)
_EMPTY_ANY: Final = tuple(
    tuple(_EMPTY[cup] for cup in range(CUPS) if cups >> cup & 1) for cups in range(1 << CUPS)
)


def legal_intents(state: State) -> Intents:
    """Return every intent that `apply` accepts from the active seat; Undo, if legal, is last."""
    if state.active is None:
        return ()
    legal = _IN_PHASE[state.phase](state, state.players[state.active])
    return legal if state.previous is None else legal + _UNDO


def _placing(state: State, player: Player) -> Intents:
    # R-SETUP-3, R-SETUP-4: a cell holds one meeple
    return tuple(place for place in _PLACE if not state.standing >> place.cell & 1)


def _filling(state: State, player: Player) -> Intents:
    # R-SETUP-5: everything is poured, nothing goes back
    return _pours(state.hand) or _END


def _upgrade(state: State, player: Player) -> Intents:
    # R-UPG-1: only before the first step
    return _activations(player.upgrades) + _steps(state, player) + _empties(player)


def _moving(state: State, player: Player) -> Intents:
    legal = _steps(state, player) + _empties(player)
    if not state.path or state.standing >> state.path[-1] & 1:  # R-MOVE-1, R-MOVE-4
        return legal
    if state.hand:
        return legal + _pours(state.hand) + _RETURN
    return legal + _serves(state, player) + _END


def _pouring(state: State, player: Player) -> Intents:
    return _pours(state.hand) + _RETURN + _empties(player)


def _serving(state: State, player: Player) -> Intents:
    return _serves(state, player) + _empties(player) + _END


_IN_PHASE: Final = {
    Phase.PLACING: _placing,
    Phase.FILLING: _filling,
    Phase.UPGRADE: _upgrade,
    Phase.MOVING: _moving,
    Phase.POURING: _pouring,
    Phase.SERVING: _serving,
}


@lru_cache(maxsize=16)
def _activations(upgrades: int) -> Intents:
    return tuple(one for one in _ACTIVATE if not upgrades >> one.upgrade & 1)


def may_upgrade(player: Player) -> bool:
    """Return whether the player's turn starts with the choice of an upgrade (R-UPG-1)."""
    return len(player.completed) >= COMPLETED_PER_UPGRADE and player.upgrades != 0b1111


def steps_left(state: State) -> int:
    """Return the free steps left this turn (R-MOVE-2)."""
    taken = len(state.path) - 1  # the path includes the starting cell
    if taken < 0:
        return FREE_STEPS
    return FREE_STEPS - taken if taken < FREE_STEPS else 0


def _steps(state: State, player: Player) -> Intents:
    # R-MOVE-2: the first three steps are free, each rush token pays for one more
    left = steps_left(state) + player.rush
    if not left:
        return ()
    diagonal = player.upgrades >> _DIAGONAL & 1  # R-UPG-3
    if state.meeple is not None:  # R-MOVE-1: only one meeple moves in a turn
        return _steps_of(state.meeple, state.path[-1], state.standing, left, diagonal)
    cell = player.meeples[0]
    legal = _steps_of(0, cell, state.standing & ~(1 << cell), left, diagonal)
    if len(player.meeples) == 1:
        return legal
    cell = player.meeples[1]
    return legal + _steps_of(1, cell, state.standing & ~(1 << cell), left, diagonal)


def _steps_of(meeple: int, cell: int, standing: int, left: int, diagonal: int) -> Intents:
    steps = _STEPS_FROM[meeple][diagonal][cell]
    if left > 2 or not standing & NEAR_MASK[diagonal][cell]:  # R-MOVE-4: see `can_enter`
        return steps
    return tuple(step for step in steps if can_enter(step.cell, standing, left - 1, diagonal))


def _empties(player: Player) -> Intents:
    one, two, three = player.cups  # R-POUR-3
    return _EMPTY_ANY[(one > 0) | (two > 0) << 1 | (three > 0) << 2]


@lru_cache(maxsize=4096)
def _pours(hand: int) -> Intents:
    # R-POUR-1
    return tuple(pour for kind, n in enumerate(unpack(hand)) if n for pour in _POUR[kind])


def _serves(state: State, player: Player) -> Intents:
    legal: Intents = ()
    by_recipe = state.menu.by_recipe
    for cup, contents in enumerate(player.cups):
        if contents in by_recipe:  # R-SERVE-1: exactly equal, as a multiset
            drink = by_recipe[contents]
            for slot, orders in enumerate(player.orders):
                if drink in orders:
                    legal += (_SERVE[cup][slot],)
    return legal
