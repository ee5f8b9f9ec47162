"""From the options of `coffeerush host` to what the host is to do, or why it cannot."""

from pathlib import Path

from msgspec import Struct

from coffeerush.bots import BOTS
from coffeerush.bots.process import BotProcess
from coffeerush.errors import HostError, UsageError
from coffeerush.host.run import HostPlan
from coffeerush.host.table.config import TableConfig
from coffeerush.local import directories
from coffeerush.local.durable import make_directory
from coffeerush.local.keys import KeyPair, host_key, keys_for
from protocol import MAX_PLAYERS, MIN_PLAYERS, clean_name, is_curve_key

from .deck import load_deck


class HostOptions(Struct, frozen=True, kw_only=True):
    """The options as they were typed."""

    table: str
    seats: int | None
    bots: str
    port: int
    bind: str
    deck: str | None
    starters: bool
    first: str
    turn_seconds: int
    seed: int | None
    record: Path | None
    resume: Path | None
    resume_latest: bool
    games: int
    owner: str
    open: bool


def plan(wanted: HostOptions) -> HostPlan:
    """Return what to host.

    Raises:
        UsageError: the options contradict each other.
        CoffeeRushError: a deck, a bot or a directory is not there.
    """
    bots = _bots(wanted.bots)
    config = TableConfig(
        name=_name(wanted.table),
        seats=_seats(wanted, len(bots)),
        deck=load_deck(wanted.deck),
        starters=wanted.starters,
        turn_seconds=wanted.turn_seconds,
        owner=_key(wanted.owner),
        first=wanted.first,
        games=wanted.games,
    )
    return HostPlan(
        config=config,
        address=wanted.bind,
        port=wanted.port,
        records=_made(records_directory(wanted.record, wanted.resume)),
        bots=bots,
        seed=wanted.seed,
        resume=wanted.resume,
        resume_latest=wanted.resume_latest,
        is_open=wanted.open,
    )


def _name(text: str) -> str:
    name = clean_name(text)
    if not name:
        raise UsageError("The table needs a name that can be seen: --table Kitchen.")
    return name


def _seats(wanted: HostOptions, bots: int) -> int:
    taken = bots + (1 if wanted.owner else 0)
    seats = wanted.seats or (max(MIN_PLAYERS, taken) if wanted.games else MAX_PLAYERS)
    if taken > seats:
        raise UsageError(
            "There are {seats} seats, too few for {taken}: name fewer bots.",
            seats=seats,
            taken=taken,
        )
    return seats


def _bots(text: str) -> tuple[str, ...]:
    """Return the kinds of bot, those in files by their whole path.

    Each is tried in the process where bots think: other people's code never runs in the host.
    """
    specs = tuple(_whole(spec.strip()) for spec in text.split(",") if spec.strip())
    worker = BotProcess()
    try:
        for spec in dict.fromkeys(specs):
            if spec not in BOTS:
                worker.check(spec)
    finally:
        worker.stop()
    return specs


def _whole(spec: str) -> str:
    path, colon, name = spec.rpartition(":")
    return f"{Path(path).resolve()}:{name}" if colon else spec


def _key(text: str) -> str:
    """Return a CURVE key in Z85; empty for none."""
    if text and not is_curve_key(text):
        raise UsageError("--owner takes a CURVE key in Z85, of 40 characters.")
    return text


def records_directory(record: Path | None = None, resume: Path | None = None) -> Path:
    """Return where the records go; those of a game that goes on stay where they are."""
    if record is None and resume is not None:
        return resume.resolve().parent
    return record or directories.records_directory()


def owner_keys(records: Path, name: str) -> KeyPair:
    """Return the keys of `name` at one's own tables, those that keep their records in a directory.

    Raises:
        CoffeeRushError: these or the host's cannot be kept.
    """
    return keys_for(host_key(_made(records)).public.decode(), name)


def _made(records: Path) -> Path:
    """Return a directory of records, made where it lacks."""
    try:
        if records == directories.records_directory():
            directories.state_directory()  # its owner alone may look into it
        make_directory(records)
    except OSError as error:
        raise HostError(
            "The records cannot be kept in {path}: {reason}; choose another directory with "
            "--record.",
            path=error.filename,
            reason=error,
        ) from None
    return records
