"""What must be the same wherever games are compared: the program, Python, and bots from files."""

import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

import coffeerush
from coffeerush.bots import BOTS
from coffeerush.errors import BotError
from coffeerush.local.files import open_regular

_FILES: Final = (
    *("protocol/*.py", "coffeerush/levels.py", "coffeerush/bots/*.json", "coffeerush/decks/*.toml"),
    *(f"coffeerush/{room}/*.py" for room in ("arena", "bots", "rules")),
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
    """Return the report of this process."""
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
