"""What an arena plays: blocks of games with the same cards; how a game is played and recorded."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from itertools import chain, count, permutations
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

import coffeerush
from coffeerush import __version__
from coffeerush.bots import BOTS, Bot
from coffeerush.errors import BotError, unwritable
from coffeerush.local.files import open_regular
from coffeerush.records.entries import End, Entry, Head, Move, Seated, encode_entry
from coffeerush.rules import Deck, Setup, State, advance, deal, legal_intents, standings, view_for
from protocol import Intent, Seat, Standing, clean_name, name_with_end

# One game between bots, in this process and without a table


MAX_INTENTS_A_TURN = 500
"""A bot that has not ended its turn by then is stuck in a loop."""


class PlayedGame(Struct, frozen=True):
    """A finished game: its deal, each intent with the seat that made it, and the last State."""

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
            entry=seated[standing.seat],
            seat=standing.seat,
            rank=standing.rank,
            score=standing.score,
            completed=len(played.final.players[standing.seat].completed),
            penalties=len(played.final.players[standing.seat].penalties),
            upgrades=played.final.players[standing.seat].upgrades.bit_count(),
        )
        for standing in played.standings
    )


# Blocks of games with the same cards, and who sits where in each


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
    record: str | None = None
    """The directory for a record of each game; None for no records."""
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


# Records of arena games, one file each


def write_record(
    plan: ArenaPlan, directory: Path, game: int, seated: Sequence[int], played: PlayedGame
) -> None:
    """Write the record of a game, with the entry on each seat; raises `RecordError`."""
    names = [
        name_with_end(clean_name(Path(plan.bots[entry]).name), f" {entry + 1}") for entry in seated
    ]
    head = Head(
        program=__version__,
        table="Arena",
        game=game + 1,
        setup=played.setup,
        seats=tuple(
            Seated(name, bot=plan.bots[entry]) for name, entry in zip(names, seated, strict=True)
        ),
    )
    moves = [Move(rev, seat, intent) for rev, (seat, intent) in enumerate(played.moves, start=1)]
    entries: list[Entry] = [head, *moves, End(played.standings)]
    _write_new(
        directory / f"arena-{played.setup.seed}-{head.game}.record",
        b"".join(encode_entry(entry) for entry in entries),
    )


def _write_new(path: Path, data: bytes) -> None:
    """Write a new file; append a number to its name if that is taken."""
    names = chain([path], (path.with_stem(f"{path.stem}-{n}") for n in count(2)))
    for each in names:
        try:
            file = each.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            raise unwritable(each, error) from None
        try:
            with file:
                file.write(data)
        except OSError as error:
            each.unlink(missing_ok=True)
            raise unwritable(each, error) from None
        return


# What must be the same wherever games are compared: the program, Python, and bots from files


_FILES: Final = (
    *("protocol/*.py", "coffeerush/levels.py", "coffeerush/bots/*.json", "coffeerush/decks/*.toml"),
    *(f"coffeerush/{package}/*.py" for package in ("arena", "bots", "rules")),
)
"""The files that decide how a game goes."""
_DIGITS: Final = 16


class WorkerReport(Struct, frozen=True):
    """The software that plays."""

    version: str
    code: str
    """A hash of the rules, the bots and the arena."""
    python: str
    """Its major and minor version."""


@cache
def report() -> WorkerReport:
    """Return what has to be the same in every process whose games are compared."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return WorkerReport(
        coffeerush.__version__, hash_of(Path(coffeerush.__file__).parents[1]), python
    )


def hash_of(root: Path) -> str:
    """Return the hash of the files that decide how a game goes; `root` has our packages."""
    code = sha256()
    for path in sorted(path for files in _FILES for path in root.glob(files)):
        data = path.read_bytes()
        code.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return code.hexdigest()[:_DIGITS]


def source_of(bot: str) -> str | None:
    """Return the source of a bot from a file, None of a built-in one; raises `BotError`."""
    path, colon, _name = bot.rpartition(":")
    if bot in BOTS or not colon:
        return None
    try:
        with os.fdopen(open_regular(path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise BotError("There is no file {path}; check the path.", path=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BotError(
            "{path} cannot be read ({reason}); check the file.", path=path, reason=error
        ) from None


def digest(source: str | None) -> str:
    """Return the hash of a bot's source, `""` for None."""
    return "" if source is None else sha256(source.encode()).hexdigest()[:_DIGITS]
