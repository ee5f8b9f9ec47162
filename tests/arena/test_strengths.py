"""Strengths of bots by maximum likelihood."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import log10
from random import Random

import pytest

from coffeerush.arena.plan import ArenaPlan, BlockResult, BotResult, GameResult
from coffeerush.arena.statistics import Choices, Comparison, choices_of, strengths
from coffeerush.rules import standard_deck

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
