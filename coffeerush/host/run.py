"""Build a host (table, record, key, sockets, door, server loop), run it and shut it down."""

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
    """Options of a host."""

    config: TableConfig
    address: str
    """Address to listen on; see `open_sockets`."""
    port: int
    records: Path
    """The directory of the records and of the host's key."""
    bots: tuple[str, ...] = ()
    """Kinds of bot seated from the start."""
    seed: int | None = None
    """Makes deals and bots reproducible; None for unpredictable ones, as at a real table."""
    resume: Path | None = None
    """The record of a game to resume."""
    resume_latest: bool = False
    """Resume the latest game in `records` if it was interrupted."""
    is_open: bool = False
    """Admit anybody who reaches the door, without a join code."""


def host(plan: HostPlan, parent: ParentLink | None = None) -> None:
    """Host a table until it stops by itself or by a signal; call from the main thread.

    Raises:
        HostError: the sockets cannot be opened or the key cannot be read or created.
        RecordError: the record to resume is not one.
    """
    with ExitStack() as stack:
        on_signal = stack.enter_context(remember_signals())
        name, table = _table(plan, stack)
        keys = host_key(plan.records)
        sockets = open_sockets(plan.address, plan.port, keys)
        stack.callback(sockets.close)
        keyring = AdmittedKeyring()
        keyring.keep(table.keys, table.removed)
        check_strangers_are_refused(sockets, keys, keyring)
        incidents = Incidents()
        guard = Guard(dict(zip(sockets.ports, (REQUESTS, UPDATES), strict=True)), incidents)
        stack.callback(guard.stop)
        bot_turns = BotTurns(table, _chance(plan, "bots"))
        admission = Admission(keyring, SystemRandom(), is_open=plan.is_open)
        members = Members(keyring, guard, admission)
        server = Server(sockets, table, members, bot_turns, admission, incidents, parent)
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
        stack.callback(Door(sockets.door, banner, admission, incidents.count).stop)
        on_signal(server.stop)
        _announce(sockets, plan, admission.code, parent)
        server.run()


def _table(plan: HostPlan, stack: ExitStack) -> tuple[str, Table]:
    """Return the table's name and the table, new or resumed from a record."""
    chance = _chance(plan, "games")
    epoch = os.urandom(_EPOCH_BYTES)
    journal, record = _resumed(plan) or (None, None)
    records = Records(plan.records, journal)
    stack.callback(records.close)
    if record is None:
        return plan.config.name, Table(plan.config, records, epoch, chance, plan.bots)
    return record.head.table, Table.resume(record, plan.config, records, epoch, chance)


def _resumed(plan: HostPlan) -> tuple[Journal, Record] | None:
    """Return the record to resume, if any; raises `RecordError` if `plan.resume` is not one."""
    if plan.resume is not None:
        return Journal.resume(plan.resume)
    for path in newest_records(plan.records) if plan.resume_latest else ():
        try:
            if load_record(path).end is not None:
                return None  # the latest game was finished
            return Journal.resume(path)
        except RecordError as error:
            _log.warning("Cannot resume this game: %s", error)
    return None


def _chance(plan: HostPlan, what: str) -> Random:
    return SystemRandom() if plan.seed is None else Random(f"{plan.seed} {what}")


def _announce(sockets: Sockets, plan: HostPlan, code: str, parent: ParentLink | None) -> None:
    addresses = tuple(with_port(address, sockets.port) for address in join_addresses(plan.address))
    invite(addresses, sockets.port, code)
    _log.info("Stop with Ctrl-C, or with: kill %d", os.getpid())
    if parent:
        parent.tell(HostReady(sockets.local_address, sockets.port, *sockets.ports, addresses, code))


@contextmanager
def remember_signals() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Yield a function that registers what SIGINT, SIGTERM, SIGHUP and SIGQUIT call from then on.

    Until then the previous handlers run. An exception raised by one of them can be swallowed, as
    in a weak reference's callback, so signals are remembered: a function registered after one
    is called at once.
    """
    came: list[int] = []
    calls: list[Callable[[], None]] = []
    wanted = [signal.SIGINT, signal.SIGTERM]
    # signals that the shell set to be ignored, as nohup does, stay ignored
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
