"""The life of a tournament: rounds, who sits out, results, and the standings after each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Final

from msgspec import Struct

from protocol import MAX_PLAYERS

from .pairing import Meetings, Player, Table, pair, table_sizes

MIN_ENTRANTS: Final = 2


class Score(Struct, frozen=True):
    """What a player has achieved; fractions, so that equal scores are equal."""

    wins: Fraction = Fraction()
    """1 for each victory, shared by those who tie (R-END-3)."""
    points: Fraction = Fraction()
    """The share of all points at the table, added over all games."""
    penalties: Fraction = Fraction()

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.wins + other.wins, self.points + other.points, self.penalties + other.penalties
        )

    def __truediv__(self, games: int) -> "Score":
        return Score(self.wins / games, self.points / games, self.penalties / games)

    @property
    def order(self) -> tuple[Fraction, Fraction, Fraction]:
        """Sorts the best one first: more wins, then more of the points, then fewer penalties."""
        return -self.wins, -self.points, self.penalties


RESTING: Final = Score(Fraction(1, MAX_PLAYERS), Fraction(1, MAX_PLAYERS))
"""The score of who sits out: as of one of four equal players."""


class Ranking(Struct, frozen=True):
    """A line of the standings."""

    place: int
    """From 1; equal scores share it."""
    player: Player
    score: Score
    rounds: int
    """How many the player has played, or sat out."""


class Round(Struct, frozen=True):
    """Who plays with whom."""

    tables: tuple[Table, ...]
    resting: tuple[Player, ...]
    """Who sits out."""

    @property
    def players(self) -> frozenset[Player]:
        """Everybody, also who sits out."""
        return frozenset((*self.resting, *(player for table in self.tables for player in table)))


def scores(seats: Sequence[tuple[int, int, int]]) -> list[Score]:
    """Return what each seat has achieved in a game.

    Args:
        seats: the rank, the score and the number of penalties of each seat.
    """
    winners = sum(rank == 1 for rank, _score, _penalties in seats)
    total = sum(max(score, 0) for _rank, score, _penalties in seats)
    return [
        Score(
            Fraction(rank == 1, winners),
            Fraction(max(score, 0), total) if total else Fraction(1, len(seats)),
            Fraction(penalties),
        )
        for rank, score, penalties in seats
    ]


def usual_rounds(players: int) -> int:
    """Return the usual number of rounds for so many players, as in a Swiss tournament."""
    return max((players - 1).bit_length(), 2)


class Tournament:
    """A tournament: `begin_round` says who plays with whom, and `finish` takes each table's result.

    The first round is drawn; later ones follow the standings. If one has to sit out, as of five,
    it is the last of those who have done so least, with the score of an average player.

    Args:
        players: their ids; others may join.
        seed: of the draw, and of ties.
        filled: whether others fill the tables up, so that nobody has to sit out.

    Attributes:
        rounds: those begun, in order.
        filled: as given; may change between rounds.
    """

    def __init__(self, players: Sequence[Player], seed: int, filled: bool = False) -> None:
        self.rounds: list[Round] = []
        self.filled = filled
        self._here = list(dict.fromkeys(players))
        self._seed = seed
        self._scores: dict[Player, list[Score]] = {player: [] for player in self._here}
        self._met: Meetings = Counter()
        self._rested = Counter[Player]()
        self._played = set[Player]()
        self._open: set[Table] = set()

    def join(self, player: Player) -> None:
        """Let somebody play from the next round on, also somebody who left."""
        if player not in self._here:
            self._here.append(player)
            self._scores.setdefault(player, [])

    def leave(self, player: Player) -> None:
        """Let somebody play no further round; their results stay."""
        self._here.remove(player)

    @property
    def here(self) -> tuple[Player, ...]:
        """Who plays the next round."""
        return tuple(self._here)

    @property
    def playing(self) -> frozenset[Table]:
        """The tables whose result is missing."""
        return frozenset(self._open)

    def begin_round(self) -> Round:
        """Return who plays with whom now.

        Raises:
            ValueError: a table still plays, or fewer than two players are left.
        """
        drawn = self.draw()
        self.begin(drawn)
        return drawn

    def draw(self) -> Round:
        """Return who would play with whom in a round that began now; raises as `begin_round`."""
        if self._open:
            raise ValueError("a table has no result yet")
        if len(self._here) < MIN_ENTRANTS:
            raise ValueError("a round needs two players")
        chance = Random(f"{self._seed} {len(self.rounds)}")
        order = self._order(chance)
        resting = []
        while sum(table_sizes(len(order), self.filled)) < len(order):
            least = min(self._rested[player] for player in order)
            last = next(player for player in reversed(order) if self._rested[player] == least)
            order.remove(last)
            resting.append(last)
        return Round(tuple(pair(order, self._met, chance, self.filled)), tuple(resting))

    def begin(self, drawn: Round) -> None:
        """Begin the round that was drawn."""
        for player in drawn.resting:
            self._rested[player] += 1
            self._scores[player].append(RESTING)
        for table in drawn.tables:
            self._met.update(map(frozenset, combinations(table, 2)))
        self._open = set(drawn.tables)
        self.rounds.append(drawn)

    def _order(self, chance: Random) -> list[Player]:
        """Return who plays the next round, best first, and equals at random."""
        shuffled = sorted(self._here)
        chance.shuffle(shuffled)
        return sorted(shuffled, key=lambda player: self._total(player).order)

    def finish(self, table: Table, result: Mapping[Player, Score]) -> None:
        """Take the result of a table of this round; a later one for the same table is an error."""
        self._open.remove(table)
        self._played.update(table)
        for player in table:
            self._scores[player].append(result[player])

    def _total(self, player: Player) -> Score:
        return sum(self._scores[player], Score())

    def standings(self) -> list[Ranking]:
        """Return the standings once a game has a result, best first; equals by id.

        Those who have only sat out are behind all who have played.
        """
        if not self._played:
            return []
        totals = {player: self._total(player) for player, each in self._scores.items() if each}
        orders = {
            player: (player not in self._played, total.order) for player, total in totals.items()
        }
        ranked = sorted(totals, key=lambda player: (orders[player], player))
        best_first = [orders[player] for player in ranked]
        return [
            Ranking(
                best_first.index(orders[player]) + 1,
                player,
                totals[player],
                len(self._scores[player]),
            )
            for player in ranked
        ]
