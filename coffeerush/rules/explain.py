"""Explain why an intent is illegal; called only after `legal_intents` has ruled it out."""

from collections.abc import Callable
from typing import Final

from protocol import (
    COMPLETED_PER_UPGRADE,
    FREE_STEPS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    IllegalIntent,
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

from .board import NEAR
from .legal import legal_intents, steps_left
from .multiset import count, unpack
from .state import Player, State

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
    allowed = dict.fromkeys(type(one).__struct_config__.tag for one in legal_intents(state))
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
