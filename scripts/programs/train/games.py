"""Self-play: games of the planner against itself and a hasty version of it, as data to fit.

A game depends only on its number, the seed and the weights, not on who plays it when.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from msgspec import Struct

from coffeerush.bots.outcomes import after, outcomes
from coffeerush.bots.planner import Candidate, candidates
from coffeerush.bots.values import Weights, after_turn, features, result, scores_of
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standard_deck
from coffeerush.rules.engine import end_turn
from protocol import Phase

T = TypeVar("T")
SEEDS: Final = 1 << 40
"""Training deals games from this seed on; measurements use smaller seeds."""
GAMES_PER_SEED: Final = 1 << 24
EXPLORED: Final = 0.1
"""The share of turns that are chosen at random among the best ones."""
EXPLORED_AMONG: Final = 8
UPGRADED: Final = 0.2
"""The share of its chances to upgrade that a hasty seat takes."""


class Position(Struct, frozen=True):
    """The features of a position, and whether the game was closed."""

    closed: bool
    features: list[float]


class Trajectory(Struct, frozen=True):
    """The positions at the end of a seat's turns but one that ended the game, and its result."""

    positions: list[Position]
    result: float


def play(
    players: int, seed: int, number: int, weights: Weights | None, hasty: float
) -> list[Trajectory]:
    """Play a game and return the trajectories of the seats that play by value.

    Args:
        players: 2 to 4.
        seed: of the training.
        number: of the game, which decides the deal and all choices.
        weights: for the values; None lets all seats play hastily and returns all trajectories.
        hasty: the share of seats that take the outcome with the best rank, unvalued.
    """
    dealt = SEEDS + seed * GAMES_PER_SEED + number
    chance = Random(f"{players} {dealt}")
    state = deal(Setup(players, standard_deck(), dealt, starters=chance.random() < 0.25))
    while state.phase in (Phase.PLACING, Phase.FILLING):
        state = advance(state, _any(legal_intents(state), chance))
    is_hasty = [weights is None or chance.random() < hasty for _ in range(players)]
    positions: list[list[Position]] = [[] for _ in range(players)]
    while (seat := state.active) is not None:
        if weights is None or is_hasty[seat]:
            played = _hasty(state, chance)
        else:
            played = _valued(candidates(state, weights), chance)
        ahead = after_turn(played)
        state = end_turn(played)
        if state.active is not None:
            positions[seat].append(Position(ahead.closed, features(played, ahead)))
    scores = scores_of(state)
    return [
        Trajectory(positions[seat], result(scores, seat))
        for seat in range(players)
        if weights is None or not is_hasty[seat]
    ]


def _valued(found: list[Candidate], chance: Random) -> State:
    """Return the end of the best turn; sometimes of another good one, so that values differ."""
    number = 0
    if chance.random() < EXPLORED:
        number = int(chance.random() * min(EXPLORED_AMONG, len(found)))
    return found[number].state


def _hasty(state: State, chance: Random) -> State:
    """Return the end of a turn chosen by rank, sometimes with a random upgrade."""
    upgrades = chance.random() < UPGRADED
    found = outcomes(state, 1, upgrades=upgrades)
    others = [candidate for candidate in found if candidate.ending.start.upgrade is not None]
    if others:
        return after(state, _any(others, chance))
    if chance.random() < EXPLORED:
        found = outcomes(state, EXPLORED_AMONG, upgrades=False)
        return after(state, _any(found, chance))
    return after(state, found[0])


def _any(among: Sequence[T], chance: Random) -> T:
    return among[int(chance.random() * len(among))]
