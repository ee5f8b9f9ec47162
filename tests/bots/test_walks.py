"""The search of walks, against the rules."""

from collections.abc import Iterator
from statistics import fmean

import pytest

from coffeerush.bots.pouring import fill_cups, order_fits, own_cups, wanted_orders
from coffeerush.bots.walks import (
    AWAY_COST,
    MAX_STEPS,
    RUSH_COST,
    STEP_COST,
    UNREACHABLE,
    best_walk,
    steps_from,
    steps_per_card,
)
from coffeerush.rules import State, advance, legal_intents, view_for
from protocol import EndTurn, Phase, ReturnRest, Step
from tests.support.positions import Has, play, position, walk
from tests.support.steering import TABLES, setup_of, steered

EVERY = 9
"""One in so many positions is searched."""


def steps_taken(state: State) -> int:
    return max(0, len(state.path) - 1)


def ends(begin: State) -> Iterator[State]:
    """Yield the States in which a walk may end: one for each length, cell and hand."""
    layer, found = [begin], False
    while layer and not (found and steps_taken(layer[0]) > MAX_STEPS):
        onward: dict[object, State] = {}
        for state in layer:
            legal = legal_intents(state)
            if ReturnRest() in legal or EndTurn() in legal:
                found = True
                yield state
            for step in (one for one in legal if isinstance(one, Step)):
                after = advance(state, step)
                onward[after.meeple, after.path[-1], after.hand] = after
        layer = list(onward.values())


def worth(begin: State, end: State) -> float:
    assert begin.active is not None
    view = view_for(begin, begin.active)
    assert view.own is not None
    fits = order_fits(own_cups(view.own), wanted_orders(view, begin.active))
    filling, steps = fill_cups(fits, end.hand), steps_taken(end) - steps_taken(begin)
    rush_cost = RUSH_COST[len(begin.players)]
    spent = rush_cost * (end.rush - begin.rush) + STEP_COST * steps
    return filling.worth - spent - AWAY_COST * away(end, filling.waiting)


def away(end: State, waiting: tuple[int, ...]) -> float:
    """Return the mean number of steps to the recipes, and to a card of the whole deck."""
    assert end.active is not None
    mine = end.players[end.active]
    table = steps_from(mine.upgrades, *mine.meeples)
    steps = [table.get(recipe, UNREACHABLE) for recipe in waiting]
    to_any = steps_per_card(end.menu.drinks, mine.upgrades)[end.path[-1]]
    return to_any + (fmean(steps) if steps else 0.0)


def walked(state: State) -> State:
    assert state.active is not None
    found = best_walk(view_for(state, state.active))
    end = play(state, *found.steps)
    assert (found.hand, found.rush) == (end.hand, end.rush - state.rush)
    return end


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_no_walk_is_better_than_the_best(players: int, starters: bool) -> None:
    """Also from the middle of a walk."""
    searched = 0
    for number, (state, _, _) in enumerate(steered(setup_of(players, starters, players))):
        if number % EVERY or state.phase not in (Phase.UPGRADE, Phase.MOVING):
            continue
        found = list(ends(state))
        best = max(worth(state, end) for end in found)
        assert worth(state, walked(state)) == pytest.approx(best)
        searched += 1
    assert searched > 3


def test_a_walk_with_little_in_the_supply() -> None:
    """All ice but one is gone, so that the second visit of a cell with ice is in vain."""
    gone = Has(cups=("ice " * 11,), meeples=(12,))
    state = position(Has(("Granita",), meeples=(5,)), gone, Has(meeples=(15,)))
    assert worth(state, walked(state)) == pytest.approx(
        max(worth(state, end) for end in ends(state))
    )


def test_a_walk_goes_on_from_another_meeple() -> None:
    """After five steps without any gain, it must still go on to a free cell."""
    seats = Has(meeples=(5,), rush=3), Has(("Mocha",), ("ice " * 12, "milk " * 12), (6,)), Has()
    state = walk(position(*seats), 6, 5, 6, 5, 6)
    assert len(best_walk(view_for(state, 0)).steps) == 1


@pytest.mark.parametrize(("next_order", "cell"), [("Americano", 10), ("Caramel cold brew", 5)])
def test_a_walk_ends_near_what_the_next_order_needs(next_order: str, cell: int) -> None:
    """The last step fetches milk for the chai latte, from 9 either at 5 or at 10."""
    own = Has((f"Chai latte, {next_order}",), ("tea steam",), (9,))
    state = walk(position(own, Has(meeples=(12,)), Has(meeples=(15,))), 13, 9)
    assert [step.cell for step in best_walk(view_for(state, 0)).steps] == [cell]
