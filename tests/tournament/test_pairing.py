"""Pairing: everybody once, at tables of three and four, and as few as possible meet again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from coffeerush.tournament.pairing import Meetings, pair, table_sizes

NAMES = tuple(f"p{number:02}" for number in range(40))


def everything(order: Sequence[str], sizes: Sequence[int]) -> Iterator[list[tuple[str, ...]]]:
    """Yield every way to seat players at tables of these sizes."""
    if not order:
        yield []
        return
    first, rest = order[0], order[1:]
    for size in sorted(set(sizes)):
        left = list(sizes)
        left.remove(size)
        for others in combinations(rest, size - 1):
            remaining = [player for player in rest if player not in others]
            for tables in everything(remaining, left):
                yield [(first, *others), *tables]


def repeated(tables: Sequence[Sequence[str]], met: Meetings) -> int:
    return sum(met[frozenset(two)] for table in tables for two in combinations(table, 2))


@given(st.integers(2, 200))
def test_tables_have_three_or_four_seats_and_only_one_of_five_sits_out(players: int) -> None:
    sizes = table_sizes(players)
    assert sum(sizes) == players - (players == 5)
    assert players == 2 or {*sizes} <= {3, 4}


@settings(max_examples=20)
@given(st.integers(3, 40).filter(lambda count: count != 5), st.integers(0, 99), st.data())
def test_everybody_sits_at_one_table(players: int, seed: int, data: st.DataObject) -> None:
    order = NAMES[:players]
    pairs = [frozenset(two) for two in combinations(order, 2)]
    met = Counter(data.draw(st.lists(st.sampled_from(pairs), max_size=60)))
    tables = pair(order, met, Random(seed))
    assert sorted(player for table in tables for player in table) == sorted(order)
    assert sorted(map(len, tables)) == sorted(table_sizes(players))
    assert tables == pair(order, met, Random(seed))


@pytest.mark.parametrize("players", [6, 7, 8, 9])
def test_as_few_meet_again_as_in_the_best_of_all_pairings(players: int) -> None:
    order = NAMES[:players]
    pairs = [frozenset(two) for two in combinations(order, 2)]
    chance = Random(players)
    for _case in range(10):
        met = Counter(chance.choices(pairs, k=chance.randrange(4 * players)))
        fewest = min(repeated(tables, met) for tables in everything(order, table_sizes(players)))
        assert repeated(pair(order, met, chance), met) == fewest


def test_those_close_in_the_standings_play_together() -> None:
    assert pair(NAMES[:10], Counter(), Random(0)) == [NAMES[:4], NAMES[4:7], NAMES[7:10]]


def test_three_rounds_of_sixteen_have_no_two_who_meet_again() -> None:
    met: Meetings = Counter()
    for _round in range(3):
        for table in pair(NAMES[:16], met, Random(1)):
            met.update(map(frozenset, combinations(table, 2)))
    assert {*met.values()} == {1}


def test_who_fits_at_no_table_must_sit_out_first() -> None:
    with pytest.raises(ValueError, match="sit out"):
        pair(NAMES[:5], Counter(), Random(0))


@pytest.mark.parametrize(
    ("players", "sizes"), [(2, [2]), (3, [3]), (4, [4]), (5, [3, 2]), (6, [3, 3]), (9, [3, 3, 3])]
)
def test_nobody_sits_out_where_others_fill_the_tables(players: int, sizes: list[int]) -> None:
    assert table_sizes(players, filled=True) == sizes
