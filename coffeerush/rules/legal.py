"""The legal intents in a State, and the reason why an intent is not among them."""

from collections.abc import Callable
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
    IllegalIntent,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Undo,
    Upgrade,
    param_list,
)

from .board import CELLS, NEAR, NEAR_MASK, can_enter, count, unpack
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
    return tuple(intent for intent in _ACTIVATE if not upgrades >> intent.upgrade & 1)


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


# Explain why an intent is illegal; called only after `legal_intents` has ruled it out


_TURN: Final = {Phase.UPGRADE, Phase.MOVING, Phase.POURING, Phase.SERVING}
_PHASES: Final[dict[type, set[Phase]]] = {
    PlaceMeeple: {Phase.PLACING},
    ActivateUpgrade: {Phase.UPGRADE, Phase.MOVING},
    Step: {Phase.UPGRADE, Phase.MOVING},
    EmptyCup: _TURN,
    Pour: {Phase.FILLING, Phase.UPGRADE, Phase.MOVING, Phase.POURING},
    ReturnRest: {Phase.UPGRADE, Phase.MOVING, Phase.POURING},
    Serve: _TURN,
    EndTurn: {Phase.FILLING, *_TURN},
    Undo: {Phase.FILLING, *_TURN},
}


def illegal(state: State, seat: Seat, intent: Intent) -> IllegalIntent:
    """Return the error that says why `seat` may not play `intent` in `state`."""
    if state.active is None:
        return _wrong_phase(state, "over")
    if seat != state.active:
        return IllegalIntent("not_your_turn")
    if state.phase not in _PHASES[type(intent)]:
        return _wrong_phase(state)
    return _REASON[type(intent)](state, state.players[seat], intent)


def _wrong_phase(state: State, reason: str = "") -> IllegalIntent:
    phase = state.phase.value
    if reason:
        return IllegalIntent("wrong_phase", phase=phase, reason=reason)
    allowed = dict.fromkeys(type(intent).__struct_config__.tag for intent in legal_intents(state))
    return IllegalIntent("wrong_phase", phase=phase, allowed=param_list(allowed))


def _activate(state: State, player: Player, intent: ActivateUpgrade) -> IllegalIntent:
    if state.path:
        return _wrong_phase(state, "stepped")
    if state.phase is Phase.MOVING and _activated_now(state):
        return _wrong_phase(state, "upgraded")
    if player.upgrades >> intent.upgrade & 1:
        return IllegalIntent("upgrade_is_active", upgrade=int(intent.upgrade))
    return IllegalIntent(
        "too_few_completed", needs=COMPLETED_PER_UPGRADE, have=len(player.completed)
    )


def _activated_now(state: State) -> bool:
    earlier = state.previous
    while earlier is not None:
        if len(earlier.discards) < len(state.discards):
            return True
        earlier = earlier.previous
    return False


def _step(state: State, player: Player, intent: Step) -> IllegalIntent:
    index = intent.meeple - 1
    if index >= len(player.meeples):
        return IllegalIntent("no_such_meeple", players=len(state.players))
    if state.meeple is not None and index != state.meeple:
        return IllegalIntent("other_meeple", moved=state.meeple + 1, meeple=intent.meeple)
    if not steps_left(state) + player.rush:
        return IllegalIntent("no_steps_left", steps=FREE_STEPS)
    here = player.meeples[index]
    diagonal = player.upgrades >> Upgrade.DIAGONAL_MOVE & 1
    if intent.cell not in NEAR[diagonal][here]:
        return IllegalIntent("not_adjacent", cell=intent.cell, here=here)
    return IllegalIntent("would_be_stuck", cell=intent.cell)


def _cannot_stop(state: State) -> IllegalIntent | None:
    """Return why the walk cannot end here, or None if it can (R-MOVE-1, R-MOVE-4)."""
    if state.phase in (Phase.UPGRADE, Phase.MOVING):
        if not state.path:
            return IllegalIntent("must_step")
        if state.standing >> state.path[-1] & 1:
            return IllegalIntent("stands_on_meeple", cell=state.path[-1])
    return None


def _pour(state: State, player: Player, intent: Pour) -> IllegalIntent:
    if reason := _cannot_stop(state):
        return reason
    assert not count(state.hand, intent.ingredient)  # else it would have been legal
    return IllegalIntent(
        "not_in_hand", ingredient=int(intent.ingredient), hand=param_list(unpack(state.hand))
    )


def _hand_first(state: State) -> IllegalIntent | None:
    reason = _cannot_stop(state)
    if reason is None and state.hand:
        return IllegalIntent("hand_not_empty", hand=param_list(unpack(state.hand)))
    return reason


def _serve(state: State, player: Player, intent: Serve) -> IllegalIntent:
    if reason := _hand_first(state):
        return reason
    contents = player.cups[intent.cup - 1]
    orders = dict.fromkeys(player.orders[intent.slot - 1])
    if not contents or not orders:
        empty = "empty_slot" if contents else "empty_cup"
        return IllegalIntent("cup_does_not_match", cup=intent.cup, slot=intent.slot, reason=empty)
    return IllegalIntent(
        "cup_does_not_match",
        cup=intent.cup,
        slot=intent.slot,
        contents=param_list(unpack(contents)),
        wanted=param_list(state.menu.drinks[drink].name for drink in orders),
    )


def _end_turn(state: State, player: Player, intent: EndTurn) -> IllegalIntent:
    reason = _hand_first(state)
    assert reason is not None  # else it would have been legal
    return reason


_REASON: Final[dict[type, Callable[..., IllegalIntent]]] = {
    PlaceMeeple: lambda state, player, intent: IllegalIntent("cell_taken", cell=intent.cell),
    ActivateUpgrade: _activate,
    Step: _step,
    EmptyCup: lambda state, player, intent: IllegalIntent("cup_is_empty", cup=intent.cup),
    Pour: _pour,
    ReturnRest: lambda state, player, intent: _cannot_stop(state) or IllegalIntent("hand_empty"),
    Serve: _serve,
    EndTurn: _end_turn,
    Undo: lambda state, player, intent: IllegalIntent("nothing_to_undo"),
}
