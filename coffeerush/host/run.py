"""Puts a host together: table, record, key, sockets, door and loop; and takes it down again."""

import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random, SystemRandom
from types import FrameType
from typing import Final

from msgspec import Struct

from coffeerush.errors import RecordError
from coffeerush.host.server.bot_turns import BotTurns
from coffeerush.host.server.flood_guard import REQUESTS, UPDATES, Guard
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import Members
from coffeerush.host.server.parent import HostReady, ParentLink
from coffeerush.host.server.self_test import check_strangers_are_refused
from coffeerush.host.server.server import Server
from coffeerush.host.server.sockets import Sockets, open_sockets
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.discovery.announcing import Beacon
from coffeerush.joining.discovery.interfaces import join_addresses, with_port
from coffeerush.joining.door_server import Door
from coffeerush.local.keys import host_key
from coffeerush.records.reading import Record
from coffeerush.records.writing import Journal, Records, load_record, newest_records
from protocol import PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION, Banner

from .join_notice import invite

_EPOCH_BYTES: Final = 8
_log: Final = logging.getLogger(__name__)


class HostPlan(Struct, frozen=True):
    """What somebody wants hosted."""

    config: TableConfig
    address: str
    """To listen on; see `open_sockets`."""
    port: int
    records: Path
    """The directory of the records and of the host's key."""
    bots: tuple[str, ...] = ()
    """Kinds that sit at the table from the start."""
    seed: int | None = None
    """Makes deals and bots the same each time; None for a table where nobody may know them."""
    resume: Path | None = None
    """The record of a game to go on with."""
    resume_latest: bool = False
    """Go on with the game of `records` that was interrupted last, if there is one."""
    is_open: bool = False
    """Let everybody in who reaches the door, without a join code."""


def host(plan: HostPlan, companion: ParentLink | None = None) -> None:
    """Host a table until it is time to stop; in the main thread, for signals end it.

    Raises:
        HostError: the sockets or the key cannot be had.
        RecordError: the record to resume is none.
    """
    with ExitStack() as stack:
        on_signal = stack.enter_context(signals_kept())
        name, table = _table(plan, stack)
        keys = host_key(plan.records)
        sockets = open_sockets(plan.address, plan.port, keys)
        stack.callback(sockets.close)
        keyring = AdmittedKeyring()
        keyring.keep(table.keys, table.removed)
        check_strangers_are_refused(sockets, keys, keyring)
        tally = Incidents()
        guard = Guard(dict(zip(sockets.ports, (REQUESTS, UPDATES), strict=True)), tally)
        stack.callback(guard.stop)
        thinking = BotTurns(table, _chance(plan, "bots"))
        gate = Admission(keyring, SystemRandom(), is_open=plan.is_open)
        members = Members(keyring, guard, gate)
        server = Server(sockets, table, members, thinking, gate, tally, companion)
        banner = Banner(
            PROTOCOL_NAME,
            PROTOCOL_OLDEST,
            PROTOCOL_VERSION,
            name,
            *sockets.ports,
            keys.public.decode(),
            code=not plan.is_open,
        )
        stack.callback(Beacon(banner, sockets.door.getsockname()[0], sockets.port).stop)
        stack.callback(Door(sockets.door, banner, gate, tally.count).stop)
        on_signal(server.stop)
        _announce(sockets, plan, gate.code, companion)
        server.run()


def _table(plan: HostPlan, stack: ExitStack) -> tuple[str, Table]:
    """Return the table's name and the table, new or from its record."""
    chance = _chance(plan, "games")
    epoch = os.urandom(_EPOCH_BYTES)
    journal, record = _resumed(plan) or (None, None)
    records = Records(plan.records, journal)
    stack.callback(records.close)
    if record is None:
        return plan.config.name, Table(plan.config, records, epoch, chance, plan.bots)
    return record.head.table, Table.resume(record, plan.config, records, epoch, chance)


def _resumed(plan: HostPlan) -> tuple[Journal, Record] | None:
    """Return the record to go on with, if any; raises `RecordError` if it was named and is not."""
    if plan.resume is not None:
        return Journal.resume(plan.resume)
    for path in newest_records(plan.records) if plan.resume_latest else ():
        try:
            if load_record(path).end is not None:
                return None  # nothing was interrupted after it
            return Journal.resume(path)
        except RecordError as error:
            _log.warning("Not resumed: %s", error)
    return None


def _chance(plan: HostPlan, what: str) -> Random:
    return SystemRandom() if plan.seed is None else Random(f"{plan.seed} {what}")


def _announce(sockets: Sockets, plan: HostPlan, code: str, companion: ParentLink | None) -> None:
    addresses = tuple(with_port(address, sockets.port) for address in join_addresses(plan.address))
    invite(addresses, sockets.port, code)
    _log.info("Stop with Ctrl-C, or with: kill %d", os.getpid())
    if companion:
        companion.tell(
            HostReady(sockets.local_address, sockets.port, *sockets.ports, addresses, code)
        )


@contextmanager
def signals_kept() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Yield what takes the function that a signal that ends the host is to call from then on.

    Until then they do as before. But what such a signal raises is lost in code that clears all
    errors, such as a callback of a weak reference: so it is remembered, and the function called.
    """
    came: list[int] = []
    calls: list[Callable[[], None]] = []
    wanted = [signal.SIGINT, signal.SIGTERM]
    # those that a shell has it ignore, as under nohup, stay ignored
    more = (signal.SIGHUP, signal.SIGQUIT)
    wanted += [each for each in more if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.getsignal(each) for each in wanted}

    def handle(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handler = before[signal.Signals(number)]
        if calls:
            calls[0]()
        elif callable(handler):
            handler(number, frame)

    def call(function: Callable[[], None]) -> None:
        calls.append(function)
        if came:
            function()

    for each in before:
        signal.signal(each, handle)
    try:
        yield call
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
