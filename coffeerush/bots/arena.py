"""Whole games between bots in one process, without a table: for comparing bots and for tests.

`estimate` has the shares of wins with their confidence intervals.
"""

from collections.abc import Sequence
from itertools import permutations
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.errors import BotError
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standings, view_for
from protocol import Intent, Seat, Standing

MAX_INTENTS_A_TURN = 500
"""A bot that has not ended its turn by then never will."""


class PlayedGame(Struct, frozen=True):
    """A finished game."""

    setup: Setup
    moves: tuple[tuple[Seat, Intent], ...]
    final: State

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Return the result, best first."""
        return standings(self.final)


def play_game(setup: Setup, bots: Sequence[Bot]) -> PlayedGame:
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
        if in_turn > MAX_INTENTS_A_TURN:
            raise BotError(
                "The bot of seat {number} never ends its turn; it must use EndTurn.",
                number=seat + 1,
            )
    return PlayedGame(setup, tuple(moves), state)


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


def block_orders(bots: Sequence[str]) -> list[list[tuple[int, ...]]]:
    """Return every distinct order of a line-up at the table: the games of one block.

    An order is a list of the seatings that lead to it, each with an entry for every seat. There are
    several only if some of the bots are equal, and may swap their places.
    """
    orders: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for seated in permutations(range(len(bots))):
        orders.setdefault(tuple(bots[entry] for entry in seated), []).append(seated)
    return list(orders.values())


def seating(bots: Sequence[str], game: int) -> tuple[int, tuple[int, ...]]:
    """Return the block of a game, and which entry sits on each seat.

    All games of a block have the same seed. Equal bots take turns in their places, so that in as
    many blocks as they have ways to swap, each entry sits everywhere equally often.
    """
    orders = block_orders(bots)
    block, number = divmod(game, len(orders))
    seatings = orders[number]
    return block, seatings[(block + number) % len(seatings)]


def results_of(played: PlayedGame, seated: Sequence[int]) -> tuple[BotResult, ...]:
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


def win_shares(bots: Sequence[str], results: Sequence[BotResult]) -> tuple[float, ...]:
    """Return each entry's share of the victory in a game.

    Winners who tie have equal parts. So have equal bots: had they swapped their places, not a move
    would have changed.
    """
    winners = [bots[one.entry] for one in results if one.rank == 1]
    return tuple(winners.count(bot) / len(winners) / bots.count(bot) for bot in bots)


class Estimate(Struct, frozen=True):
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


_T95: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""The two-sided 95 % quantile of Student's t with 1 to 10 degrees of freedom."""


def estimate(shares: Sequence[float]) -> Estimate:
    """Return what independent observations from 0 to 1 say about the mean they come from."""
    mean, count = fmean(shares), len(shares)
    if count == 1:
        return Estimate(mean, 0.0, 1.0)
    freedom = count - 1
    t = _T95[freedom - 1] if freedom <= len(_T95) else 1.96 + 2.37 / freedom + 2.82 / freedom**2
    # Equal observations do not show how much they vary: then at most about 3 in `count` differ.
    margin = t * stdev(shares) / sqrt(count) or 1 - 0.05 ** (1 / count)
    return Estimate(mean, max(0.0, mean - margin), min(1.0, mean + margin))
