"""Play one game between bots in process, without a table."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.errors import BotError
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standings, view_for
from protocol import Intent, Seat, Standing

MAX_INTENTS_A_TURN = 500
"""A bot that has not ended its turn by then is stuck in a loop."""


class PlayedGame(Struct, frozen=True):
    """A finished game."""

    setup: Setup
    moves: tuple[tuple[Seat, Intent], ...]
    final: State

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The result, best first."""
        return standings(self.final)


def play_game(setup: Setup, bots: Sequence[Bot]) -> PlayedGame:
    """Play one game; bots see only Views, and their randomness is seeded from the setup's seed.

    Args:
        setup: of the game.
        bots: one per seat.

    Raises:
        BotError: a bot chose an illegal intent, or does not end its turn.
    """
    state = deal(setup)
    chances = [Random(f"{setup.seed} {seat}") for seat in range(setup.players)]
    moves: list[tuple[Seat, Intent]] = []
    in_turn = 0
    while (seat := state.active) is not None:
        intent = bots[seat].choose(view_for(state, seat), chances[seat])
        if intent not in legal_intents(state):
            raise BotError(
                "The bot in seat {number} chose {intent}, which was not one of its "
                "options; fix the bot.",
                number=seat + 1,
                intent=intent,
            )
        state = advance(state, intent)
        moves.append((seat, intent))
        in_turn = in_turn + 1 if state.active == seat else 0
        if in_turn > MAX_INTENTS_A_TURN:
            raise BotError(
                "The bot in seat {number} never ends its turn; it must choose EndTurn.",
                number=seat + 1,
            )
    return PlayedGame(setup, tuple(moves), state)


class BotResult(Struct, frozen=True):
    """How one bot did in one game."""

    entry: int
    """The index of the bot in the arena's line-up, from 0."""
    seat: Seat
    rank: int
    score: int
    completed: int
    penalties: int
    upgrades: int


def results_of(played: PlayedGame, seated: Sequence[int]) -> tuple[BotResult, ...]:
    """Return the result of each bot, best first; `seated` has the entry on each seat."""
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
