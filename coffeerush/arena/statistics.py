"""The result of an arena: win shares and strengths of bots, with how certain they are."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise, permutations, product
from math import exp, factorial, fsum, inf, log, prod, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final

from msgspec import Struct

from .plan import ArenaPlan, BlockResult, BotResult


def win_shares(bots: Sequence[str], results: Sequence[BotResult]) -> tuple[float, ...]:
    """Return each entry's share of the victory in a game.

    Tied winners get equal shares. So do equal bots: swapping their seats would not change a move.
    """
    winners = [bots[result.entry] for result in results if result.rank == 1]
    return tuple(winners.count(bot) / len(winners) / bots.count(bot) for bot in bots)


class Estimate(Struct, frozen=True):
    """A mean and its 95% confidence interval."""

    mean: float
    low: float
    high: float


_T95: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""The two-sided 95% quantile of Student's t with 1 to 10 degrees of freedom."""


def estimate(samples: Sequence[float], lowest: float = 0.0, highest: float = 1.0) -> Estimate:
    """Estimate the mean of the distribution from independent samples between two bounds."""
    mean, count = fmean(samples), len(samples)
    if count == 1:
        return Estimate(mean, lowest, highest)
    freedom = count - 1
    t = _T95[freedom - 1] if freedom <= len(_T95) else 1.96 + 2.37 / freedom + 2.82 / freedom**2
    # Equal samples have no deviation; rule of three: at most about 3 in `count` would differ.
    margin = t * stdev(samples) / sqrt(count) or 1 - 0.05 ** (1 / count)
    return Estimate(mean, max(lowest, mean - margin), min(highest, mean + margin))


def is_difference(some: Sequence[float], others: Sequence[float]) -> bool:
    """Return whether the win shares of two entries in the same blocks differ (95% confidence)."""
    seen = estimate([a - b for a, b in zip(some, others, strict=True)], -1.0, 1.0)
    return not seen.low <= 0.0 <= seen.high


BETTER_BY: Final = 0.05
"""The difference of the win shares that the sequential test is to tell from none."""
_ERROR: Final = 0.05
"""The probability of each wrong verdict: better, though equal; not better, though so much."""
_BOUND: Final = log((1 - _ERROR) / _ERROR)


class SequentialTest:
    """The generalized sequential probability ratio test of "A is better than B".

    It takes the difference of their win shares in each block, as normally distributed with an
    unknown variance. Two imagined blocks, one won by each, keep that variance from being zero.
    Source: T. L. Lai, "Sequential analysis: some classical problems and new challenges", 2001;
    M. Van den Bergh, "A practical introduction to the GSPRT", 2019.
    """

    def __init__(self) -> None:
        self._count = 2
        self._sum = 0.0
        self._squares = 2.0

    @property
    def ratio(self) -> float:
        """The logarithm of the likelihood ratio of a difference of `BETTER_BY` to none."""
        mean = self._sum / self._count
        variance = self._squares / self._count - mean * mean
        return self._count * BETTER_BY * (2 * mean - BETTER_BY) / (2 * variance)

    def add(self, difference: float) -> bool | None:
        """Take the next block; return whether A is better, or None if that is not known yet."""
        self._count += 1
        self._sum += difference
        self._squares += difference * difference
        ratio = self.ratio
        return ratio > 0 if abs(ratio) >= _BOUND else None


# Strengths of bots by maximum likelihood, in the Plackett-Luce model
#
# The winner of a game is drawn among its players in proportion to their strengths, then the second
# among the others, and so on. Source: D. R. Hunter, "MM algorithms for generalized Bradley-Terry
# models", Annals of Statistics 32 (2004). The order of the games has no effect.


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
    ranks = groupby(results, lambda result: result.rank)
    ties = [[bots[result.entry] for result in tied] for _rank, tied in ranks]
    weight = _UNIT // prod(factorial(len(tied)) for tied in ties)
    choices: Choices = Counter()
    for orders in product(*(permutations(tied) for tied in ties)):
        ranking = [bot for order in orders for bot in order]
        for place in range(len(ranking) - 1):
            choices[ranking[place], tuple(sorted(ranking[place:]))] += weight
    return choices


def strengths(bots: int, blocks: Sequence[Choices]) -> list[Estimate]:
    """Return the strength of each bot in points, 0 on average, with its 95% interval.

    Each bot also wins once and loses once against an imagined average bot, so that one that always
    wins is not infinitely strong. The intervals are those of the bootstrap over the blocks, which
    also gives the imagined games random weights: 1 on average.

    Args:
        bots: how many there are.
        blocks: the choices in all games of each block.
    """
    ones = [(1.0, 1.0)] * bots
    best = _fit(_total(blocks), ones, [0.0] * bots, _PRECISION)
    chance = Random("bootstrap")
    resampled = []
    for _number in range(_RESAMPLES):
        weights = [(chance.expovariate(1), chance.expovariate(1)) for _bot in range(bots)]
        total = _total(chance.choices(blocks, k=len(blocks)))
        resampled.append(_points(_fit(total, weights, best, _ROUGHLY)))
    ends = []
    for bot in range(bots):
        seen = sorted(points[bot] for points in resampled)
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
    return [_SCALE * (strength - mean) / log(10) for strength in logs]


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
    strength = [exp(value) for value in start]
    for _step in range(_MAX_STEPS):
        sums = [games / (1 + value) for games, value in zip(extra, strength, strict=True)]
        for others, count in left.items():
            share = count / sum(strength[bot] for bot in others)
            for bot in others:
                sums[bot] += share
        raw = [won / total for won, total in zip(wins, sums, strict=True)]
        average = exp(fsum(map(log, raw)) / len(raw))
        following = [value / average for value in raw]
        change = max(abs(log(a / b)) for a, b in zip(following, strength, strict=True))
        strength = following
        if change < precision:
            break
    return [log(value) for value in strength]


