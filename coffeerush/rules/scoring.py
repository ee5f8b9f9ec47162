"""Scoring and the order of the result (R-END-2, R-END-3)."""

from protocol import Standing

from .state import Player, State


def score(player: Player) -> int:
    """Return the score of a player as it stands (R-END-2)."""
    return len(player.completed) + 2 * player.upgrades.bit_count() - len(player.penalties)


def standings(state: State) -> tuple[Standing, ...]:
    """Return all seats, best first; whoever ties on everything shares a rank (R-END-3)."""
    worth = [(score(player), len(player.completed), player.rush) for player in state.players]
    seats = sorted(range(len(worth)), key=lambda seat: worth[seat], reverse=True)
    return tuple(
        Standing(
            seat=seat,
            rank=1 + sum(other > worth[seat] for other in worth),
            score=worth[seat][0],
        )
        for seat in seats
    )
