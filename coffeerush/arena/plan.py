"""A single game of an arena: dealt and seated by its number, played and recorded."""

from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path

from msgspec import Struct

from coffeerush.bots import Bot
from coffeerush.errors import RecordError
from coffeerush.records.entries import End, Entry, Head, Move, Seated, encode_entry
from coffeerush.rules import Deck, Setup
from protocol import clean_name

from .game import BotResult, PlayedGame, play_game, results_of, seating


class ArenaPlan(Struct, frozen=True):
    """The parameters that all games of an arena share."""

    bots: tuple[str, ...]
    block: int
    """The number of games in a block."""
    seed: int
    starters: bool
    deck: Deck
    record: Path | None


class GameResult(Struct, frozen=True):
    """One game of an arena, as `--json` prints it."""

    game: int
    seed: int
    rounds: int
    intents: int
    results: tuple[BotResult, ...]


def play(plan: ArenaPlan, game: int, load: Callable[[int], Bot]) -> GameResult:
    """Play a game, and record it if the plan says so.

    Args:
        plan: of the arena.
        game: the number of the game, from 0.
        load: returns a new bot by its index in the line-up.

    Raises:
        BotError: a bot cannot be loaded, or failed.
        RecordError: the record cannot be written.
    """
    block, seated = seating(plan.bots, game)
    setup = Setup(len(seated), plan.deck, plan.seed + block, plan.starters)
    played = play_game(setup, [load(entry) for entry in seated])
    if plan.record is not None:
        _write_record(plan, plan.record, game, seated, played)
    return GameResult(
        game=game,
        seed=setup.seed,
        rounds=played.final.round,
        intents=len(played.moves),
        results=results_of(played, seated),
    )


def _write_record(
    plan: ArenaPlan, directory: Path, game: int, seated: Sequence[int], played: PlayedGame
) -> None:
    names = [clean_name(f"{Path(plan.bots[entry]).name} {entry + 1}") for entry in seated]
    head = Head(
        table="Arena",
        game=game + 1,
        setup=played.setup,
        seats=tuple(
            Seated(name, bot=plan.bots[entry]) for name, entry in zip(names, seated, strict=True)
        ),
    )
    moves = [Move(rev, seat, one) for rev, (seat, one) in enumerate(played.moves, start=1)]
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
            raise _unwritable(each, error) from None
        try:
            with file:
                file.write(data)
        except OSError as error:
            each.unlink(missing_ok=True)
            raise _unwritable(each, error) from None
        return


def _unwritable(path: Path, error: OSError) -> RecordError:
    return RecordError(
        "{path} cannot be written: {reason}; free some space or choose another path.",
        path=path,
        reason=error,
    )
