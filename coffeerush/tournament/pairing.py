"""Pairing: who plays with whom in a round, as in a Swiss tournament, at tables of three and four.

Players stand in the order of the standings. Those who are close in it play together, but people who
have met before do not if that can be avoided.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Final, TypeAlias

from protocol import MAX_PLAYERS

Player: TypeAlias = str
"""An id of a player that is unique in the tournament."""
Table: TypeAlias = tuple[Player, ...]
Meetings: TypeAlias = Counter[frozenset[Player]]
"""How often two players have sat at the same table, by the two."""

_STARTS: Final = 20
"""How many times a pairing is sought from a random start if some meet again."""


def table_sizes(players: int, filled: bool = False) -> list[int]:
    """Return the numbers of players at the tables, largest first.

    All tables have four or three, except that two play with each other. Where that leaves
    somebody over, as with five, they sit out: the sizes add up to one less. If the tables are
    `filled` up by others, nobody has to: of five, two play at a table of their own.
    """
    if players == 1 or (players == 5 and not filled):
        players -= 1
    tables = -(-players // MAX_PLAYERS)
    return [players // tables + (number < players % tables) for number in range(tables)]


def pair(
    order: Sequence[Player], met: Meetings, chance: Random, filled: bool = False
) -> list[Table]:
    """Return who plays with whom, best table first.

    As few as possible meet again, a pair that has met twice counting as two; of such pairings, it
    is the one found whose tables have the closest places. With many players the search ends at a
    pairing that no swap of two players improves.

    Args:
        order: all who play, best first; as many as `table_sizes` seats.
        met: how often each two have met.
        chance: breaks ties.
        filled: whether others fill the tables up, see `table_sizes`.
    """
    sizes = table_sizes(len(order), filled)
    if sum(sizes) < len(order):
        raise ValueError(f"{len(order)} players do not fit; somebody must sit out")
    search = _Search(order, met)
    best = search.improved(_split(order, sizes))
    for _start in range(_STARTS):
        if not search.cost(best)[0]:
            break
        shuffled = list(order)
        chance.shuffle(shuffled)
        chance.shuffle(sizes)
        best = min(best, search.improved(_split(shuffled, sizes)), key=search.cost)
    tables = sorted(best, key=search.middle)
    return [tuple(sorted(table, key=order.index)) for table in tables]


def _split(order: Sequence[Player], sizes: Iterable[int]) -> list[list[Player]]:
    players = iter(order)
    return [[next(players) for _seat in range(size)] for size in sizes]


class _Search:
    """Improves pairings of players by swapping two of different tables."""

    def __init__(self, order: Sequence[Player], met: Meetings) -> None:
        self._place = {player: place for place, player in enumerate(order)}
        self._met = met

    def cost(self, tables: Iterable[Sequence[Player]]) -> tuple[int, int]:
        """Return how many meet again, and how far apart those at a table are."""
        pairs = [two for table in tables for two in combinations(table, 2)]
        return (
            sum(self._met[frozenset(two)] for two in pairs),
            sum(abs(self._place[one] - self._place[other]) for one, other in pairs),
        )

    def middle(self, table: Sequence[Player]) -> float:
        """Return the mean place of those at a table."""
        return sum(self._place[player] for player in table) / len(table)

    def improved(self, tables: list[list[Player]]) -> list[list[Player]]:
        """Swap two players as long as that makes a pairing better; return it."""
        while any(self._swap(*two) for two in combinations(tables, 2)):
            pass
        return tables

    def _swap(self, table: list[Player], other: list[Player]) -> bool:
        """Swap the players of two tables that improve them most, if any do."""
        usual = self.cost([table, other])
        best, swap = usual, None
        for at in range(len(table)):
            for to in range(len(other)):
                table[at], other[to] = other[to], table[at]
                if (cost := self.cost([table, other])) < best:
                    best, swap = cost, (at, to)
                table[at], other[to] = other[to], table[at]
        if swap is not None:
            at, to = swap
            table[at], other[to] = other[to], table[at]
        return swap is not None
