"""The statistics of a comparison: shares, differences, strengths."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import inf, log10
from random import Random

import pytest

from coffeerush.arena.plan import ArenaPlan, BlockResult, BotResult, GameResult
from coffeerush.arena.statistics import (
    BETTER_BY,
    Choices,
    Comparison,
    Estimate,
    SequentialTest,
    choices_of,
    estimate,
    is_difference,
    strengths,
    win_shares,
)
from coffeerush.rules import standard_deck

# Win shares, confidence intervals and the sequential test


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


# Strengths of bots by maximum likelihood


BOTS = ("a", "b", "c", "d")


def ranked(entries: Sequence[int], ranks: Sequence[int] = ()) -> tuple[BotResult, ...]:
    """Return the result of a game, best first; the ranks are 1, 2, ... unless given."""
    ranks = ranks or range(1, len(entries) + 1)
    return tuple(
        BotResult(entry, entry % 4, rank, 10 - rank, 5, 1, 1)
        for entry, rank in zip(entries, ranks, strict=True)
    )


def drawn(weights: Sequence[float], players: int, chance: Random) -> tuple[BotResult, ...]:
    """Return a random game of the Plackett-Luce model; one of eight ends with a tie."""
    left = chance.sample(range(len(weights)), players)
    order = []
    while left:
        order.append(chance.choices(left, [weights[entry] for entry in left])[0])
        left.remove(order[-1])
    return ranked(order, (1, 1, 3, 4)[:players] if chance.random() < 1 / 8 else ())


def games_of(weights: Sequence[float], count: int, players: int = 4) -> list[GameResult]:
    chance = Random(5)
    return [
        GameResult(game, game // 4, 9, 99, drawn(weights, players, chance)) for game in range(count)
    ]


def blocks_of(games: Sequence[GameResult]) -> list[BlockResult]:
    blocks: dict[int, list[GameResult]] = {}
    for game in games:
        blocks.setdefault(game.seed, []).append(game)
    return [BlockResult(block, tuple(inside)) for block, inside in blocks.items()]


@pytest.mark.slow
def test_two_bots_have_the_odds_of_their_wins() -> None:
    games = Counter[tuple[int, tuple[int, ...]]]()
    for winner in (0, 0, 0, 1):
        games.update(choices_of([0, 1], ranked([winner, 1 - winner])))
    first, second = strengths(2, [games] * 2000)
    assert first.mean == pytest.approx(200 * log10(3), abs=0.1)
    assert first.mean == -second.mean


def test_all_strict_rankings_of_a_tie_count_equally() -> None:
    tied = choices_of(range(4), ranked([0, 1, 2, 3], (1, 1, 3, 3)))
    wanted: Choices = Counter({(bot, (0, 1, 2, 3)): 12 for bot in (0, 1)})
    wanted |= {(bot, (bot, 2, 3)): 12 for bot in (0, 1)}
    wanted |= {(bot, (2, 3)): 12 for bot in (2, 3)}
    assert tied == wanted
    alike = choices_of(range(4), ranked([0, 1, 2, 3], (1, 1, 1, 1)))
    assert alike[0, (0, 1, 2, 3)] == 6
    assert sum(alike.values()) == 3 * 24
    (one, other) = strengths(2, [choices_of(range(2), ranked([0, 1], (1, 1)))])
    assert one.mean == pytest.approx(other.mean) == pytest.approx(0)


@pytest.mark.slow
def test_known_strengths_are_found() -> None:
    for weights, players in (((8.0, 4.0, 2.0, 1.0), 4), (tuple(1.5**n for n in range(6)), 3)):
        blocks = [
            Counter(choices_of(range(len(weights)), game.results))
            for game in games_of(weights, 800, players)
        ]
        found = strengths(len(weights), blocks)
        mean = sum(map(log10, weights)) / len(weights)
        wanted = [400 * (log10(weight) - mean) for weight in weights]
        for one, want in zip(found, wanted, strict=True):
            assert one.low < one.mean < one.high
            assert one.mean == pytest.approx(want, abs=40)  # ties bring them together a little
        assert sum(one.mean for one in found) == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_the_order_of_games_does_not_change_the_table() -> None:
    plan = ArenaPlan(BOTS, 4, 0, False, standard_deck())
    games = games_of((3.0, 2.0, 2.0, 1.0), 2000)
    table = Comparison(plan, blocks_of(games)).summaries
    shuffled = Random(2).sample(games, len(games))
    assert Comparison(plan, blocks_of(shuffled)).summaries == table
    assert sum(one.share for one in table) == pytest.approx(1)
    assert len({one.strength for one in table}) == 4


def test_a_bot_that_always_wins_is_not_infinitely_strong() -> None:
    best, other = strengths(2, [choices_of(range(2), ranked([0, 1]))] * 20)
    assert 100 < best.low < best.mean < best.high < 2000
    assert other.mean == -best.mean


def test_every_order_of_typing_gives_the_same_strengths() -> None:
    games = games_of((3.0, 2.0, 1.0), 60, 3)
    tables = set()
    for order in permutations(range(3)):
        bots = tuple(BOTS[entry] for entry in order)
        plan = ArenaPlan(bots, 3, 0, False, standard_deck())
        at = {entry: place for place, entry in enumerate(order)}
        moved = [
            GameResult(
                game.game,
                game.seed,
                game.rounds,
                game.intents,
                tuple(
                    BotResult(at[one.entry], one.seat, one.rank, one.score, 5, 1, 1)
                    for one in game.results
                ),
            )
            for game in games
        ]
        found = Comparison(plan, blocks_of(moved)).summaries
        tables.add(tuple(sorted((one.bot, one.strength, one.share) for one in found)))
    assert len(tables) == 1
