"""Who sits where in the games of an arena."""

from collections import Counter
from itertools import combinations, permutations
from random import Random
from statistics import fmean

import pytest

from coffeerush.arena.plan import (
    MAX_ORDERS,
    ArenaPlan,
    BotResult,
    block_orders,
    play_game,
    results_of,
)
from coffeerush.arena.statistics import estimate, win_shares
from coffeerush.bots import RandomBot
from coffeerush.rules import Setup, standard_deck
from protocol import Intent, Pour, Serve, Step, View


def plan_of(bots: str, players: int = 0, seed: int = 0) -> ArenaPlan:
    return ArenaPlan(tuple(bots), players or len(bots), seed, False, standard_deck())


class Eager:
    """Serves, pours and walks whenever it can, in any direction."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        for wanted in (Serve, Pour, Step):
            for option in view.own.options:
                if isinstance(option.intent, wanted):
                    return option.intent
        return RandomBot().choose(view, chance)


@pytest.mark.parametrize(
    ("bots", "games"),
    [("ab", 2), ("aa", 1), ("abc", 6), ("aab", 3), ("abaa", 4), ("abba", 6)],
)
def test_a_block_has_every_distinct_order_once_if_there_are_few(bots: str, games: int) -> None:
    plan = plan_of(bots)
    assert plan.games == games
    for block in range(3):
        played = [plan.seating(block * games + number) for number in range(games)]
        assert {one for one, _ in played} == {block}
        orders = ["".join(bots[entry] for entry in seated) for _, seated in played]
        assert sorted(orders) == sorted({"".join(order) for order in permutations(bots)})


@pytest.mark.parametrize("bots", ["ab", "abc"])
def test_each_entry_meets_every_neighbour_on_every_seat_equally_often(bots: str) -> None:
    met: Counter[tuple[int, ...]] = Counter()
    for seated in plan_of(bots).seatings(0):
        met.update((seat, *seated[seat:], *seated[:seat]) for seat in range(len(bots)))
    around = permutations(range(len(bots)))
    assert met == {(seat, *others): 1 for others in around for seat in range(len(bots))}


@pytest.mark.parametrize("bots", ["aa", "aba", "aaa", "abab", "aabb", "abbb", "aaaa"])
def test_equal_bots_swap_seats(bots: str) -> None:
    plan = plan_of(bots)
    every = [*permutations(range(len(bots)))]
    assert sorted(plan.seating(game)[1] for game in range(len(every))) == every


@pytest.mark.parametrize(
    ("bots", "players"), [("abcd", 4), ("abbc", 4), ("abcde", 2), ("abcde", 3), ("aabcdefg", 4)]
)
def test_in_a_circle_every_entry_gets_every_seat_once(bots: str, players: int) -> None:
    assert players < len(bots) or len(block_orders(bots)) > MAX_ORDERS
    plan = plan_of(bots, players)
    for block in range(3):
        tables = plan.seatings(block)
        assert len(tables) == plan.games == len(bots)
        assert all(len({*seated}) == players for seated in tables)
        for seat in range(players):
            assert sorted(seated[seat] for seated in tables) == [*range(len(bots))]


def test_in_a_circle_everybody_meets_everybody_else_about_equally_often() -> None:
    plan = plan_of("abcdef", 3)
    met: Counter[tuple[int, ...]] = Counter()
    for block in range(500):
        for seated in plan.seatings(block):
            met.update(combinations(sorted(seated), 2))
    expected = 500 * 6 * 3 / 15
    assert len(met) == 15
    assert all(abs(count - expected) < 0.1 * expected for count in met.values())


def test_the_circle_does_not_depend_on_the_order_of_typing() -> None:
    tables = set()
    for bots in ("abcde", "edcba", "cadbe"):
        plan = plan_of(bots, 4, 7)
        tables.add(tuple("".join(bots[e] for e in seated) for seated in plan.seatings(3)))
    assert len(tables) == 1


@pytest.mark.slow
def test_equal_bots_come_out_equal_in_every_order_of_typing() -> None:
    blocks = 12
    together = set()
    for bots in block_lineups("eerr"):
        results = play_blocks(bots, blocks)
        shares = [
            fmean(game) for game in zip(*(win_shares(bots, one) for one in results), strict=True)
        ]
        assert sum(shares) == pytest.approx(1)
        by_bot = {bots[entry]: round(share, 9) for entry, share in enumerate(shares)}
        assert [round(share, 9) for share in shares] == [by_bot[bot] for bot in bots]
        together.add((by_bot["e"], by_bot["r"]))
        for entry, bot in enumerate(bots):
            own = [win_shares("1234", one)[entry] for one in results]  # as if none were equal
            seen = estimate([fmean(own[at : at + 6]) for at in range(0, len(own), 6)])
            assert seen.low <= by_bot[bot] <= seen.high
    assert len(together) == 1


def block_lineups(bots: str) -> list[str]:
    return sorted({"".join(order) for order in permutations(bots)})


def play_blocks(bots: str, blocks: int) -> list[tuple[BotResult, ...]]:
    """Return the results of each game between eager (e) and random (r) bots."""
    results = []
    plan = plan_of(bots)
    for game in range(blocks * plan.games):
        block, seated = plan.seating(game)
        line = [Eager() if bots[entry] == "e" else RandomBot() for entry in seated]
        played = play_game(Setup(len(bots), standard_deck(), block), line)
        results.append(results_of(played, seated))
    return results
