"""The file of `--resume`: what was played, block by block, so that a run can be continued.

The first line says what is compared, each further line is a `BlockResult`. Lines are flushed as
they are written; one that a killed process left incomplete is dropped.
"""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from coffeerush.errors import RecordError
from coffeerush.local.files import open_regular

from .fingerprint import digest, report
from .plan import ArenaPlan, BlockResult


class LogHead(Struct, frozen=True, forbid_unknown_fields=True):
    """What is compared, and by which software."""

    bots: tuple[str, ...]
    sources: tuple[str, ...]
    """The hash of each bot from a file, `""` for the others."""
    players: int
    seed: int
    starters: bool
    deck: str
    """Its hash."""
    version: str
    code: str


def head_of(plan: ArenaPlan, sources: Sequence[str | None]) -> LogHead:
    """Return the first line for a plan, given the source of each bot from a file."""
    software = report()
    return LogHead(
        bots=plan.bots,
        sources=tuple(map(digest, sources)),
        players=plan.players,
        seed=plan.seed,
        starters=plan.starters,
        deck=sha256(msgspec.msgpack.encode(plan.deck)).hexdigest()[:16],
        version=software.version,
        code=software.code,
    )


class BlockLog:
    """An open file of played blocks.

    Attributes:
        blocks: what it had when it was opened.

    Raises:
        RecordError: it cannot be read or written, is in use, or is about something else.
    """

    def __init__(self, path: Path, head: LogHead) -> None:
        self._path = path
        try:
            self._file = os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT), "r+b")
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self.blocks = self._read(head)
        except BaseException:  # also Ctrl-C: nobody else would close the file
            self.close()
            raise

    def _read(self, head: LogHead) -> tuple[BlockResult, ...]:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(
                "Another program is using {path}; choose another file.", path=self._path
            ) from None
        *lines, torn = self._file.read().split(b"\n")
        if not lines and msgspec.json.encode(head).startswith(torn):
            self._file.seek(0)
            self._file.truncate()
            self.append(head)
            return ()
        try:
            found = msgspec.json.decode(lines[0], type=LogHead)
            blocks = [msgspec.json.decode(line, type=BlockResult) for line in lines[1:]]
        except (IndexError, ValueError, RecursionError):  # or it is not UTF-8
            raise RecordError(
                "{path} is not a --resume file, or it is damaged; choose another file.",
                path=self._path,
            ) from None
        self._compare(found, head)
        self._file.seek(-len(torn), os.SEEK_END)
        self._file.truncate()
        return tuple({block.block: block for block in blocks}.values())

    def _compare(self, found: LogHead, head: LogHead) -> None:
        """Raise `RecordError` if two heads differ."""
        path = self._path
        if found.bots != head.bots:
            bots = ",".join(found.bots)
            raise RecordError(
                "{path} has games of other bots ({bots}); choose another file.",
                path=path,
                bots=bots,
            )
        if found.sources != head.sources:
            pairs = zip(head.bots, found.sources, head.sources, strict=True)
            bot = next(bot for bot, old, new in pairs if old != new)
            raise RecordError(
                "{bot} has changed since {path} was written; choose another file.",
                path=path,
                bot=bot,
            )
        if (found.version, found.code) != (head.version, head.code):
            raise RecordError(
                "{path} has games of another version of Coffee Rush ({version}); choose another "
                "file.",
                path=path,
                version=f"{found.version} {found.code}",
            )
        if found.seed != head.seed:
            raise RecordError(
                "{path} has games with another seed ({seed}); choose another file.",
                path=path,
                seed=found.seed,
            )
        if found != head:
            raise RecordError(
                "{path} has games with another number of players, another deck or other starter "
                "orders; choose another file.",
                path=path,
            )

    def append(self, line: LogHead | BlockResult) -> None:
        """Add a line; raises `RecordError`."""
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> RecordError:
        return RecordError(
            "{path} cannot be written: {reason}; free some space or choose another path.",
            path=self._path,
            reason=error,
        )

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # it writes again what `append` could not write
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
