"""Views: what a reader may know of a State (R-INFO-1, R-INFO-2).

Secrets of a State are removed here, those of events in `events`. A View is built from an
allow-list: what is not listed here does not leave the host.
"""

from typing import Final

from msgspec.structs import replace

from protocol import (
    Intent,
    Option,
    OwnView,
    Phase,
    PlaceMeeple,
    PlayerView,
    Seat,
    Serve,
    Step,
    View,
)

from .board import ingredient
from .legal import legal_intents, steps_left
from .multiset import ONE, unpack
from .scoring import score, standings
from .state import Player, State
from .turn import step_gain

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
    return OwnView(
        seat=seat,
        cups=(unpack(one), unpack(two), unpack(three)),
        hand=unpack(state.hand if acts else 0),
        options=_options(state, player) if acts else (),
        undo=_undo_count(state) if acts else 0,
    )


def _options(state: State, player: Player) -> tuple[Option, ...]:
    return tuple(_option(state, player, intent) for intent in legal_intents(state))


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
