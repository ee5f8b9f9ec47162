"""Whole games between bots in one process, without a table: for comparing bots and for tests."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.errors import BotError
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standings, view_for
from protocol import Intent, Seat, Standing

MOST_INTENTS_A_TURN = 500
"""A bot that has not ended its turn by then never will."""


class Played(Struct, frozen=True):
    """A finished game."""

    setup: Setup
    moves: tuple[tuple[Seat, Intent], ...]
    final: State

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Return the result, best first."""
        return standings(self.final)


def play_game(setup: Setup, bots: Sequence[Bot]) -> Played:
    """Play one game; the bots get only Views, and their chance comes from the setup's seed.

    Args:
        setup: what is dealt.
        bots: one a seat.

    Raises:
        BotError: a bot chose something illegal, or does not end its turn.
    """
    state = deal(setup)
    chances = [Random(f"{setup.seed} {seat}") for seat in range(setup.players)]
    moves: list[tuple[Seat, Intent]] = []
    in_turn = 0
    while (seat := state.active) is not None:
        intent = bots[seat].choose(view_for(state, seat), chances[seat])
        if intent not in legal_intents(state):
            raise BotError(
                "The bot of seat {number} chose {intent}, which is no option of its; mend the bot.",
                number=seat + 1,
                intent=intent,
            )
        state = advance(state, intent)
        moves.append((seat, intent))
        in_turn = in_turn + 1 if state.active == seat else 0
        if in_turn > MOST_INTENTS_A_TURN:
            raise BotError(
                "The bot of seat {number} never ends its turn; it must use EndTurn.",
                number=seat + 1,
            )
    return Played(setup, tuple(moves), state)


class BotResult(Struct, frozen=True):
    """How one bot did in one game."""

    entry: int
    """Which of the bots of the arena, counted from 0."""
    seat: Seat
    rank: int
    score: int
    completed: int
    penalties: int
    upgrades: int


def seating(entries: int, game: int) -> list[int]:
    """Return which entry sits on each seat: with each game all move on by one seat."""
    return [(seat + game) % entries for seat in range(entries)]


def results_of(played: Played, seated: Sequence[int]) -> tuple[BotResult, ...]:
    """Return how each bot did, best first; `seated` are the entries by seat."""
    return tuple(
        BotResult(
            entry=seated[one.seat],
            seat=one.seat,
            rank=one.rank,
            score=one.score,
            completed=len(played.final.players[one.seat].completed),
            penalties=len(played.final.players[one.seat].penalties),
            upgrades=played.final.players[one.seat].upgrades.bit_count(),
        )
        for one in played.standings
    )
