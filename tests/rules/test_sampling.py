"""States sampled from Views, for bots that search (R-INFO-2)."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import sample_state
from coffeerush.rules import State, advance, view_for
from coffeerush.rules.board import size
from protocol import Ingredient, Phase, Pour, Undo, View
from tests.rules.checks import assert_conserved
from tests.support.positions import Has, play, position, tokens, walk
from tests.support.steering import TABLES, setup_of, steer, steered


def without_undo(view: View) -> View:
    own = view.own
    if own is None:
        return view
    options = tuple(option for option in own.options if option.intent != Undo())
    return replace(view, own=replace(own, options=options, undo=0))


def pouring() -> State:
    seat = Has(("Mocha",), ("tea", "", "milk ice"), (5,))
    others = Has(cups=("coffee " * 4, "steam"), meeples=(3,)), Has(meeples=(12,))
    return play(walk(position(seat, *others), 6, 10, 6), Pour(Ingredient.ICE, 2))


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_a_sample_agrees_with_the_view(players: int, starters: bool) -> None:
    # R-COMP-5, R-INFO-1: for every reader, in every State of a game
    setup = setup_of(players, starters, 5)
    for number, (state, _, _) in enumerate(steered(setup)):
        for reader in (None, *range(players)):
            view = view_for(state, reader)
            sample = sample_state(view, number)
            assert view_for(sample, reader) == without_undo(view)
            assert_conserved(sample, setup)


def test_the_owners_cups_and_hand_are_known() -> None:
    state = pouring()
    sample = sample_state(view_for(state, 0), 1)
    assert sample.players[0].cups == state.players[0].cups
    assert sample.hand == state.hand == tokens("milk ice")


@pytest.mark.parametrize("reader", [None, 1, 2])
def test_hidden_parts_are_drawn_by_the_seed(reader: int | None) -> None:
    # R-INFO-2: the deck, other players' cups and the hidden hand
    view = view_for(pouring(), reader)
    samples = [sample_state(view, seed) for seed in range(30)]
    assert samples == [sample_state(view, seed) for seed in range(30)]
    assert len({sample.deck for sample in samples}) == 30
    assert len({sample.players[0].cups for sample in samples}) > 10
    assert len({sample.hand for sample in samples}) > 3
    assert all(sample.hand for sample in samples), "somebody who pours has something in hand"


def test_a_hidden_hand_may_have_any_size_that_the_phase_allows() -> None:
    # R-INFO-2, R-SETUP-5: up to two tokens while cups are filled, at least one while pouring
    filling = next(state for state, _, _ in steered(setup_of(2, False, 5)) if state.hand)
    assert filling.phase is Phase.FILLING
    for state, sizes in ((pouring(), range(1, 12)), (filling, range(3))):
        view = view_for(state, None)
        samples = (sample_state(view, seed) for seed in range(200))
        assert {size(sample.hand) for sample in samples} == set(sizes)


def test_a_sample_knows_no_more_than_its_view() -> None:
    # R-INFO-2: the samples of twin States are the same
    state = pouring()
    twin = replace(state, deck=state.deck[::-1])
    assert sample_state(view_for(twin, 1), 3) == sample_state(view_for(state, 1), 3)


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_a_sample_can_be_played_to_its_end(players: int, starters: bool) -> None:
    setup = setup_of(players, starters, 8)
    for number, (state, _, _) in enumerate(steered(setup)):
        if number % 20 == 0:
            reader = number // 20 % players
            sample, chance = sample_state(view_for(state, reader), number), Random(number)
            while sample.active is not None:
                sample = advance(sample, steer(sample, chance))
            assert_conserved(sample, setup)
