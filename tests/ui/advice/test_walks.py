"""Walks to a cell some steps away: the shortest, legal to the last step, with what orders need."""

import pytest

from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import ABOUT_EQUAL, plan_turn
from coffeerush.rules import State, advance, view_for
from coffeerush.ui.advice.advice import ShortWalk, planned, walk_to
from protocol import Meeple, Phase, Step, Upgrade
from tests.support.positions import Has, position, walk
from tests.support.steering import setup_of, steered


def found(state: State, cell: int, meeple: Meeple = 1) -> ShortWalk | None:
    return walk_to(view_for(state, state.active), meeple, cell)


def cells(walked: ShortWalk | None) -> list[int]:
    assert walked is not None
    return [step.cell for step in walked.steps]


FAR = Has((), meeples=(3,)), Has((), meeples=(15,))


@pytest.mark.parametrize(
    ("cups", "way"), [((), [9, 8]), (("coffee",), [9, 8]), (("steam",), [4, 8])]
)
def test_of_equally_short_ways_that_with_what_the_orders_need(
    cups: tuple[str, ...], way: list[int]
) -> None:
    me = Has(("Espresso",), cups, meeples=(5,))
    assert cells(found(position(me, *FAR), 8)) == way


@pytest.mark.parametrize(
    ("orders", "cups", "way"),
    [
        (("Iced tea", "", "", "Mocha"), ("milk chocolate",), [2, 3]),
        (("Babyccino", "", "", "Americano"), (), [7, 3]),
    ],
)
def test_of_ways_that_orders_need_as_much_the_one_that_serves(
    orders: tuple[str, ...], cups: tuple[str, ...], way: list[int]
) -> None:
    me = Has(orders, cups, meeples=(6,), rush=0)
    state = walk(position(me, Has((), meeples=(12,)), Has((), meeples=(15,))))
    assert cells(found(state, 3)) == way


@pytest.mark.parametrize("seed", [1, 2])
def test_a_cell_that_the_hint_leads_through_is_reached_without_loss(seed: int) -> None:
    for state, _intent, _after in steered(setup_of(3, False, seed)):
        if state.phase is not Phase.MOVING or state.path:
            continue
        view, sample = view_for(state, state.active), sample_state(view_for(state, state.active), 0)
        plan = planned(view)
        steps = [one for one in plan.intents if isinstance(one, Step)]
        walked = walk_to(view, steps[0].meeple, steps[-1].cell)
        if isinstance(plan.intents[0], Step) and walked and len(walked.steps) == len(steps):
            for step in walked.steps:
                sample = advance(sample, step)
            assert plan_turn(view_for(sample, sample.active)).value >= plan.value - ABOUT_EQUAL


def test_a_longer_walk_costs_rush_tokens() -> None:
    me = Has(("Espresso",), meeples=(0,), rush=2)
    free, paid, too_far = (found(position(me, *FAR), cell) for cell in (9, 14, 15))
    assert free is not None
    assert (len(free.steps), free.rush) == (3, 0)
    assert paid is not None
    assert (len(paid.steps), paid.rush) == (5, 2)
    assert too_far is None


def test_steps_that_were_taken_count() -> None:
    state = walk(position(Has((), meeples=(0,)), *FAR), 1)
    assert cells(found(state, 9)) == [5, 9]
    assert found(state, 13) is None


def test_another_meeple_is_passed_but_no_walk_ends_on_it() -> None:
    """R-MOVE-4."""
    state = position(Has((), meeples=(0,)), Has((), meeples=(1,)), Has((), meeples=(3,)))
    assert cells(found(state, 2)) == [1, 2]
    assert found(state, 3) is None


def test_the_nearer_meeple_walks_and_of_two_the_chosen_one() -> None:
    """R-MOVE-1: and once one has stepped, only that one."""
    state = position(Has((), meeples=(0, 2)), Has((), meeples=(14, 15)))
    nearer = found(state, 11)
    assert nearer is not None
    assert {step.meeple for step in nearer.steps} == {2}
    for meeple in (1, 2):
        chosen = found(state, 9, meeple)
        assert chosen is not None
        assert {step.meeple for step in chosen.steps} == {meeple}
    begun = found(walk(state, 4), 11)
    assert begun is None
    assert cells(found(walk(state, 4), 6)) == [5, 6]


def test_the_diagonal_upgrade_shortens_a_walk() -> None:
    """R-UPG-3."""
    me = Has((), meeples=(0,), upgrades=(Upgrade.DIAGONAL_MOVE,))
    walked = found(position(me, *FAR), 10)
    assert walked == ShortWalk((Step(1, 5), Step(1, 10)), 0)
