"""Records of arena games, one file each."""

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from coffeerush import __version__
from coffeerush.errors import RecordError
from coffeerush.records.entries import End, Entry, Head, Move, Seated, encode_entry
from protocol import clean_name, name_with_end

from .game import PlayedGame
from .plan import ArenaPlan


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
