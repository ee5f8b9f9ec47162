"""Build a host (table, record, key, sockets, door, server loop), run it and shut it down."""

import hashlib
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random, SystemRandom
from threading import Lock
from time import monotonic
from types import FrameType
from typing import Final, TextIO

from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.server.bot_turns import BotTurns
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import REQUESTS_ALLOWANCE, UPDATES_ALLOWANCE, Guard, Members
from coffeerush.host.server.parent import Addresses, HostOptions, HostReady, ParentLink, Ways
from coffeerush.host.server.server import Server
from coffeerush.host.server.sockets import (
    PortInUse,
    Sockets,
    check_strangers_are_refused,
    open_sockets,
)
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.announcing import Beacon
from coffeerush.joining.code import can_be_drawn, half_blocks, join_command, qr_modules
from coffeerush.joining.door_server import Door
from coffeerush.joining.hosts import Address, page_address, ssh_command
from coffeerush.joining.interfaces import AddressWatch, join_addresses, with_port
from coffeerush.local.files import (
    make_directory,
    read_private,
    state_directory,
    sync_directory,
    write_atomic,
)
from coffeerush.local.keys import KeyPair, host_key
from coffeerush.local.own_tables import OwnTable, listed
from coffeerush.rates import TokenBucket
from coffeerush.records.entries import End, Head, Later, Record, Removal, encode_entry
from coffeerush.records.writing import Journal, Records, load_record, newest_records
from protocol import (
    DOOR_PORT,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Asker,
    Banner,
    GuestNumber,
)

from .children import GatewayOptions, GatewayProcess

# Log the commands that join this host, with a QR code if the terminal can show one


_log: Final = logging.getLogger(__name__)
_DARK_ON_LIGHT: Final = "\x1b[30;47m"
_RESET_COLOURS: Final = "\x1b[0m"


def invite(addresses: tuple[str, ...], port: int, code: str, stream: TextIO = sys.stderr) -> None:
    """Log how others join.

    Args:
        addresses: the host's addresses, most likely first.
        port: the door's port.
        code: the join code; empty at an open table.
        stream: the log's output, for the QR code.
    """
    commands = [join_command(address, code) for address in addresses]
    for command in commands:
        _log.info("Join with: %s", command)
    if not code:
        _log.info("No join code is needed: anybody who can reach port %d can join.", port)
    rows = half_blocks(qr_modules(commands[0])) if _can_show_qr(stream) else []
    if rows and len(rows[0]) <= os.get_terminal_size(stream.fileno()).columns:
        stream.writelines(f"{_DARK_ON_LIGHT}{row}{_RESET_COLOURS}\n" for row in rows)
        stream.flush()


ASKERS_AT_ONCE: Final = 60
ASKERS_PER_SECOND: Final = 0.2
"""The guests who ask that are logged; in a flood, others only if they still ask when it is over."""


class GuestNotice:
    """Logs how guests join who have only ssh or a browser, and who asks to be let in.

    May be used from several threads.

    Args:
        addresses: the machine's, with the door's port or without.
    """

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self._addresses = addresses
        self._known: Ways | None = None
        self._logged: tuple[tuple[GuestNumber, str, str], ...] = ()
        """Those who ask and have been logged."""
        self._askers = TokenBucket(ASKERS_PER_SECOND, ASKERS_AT_ONCE, 0)
        self._lock = Lock()

    def move(self, addresses: tuple[str, ...]) -> None:
        """Log how guests join at the machine's new addresses."""
        with self._lock:
            self._addresses = addresses
            if self._known and not self._known.failed:
                self._log_ways(self._known)

    def tell(self, ways: Ways, now: float) -> None:
        """Log what has changed; `now` is in seconds of a monotonic clock."""
        with self._lock:
            known, self._known = self._known, ways
            if ways.failed:
                _log.warning("Guests without this program cannot join: %s", ways.failed)
                return
            if known is None or replace(ways, asking=()) != replace(known, asking=()):
                self._log_ways(ways)
                _log.info("The key that ssh shows them: %s", ways.fingerprint)
            new = [one for one in ways.asking if one not in self._logged]
            told = new[: int(self._askers.left(now))]
            self._askers.spend(now, len(told))
            self._logged = tuple(one for one in ways.asking if one in told or one not in new)
            for one in told:
                _log.info("Guest %d (%s) asks to join with a browser. The number: %s", *one)

    def _log_ways(self, ways: Ways) -> None:
        for address in self._addresses:
            _log.info("Guests join with: %s", ssh_command(address, ways.ssh_port))
            if ways.web_port:
                page = page_address(address, ways.web_port, ways.web_tls)
                _log.info("With a browser: %s", page)


