"""Scores, standings and tallies by round (R-END-2, R-END-3)."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from protocol import COMPLETED_PER_UPGRADE, MAX_TALLY_ROUNDS, Seat, Standing, Tally

from .state import Player, State

Turn = tuple[State, State]
"""The States at the start of a turn and at the start of the next one, or the end of the game."""


def score(player: Player) -> int:
    """Return a player's current score (R-END-2)."""
    return len(player.completed) + 2 * player.upgrades.bit_count() - len(player.penalties)


def standings(state: State) -> tuple[Standing, ...]:
    """Return all seats, best first; seats that tie on everything share a rank (R-END-3)."""
    worth = [(score(player), len(player.completed), player.rush) for player in state.players]
    seats = sorted(range(len(worth)), key=lambda seat: worth[seat], reverse=True)
    return tuple(
        Standing(
            seat=seat, rank=1 + sum(other > worth[seat] for other in worth), score=worth[seat][0]
        )
        for seat in seats
    )


def tallies(states: Iterable[State]) -> tuple[Tally, ...]:
    """Return a tally for each seat; () until a round is finished.

    Args:
        states: of one game in order: at least the first State of each turn, and the last one;
            others in between make no difference.
    """
    turns = list(pairwise(_beginnings(states)))
    # R-END-1: the end of the game also ends a round
    rounds = [now for was, now in turns if now.active is None or now.round != was.round]
    if not rounds:
        return ()
    return tuple(_tally(turns, rounds, seat) for seat in range(len(rounds[0].players)))


def _beginnings(states: Iterable[State]) -> Iterator[State]:
    """Yield the first State of each turn, and the first after the end; undo starts no turn."""
    latest = None
    for state in states:
        if state.round and (state.round, state.active) != latest:
            latest = (state.round, state.active)
            yield state


def _tally(turns: list[Turn], rounds: list[State], seat: Seat) -> Tally:
    served = [
        (_served(after.players[seat]) - _served(before.players[seat]), -before.round)
        for before, after in turns
        if before.active == seat
    ]
    most, earliest = max(served)
    return Tally(
        scores=tuple(score(state.players[seat]) for state in rounds[-MAX_TALLY_ROUNDS:]),
        best_served=most,
        best_round=-earliest if most else 0,
    )


def _served(player: Player) -> int:
    """Return the number of orders that a player has served in the whole game (R-UPG-1)."""
    return len(player.completed) + COMPLETED_PER_UPGRADE * player.upgrades.bit_count()
