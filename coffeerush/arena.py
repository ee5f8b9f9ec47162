"""Whole games between bots in one process, without a table: for comparing bots and for tests."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from protocol import Intent, Seat, Standing

from .bots import Bot
from .errors import BotError
from .rules import Setup, State, apply, deal, legal_intents, standings, view_for

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

    Raises:
        BotError: a bot chose something illegal, or does not end its turn.
    """
    state = deal(setup)
    chances = [Random(f"{setup.seed} {seat}") for seat in range(setup.players)]
    moves: list[tuple[Seat, Intent]] = []
    turn_began = 0
    while (seat := state.active) is not None:
        intent = bots[seat].choose(view_for(state, seat), chances[seat])
        if intent not in legal_intents(state):
            raise BotError(
                f"The bot of seat {seat} chose {intent}, which is not one of its options."
            )
        after = apply(state, seat, intent)
        moves.append((seat, intent))
        if after.active != seat:
            turn_began = len(moves)
        elif len(moves) - turn_began > MOST_INTENTS_A_TURN:
            raise BotError(f"The bot of seat {seat} does not end its turn; it must use EndTurn.")
        state = after
    return Played(setup, tuple(moves), state)
