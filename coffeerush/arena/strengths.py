"""Strengths of bots by maximum likelihood, in the Plackett-Luce model.

The winner of a game is drawn among its players in proportion to their strengths, then the second
among the others, and so on. Source: D. R. Hunter, "MM algorithms for generalized Bradley-Terry
models", Annals of Statistics 32 (2004). The order of the games has no effect.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, permutations, product
from math import exp, factorial, fsum, log, prod
from random import Random
from typing import Final

from .game import BotResult
from .statistics import Estimate

Choices = Counter[tuple[int, tuple[int, ...]]]
"""How often a bot was the next best of those left, in units of `_UNIT`."""
_UNIT: Final = 24
"""A game with ties counts as all its strict rankings, of which there are 1, 2, 4, 6 or 24."""
_SCALE: Final = 400.0
"""Points for ten times the strength, as in chess ratings."""
_RESAMPLES: Final = 200
_MAX_STEPS: Final = 2000
_PRECISION: Final = 1e-6
_ROUGHLY: Final = 1e-4


def choices_of(bots: Sequence[int], results: Sequence[BotResult]) -> Choices:
    """Return the choices in a game.

    Args:
        bots: the number of each entry's bot.
        results: of the game, best first.
    """
    ties = [
        [bots[one.entry] for one in group] for _rank, group in groupby(results, lambda r: r.rank)
    ]
    weight = _UNIT // prod(factorial(len(tied)) for tied in ties)
    found: Choices = Counter()
    for orders in product(*(permutations(tied) for tied in ties)):
        ranking = [bot for order in orders for bot in order]
        for place in range(len(ranking) - 1):
            found[ranking[place], tuple(sorted(ranking[place:]))] += weight
    return found


def strengths(bots: int, blocks: Sequence[Choices]) -> list[Estimate]:
    """Return the strength of each bot in points, 0 on average, with its 95% interval.

    Each bot also wins once and loses once against an imagined average bot, so that one that always
    wins is not infinitely strong. The intervals are those of the bootstrap over the blocks, which
    gives the imagined games random weights, too: 1 on average.

    Args:
        bots: how many there are.
        blocks: the choices in all games of each block.
    """
    ones = [(1.0, 1.0)] * bots
    best = _fit(_total(blocks), ones, [0.0] * bots, _PRECISION)
    chance = Random("bootstrap")
    found = []
    for _number in range(_RESAMPLES):
        weights = [(chance.expovariate(1), chance.expovariate(1)) for _bot in range(bots)]
        total = _total(chance.choices(blocks, k=len(blocks)))
        found.append(_points(_fit(total, weights, best, _ROUGHLY)))
    ends = []
    for bot in range(bots):
        seen = sorted(one[bot] for one in found)
        ends.append((seen[round(0.025 * (_RESAMPLES - 1))], seen[round(0.975 * (_RESAMPLES - 1))]))
    return [
        Estimate(point, min(low, point), max(high, point))
        for point, (low, high) in zip(_points(best), ends, strict=True)
    ]


def _total(blocks: Iterable[Choices]) -> Choices:
    total: Choices = Counter()
    for choices in blocks:
        total.update(choices)
    return total


def _points(logs: Sequence[float]) -> list[float]:
    mean = fsum(logs) / len(logs)
    return [_SCALE * (one - mean) / log(10) for one in logs]


def _fit(
    choices: Choices,
    imagined: Sequence[tuple[float, float]],
    start: Sequence[float],
    precision: float,
) -> list[float]:
    """Return the logarithms of the strengths.

    Args:
        choices: in all games.
        imagined: how often each bot won and lost against an average one, whose strength is 1.
        start: the logarithms to begin with.
        precision: of the logarithms.
    """
    wins = [won * _UNIT for won, _lost in imagined]
    extra = [(won + lost) * _UNIT for won, lost in imagined]
    left: Counter[tuple[int, ...]] = Counter()
    for (bot, others), count in sorted(choices.items()):
        wins[bot] += count
        left[others] += count
    strength = [exp(one) for one in start]
    for _step in range(_MAX_STEPS):
        sums = [games / (1 + one) for games, one in zip(extra, strength, strict=True)]
        for others, count in left.items():
            share = count / sum(strength[bot] for bot in others)
            for bot in others:
                sums[bot] += share
        raw = [won / total for won, total in zip(wins, sums, strict=True)]
        average = exp(fsum(map(log, raw)) / len(raw))
        following = [one / average for one in raw]
        change = max(abs(log(a / b)) for a, b in zip(following, strength, strict=True))
        strength = following
        if change < precision:
            break
    return [log(one) for one in strength]
