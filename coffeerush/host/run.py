"""Build a host (table, record, key, sockets, door, server loop), run it and shut it down."""

import logging
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random, SystemRandom
from time import monotonic
from types import FrameType
from typing import Final

from coffeerush.errors import RecordError
from coffeerush.host.server.bot_turns import BotTurns
from coffeerush.host.server.flood_guard import REQUESTS_ALLOWANCE, UPDATES_ALLOWANCE, Guard
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import Members
from coffeerush.host.server.parent import Addresses, HostOptions, HostReady, ParentLink, Ways
from coffeerush.host.server.self_test import check_strangers_are_refused
from coffeerush.host.server.server import Server
from coffeerush.host.server.sockets import PortInUse, Sockets, open_sockets
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.announcing import Beacon
from coffeerush.joining.door_server import Door
from coffeerush.joining.hosts import Address
from coffeerush.joining.interfaces import AddressWatch, join_addresses, with_port
from coffeerush.local.keys import KeyPair, host_key
from coffeerush.local.own_tables import OwnTable, listed
from coffeerush.records.entries import Record
from coffeerush.records.writing import Journal, Records, load_record, newest_records
from protocol import (
    DOOR_PORT,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Asker,
    Banner,
)

from .gateway import GatewayOptions, GatewayProcess
from .join_notice import GuestNotice, invite
from .kept_code import KeptCode, RecordsWithCode

GUESTS_PORTS_FROM: Final = 3
"""The ports for ssh and browsers follow the three of the table."""
OTHER_TABLES: Final = 10
"""How many tables of screens find ports by themselves, and how far they are apart."""
_EPOCH_BYTES: Final = 8
_log: Final = logging.getLogger(__name__)


def host(
    wanted: HostOptions, config: TableConfig, records: Path, parent: ParentLink | None = None
) -> None:
    """Host a table until it stops by itself or by a signal; call from the main thread.

    `records` is the directory of the records and of the host's key. Raises `HostError`, and
    `RecordError` if the record to resume is not one.
    """
    with ExitStack() as stack:
        on_signal = stack.enter_context(remember_signals())
        journal, record = _resumed(wanted, records) or (None, None)
        kept = KeptCode()
        journals = RecordsWithCode(records, kept, journal)
        stack.callback(journals.close)
        keys = host_key(records)
        sockets = _sockets(wanted, record, keys, beside_screen=parent is not None)
        stack.callback(sockets.close)
        journals.port = sockets.port
        name, table = _table(wanted, config, journals, record)
        keyring = AdmittedKeyring()
        keyring.keep(table.keys, table.removed)
        check_strangers_are_refused(sockets, keys, keyring)
        incidents = Incidents()
        admission = _admission(wanted, keyring, kept, journals, record)
        guard = _guard(sockets, incidents)
        stack.callback(guard.stop)
        members = Members(keyring, guard, admission)
        bot_turns = BotTurns(table, _chance(wanted.seed, "bots"))
        server = Server(sockets, table, members, bot_turns, admission, incidents, parent)
        _open_door(stack, _banner(name, sockets, keys, wanted.open), sockets, admission, incidents)
        on_signal(server.stop)
        found = join_addresses(wanted.bind)
        addresses = _typed(found, sockets.port)
        invite(addresses, sockets.port, admission.code)
        notice = GuestNotice(addresses)
        if wanted.guests:
            door = Address(sockets.local_address, sockets.port)
            options = _gateway_options(wanted, name, door, keys, admission)
            gateway = _gateway(options, notice, admission, server, parent)
            stack.callback(gateway.stop)
            server.on_new_code, server.on_let_in = gateway.new_code, gateway.let_in
        _log.info("Stop with Ctrl-C, or with: kill %d", os.getpid())
        if parent:
            here = sockets.local_address, sockets.port, *sockets.ports
            parent.tell(HostReady(*here, addresses, admission.code))
            if not parent.is_private:
                own = with_port(sockets.local_address, sockets.port)
                stack.enter_context(listed(OwnTable(name, own, time.time())))

        def move(found: list[str]) -> None:
            addresses = _typed(found, sockets.port)
            invite(addresses, sockets.port, admission.code)
            notice.move(addresses)
            if parent:
                parent.tell(Addresses(addresses))

        stack.callback(AddressWatch(wanted.bind, found, move).stop)
        server.run()
        kept.end()


def _typed(addresses: Iterable[str], port: int) -> tuple[str, ...]:
    """Return what to type after `coffeerush join` for each address."""
    return tuple(with_port(each, port) for each in addresses)


