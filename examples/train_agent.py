"""Train an agent by self-play, and print how often it wins.

python train_agent.py [BOT] [GENERATIONS] [GAMES]; a candidate plays GAMES in each generation.
The agent scores each action by a few features and plays the best one. The cross-entropy method
finds the weights: candidates play each other, and the best quarter shapes the next generation.
"""

import sys
from random import Random

import numpy as np
from numpy.typing import NDArray

from coffeerush.bots import BOTS
from coffeerush.rl import ACTIONS, FIELDS, SIZE, VectorGames, action_mask, observe
from coffeerush.rules import Setup, advance, deal, standard_deck, standings, view_for
from coffeerush.rules.board import NEAR, ingredient
from protocol import PlaceMeeple, Pour, Step

Floats = NDArray[np.float32]
DEFAULTS, PLAYERS, CANDIDATES = ("random", "12", "80"), 4, 64
RECIPES = np.array([drink.recipe for drink in standard_deck().drinks], np.int8)
POURS = [at for at, one in enumerate(ACTIONS) if isinstance(one, Pour)]
MOVES = {at: one.cell for at, one in enumerate(ACTIONS) if isinstance(one, PlaceMeeple | Step)}
KINDS = [ingredient(cell) for cell in range(16)]
NEXT = np.array([[one in near for one in range(16)] for near in NEAR[0]], np.float32)
TYPES = list(dict.fromkeys(map(type, ACTIONS)))
FEATURES = len(TYPES) + 3


def scores(seen: NDArray[np.int8], mask: NDArray[np.int8], weights: Floats) -> Floats:
    """Return the score of each action by the weights of its row, and -inf if it is illegal."""
    rows = len(seen)
    orders = seen[:, FIELDS["orders_0"]].reshape(rows, 4, -1).sum(1, dtype=np.int8)
    cups = seen[:, FIELDS["cups"]].reshape(rows, 3, 1, 8)
    fits = (cups <= RECIPES).all(3) & (orders > 0)[:, None]  # rows, cups, drinks
    tokens = cups.sum(3, dtype=np.float32)
    full = (fits * tokens / RECIPES.sum(1)).max(2)  # how much of an open order each cup has
    fuller = fits[..., None] & (cups < RECIPES)  # whether the order has room for an ingredient
    poured = (fuller * ((tokens + 1) / RECIPES.sum(1))[..., None]).max(2)  # rows, cups, ingredients
    need = np.maximum(orders @ RECIPES - cups.sum((1, 2)) - seen[:, FIELDS["hand"]], 0)[:, KINDS]
    features = np.zeros((rows, len(ACTIONS), FEATURES), np.float32)
    features[:, :, :-3] = [[type(one) is kind for kind in TYPES] for one in ACTIONS]
    features[:, POURS, -3] = (poured - full[..., None]).transpose(0, 2, 1).reshape(rows, -1)
    features[:, list(MOVES), -2] = need[:, list(MOVES.values())]
    features[:, list(MOVES), -1] = (need @ NEXT)[:, list(MOVES.values())]
    return np.where(mask, np.einsum("raf,rf->ra", features, weights), -np.inf)


def rewards(candidates: Floats, games: int, seed: int) -> NDArray[np.float64]:
    """Return the mean reward of each candidate in about `games` games against random others."""
    chance, vector = np.random.default_rng(seed), VectorGames(64, players=PLAYERS, seed=seed)
    seated = chance.integers(CANDIDATES, size=(64, PLAYERS))
    total, played = np.zeros(CANDIDATES), np.zeros(CANDIDATES)
    while played.sum() < games * CANDIDATES:
        observation, mask, _, _, seat = vector.now
        chosen = scores(observation, mask, candidates[seated[np.arange(64), seat]]).argmax(1)
        _, _, reward, done, _ = vector.step(chosen)
        np.add.at(total, seated[done], reward[done])
        np.add.at(played, seated[done], 1)
        seated[done] = chance.integers(CANDIDATES, size=(done.sum(), PLAYERS))
    return total / np.maximum(played, 1)


def train(generations: int, games: int) -> Floats:
    """Return the weights after some generations with `games` games per candidate."""
    chance, mean, spread = np.random.default_rng(1), np.zeros(FEATURES), np.ones(FEATURES)
    for generation in range(1, generations + 1):
        candidates = chance.normal(mean, spread, (CANDIDATES, FEATURES)).astype(np.float32)
        order = rewards(candidates, games, seed=generation * 100_000).argsort()
        elite = candidates[order[-CANDIDATES // 4 :]]
        mean, spread = elite.mean(0), elite.std(0) + 0.2 * 0.8**generation
        print(f"generation {generation} of {generations}", flush=True)
    return mean.astype(np.float32)


def share(weights: Floats, opponent: str, game: int) -> float:
    """Return the agent's share of the victory in a game against three opponents."""
    state = deal(Setup(PLAYERS, standard_deck(), seed=10**9 + game))
    chance, seat, bots = Random(game), game % PLAYERS, [BOTS[opponent]() for _ in range(PLAYERS)]
    seen, mask = np.zeros((1, SIZE), np.int8), np.zeros((1, len(ACTIONS)), np.int8)
    while (active := state.active) is not None:
        view = view_for(state, active)
        if active == seat:
            observe(view, seen[0])
            action_mask(view, mask[0])
            intent = ACTIONS[scores(seen, mask, weights[None]).argmax()]
        else:
            intent = bots[active].choose(view, chance)
        state = advance(state, intent)
    winners = [one.seat for one in standings(state) if one.rank == 1]
    return (seat in winners) / len(winners)


if __name__ == "__main__":
    opponent, generations, games = (*sys.argv[1:], *DEFAULTS[len(sys.argv) - 1 :])
    learnt = train(int(generations), int(games))
    won = np.array([share(learnt, opponent, game) for game in range(5 * int(games))])
    margin = 1.96 * won.std(ddof=1) / len(won) ** 0.5
    print(f"wins {won.mean():.1%} ± {margin:.1%} of {len(won)} games against 3 x {opponent}")
