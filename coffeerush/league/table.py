"""The league table, and the career of each player in it, from the results of all games. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from statistics import fmean

from msgspec import Struct

from .merges import merged_into
from .ratings import Rating, rated
from .results import LeagueGame, LeagueSeat


class LeagueEntry(Struct, frozen=True):
    """A row of the table."""

    id: str
    name: str
    """The person's latest name; empty for a bot."""
    bot: str
    """The kind of bot; empty for a person."""
    program: str
    """The version of coffeerush that the bot is from; empty for a person, or if unknown."""
    rating: float
    uncertainty: float
    """The true rating is within `rating` plus or minus this with a probability of 95%."""
    games: int
    wins: float
    """The share of victories, from 0 to 1; a shared victory is split equally. Like the points, the
    mean over the games of the mean over this player's seats in each."""
    points: float
    """The average score."""
    best_turn: int
    """The most orders served in one turn."""
    streak: int
    """The games won in a row, up to now; a shared victory counts."""
    best_streak: int
    absent: int
    """The games that do not count, since a bot played most of them in this person's place."""
    also: tuple[str, ...]
    """The ids merged into this one."""


class RatedGame(Struct, frozen=True):
    """A player's rating after a game."""

    begun: float
    """When the game began, as a Unix time."""
    rating: float
    uncertainty: float


class HeadToHead(Struct, frozen=True):
    """The results against one opponent, by seats of this opponent."""

    id: str
    ahead: int
    level: int
    behind: int


class Career(Struct, frozen=True):
    """A row of the table, and how it came about."""

    entry: LeagueEntry
    history: tuple[RatedGame, ...]
    """Oldest first."""
    against: tuple[HeadToHead, ...]
    """The opponents met most often come first."""


class League(Struct, frozen=True):
    """The whole league."""

    careers: tuple[Career, ...]
    """Best first: by the lower end of the interval around the rating."""
    games: int
    unfinished: int
    """The number of records of games that are not over."""
    damaged: int
    """The number of records that cannot be read."""


class _Played:
    """What somebody has played so far."""

    def __init__(self) -> None:
        self.seats: list[LeagueSeat] = []
        self.wins: list[float] = []
        """The share of the victory in each game, of its seats on average; `points` likewise."""
        self.points: list[float] = []
        self.history: list[RatedGame] = []
        self.streak = self.best_streak = 0
        self.against: dict[str, list[int]] = {}

    def play(self, seats: list[LeagueSeat], begun: float, rating: Rating) -> None:
        """Add a game, with this player's own seats in it and the rating after it."""
        self.seats += seats
        self.wins.append(fmean(one.win for one in seats))
        self.points.append(fmean(one.score for one in seats))
        self.streak = self.streak + 1 if any(one.win for one in seats) else 0
        self.best_streak = max(self.streak, self.best_streak)
        self.history.append(RatedGame(begun, rating.mean, 2 * rating.deviation))


def league_of(
    games: Iterable[LeagueGame], merges: Mapping[str, str], unfinished: int = 0, damaged: int = 0
) -> League:
    """Return the league after these games, in the order in which they began.

    Args:
        games: copies of a game count once.
        merges: the id that each merged id belongs to.
        unfinished: the number of records of games that are not over.
        damaged: the number of records that cannot be read.
    """
    played: dict[str, _Played] = {}
    absent: Counter[str] = Counter()
    ratings: dict[str, Rating] = {}
    unique = {game.id: game for game in games}
    for game in sorted(unique.values(), key=lambda one: (one.begun, one.id)):
        seats = [(merged_into(one.player, merges), one) for one in game.seats]
        ratings |= rated(ratings, [(player, one.rank) for player, one in seats])
        for player in dict.fromkeys(player for player, _seat in seats):
            own = [one for someone, one in seats if someone == player]
            played.setdefault(player, _Played()).play(own, game.begun, ratings[player])
        _compare(played, seats)
        absent.update({merged_into(one, merges) for one in game.absent})
    careers = sorted(
        (_career(player, one, absent[player]) for player, one in played.items()),
        key=lambda one: (one.entry.uncertainty - one.entry.rating, one.entry.name, one.entry.id),
    )
    return League(tuple(careers), len(unique), unfinished, damaged)


def _compare(played: dict[str, _Played], seats: list[tuple[str, LeagueSeat]]) -> None:
    """Count who was ahead of whom, for each pair of seats of different players."""
    for (one, seat), (other, theirs) in combinations(seats, 2):
        if one != other:
            order = (seat.rank > theirs.rank) - (seat.rank < theirs.rank)
            played[one].against.setdefault(other, [0, 0, 0])[1 + order] += 1
            played[other].against.setdefault(one, [0, 0, 0])[1 - order] += 1


def _career(player: str, played: _Played, absent: int) -> Career:
    own = [one for one in played.seats if one.player == player]
    latest = own[-1] if own else played.seats[-1]
    last = played.history[-1]
    entry = LeagueEntry(
        id=player,
        name="" if latest.bot else latest.name,
        bot=latest.bot,
        program=latest.program,
        rating=last.rating,
        uncertainty=last.uncertainty,
        games=len(played.history),
        wins=fmean(played.wins),
        points=fmean(played.points),
        best_turn=max(one.best_turn for one in played.seats),
        streak=played.streak,
        best_streak=played.best_streak,
        absent=absent,
        also=tuple(sorted({one.player for one in played.seats} - {player})),
    )
    against = sorted(played.against.items(), key=lambda item: (-sum(item[1]), item[0]))
    return Career(
        entry,
        tuple(played.history),
        tuple(HeadToHead(other, *counts) for other, counts in against),
    )