def _admission(
    wanted: HostOptions,
    keyring: AdmittedKeyring,
    kept: KeptCode,
    records: Records,
    record: Record | None,
) -> Admission:
    """Return the table's admission, with the code from before the crash for a resumed game."""
    code = kept.resume(records.path, record.head) if record else ""
    chance, on_change = SystemRandom(), kept.change
    admission = Admission(keyring, chance, is_open=wanted.open, code=code, on_change=on_change)
    kept.change(admission.code)
    return admission


def _guard(sockets: Sockets, incidents: Incidents) -> Guard:
    """Start the guard against floods on both ports of members."""
    limits = dict(zip(sockets.ports, (REQUESTS_ALLOWANCE, UPDATES_ALLOWANCE), strict=True))
    return Guard(limits, incidents)


def _banner(table: str, sockets: Sockets, keys: KeyPair, is_open: bool) -> Banner:
    """Return the banner of the door, for everybody."""
    versions = PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION
    return Banner(*versions, table, *sockets.ports, keys.public.decode(), code=not is_open)


def _open_door(
    stack: ExitStack, banner: Banner, sockets: Sockets, admission: Admission, incidents: Incidents
) -> None:
    """Announce the table in the network, and let people in, until `stack` is closed."""
    stack.callback(Beacon(banner, sockets.door.getsockname()[0], sockets.port).stop)
    stack.callback(Door(sockets.door, banner, admission, incidents.count).stop)


def _gateway_options(
    wanted: HostOptions, table: str, door: Address, keys: KeyPair, admission: Admission
) -> GatewayOptions:
    """Return the options of the gateway for guests."""
    first = 0 if wanted.port == 0 else door.port + GUESTS_PORTS_FROM
    return GatewayOptions(
        *(door.host, door.port, keys.public.decode(), admission.code, table),
        *(wanted.bind, first, first and first + 1, wanted.tls_cert, wanted.tls_key),
        lets_in=True,
    )


def _gateway(
    options: GatewayOptions,
    notice: GuestNotice,
    admission: Admission,
    server: Server,
    parent: ParentLink | None,
) -> GatewayProcess:
    """Let guests in who have only ssh or a browser; tell the parent how they come in."""

    def tell(ways: Ways) -> None:
        notice.tell(ways, monotonic())
        server.asking = tuple(Asker(guest, name) for guest, name, _number in ways.asking)
        if parent:
            parent.tell(ways)

    return GatewayProcess(options, tell, admission.change_code)


def _sockets(
    wanted: HostOptions, record: Record | None, keys: KeyPair, *, beside_screen: bool
) -> Sockets:
    """Open the sockets; a second table beside a screen, which shows its port, takes other ones."""
    port = _port(wanted, record)
    if beside_screen and wanted.port is None and record is None:
        for place in range(OTHER_TABLES):
            with suppress(PortInUse):
                return open_sockets(wanted.bind, port + place * OTHER_TABLES, keys)
    return open_sockets(wanted.bind, port, keys)


def _port(wanted: HostOptions, record: Record | None) -> int:
    """Return the door's port: a resumed game keeps the port at which its guests look for it."""
    if wanted.port is not None:
        return wanted.port
    return (record.head.port if record else 0) or DOOR_PORT


def _table(
    wanted: HostOptions, config: TableConfig, records: Records, record: Record | None
) -> tuple[str, Table]:
    """Return the table's name and the table, new or resumed from a record."""
    chance = _chance(wanted.seed, "games")
    epoch = os.urandom(_EPOCH_BYTES)
    if record is None:
        return config.name, Table(config, records, epoch, chance, wanted.bots)
    return record.head.table, Table.resume(record, config, records, epoch, chance)


def _resumed(wanted: HostOptions, directory: Path) -> tuple[Journal, Record] | None:
    """Return the record to resume, if any; raises `RecordError` if `wanted.resume` is not one."""
    if wanted.resume is not None:
        return Journal.resume(Path(wanted.resume))
    for path in newest_records(directory) if wanted.resume_latest else ():
        try:
            record = load_record(path)
            if record.is_copy:
                continue
            if record.end is not None:
                return None  # the latest game was finished
            return Journal.resume(path)
        except RecordError as error:
            _log.warning("Cannot resume this game: %s", error)
    return None


def _chance(seed: int | None, what: str) -> Random:
    return SystemRandom() if seed is None else Random(f"{seed} {what}")


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
