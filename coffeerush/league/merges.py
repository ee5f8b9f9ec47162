"""Which ids are the same person, as the owner says: a file next to the database, never rebuilt."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from coffeerush.errors import LeagueError
from coffeerush.local.durable import locked, write_atomic
from coffeerush.local.regular_files import read_regular

MERGES_FILE: Final = "merges.json"
_MAX_BYTES: Final = 2**20
Merges = dict[str, str]
"""From an id to the one that it belongs to, which may belong to another in turn."""


def merged_into(player: str, merges: Mapping[str, str]) -> str:
    """Return the id that stands for a player in the table."""
    seen = {player}
    while (player := merges.get(player, player)) not in seen:
        seen.add(player)
    return player


def load_merges(directory: Path) -> Merges:
    """Return the merges in the league's directory; raises `LeagueError`."""
    path = directory / MERGES_FILE
    try:
        return msgspec.json.decode(read_regular(path, _MAX_BYTES), type=Merges)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LeagueError(
            "{path}, which says which players are the same person, cannot be read: "
            "{reason}. Repair it, or move it elsewhere and merge the players again.",
            path=path,
            reason=error,
        ) from None


def merge(directory: Path, one: str, other: str) -> None:
    """Let the games of `one` count for `other` from now on; raises `LeagueError`."""

    def change(merges: Merges) -> None:
        source, target = merged_into(one, merges), merged_into(other, merges)
        if source != target:
            merges[source] = target

    _change(directory, change)


def unmerge(directory: Path, player: str) -> None:
    """Separate a merged id, with those merged into it, or else everybody merged into a player.

    So the id undoes just the merge that it was given in. Raises `LeagueError`.
    """

    def change(merges: Merges) -> None:
        if merges.pop(player, None) is None:
            for one in [one for one in merges if merged_into(one, merges) == player]:
                del merges[one]

    _change(directory, change)


def _change(directory: Path, change: Callable[[Merges], None]) -> None:
    try:
        with locked(directory):
            merges = load_merges(directory)
            change(merges)
            write_atomic(directory / MERGES_FILE, msgspec.json.encode(merges) + b"\n")
    except OSError as error:
        raise LeagueError(
            "{path} cannot be written: {reason}; free some space, or set COFFEERUSH_STATE to a "
            "writable directory.",
            path=directory / MERGES_FILE,
            reason=error,
        ) from None
