"""The environment passes PettingZoo's own tests, and plays by the rules."""

import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test

from coffeerush.errors import FieldError
from coffeerush.rl import ACTIONS, SIZE, coffee_rush_v0, observe
from coffeerush.rl.coffee_rush_v0 import CoffeeRush
from coffeerush.rules import Setup, State, apply, deal, standard_deck, standings, view_for
from protocol import EndTurn, Serve

COUNTS = pytest.mark.parametrize("players", [2, 3, 4])
Chooser = Callable[[np.ndarray], int]


def started(players: int = 4, seed: int = 1, render_mode: str | None = None) -> CoffeeRush:
    env = coffee_rush_v0.env(players=players, render_mode=render_mode)
    env.reset(seed=seed)
    return env


def anything(seed: int) -> Chooser:
    chance = Random(seed)
    return lambda mask: int(chance.choice(np.flatnonzero(mask)))


def play(env: CoffeeRush, choose: Chooser) -> list[int]:
    """Play to the end of the game and return the actions."""
    actions = []
    while not any(env.terminations.values()):
        actions.append(choose(env.last()[0]["action_mask"]))
        env.step(actions[-1])
    return actions


def replayed(players: int, seed: int, actions: list[int]) -> State:
    """Play the same game with the rules alone."""
    state = deal(Setup(players, standard_deck(), seed))
    for action in actions:
        assert state.active is not None
        state = apply(state, state.active, ACTIONS[action])
    return state


# PettingZoo warns of observations with a mask, except in its own games, which it knows by name.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
@COUNTS
def test_the_api_is_that_of_pettingzoo(players: int) -> None:
    api_test(coffee_rush_v0.env(players=players, render_mode="ansi"), num_cycles=60)


def test_the_same_seed_gives_the_same_game() -> None:
    seed_test(partial(coffee_rush_v0.env, players=4), num_cycles=60)


def test_the_benchmark_of_pettingzoo_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = iter(range(1000))
    clock = SimpleNamespace(time=lambda: next(ticks) / 40)  # it stops when 5 s are over
    monkeypatch.setattr(sys.modules[performance_benchmark.__module__], "time", clock)
    performance_benchmark(coffee_rush_v0.env())
    assert "turns per second" in capsys.readouterr().out


def test_games_after_a_seed_repeat() -> None:
    def decks(env: CoffeeRush) -> list[bytes]:
        seen = []
        for seed in (5, None, None):
            env.reset(seed=seed)
            seen.append(env.observe("player_0")["observation"].tobytes())
        return seen

    first = decks(coffee_rush_v0.env())
    assert first == decks(coffee_rush_v0.env())
    assert len(set(first)) == 3


def test_a_seed_deals_as_in_a_setup() -> None:
    env = started(players=3, seed=9)
    dealt = deal(Setup(3, standard_deck(), 9))
    assert env.agent_selection == f"player_{dealt.active}"
    for seat, agent in enumerate(env.agents):
        out = np.zeros(SIZE, np.int8)
        observe(view_for(dealt, seat), out)
        assert (env.observe(agent)["observation"] == out).all()


@COUNTS
def test_the_winners_share_the_reward(players: int) -> None:
    shared = 0
    for seed in range(6):
        env = started(players, seed)
        actions = play(env, anything(seed))
        ranks = standings(replayed(players, seed, actions))
        winners = [one.seat for one in ranks if one.rank == 1]
        shared += len(winners) > 1
        for seat, agent in enumerate(env.possible_agents):
            share = 1 / len(winners) if seat in winners else 0
            assert env.rewards[agent] == share - 1 / players
        assert not any(env.truncations.values())
    assert shared or players == 2


def test_only_the_agent_that_acts_has_actions() -> None:
    env = started()
    for _ in range(60):
        for agent in env.agents:
            acts = agent == env.agent_selection
            mask = env.observe(agent)["action_mask"]
            assert mask.any() == acts
            assert (env.infos[agent]["action_mask"] == mask).all()
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[-1]))


def test_an_agent_may_write_to_its_masks() -> None:
    env = started()
    agent = env.agent_selection
    other = next(one for one in env.agents if one != agent)
    masks = [env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]]
    legal = int(masks[0].argmax())
    for mask in (*masks, env.observe(other)["action_mask"], env.infos[other]["action_mask"]):
        mask[:] = 1 - mask
    assert env.observe(agent)["action_mask"][legal] == 1
    env.step(legal)
    assert not any(env.terminations.values())
    env.reset(seed=np.random.default_rng(1).integers(100))
    other = next(one for one in env.agents if one != env.agent_selection)
    assert not env.observe(other)["action_mask"].any()
    assert not env.infos[other]["action_mask"].any()


def test_a_game_ends_even_if_nobody_wants_it_to() -> None:
    """There is no truncation: each turn has a last intent, and each game a last turn."""
    unwanted = [isinstance(one, EndTurn | Serve) for one in ACTIONS]

    def choose(mask: np.ndarray) -> int:
        return int(min(np.flatnonzero(mask), key=lambda action: unwanted[action]))

    for players in (2, 3, 4):
        assert len(play(started(players), choose)) < 2000


def test_an_illegal_action_loses_the_game(caplog: pytest.LogCaptureFixture) -> None:
    env = started()
    agent = env.agent_selection
    env.step(ACTIONS.index(EndTurn()))
    assert env.rewards == dict.fromkeys(env.agents, 0.0) | {agent: -1.0}
    assert all(env.terminations.values())
    assert "Illegal move" in caplog.text
    while env.agents:
        env.step(None)


@pytest.mark.parametrize("action", [-1, 93, None])
def test_a_number_that_is_no_action_is_refused(action: int | None) -> None:
    with pytest.raises(ValueError, match="there are 93 actions"):
        started().step(action)


def test_a_copy_goes_on_alike() -> None:
    env = started()
    for _ in range(30):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    twin = deepcopy(env)
    assert play(env, anything(3)) == play(twin, anything(3))
    assert env.rewards == twin.rewards


def test_render_shows_the_game_as_text() -> None:
    env = started(players=2, render_mode="ansi")
    for action in (0, 1, 2, 3):
        env.step(action)
    text = env.render()
    assert text is not None
    assert len(text.splitlines()) == 3
    assert "filling" in text
    names = [drink.name for drink in standard_deck().drinks]
    assert any(name in text for name in names)


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(FieldError):
        coffee_rush_v0.env(players=5)
    with pytest.raises(ValueError, match="choose 'ansi' or None"):
        coffee_rush_v0.env(render_mode="human")


@pytest.mark.parametrize("missing", ["numpy", "pettingzoo"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None\nimport coffeerush.rl"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    last = ran.stderr.splitlines()[-1]
    assert last == (
        f'ImportError: coffeerush.rl needs {missing}; install it with: pip install "coffeerush[rl]"'
    )
