"""The life of a tournament: everybody plays, leavers and latecomers among them, and is counted."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from coffeerush.tournament.pairing import Table
from coffeerush.tournament.tournament import (
    RESTING,
    Score,
    Tournament,
    scores,
    usual_rounds,
)


def played(table: Table, chance: Random) -> dict[str, Score]:
    """Return a result at random."""
    points = [chance.randrange(8) for _seat in table]
    ranks = [1 + sum(other > mine for other in points) for mine in points]
    seats = [(rank, score, chance.randrange(3)) for rank, score in zip(ranks, points, strict=True)]
    return dict(zip(table, scores(seats), strict=True))


def test_a_victory_and_the_points_are_shared() -> None:
    assert scores([(1, 6, 0), (1, 6, 1), (3, 0, 2)]) == [
        Score(Fraction(1, 2), Fraction(1, 2), Fraction(0)),
        Score(Fraction(1, 2), Fraction(1, 2), Fraction(1)),
        Score(Fraction(0), Fraction(0), Fraction(2)),
    ]


def test_without_points_or_below_zero_everybody_has_an_equal_share() -> None:
    shares = [score.points for score in scores([(1, 0, 0), (2, -1, 0), (3, -2, 1)])]
    assert shares == [Fraction(1, 3)] * 3


@pytest.mark.parametrize(("players", "rounds"), [(2, 2), (4, 2), (8, 3), (9, 4), (16, 4), (40, 6)])
def test_more_players_need_more_rounds(players: int, rounds: int) -> None:
    assert usual_rounds(players) == rounds


def test_wins_count_before_points_and_points_before_penalties() -> None:
    tournament = Tournament(["a", "b", "c", "d"], seed=1)
    (table,) = tournament.begin_round().tables
    half, tenth = Fraction(1, 2), Fraction(1, 10)
    results = {
        "c": Score(half, tenth, Fraction(3)),
        "a": Score(Fraction(0), half, Fraction(1)),
        "b": Score(Fraction(0), half, Fraction(0)),
        "d": Score(half, tenth, Fraction(3)),
    }
    tournament.finish(table, results)
    assert [(line.place, line.player) for line in tournament.standings()] == [
        (1, "c"),
        (1, "d"),
        (3, "b"),
        (4, "a"),
    ]


def test_with_five_nobody_sits_out_twice_before_everybody_did() -> None:
    tournament, chance = Tournament("abcde", seed=3), Random(3)
    rested = Counter[str]()
    for _round in range(10):
        begun = tournament.begin_round()
        rested.update(begun.resting)
        assert max(rested.values()) - min(rested[player] for player in "abcde") <= 1
        for table in begun.tables:
            tournament.finish(table, played(table, chance))
    assert {*rested.values()} == {2}


def test_who_sits_out_has_the_score_of_an_average_player() -> None:
    tournament = Tournament("abcde", seed=3)
    (table,), (resting,) = tournament.begin_round().tables, tournament.rounds[0].resting
    assert tournament.standings() == []
    tournament.finish(table, dict.fromkeys(table, Score()))
    lines = {line.player: line for line in tournament.standings()}
    assert lines[resting].score == RESTING
    assert lines[resting].place == 5, "behind all who have played"


def test_no_round_begins_while_a_table_plays_or_with_one_player() -> None:
    tournament = Tournament("abc", seed=0)
    (table,) = tournament.begin_round().tables
    with pytest.raises(ValueError, match="no result"):
        tournament.begin_round()
    tournament.finish(table, played(table, Random(0)))
    with pytest.raises(KeyError):
        tournament.finish(table, played(table, Random(0)))
    tournament.leave("a")
    tournament.leave("b")
    with pytest.raises(ValueError, match="two players"):
        tournament.begin_round()


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(4, 24), st.integers(0, 10**6))
def test_with_leavers_and_latecomers_the_standings_equal_a_count_of_all_results(
    players: int, seed: int
) -> None:
    chance = Random(seed)
    here = [f"p{number}" for number in range(players)]
    tournament, counted = Tournament(here, seed), dict[str, list[Score]]()
    active = set[str]()
    for number in range(4):
        begun = tournament.begin_round()
        seated = [player for table in begun.tables for player in table]
        assert sorted([*seated, *begun.resting]) == sorted(here)
        active.update(seated)
        for player in begun.resting:
            counted.setdefault(player, []).append(RESTING)
        for table in chance.sample(begun.tables, len(begun.tables)):
            result = played(table, chance)
            tournament.finish(table, result)
            for player, score in result.items():
                counted.setdefault(player, []).append(score)
        assert not tournament.playing
        if chance.random() < 0.5 and len(here) > 2:
            left = here.pop(chance.randrange(len(here)))
            tournament.leave(left)
        here.append(f"late{number}")
        tournament.join(here[-1])
    lines = tournament.standings()
    assert {line.player: (line.score, line.rounds) for line in lines} == {
        player: (sum(each, Score()), len(each)) for player, each in counted.items()
    }
    orders = [(line.player not in active, line.score.order) for line in lines]
    assert orders == sorted(orders)
    assert [line.place for line in lines] == [1 + sum(o < mine for o in orders) for mine in orders]


def test_equal_seeds_make_equal_tournaments() -> None:
    first, again = (Tournament([*map(str, range(13))], seed=5) for _time in range(2))
    assert first.begin_round() == again.begin_round()