def _can_show_qr(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal that shows half blocks and colours."""
    is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
    return stream.isatty() and is_utf8 and os.environ.get("TERM") != "dumb"


# Keep the join code of a table in a file while its game is not over, for a host that resumes it
#
# It is not in the record: guests get copies of that. A code that was withdrawn never comes back.


_LINE: Final = re.compile(r"([a-z-]+) ([0-9a-f]{64})\n")
_MAX_BYTES: Final = 256


class KeptCode:
    """The file with a table's join code; thread-safe, and raises no `OSError`.

    There is a file for each record, but only while its game is not over.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._code = ""
        self._game: tuple[Path, str] | None = None
        """The record of the game that is being played, and its mark."""

    def resume(self, record: Path, head: Head) -> str:
        """Return the code that the table of a record had when its host crashed; "" if unknown."""
        self._game = record, _mark(head)
        try:
            path = _path(record)
            found = _LINE.fullmatch(read_private(path, _MAX_BYTES).decode("ascii", "replace"))
        except FileNotFoundError:
            return ""
        except OSError as error:
            _log.warning("The join code of this game cannot be read: %s", error)
            return ""
        if found and found[2] == _mark(head) and can_be_drawn(found[1]):
            return found[1]
        _log.warning("%s does not hold the join code of this game.", path)
        return ""

    def begin(self, record: Path, head: Head) -> None:
        """Keep the code with the record of a new game from now on."""
        with self._lock:
            self._withdraw()
            self._game = record, _mark(head)
            self._write()

    def change(self, code: str) -> None:
        """Keep another code, before anybody gets to know it; empty for an open table."""
        with self._lock:
            self._code = code
            self._write()

    def withdraw(self) -> None:
        """Forget the code that is kept; the next one will be kept again."""
        with self._lock:
            self._withdraw()

    def end(self) -> None:
        """Forget the code: the game is over, or the table has ended."""
        with self._lock:
            self._withdraw()
            self._game = None

    def _write(self) -> None:
        if self._game is None:
            return
        if not self._code:
            self._withdraw()
            return
        record, mark = self._game
        try:
            path = _path(record)
            make_directory(path.parent)
            write_atomic(path, f"{self._code} {mark}\n".encode())
        except OSError as error:
            _log.warning("The join code cannot be kept, so it will not survive a crash: %s", error)
            self._withdraw()

    def _withdraw(self) -> None:
        if self._game is None:
            return
        try:
            path = _path(self._game[0])
            path.unlink()
            sync_directory(path.parent)
        except FileNotFoundError:
            return
        except OSError as error:
            _log.warning("The join code that is kept cannot be deleted: %s", error)


class RecordsWithCode(Records):
    """A table's records, each with the table's code kept beside it until its game is over."""

    def __init__(self, directory: Path, kept: KeptCode, current: Journal | None = None) -> None:
        super().__init__(directory, current)
        self._kept = kept

    def begin(self, head: Head) -> None:
        """Start the record of a new game; raises `RecordError`."""
        super().begin(head)
        self._kept.begin(self.path, head)

    def append(self, entry: Later) -> None:
        """Write an entry, and return once it is on disk; raises `RecordError`, `HostError`."""
        if isinstance(entry, Removal):  # a kicked player knows the code
            self._kept.withdraw()
        super().append(entry)
        if isinstance(entry, End):
            self._kept.end()


def _path(record: Path) -> Path:
    """Return the file for a record; raises `OSError`."""
    named = os.fsencode(os.path.realpath(record))
    return state_directory() / "codes" / f"{hashlib.sha256(named).hexdigest()[:32]}.code"


def _mark(head: Head) -> str:
    """Return the part that tells a game from any other one in a file of the same name."""
    return hashlib.sha256(encode_entry(replace(head, port=0))).hexdigest()


# Build a host (table, record, key, sockets, door, server loop), run it and shut it down


GUESTS_PORTS_FROM: Final = 3
"""The ports for ssh and browsers follow the three of the table."""
OTHER_TABLES: Final = 10
"""How many tables of screens find ports by themselves, and how far they are apart."""
_EPOCH_BYTES: Final = 8


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
        banner = _banner(name, sockets, keys, wanted.open)
        server.on_stage = _open_door(stack, banner, sockets, admission, incidents)
        on_signal(server.stop)
        found = join_addresses(wanted.bind)
        addresses = _typed(found, sockets.port)
        invite(addresses, sockets.port, admission.code)
        notice = GuestNotice(addresses)
        if wanted.guests:
            door = Address(sockets.local_address, sockets.port)
            options = _gateway_options(wanted, name, door, keys, admission)
            _let_guests_in(stack, options, notice, admission, server, parent)
        _log.info("Stop with Ctrl-C, or with: kill %d", os.getpid())
        if parent:
            here = sockets.local_address, sockets.port, *sockets.ports
            parent.tell(HostReady(*here, addresses, admission.code))
        if parent and not parent.is_private:
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
) -> Callable[[int, int], None]:
    """Announce the table in the network, and let people in, until `stack` is closed.

    Returns what announces the free seats and the round of the game.
    """
    beacon = Beacon(banner, sockets.door.getsockname()[0], sockets.port)
    stack.callback(beacon.stop)
    stack.callback(Door(sockets.door, banner, admission, incidents.count).stop)
    return beacon.show


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


def _let_guests_in(
    stack: ExitStack,
    options: GatewayOptions,
    notice: GuestNotice,
    admission: Admission,
    server: Server,
    parent: ParentLink | None,
) -> None:
    """Let guests in with ssh or a browser, until `stack` is closed; tell the parent how."""

    def tell(ways: Ways) -> None:
        notice.tell(ways, monotonic())
        server.asking = tuple(Asker(guest, name) for guest, name, _number in ways.asking)
        if parent:
            parent.tell(ways)

    gateway = GatewayProcess(options, tell, admission.change_code)
    stack.callback(gateway.stop)
    server.on_new_code, server.on_let_in = gateway.new_code, gateway.let_in


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
