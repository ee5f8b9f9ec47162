"""What an arena plays: blocks of games with the same cards, and who sits where in each."""

from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.errors import BotError
from coffeerush.rules import Deck, Setup

from .game import BotResult, PlayedGame, play_game, results_of

MAX_ORDERS: Final = 6
"""A line-up with more distinct orders than this plays a random sample of them in each block."""


class ArenaPlan(Struct, frozen=True):
    """The parameters that all games of an arena share."""

    bots: tuple[str, ...]
    """The line-up: an entry for each bot, which `load_bot` takes."""
    players: int
    """The number of seats at a table; with more entries than seats, the entries take turns."""
    seed: int
    """Of the first block; each later block uses the next number."""
    starters: bool
    deck: Deck
    record: Path | None = None
    sources: tuple[str | None, ...] = ()
    """The source of each entry's file, for machines without that file; or none at all."""

    @property
    def games(self) -> int:
        """The number of games in a block."""
        return len(self.seatings(0))

    def seatings(self, block: int) -> tuple[tuple[int, ...], ...]:
        """Return the entry on each seat, for each game of a block.

        If the entries fill one table and have few distinct orders, a block has all of them. Equal
        bots then swap seats from block to block: over as many blocks as there are ways to swap
        them, each entry gets each seat equally often.

        Otherwise the entries sit down in a circle, at random but independently of the order in
        which they are given, and each begins one game that the next ones around the circle join:
        each entry gets each seat once, and other neighbours in every block.
        """
        if self.players == len(self.bots):
            orders = block_orders(self.bots)
            if len(orders) <= MAX_ORDERS:
                return tuple(
                    alike[(block + number) % len(alike)] for number, alike in enumerate(orders)
                )
        circle = sorted(range(len(self.bots)), key=self.bots.__getitem__)
        Random(f"circle {self.seed + block}").shuffle(circle)
        around = circle + circle
        return tuple(tuple(around[at : at + self.players]) for at in range(len(circle)))

    def seating(self, game: int) -> tuple[int, tuple[int, ...]]:
        """Return the block of a game, and the entry on each seat."""
        block, number = divmod(game, self.games)
        return block, self.seatings(block)[number]


def block_orders(bots: Sequence[str]) -> list[list[tuple[int, ...]]]:
    """Return every distinct order of the bots, each as the list of seatings that produce it.

    A seating has the entry on each seat. An order has several only if some bots are equal.
    """
    orders: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for seated in permutations(range(len(bots))):
        orders.setdefault(tuple(bots[entry] for entry in seated), []).append(seated)
    return list(orders.values())


class GameResult(Struct, frozen=True):
    """One finished game of an arena."""

    game: int
    seed: int
    rounds: int
    intents: int
    results: tuple[BotResult, ...]


class FailedGame(Struct, frozen=True):
    """A game that a bot did not let end."""

    game: int
    seed: int
    entry: int
    """The bot, as its index in the line-up."""
    seat: int
    problem: str
    """The text and the values of a `BotError`."""
    values: dict[str, str]

    @property
    def error(self) -> BotError:
        """What the bot did."""
        return BotError(self.problem, **self.values)


class BlockResult(Struct, frozen=True):
    """What became of the games of a block, in their order."""

    block: int
    games: tuple[GameResult, ...]
    failed: tuple[FailedGame, ...] = ()


def play(
    plan: ArenaPlan, game: int, load: Callable[[int], Bot]
) -> tuple[GameResult, tuple[int, ...], PlayedGame]:
    """Play a game; return its result, the entry on each seat, and its moves.

    Args:
        plan: of the arena.
        game: the number of the game, from 0.
        load: returns a new bot by its index in the line-up.

    Raises:
        BotError: a bot cannot be loaded, or failed.
    """
    block, seated = plan.seating(game)
    setup = Setup(plan.players, plan.deck, plan.seed + block, plan.starters)
    played = play_game(setup, [load(entry) for entry in seated])
    result = GameResult(
        game=game,
        seed=setup.seed,
        rounds=played.final.round,
        intents=len(played.moves),
        results=results_of(played, seated),
    )
    return result, seated, played


def failed(plan: ArenaPlan, game: int, entry: int, error: BotError) -> FailedGame:
    """Return the failure of an entry in a game."""
    block, seated = plan.seating(game)
    values = {name: str(value) for name, value in error.values.items()}
    return FailedGame(game, plan.seed + block, entry, seated.index(entry), error.text, values)
