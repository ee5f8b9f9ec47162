"""Play and compare bots in process, without a table: games, seatings, confidence intervals."""

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


def block_orders(bots: Sequence[str]) -> list[list[tuple[int, ...]]]:
    """Return every distinct order of the bots, each as the list of seatings that produce it.

    A seating has the entry on each seat. An order has several only if some bots are equal.
    """
    orders: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for seated in permutations(range(len(bots))):
        orders.setdefault(tuple(bots[entry] for entry in seated), []).append(seated)
    return list(orders.values())


def seating(bots: Sequence[str], game: int) -> tuple[int, tuple[int, ...]]:
    """Return the block of a game, and the entry on each seat.

    All games of a block have the same seed. Equal bots swap seats from block to block: over as many
    blocks as there are ways to swap them, each entry gets each seat equally often.
    """
    orders = block_orders(bots)
    block, number = divmod(game, len(orders))
    seatings = orders[number]
    return block, seatings[(block + number) % len(seatings)]


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


def win_shares(bots: Sequence[str], results: Sequence[BotResult]) -> tuple[float, ...]:
    """Return each entry's share of the victory in a game.

    Tied winners get equal shares. So do equal bots: swapping their seats would not change a move.
    """
    winners = [bots[one.entry] for one in results if one.rank == 1]
    return tuple(winners.count(bot) / len(winners) / bots.count(bot) for bot in bots)


class Estimate(Struct, frozen=True):
    """A mean and its 95% confidence interval."""

    mean: float
    low: float
    high: float


_T95: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""The two-sided 95% quantile of Student's t with 1 to 10 degrees of freedom."""


def estimate(shares: Sequence[float]) -> Estimate:
    """Estimate the mean of the distribution from independent samples between 0 and 1."""
    mean, count = fmean(shares), len(shares)
    if count == 1:
        return Estimate(mean, 0.0, 1.0)
    freedom = count - 1
    t = _T95[freedom - 1] if freedom <= len(_T95) else 1.96 + 2.37 / freedom + 2.82 / freedom**2
    # Equal samples have no deviation; rule of three: at most about 3 in `count` would differ.
    margin = t * stdev(shares) / sqrt(count) or 1 - 0.05 ** (1 / count)
    return Estimate(mean, max(0.0, mean - margin), min(1.0, mean + margin))
