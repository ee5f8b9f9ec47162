"""How sure a comparison is: confidence intervals and a sequential test, from means of blocks.

The games of a block share their cards and seats, so a block is one observation.
"""

from collections.abc import Sequence
from math import log, sqrt
from statistics import fmean, stdev
from typing import Final

from msgspec import Struct

from .game import BotResult


def win_shares(bots: Sequence[str], results: Sequence[BotResult]) -> tuple[float, ...]:
    """Return each entry's share of the victory in a game.

    Tied winners get equal shares. So do equal bots: swapping their seats would not change a move.
    """
    winners = [bots[one.entry] for one in results if one.rank == 1]
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
