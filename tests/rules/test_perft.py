"""Perft: a rule changed by accident changes a number."""

import pytest

from protocol import Phase, Upgrade
from tests.rules.perft import Position, perft, positions, state_of
from tests.support.steering import TABLES

COUNTED = positions()


@pytest.mark.slow
@pytest.mark.parametrize("one", COUNTED, ids=lambda one: f"{one.says}, {one.players}, {one.moves}")
def test_perft_numbers_are_unchanged(one: Position) -> None:
    assert perft(state_of(one), len(one.counts)) == one.counts


def test_perft_numbers_computed_by_hand() -> None:
    """Placing: 16, then 15, 14 and 13 cells each. Filling: 3 cups for 2 tokens in either order."""
    placing = {one.players: one.counts for one in COUNTED if one.says == "placing"}
    for players in (2, 4):
        assert placing[players] == (16, 16 * 15, 16 * 15 * 14, 16 * 15 * 14 * 13)
    # the third meeple is on each of the 16 cells equally often; they have 48 neighbours in all,
    # and apart from a step, the only full cup can be emptied
    assert placing[3][3] == 3360 // 16 * (48 + 16)
    (filling,) = (one.counts for one in COUNTED if one.says == "filling")
    assert filling[:6] == (6, 18, 18, 108, 324, 324)


def test_the_positions_are_of_all_kinds() -> None:
    states = [state_of(one) for one in COUNTED]
    movers = [state.players[state.active] for state in states if state.active is not None]
    assert {(one.players, one.starters) for one in COUNTED} == set(TABLES)
    assert {state.phase for state in states} >= set(Phase) - {Phase.POURING, Phase.OVER}
    assert {up for up in Upgrade for mover in movers if mover.upgrades >> up & 1} == set(Upgrade)
    assert sum(mover.rush > 0 for mover in movers) > 5
    assert any(state.closed for state in states)
