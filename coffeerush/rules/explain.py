"""Explain why an intent is illegal; called only after `legal_intents` has ruled it out."""

from collections.abc import Callable
from typing import Final

from protocol import (
    COMPLETED_PER_UPGRADE,
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
)

from .board import NEAR
from .legal import steps_left
from .multiset import count, kinds
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
        return IllegalIntent(
            "wrong_phase", "The game is over; nothing more is played.", phase=state.phase.value
        )
    if seat != state.active:
        return IllegalIntent("not_your_turn", "It is another player's turn; wait for yours.")
    if state.phase not in _PHASES[type(intent)]:
        return _wrong_phase(state, f"That cannot be done while {state.phase.value}")
    return _REASON[type(intent)](state, state.players[seat], intent)


def _wrong_phase(state: State, text: str) -> IllegalIntent:
    return IllegalIntent(
        "wrong_phase", f"{text}; choose one of the options.", phase=state.phase.value
    )


def _names(packed: int) -> str:
    """Return the ingredients in a packed multiset in words: `milk, ice` or `nothing`."""
    return ", ".join(Ingredient(kind).name.lower() for kind in kinds(packed)) or "nothing"


def _place(state: State, player: Player, intent: PlaceMeeple) -> IllegalIntent:
    return IllegalIntent(
        "cell_taken", "A meeple stands on that cell; choose a free one.", cell=intent.cell
    )


def _activate(state: State, player: Player, intent: ActivateUpgrade) -> IllegalIntent:
    if state.path:
        return _wrong_phase(state, "An upgrade is activated before the first step")
    if state.phase is Phase.MOVING and _activated_now(state):
        return _wrong_phase(state, "One upgrade a turn is activated")
    if player.upgrades >> intent.upgrade & 1:
        return IllegalIntent(
            "upgrade_is_active", "That upgrade is active already.", upgrade=int(intent.upgrade)
        )
    return IllegalIntent(
        "too_few_completed",
        f"An upgrade costs {COMPLETED_PER_UPGRADE} completed orders; "
        f"you have {len(player.completed)}.",
        needs=COMPLETED_PER_UPGRADE,
        have=len(player.completed),
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
        return IllegalIntent("no_such_meeple", "With three or four players each has one meeple.")
    if state.meeple is not None and index != state.meeple:
        return IllegalIntent(
            "other_meeple", "Only one meeple moves in a turn; undo the steps to move this one."
        )
    if not steps_left(state) + player.rush:
        return IllegalIntent(
            "no_steps_left", "No steps and no rush tokens are left; go on with what you have."
        )
    here = player.meeples[index]
    diagonal = player.upgrades >> Upgrade.DIAGONAL_MOVE & 1
    if intent.cell not in NEAR[diagonal][here]:
        return IllegalIntent(
            "not_adjacent", "That cell is not next to the meeple.", cell=intent.cell, here=here
        )
    return IllegalIntent(
        "would_be_stuck",
        "Another meeple stands there, and no step would be left to end on a free cell.",
        cell=intent.cell,
    )


def _empty_cup(state: State, player: Player, intent: EmptyCup) -> IllegalIntent:
    return IllegalIntent("cup_is_empty", f"Cup {intent.cup} is empty already.", cup=intent.cup)


def _cannot_stop(state: State) -> IllegalIntent | None:
    """Return why the walk cannot end here, or None if it can (R-MOVE-1, R-MOVE-4)."""
    if state.phase in (Phase.UPGRADE, Phase.MOVING):
        if not state.path:
            return IllegalIntent("must_step", "Take at least one step first.")
        if state.standing >> state.path[-1] & 1:
            return IllegalIntent(
                "stands_on_meeple", "Another meeple stands here; step on to a free cell."
            )
    return None


def _pour(state: State, player: Player, intent: Pour) -> IllegalIntent:
    name = intent.ingredient.name.lower()
    if reason := _cannot_stop(state):
        return reason
    assert not count(state.hand, intent.ingredient)  # else it would have been legal
    return IllegalIntent(
        "not_in_hand",
        f"There is no {name} in your hand; it holds {_names(state.hand)}.",
        ingredient=int(intent.ingredient),
    )


def _return_rest(state: State, player: Player, intent: ReturnRest) -> IllegalIntent:
    return _cannot_stop(state) or IllegalIntent("hand_empty", "Your hand is empty already.")


def _hand_first(state: State) -> IllegalIntent | None:
    if reason := _cannot_stop(state):
        return reason
    if state.hand:
        return IllegalIntent(
            "hand_not_empty",
            f"Pour or return what is in your hand first: {_names(state.hand)}.",
        )
    return None


def _serve(state: State, player: Player, intent: Serve) -> IllegalIntent:
    if reason := _hand_first(state):
        return reason
    wanted = [state.menu.drinks[drink].name for drink in player.orders[intent.slot - 1]]
    contents = player.cups[intent.cup - 1]
    return IllegalIntent(
        "cup_does_not_match",
        f"Cup {intent.cup} holds {_names(contents)}; "
        f"it matches no order in slot {intent.slot}: {', '.join(wanted) or 'none'}.",
        cup=intent.cup,
        slot=intent.slot,
    )


def _end_turn(state: State, player: Player, intent: EndTurn) -> IllegalIntent:
    reason = _hand_first(state)
    assert reason is not None  # else it would have been legal
    return reason


def _undo(state: State, player: Player, intent: Undo) -> IllegalIntent:
    return IllegalIntent("nothing_to_undo", "There is nothing to take back in this turn.")


_REASON: Final[dict[type, Callable[..., IllegalIntent]]] = {
    PlaceMeeple: _place,
    ActivateUpgrade: _activate,
    Step: _step,
    EmptyCup: _empty_cup,
    Pour: _pour,
    ReturnRest: _return_rest,
    Serve: _serve,
    EndTurn: _end_turn,
    Undo: _undo,
}
