"""Host a table in this process, once the options are validated.

It imports nothing that only commands and screens need: a table opens after all this is loaded.
"""

import logging
import os
from pathlib import Path

from msgspec.structs import replace

from coffeerush.bots import BOTS
from coffeerush.bots.process import BotProcess
from coffeerush.errors import HostError, UsageError
from coffeerush.host.children import certificate_of, check_installed
from coffeerush.host.run import host
from coffeerush.host.server.parent import TABLE_NAME, HostOptions, ParentLink
from coffeerush.host.table.config import TableConfig
from coffeerush.levels import kind_now
from coffeerush.local import files
from coffeerush.local.files import make_directory
from coffeerush.local.keys import KeyPair, host_key, keys_for
from coffeerush.local.processes import exit_if_a_thread_fails, limit_process
from coffeerush.rules import Deck, standard_deck
from protocol import MAX_PLAYERS, MIN_PLAYERS, TournamentView, clean_name


def host_here(wanted: HostOptions, parent: ParentLink | None = None) -> TournamentView | None:
    """Host a table in this process, with a log on standard error, until it stops.

    Returns the latest tournament, or None.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    if wanted.guests:
        check_installed()
        certificate_of(wanted.tls_cert, wanted.tls_key)
    wanted = replace(wanted, bots=_bots(wanted.bots))
    config = TableConfig(
        name=_name(wanted.table or TABLE_NAME),
        seats=_seats(wanted),
        deck=_deck(wanted.deck),
        rules=wanted.rules,
        owner=wanted.owner,
        first=wanted.first,
        games=wanted.games,
    )
    records = _ensured(records_of(wanted))
    limit_process()
    exit_if_a_thread_fails()
    return host(wanted, config, records, parent)


def _deck(path: str | None) -> Deck:
    if path is None:
        return standard_deck()
    from .records import load_deck

    return load_deck(path)


def _name(text: str) -> str:
    name = clean_name(text)
    if not name:
        raise UsageError(
            "The table's name has no printable characters; choose another, such as --table Kitchen."
        )
    return name


def _seats(wanted: HostOptions) -> int:
    taken = len(wanted.bots) + bool(wanted.owner)
    seats = wanted.seats or (max(MIN_PLAYERS, taken) if wanted.games else MAX_PLAYERS)
    if taken > seats:
        raise UsageError(
            "{seats} seats are too few for {taken} players; choose fewer bots.",
            seats=seats,
            taken=taken,
        )
    return seats


def _bots(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of bots, those in files with their absolute path.

    Each one is test-loaded in the child process for bots: foreign code never runs in the host.
    """
    specs = tuple(_absolute(kind_now(kind)) for kind in kinds)
    worker = BotProcess()
    try:
        for spec in dict.fromkeys(specs):
            if spec not in BOTS:
                worker.check(spec)
    finally:
        worker.stop()
    return specs


def _absolute(spec: str) -> str:
    path, colon, name = spec.rpartition(":")
    return f"{os.path.realpath(path)}:{name}" if colon else spec


def records_of(wanted: HostOptions) -> Path:
    """Return the directory for the records; a resumed game stays in its own."""
    if wanted.record is not None:
        return Path(wanted.record)
    if wanted.resume is not None:
        return Path(os.path.realpath(wanted.resume)).parent
    return files.records_directory()


def owner_keys(records: Path, name: str) -> KeyPair:
    """Return the keys of `name` at the user's own tables with their records in `records`."""
    return keys_for(host_key(_ensured(records)).public.decode(), name)


def _ensured(records: Path) -> Path:
    """Create a directory for records if it is missing, and return it."""
    usual = records == files.records_directory()
    try:
        if usual:
            files.state_directory()  # created first, owner-only
        make_directory(records)
    except OSError as error:
        reason = {"path": error.filename, "reason": error}
        if usual:
            raise HostError(
                "Records cannot be written to {path}: {reason}; set COFFEERUSH_STATE to a "
                "writable directory.",
                **reason,
            ) from None
        raise HostError(
            "Records cannot be written to {path}: {reason}; choose another directory "
            "with --record.",
            **reason,
        ) from None
    return records
