"""Ratings after each game, by openskill's Bradley-Terry model for games with several players."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

# openskill's own proportions, on a scale that begins with 1500 instead of 25
_MEAN: Final = 1500.0
_DEVIATION: Final = _MEAN / 3
_MODEL: Final = BradleyTerryFull(
    mu=_MEAN, sigma=_DEVIATION, beta=_DEVIATION / 2, tau=_DEVIATION / 100
)


class Rating(NamedTuple):
    """A normal distribution of somebody's strength."""

    mean: float = _MEAN
    deviation: float = _DEVIATION


def rated(before: Mapping[str, Rating], result: Sequence[tuple[str, int]]) -> dict[str, Rating]:
    """Return the ratings after a game, of those who played in it.

    Somebody with several seats gets the mean over them, so that three seats of a bot do not count
    three times; a game among seats of one player only, or of nobody, changes nothing.

    Args:
        before: the ratings so far, by player; others have the first one.
        result: the player and the rank of each seat; equal ranks are a tie.
    """
    players = [player for player, _rank in result]
    ratings = {player: before.get(player, Rating()) for player in players}
    if len(ratings) < 2:
        return ratings
    teams = [[_MODEL.create_rating([*ratings[player]])] for player in players]
    after = _MODEL.rate(teams, ranks=[float(rank) for _player, rank in result])
    return {
        player: Rating(
            fmean(team[0].mu for team, one in zip(after, players, strict=True) if one == player),
            fmean(team[0].sigma for team, one in zip(after, players, strict=True) if one == player),
        )
        for player in ratings
    }
