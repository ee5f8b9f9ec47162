"""Rewards at the end of a game."""

from coffeerush.rules import State, standings


def rewards(final: State) -> tuple[float, ...]:
    """Return each seat's share of the victory minus an equal share; the sum is 0.

    Of `n` seats, `k` winners get `1/k - 1/n` each and the others `-1/n` (R-END-3).
    """
    n = len(final.players)
    winners = [one.seat for one in standings(final) if one.rank == 1]
    return tuple((seat in winners) / len(winners) - 1 / n for seat in range(n))
