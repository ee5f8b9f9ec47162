"""Environments for training: random play, next to PettingZoo's own games if they are installed."""

from importlib import import_module
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from coffeerush.rl import VectorGames, coffee_rush_v0

from .conditions import report

SECONDS = 3.0
PEERS = ("hanabi_v5", "tictactoe_v3")
BUDGET = 60_000
VECTOR_BUDGET = 150_000
SIDE_BY_SIDE = 64


def run() -> None:
    """Report the steps per second of `coffee_rush_v0`, of PettingZoo's games, and of a vector."""
    for players in (4, 3, 2):
        steps = _random_play(coffee_rush_v0.env(players=players))
        report("rl", env="coffee_rush_v0", players=players, steps_per_second=steps, budget=BUDGET)
    for name in PEERS:
        try:
            peer = import_module(f"pettingzoo.classic.{name}").env()
        except ImportError as error:
            report("rl peer", env=name, missing=str(error))
        else:
            report("rl peer", env=name, steps_per_second=_random_play(peer))
    steps = _vector_play(players=4)
    report("rl vector", players=4, games=SIDE_BY_SIDE, steps_per_second=steps, budget=VECTOR_BUDGET)


def _random_play(env: Any) -> int:
    """Return steps per second of agents that see all of their observations."""
    chance, steps = Random(1), 0
    env.reset(seed=1)
    began = perf_counter()
    while perf_counter() - began < SECONDS:
        for _ in env.agent_iter(100):
            observation, _reward, termination, truncation, _info = env.last()
            mask = observation["action_mask"]
            done = termination or truncation
            env.step(None if done else chance.choice(mask.nonzero()[0].tolist()))
            steps += 1
        if not env.agents:
            env.reset()
    return round(steps / (perf_counter() - began))


def _vector_play(players: int) -> int:
    """Return steps per second of all games together, without the time that choosing takes."""
    games, chance = VectorGames(SIDE_BY_SIDE, players=players), np.random.default_rng(1)
    took, steps = 0.0, 0
    while took < SECONDS:
        actions = (chance.random(games.now.mask.shape) * games.now.mask).argmax(1)
        began = perf_counter()
        games.step(actions)
        took += perf_counter() - began
        steps += SIDE_BY_SIDE
    return round(steps / took)
