"""Games side by side are the games of the rules."""

import numpy as np
import pytest

from coffeerush.rl import ACTIONS, SIZE, VectorGames, action_mask, observe
from coffeerush.rl.coffee_rush_v0 import rewards
from coffeerush.rules import Setup, State, advance, deal, standard_deck, view_for
from protocol import EndTurn, IllegalIntent

GAMES = 5


def dealt(players: int, seed: int) -> State:
    return deal(Setup(players, standard_deck(), seed))


def random_actions(games: VectorGames, chance: np.random.Generator) -> np.ndarray:
    mask = games.now.mask
    chosen: np.ndarray = (chance.random(mask.shape) * mask).argmax(1)
    return chosen


def assert_shows(games: VectorGames, states: list[State]) -> None:
    out, mask = np.zeros(SIZE, np.int8), np.zeros(len(ACTIONS), np.int8)
    for game, state in enumerate(states):
        view = view_for(state, state.active)
        observe(view, out)
        action_mask(view, mask)
        assert games.now.seat[game] == state.active
        assert (games.now.observation[game] == out).all()
        assert (games.now.mask[game] == mask).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_they_are_the_games_of_the_rules(players: int) -> None:
    games, chance = VectorGames(GAMES, players=players, seed=20), np.random.default_rng(1)
    states = [dealt(players, 20 + game) for game in range(GAMES)]
    following = 20 + GAMES
    assert_shows(games, states)
    while following < 20 + 2 * GAMES:
        actions = random_actions(games, chance)
        step = games.step(actions)
        for game, action in enumerate(actions):
            states[game] = advance(states[game], ACTIONS[action])
            over = states[game].active is None
            assert step.done[game] == over
            earned = rewards(states[game]) if over else (0.0,) * players
            assert step.reward[game].tolist() == pytest.approx(earned)
            if over:
                states[game] = dealt(players, following)
                following += 1
        assert_shows(games, states)


def test_the_masks_decide_and_cannot_be_changed() -> None:
    games = VectorGames(GAMES, seed=np.random.default_rng(1).integers(100))
    with pytest.raises(ValueError, match="read-only"):
        games.now.mask[0, :] = 1


def test_an_illegal_action_is_refused_before_any_is_played() -> None:
    games = VectorGames(GAMES)
    before = [array.copy() for array in games.now]
    actions = np.zeros(GAMES, np.int64)
    actions[-1] = ACTIONS.index(EndTurn())
    with pytest.raises(IllegalIntent):
        games.step(actions)
    assert all((was == now).all() for was, now in zip(before, games.now, strict=True))


@pytest.mark.parametrize("actions", [[0] * (GAMES - 1), [-1] * GAMES, [93] * GAMES])
def test_steps_that_are_no_actions_are_refused(actions: list[int]) -> None:
    with pytest.raises(ValueError, match="one action from 0 to 92 in each of the 5 games"):
        VectorGames(GAMES).step(np.array(actions))
