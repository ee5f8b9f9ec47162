"""Arena games between bots in process, and the statistics that compare them."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from random import Random
from statistics import fmean

import pytest

from coffeerush.arena.game import (
    MAX_INTENTS_A_TURN,
    BotResult,
    Estimate,
    block_orders,
    estimate,
    play_game,
    results_of,
    seating,
    win_shares,
)
from coffeerush.bots import Bot, GreedyBot, RandomBot
from coffeerush.errors import BotError
from coffeerush.rules import Setup, replay, standard_deck, standings
from protocol import EndTurn, Intent, Phase, PlaceMeeple, Pour, Serve, Step, Undo, View
from tests.support.steering import TABLES, setup_of

SETUP = Setup(3, standard_deck(), 1, first=0)


class Attentive:
    """Plays at random, and records its Views and random generators."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.drawn: list[float] = []

    def choose(self, view: View, chance: Random) -> Intent:
        self.views.append(view)
        self.drawn.append(chance.random())
        return RandomBot().choose(view, chance)


class Cheat:
    """Plays at random, but ends its turn when it must move."""

    def choose(self, view: View, chance: Random) -> Intent:
        return EndTurn() if view.phase is Phase.MOVING else RandomBot().choose(view, chance)


class Ditherer:
    """Undoes everything it does."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        return Undo() if view.own.undo else RandomBot().choose(view, chance)


class Eager:
    """Serves, pours and walks whenever it can, in any direction."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        for wanted in (Serve, Pour, Step):
            for option in view.own.options:
                if isinstance(option.intent, wanted):
                    return option.intent
        return RandomBot().choose(view, chance)


class Stubborn:
    """Places its meeple on an occupied cell."""

    def choose(self, view: View, chance: Random) -> Intent:
        return PlaceMeeple(0)


def three(bot: Bot) -> list[Bot]:
    return [bot, RandomBot(), RandomBot()]


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_a_game_is_played_to_its_end(players: int, starters: bool) -> None:
    setup = setup_of(players, starters, 3)
    played = play_game(setup, [GreedyBot(), *[RandomBot()] * (players - 1)])
    assert played.final.phase is Phase.OVER
    assert played.standings == standings(played.final)
    *_, last = replay(setup, played.moves)
    assert last == played.final


def test_the_same_seed_makes_the_same_moves() -> None:
    games = [play_game(SETUP, [GreedyBot(), RandomBot(), Attentive()]) for _ in range(2)]
    assert games[0].moves == games[1].moves
    other = Setup(3, standard_deck(), 2, first=0)
    assert play_game(other, [GreedyBot(), RandomBot(), Attentive()]).moves != games[0].moves


def test_bots_get_views_of_their_seat_and_nothing_else() -> None:
    # R-INFO-2
    bots = [Attentive(), Attentive(), Attentive()]
    play_game(SETUP, bots)
    for seat, bot in enumerate(bots):
        assert bot.views
        for view in bot.views:
            assert type(view) is View
            assert view.own is not None
            assert view.own.seat == seat == view.active
            assert view.own.options


def test_each_bot_has_its_own_randomness() -> None:
    """The numbers that one bot draws do not depend on how many another one has drawn."""
    alone, beside = Attentive(), Attentive()
    play_game(SETUP, [alone, RandomBot(), RandomBot()])
    play_game(SETUP, [beside, GreedyBot(), GreedyBot()])
    assert alone.drawn[0] == beside.drawn[0]
    first, second = Attentive(), Attentive()
    play_game(SETUP, [first, second, RandomBot()])
    assert first.drawn[0] != second.drawn[0]


def test_an_illegal_choice_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match=r"The bot in seat 1 chose EndTurn\(\), which was not one"):
        play_game(SETUP, three(Cheat()))
    with pytest.raises(BotError, match=r"The bot in seat 2 chose PlaceMeeple\(cell=0\), which was"):
        play_game(SETUP, [Stubborn(), Stubborn(), Stubborn()])


def test_an_endless_turn_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match="seat 1 never ends its turn; it must choose EndTurn"):
        play_game(SETUP, three(Ditherer()))
    assert MAX_INTENTS_A_TURN >= 300, "the longest honest turn pours every token there is"


@pytest.mark.parametrize(
    ("bots", "games"),
    [("ab", 2), ("aa", 1), ("abc", 6), ("aab", 3), ("abcd", 24), ("abaa", 4), ("abba", 6)],
)
def test_a_block_has_every_distinct_order_once(bots: str, games: int) -> None:
    for block in range(3):
        played = [seating(bots, block * games + number) for number in range(games)]
        assert {one for one, _ in played} == {block}
        orders = ["".join(bots[entry] for entry in seated) for _, seated in played]
        assert sorted(orders) == sorted({"".join(order) for order in permutations(bots)})


@pytest.mark.parametrize("bots", ["ab", "abc", "abcd"])
def test_each_entry_meets_every_neighbour_on_every_seat_equally_often(bots: str) -> None:
    entries = len(bots)
    met: Counter[tuple[int, ...]] = Counter()
    for game in range(len(block_orders(bots))):
        _, seated = seating(bots, game)
        met.update((seat, *seated[seat:], *seated[:seat]) for seat in range(entries))
    around = permutations(range(entries))
    assert met == {(seat, *others): 1 for others in around for seat in range(entries)}


@pytest.mark.parametrize("bots", ["aa", "aba", "aaa", "abab", "aabb", "abbb", "aaaa"])
def test_equal_bots_swap_seats(bots: str) -> None:
    every = [*permutations(range(len(bots)))]
    assert sorted(seating(bots, game)[1] for game in range(len(every))) == every


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
    for game in range(blocks * len(block_orders(bots))):
        block, seated = seating(bots, game)
        line = [Eager() if bots[entry] == "e" else RandomBot() for entry in seated]
        played = play_game(Setup(len(bots), standard_deck(), block), line)
        results.append(results_of(played, seated))
    return results


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


def test_results_have_the_score_of_each_entry() -> None:
    played = play_game(SETUP, [RandomBot(), GreedyBot(), RandomBot()])
    results = results_of(played, [2, 0, 1])
    assert [one.rank for one in results] == sorted(one.rank for one in results)
    assert {one.seat: one.entry for one in results} == {0: 2, 1: 0, 2: 1}
    best = played.final.players[1]
    assert results[0] == BotResult(
        entry=0,
        seat=1,
        rank=1,
        score=results[0].score,
        completed=len(best.completed),
        penalties=len(best.penalties),
        upgrades=best.upgrades.bit_count(),
    )
    one = results[0]
    assert one.score == one.completed + 2 * one.upgrades - one.penalties  # R-END-2