# One summary per bot, made of the results of the blocks


class Summary(Struct, frozen=True):
    """The results of one entry over all games, as `--json` prints it.

    Everything but `games` and `wins` is averaged over all entries of the same bot. `low` and `high`
    are the ends of a 95% confidence interval. If there is only one block, those of the share are 0
    and 1, and those of the score null in JSON and empty in CSV.
    """

    entry: int
    bot: str
    games: int
    blocks: int
    wins: int
    """Games with rank 1; a shared victory counts for each winner (R-END-3)."""
    share: float
    """The share of all victories; a shared one is split equally between the winners."""
    low: float
    high: float
    score: float
    score_low: float
    score_high: float
    strength: float
    """In points: 400 more are ten times the strength in the Plackett-Luce model, 0 is average."""
    strength_low: float
    strength_high: float
    completed: float
    penalties: float
    upgrades: float


class Comparison:
    """The results of an arena.

    Args:
        plan: of the arena.
        blocks: in any order; those without a finished game do not count.
    """

    def __init__(self, plan: ArenaPlan, blocks: Sequence[BlockResult]) -> None:
        self.plan = plan
        in_order = sorted(blocks, key=lambda block: block.block)
        self.blocks = [block for block in in_order if block.games]
        shares = [block_shares(plan, block) for block in self.blocks]
        self.shares = [*zip(*shares, strict=True)] if shares else []
        """The share of each entry in each block."""

    @property
    def games(self) -> int:
        """The number of finished games."""
        return sum(len(block.games) for block in self.blocks)

    @cached_property
    def summaries(self) -> list[Summary]:
        """The summary of each entry that has finished a game."""
        bots = self.plan.bots
        kinds = sorted(set(bots))
        estimates = self._strengths(kinds) if self.blocks else []
        return [
            self._summary(entry, estimates[kinds.index(bots[entry])])
            for entry in range(len(bots))
            if any(self._results(block, bots[entry]) for block in self.blocks)
        ]

    def _strengths(self, kinds: Sequence[str]) -> list[Estimate]:
        numbers = [kinds.index(bot) for bot in self.plan.bots]
        blocks = []
        for block in self.blocks:
            choices: Choices = Counter()
            for game in block.games:
                choices.update(choices_of(numbers, game.results))
            blocks.append(choices)
        return strengths(len(kinds), blocks)

    def _results(self, block: BlockResult, bot: str) -> list[BotResult]:
        results = (result for game in block.games for result in game.results)
        return [result for result in results if self.plan.bots[result.entry] == bot]

    def _summary(self, entry: int, strength: Estimate) -> Summary:
        bot = self.plan.bots[entry]
        by_block = [*filter(None, (self._results(block, bot) for block in self.blocks))]
        alike = [result for results in by_block for result in results]
        own = [result for result in alike if result.entry == entry]
        share = estimate(self.shares[entry])
        score = estimate(
            [fmean(result.score for result in results) for results in by_block], -inf, inf
        )
        return Summary(
            entry=entry,
            bot=bot,
            games=len(own),
            blocks=len(self.blocks),
            wins=sum(result.rank == 1 for result in own),
            share=share.mean,
            low=share.low,
            high=share.high,
            score=score.mean,
            score_low=score.low,
            score_high=score.high,
            strength=strength.mean,
            strength_low=strength.low,
            strength_high=strength.high,
            completed=fmean(result.completed for result in alike),
            penalties=fmean(result.penalties for result in alike),
            upgrades=fmean(result.upgrades for result in alike),
        )

    def undecided(self, ranked: Sequence[Summary]) -> Iterator[tuple[str, str]]:
        """Yield the bots that follow each other in a ranking, but may as well be equal."""
        for better, worse in pairwise(ranked):
            if better.bot != worse.bot and not is_difference(
                self.shares[better.entry], self.shares[worse.entry]
            ):
                yield better.bot, worse.bot


def block_shares(plan: ArenaPlan, block: BlockResult) -> tuple[float, ...]:
    """Return each entry's share of the victories in a block with finished games; their sum is 1."""
    games = [win_shares(plan.bots, game.results) for game in block.games]
    return tuple(fmean(entry) for entry in zip(*games, strict=True))


def ranking(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries, best first."""
    return sorted(summaries, key=lambda summary: (-summary.share, -summary.score))
