"""Win shares, confidence intervals and the sequential test."""

from collections.abc import Sequence
from math import inf
from random import Random

import pytest

from coffeerush.arena.plan import BotResult
from coffeerush.arena.statistics import (
    BETTER_BY,
    Estimate,
    SequentialTest,
    estimate,
    is_difference,
    win_shares,
)


@pytest.mark.parametrize(
    ("bots", "ranks", "shares"),
    [
        ("abcd", (1, 2, 3, 4), (1, 0, 0, 0)),
        ("abcd", (1, 1, 3, 4), (1 / 2, 1 / 2, 0, 0)),
        ("abcd", (1, 1, 1, 1), (1 / 4, 1 / 4, 1 / 4, 1 / 4)),
        ("abab", (1, 2, 3, 4), (1 / 2, 0, 1 / 2, 0)),
        ("abba", (1, 1, 1, 4), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    ],
)
def test_a_shared_victory_is_divided(
    bots: str, ranks: Sequence[int], shares: Sequence[float]
) -> None:
    results = [BotResult(entry, 0, rank, 0, 0, 0, 0) for entry, rank in enumerate(ranks)]
    assert win_shares(bots, results) == pytest.approx(shares)
    assert win_shares(bots, results[::-1]) == pytest.approx(shares), (
        "the results are best first, not by entry"
    )


def test_an_interval_reflects_the_variance_of_the_blocks() -> None:
    # 0.4 and 0.6 have a standard error of 0.1, and t is 12.71 for two samples
    assert estimate([0.4, 0.6]).low == 0.0
    assert estimate([0.4, 0.6]).high == 1.0
    some = estimate([0.4, 0.6] * 50)
    assert (some.mean, some.low, some.high) == pytest.approx((0.5, 0.4801, 0.5199), abs=1e-4)
    wide = estimate([0.4, 0.6] * 6)
    assert wide.high - wide.low == pytest.approx(2 * 2.201 * 0.10445 / 12**0.5, rel=2e-3)


def test_an_interval_is_never_without_width() -> None:
    assert estimate([1.0]) == Estimate(1.0, 0.0, 1.0)
    always = estimate([1.0] * 100)
    assert (always.mean, always.high) == (1.0, 1.0)
    assert always.low == pytest.approx(0.97, abs=1e-3)


def test_about_95_of_100_intervals_contain_the_mean() -> None:
    chance = Random(1)
    samples = [[chance.random() for _ in range(8)] for _ in range(1000)]
    held = sum(one.low <= 0.5 <= one.high for one in map(estimate, samples))
    assert 935 <= held <= 965


def test_a_score_is_not_bounded() -> None:
    some = estimate([-3.0, 4.0, -3.0, 4.0], -inf, inf)
    assert some.low < 0 < some.mean == 0.5 < some.high
    assert some.high > 1
    assert estimate([2.0], -inf, inf) == Estimate(2.0, -inf, inf)


def test_a_difference_is_that_of_the_same_blocks() -> None:
    """Two bots that share the luck of each block differ, though their intervals overlap."""
    chance = Random(1)
    luck = [chance.random() / 2 for _ in range(40)]
    some = [one + 0.05 + 0.001 * (at % 3) for at, one in enumerate(luck)]
    assert estimate(some).low < estimate(luck).high
    assert is_difference(some, luck)
    assert is_difference(luck, some)
    assert not is_difference(luck, luck[::-1])


def verdict(mean: float, chance: Random) -> tuple[bool, int]:
    """Return the verdict of the sequential test on blocks of this mean, and their number."""
    test, blocks = SequentialTest(), 0
    while True:
        blocks += 1
        if (better := test.add(chance.gauss(mean, 0.25))) is not None:
            return better, blocks


def test_the_sequential_test_errs_in_at_most_5_of_100_cases() -> None:
    chance = Random(3)
    equal = [verdict(0.0, chance) for _ in range(300)]
    better = [verdict(BETTER_BY, chance) for _ in range(300)]
    assert sum(found for found, _ in equal) <= 20
    assert sum(not found for found, _ in better) <= 20
    assert sum(blocks for _, blocks in equal) / 300 < 250


def test_a_great_difference_is_known_early() -> None:
    assert verdict(0.5, Random(1))[1] < verdict(0.1, Random(1))[1] < 150
    always = SequentialTest()
    assert [always.add(1.0) for _ in range(20)][-1] is True
    never = SequentialTest()
    assert [never.add(-1.0) for _ in range(20)][-1] is False
    assert SequentialTest().add(1.0) is None
