"""Build a host (table, record, key, sockets, door, server loop), run it and shut it down."""

import hashlib
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from random import Random, SystemRandom
from threading import Lock, Thread
from time import monotonic
from types import FrameType
from typing import Final, NamedTuple, TextIO, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.hall.hall import Hall
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.server.bot_turns import HallBots
from coffeerush.host.server.gatherer import Gatherer
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import REQUESTS_ALLOWANCE, UPDATES_ALLOWANCE, Guard, Members
from coffeerush.host.server.parent import (
    NO_WAYS,
    Addresses,
    HostOptions,
    HostReady,
    NewCode,
    ParentLink,
    Ways,
)
from coffeerush.host.server.server import Server
from coffeerush.host.server.sockets import (
    PortInUse,
    Sockets,
    check_strangers_are_refused,
    open_sockets,
)
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Buckets, Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.announcing import Beacon
from coffeerush.joining.code import can_be_drawn, half_blocks, join_command, qr_modules
from coffeerush.joining.door_server import Door
from coffeerush.joining.hosts import Address, page_address, ssh_command
from coffeerush.joining.interfaces import (
    AddressWatch,
    join_addresses,
    own_interfaces,
)
from coffeerush.local.files import (
    make_directory,
    read_private,
    state_directory,
    sync_directory,
    write_atomic,
)
from coffeerush.local.keys import KeyPair, host_key
from coffeerush.local.own_tables import Change, OwnTable, listed
from coffeerush.moving.failover import Failover
from coffeerush.moving.fencing import Deed, next_term
from coffeerush.moving.gathering import Gathering, OpenedRecord
from coffeerush.moving.handover import StateOfHall, StateOfTable
from coffeerush.rates import TokenBucket
from coffeerush.records.entries import (
    End,
    Head,
    Later,
    Record,
    Relocation,
    Removal,
    encode_entry,
    read_record,
)
from coffeerush.records.listing import finished_game
from coffeerush.records.writing import (
    RECORDS,
    Journal,
    Records,
    Unsynced,
    load_head,
    load_record,
    newest_records,
)
from coffeerush.table_rules import TableRules
from coffeerush.tournament.course import Announced, Course, Ended, Later as LaterInCourse
from coffeerush.tournament.journal import COURSES, CourseHead, CourseJournal, load_course_head
from protocol import (
    DOOR_PORT,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Asker,
    Banner,
    GuestNumber,
    TableNumber,
    Term,
    TournamentView,
    clean_name,
    name_with_end,
)

from .children import GatewayOptions, GatewayProcess, missing_packages

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
            if self._known and self._known.ssh_port:
                self._log_ways(self._known)

    def tell(self, ways: Ways, now: float) -> None:
        """Log what has changed; `now` is in seconds of a monotonic clock."""
        with self._lock:
            known, self._known = self._known, ways
            if ways.failed:
                _log.warning("Guests without this program cannot join: %s", ways.failed)
                return
            if ways == NO_WAYS:
                _log.info("Guests without this program are no longer let in.")
                return
            if known is None or replace(ways, asking=()) != replace(known, asking=()):
                self._log_ways(ways)
                _log.info("The key that ssh shows them: %s", ways.fingerprint)
            new = [asker for asker in ways.asking if asker not in self._logged]
            told = new[: int(self._askers.left(now))]
            self._askers.spend(now, len(told))
            self._logged = tuple(
                asker for asker in ways.asking if asker in told or asker not in new
            )
            for asker in told:
                _log.info("Guest %d (%s) asks to join with a browser. The number: %s", *asker)

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
    """The files with a host's join code; thread-safe, and raises no `OSError`.

    There is a file for each record, but only while its game is not over.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._code = ""
        self._games: dict[Path, str] = {}
        """The records of the games that are being played, and their marks."""

    def resume(self, record: Path, head: Head | CourseHead) -> str:
        """Return the code that the table of a record had when its host crashed; "" if unknown."""
        self._games[record] = _mark(head)
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

    def begin(self, record: Path, head: Head | CourseHead) -> None:
        """Keep the code with the record of a new game or tournament from now on."""
        with self._lock:
            self._games[record] = _mark(head)
            self._write(record)

    def change(self, code: str) -> None:
        """Keep another code, before anybody gets to know it; empty for an open table.

        After a crash no record has the one from before.
        """
        with self._lock:
            if len(self._games) > 1:
                self._withdraw_all()
            self._code = code
            for record in self._games:
                self._write(record)

    def withdraw(self) -> None:
        """Forget the code that is kept; the next one will be kept again."""
        with self._lock:
            self._withdraw_all()

    def end(self, record: Path | None = None) -> None:
        """Forget the code for a record whose game is over; for all of them if the host has ended.

        Without effect if no code is kept for it.
        """
        with self._lock:
            for ended in [*self._games] if record is None else [record]:
                if ended in self._games:
                    self._withdraw(ended)
                    del self._games[ended]

    def _write(self, record: Path) -> None:
        if not self._code:
            self._withdraw(record)
            return
        try:
            path = _path(record)
            make_directory(path.parent)
            write_atomic(path, f"{self._code} {self._games[record]}\n".encode())
        except OSError as error:
            _log.warning("The join code cannot be kept, so it will not survive a crash: %s", error)
            self._withdraw(record)

    def _withdraw_all(self) -> None:
        for record in self._games:
            self._withdraw(record)

    def _withdraw(self, record: Path) -> None:
        try:
            path = _path(record)
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

    def begin(self, head: Head) -> Head:
        """Start the record of a new game, and return its head as written; raises `RecordError`."""
        before = self._current
        written = super().begin(head)
        if before is not None:
            self._kept.end(before.path)
        self._kept.begin(self.path, head)
        return written

    def append(self, entry: Later) -> None:
        """Write an entry; see `Records`."""
        if isinstance(entry, Removal):  # a kicked player knows the code
            self._kept.withdraw()
        super().append(entry)
        if isinstance(entry, End):
            self._kept.end(self.path)


def _path(record: Path) -> Path:
    """Return the file for a record; raises `OSError`."""
    named = os.fsencode(os.path.realpath(record))
    return state_directory() / "codes" / f"{hashlib.sha256(named).hexdigest()[:32]}.code"


class TournamentsWithCode:
    """A host's tournaments on disk, each with the host's code kept beside it until it is over.

    Args:
        directory: of the records.
        kept: keeps the code.
        head: of new ones.
        current: the one that goes on.
    """

    def __init__(
        self, directory: Path, kept: KeptCode, head: CourseHead, current: CourseJournal | None
    ) -> None:
        self._directory, self._kept, self._head = directory, kept, head
        self._current = current

    def begin(self, announced: Announced) -> None:
        """Start the file of a new tournament; raises `RecordError`."""
        begun = CourseJournal.create(self._directory, self._head, announced, datetime.now())
        self.close()
        self._current = begun
        self._kept.begin(begun.path, self._head)

    def append(self, entry: LaterInCourse) -> None:
        """Write an entry, and return once it is on disk; raises `RecordError`, `HostError`."""
        assert self._current is not None, "a tournament is announced before it is played"
        self._current.append(entry)
        if isinstance(entry, Ended):
            self._kept.end(self._current.path)

    def close(self) -> None:
        """Close the file of the latest tournament, over or not."""
        if self._current is not None:
            self._current.close()
            self._current = None


def _mark(head: Head | CourseHead) -> str:
    """Return the part that tells a game from any other one in a file of the same name."""
    # but for what `Records` adds when it begins
    bare = replace(head, port=0)
    if isinstance(bare, Head):
        bare = replace(bare, hall="", number=1, term=1)
    return hashlib.sha256(encode_entry(bare)).hexdigest()


# Build a host (table, record, key, sockets, door, server loop), run it and shut it down


GUESTS_PORTS_FROM: Final = 3
"""The ports for ssh and browsers follow the three of the table."""
OTHER_TABLES: Final = 10
"""How many tables of screens find the ports next to each other, and how far these are apart."""
INHERIT_SECONDS: Final = 60.0
"""How long a host waits for the tables to be its own; longer than they can be on their way."""
_EPOCH_BYTES: Final = 8
_HALL_BYTES: Final = 16
ResumedGame: TypeAlias = tuple[Journal | None, Record]
"""A game that goes on, or without a journal one that is over."""


class Resumed(Struct):
    """What a host takes up again, which wrote last before it ended or was killed."""

    games: dict[TableNumber, ResumedGame] = {}
    """By table."""
    tournament: tuple[CourseJournal, Course] | None = None
    port: int = 0
    """The door's; 0 if unknown."""
    hall: str = ""
    """What the records of all its tables have in common; empty if unknown."""
    last: TableNumber = 1
    """The highest number of a table."""

    def close(self) -> None:
        """Close what has not been taken over."""
        for journal, _record in self.games.values():
            if journal is not None:
                journal.close()
        if self.tournament is not None:
            self.tournament[0].close()


def host(
    wanted: HostOptions, config: TableConfig, records: Path, parent: ParentLink | None = None
) -> TournamentView | None:
    """Host a table until it stops by itself or by a signal; call from the main thread.

    Returns the latest tournament, or None. `records` is the directory of the records and of the
    host's key. Raises `HostError`, and `RecordError` if the record to resume is not one.
    """
    with ExitStack() as stack:
        on_signal = stack.enter_context(remember_signals())
        opened = _open(stack, wanted, config, records, parent)
        if opened is None:
            return None
        server, admission = _server(stack, opened, parent)
        on_signal(server.stop)
        ready = _ready(opened.sockets, opened.found, admission)
        if not _begin(opened, server, ready, parent):
            return None
        notice = GuestNotice(ready.addresses)
        change: Change = _unlisted
        if opened.hall.moved_at is None:
            change = _show(stack, opened, server, ready, parent)
            invite(ready.addresses, ready.port, admission.code)
            _open_to_guests(stack, opened, server, admission, notice, parent)
        _log.info("Stop with Ctrl-C, or with: kill %d", os.getpid())
        if parent and not opened.inherited:
            parent.tell(NewCode(admission.code) if opened.failover else ready)
        watch = _address_watch(
            wanted.bind, opened.found, ready.port, admission, notice, parent, change
        )
        stack.callback(watch.stop)
        server.run()
        opened.kept.end()
        return opened.hall.tournament(monotonic())


class _Opened(NamedTuple):
    """What a host has opened before anybody can come in."""

    wanted: HostOptions
    inherited: StateOfHall | None
    """The tables that another host hands over."""
    failover: Failover | None
    """The game of another host that is silent."""
    keys: KeyPair
    sockets: Sockets
    found: list[str]
    """The machine's addresses, most likely first."""
    kept: KeptCode
    workshop: "Workshop"
    hall: Hall
    banner: Banner


def _open(
    stack: ExitStack,
    wanted: HostOptions,
    config: TableConfig,
    records: Path,
    parent: ParentLink | None,
) -> _Opened | None:
    """Open all that `stack` closes; None if a silent host's game is given up."""
    inherited = StateOfHall.decode(wanted.inherited) if wanted.inherited else None
    failover = Failover.decode(wanted.failover) if wanted.failover else None
    keys = host_key(records)
    public = keys.public.decode()
    resumed = Resumed() if inherited or failover else _resumed(wanted, records, public)
    stack.callback(resumed.close)
    near = frozenset(str(interface.ip) for interface in own_interfaces())
    config = replace(config, host=public, addresses=near)
    if inherited:
        wanted = _inheriting(wanted, inherited)
    sockets = _sockets(wanted, resumed, keys, beside_screen=parent is not None)
    stack.callback(sockets.close)
    found = join_addresses(wanted.bind)
    code = ""
    if failover and parent:
        rescued = _rescued(failover, sockets, keys, found, records, parent)
        if rescued is None:
            return None
        resumed, code = rescued
    kept = KeptCode()
    common = inherited.hall if inherited else resumed.hall or os.urandom(_HALL_BYTES).hex()
    workshop = Workshop(wanted, config, records, kept, sockets.port, common)
    workshop.code = code
    stack.callback(workshop.close)
    hall = workshop.inherit(inherited) if inherited else workshop.hall(resumed)
    can_move = parent is None or not parent.is_private
    shown_hall = common if can_move else ""
    banner = _banner(hall.main.name, sockets, keys, wanted.open, shown_hall, wanted.person)
    return _Opened(wanted, inherited, failover, keys, sockets, found, kept, workshop, hall, banner)


def _server(
    stack: ExitStack, opened: _Opened, parent: ParentLink | None
) -> tuple[Server, Admission]:
    """Return the server of the hall, and what decides at its door, which is open from now on."""
    wanted, sockets, hall = opened.wanted, opened.sockets, opened.hall
    keyring = AdmittedKeyring()
    keyring.keep(hall.keys, hall.removed)
    check_strangers_are_refused(sockets, opened.keys, keyring)
    incidents = Incidents()
    admission = _admission(wanted, keyring, opened.kept, opened.workshop.code)
    guard = _guard(sockets, incidents)
    stack.callback(guard.stop)
    members = Members(keyring, guard, admission)
    bot_turns = HallBots(hall, _chance(wanted.seed, "bots"))
    server = Server(sockets, hall, members, bot_turns, admission, incidents, parent)
    hall.completed = lambda state: replace(
        state, code=admission.code, guests=server.on_let_in is not None
    )
    prove = opened.workshop.deed(opened.banner.key, hall.main.term).answer
    stack.callback(Door(sockets.door, opened.banner, admission, incidents.count, prove).stop)
    return server, admission


def _begin(opened: _Opened, server: Server, ready: HostReady, parent: ParentLink | None) -> bool:
    """Begin a term of our own for the tables of another host; return whether they are ours."""
    hall, inherited, failover = opened.hall, opened.inherited, opened.failover
    if inherited:
        if parent is None or not parent.may_inherit(ready, INHERIT_SECONDS):
            return False  # the table stays where it is
        opened.workshop.keep()
        person, left = opened.wanted.person, _left(inherited)
        server.publish_first(hall.begin_term(monotonic(), person, left))
    if failover:
        server.publish_first(hall.begin_term(monotonic(), failover.person, ""))
    server.give_way(monotonic())  # a game that is resumed may go on elsewhere
    return True


def _unlisted(**_fields: object) -> None:
    """Change nothing: nobody comes back to this host's tables as their owner."""


def _show(
    stack: ExitStack,
    opened: _Opened,
    server: Server,
    ready: HostReady,
    parent: ParentLink | None,
) -> Change:
    """Show the host to the network and to this machine, until its tables have another host.

    Return what changes how others join for an owner who comes back.
    """
    change: Change = _unlisted
    sockets, name = opened.sockets, opened.banner.table
    shown = stack.enter_context(ExitStack())
    beacon = Beacon(opened.banner, sockets.door.getsockname()[0], sockets.port)
    shown.callback(beacon.stop)
    if parent and not parent.is_private:
        own = str(Address(sockets.local_address, sockets.port))
        person = opened.wanted.person
        table = OwnTable(
            name, own, time.time(), name=person, addresses=ready.addresses, code=ready.code
        )
        change = shown.enter_context(listed(table))
        server.on_new_code.append(lambda code: change(code=code))
    server.on_stage, server.on_moved = beacon.show, shown.close
    return change


def _open_to_guests(
    stack: ExitStack,
    opened: _Opened,
    server: Server,
    admission: Admission,
    notice: GuestNotice,
    parent: ParentLink | None,
) -> None:
    """Let guests in with ssh or a browser now if it is wanted, or while the parent wants it."""
    gateway: GatewayProcess | None = None
    closing: Thread | None = None

    def tell(ways: Ways) -> None:
        notice.tell(ways, monotonic())
        server.asking = tuple(Asker(guest, name) for guest, name, _number in ways.asking)
        if parent:
            parent.tell(ways)

    def close(closed: GatewayProcess) -> None:
        closed.stop()
        tell(NO_WAYS)

    def let_in(allowed: bool) -> None:
        nonlocal gateway, closing
        if allowed and gateway is None:
            if closing:
                closing.join()  # else its ports would be taken
            gateway = GatewayProcess(
                _gateway_options(opened, admission), tell, admission.change_code
            )
            stack.callback(gateway.stop)
            server.on_new_code.append(gateway.new_code)
            server.on_let_in = gateway.let_in
        elif gateway and not allowed:
            server.on_new_code.remove(gateway.new_code)
            server.on_let_in = None
            # its guests leave the table, which has to answer them
            closing = Thread(target=close, args=(gateway,), daemon=True)
            closing.start()
            gateway = None

    if opened.wanted.guests:
        let_in(allowed=True)
    if parent:
        parent.on_guests = let_in


def _ready(sockets: Sockets, found: Sequence[str], admission: Admission) -> HostReady:
    """Return what the parent is told of a host that can be reached."""
    addresses = _typed(found, sockets.port)
    here = sockets.local_address, sockets.port, *sockets.ports
    return HostReady(*here, addresses, admission.code, tuple(found))


def _rescued(
    failover: Failover,
    sockets: Sockets,
    keys: KeyPair,
    found: Sequence[str],
    directory: Path,
    parent: ParentLink,
) -> tuple[Resumed, str] | None:
    """Return the game of a silent host, once those who keep its record have come, and the code.

    None if the parent has given up. Raises `RecordError`.
    """
    lenders = AdmittedKeyring()
    gate = Admission(lenders, SystemRandom())
    parent.tell(_ready(sockets, found, gate))
    opened = _gathered(failover, sockets, keys, lenders, gate, parent)
    if opened is None:
        return None
    return _written(failover, opened, directory, keys.public.decode()), gate.code


def _gathered(
    failover: Failover,
    sockets: Sockets,
    keys: KeyPair,
    lenders: AdmittedKeyring,
    gate: Admission,
    parent: ParentLink,
) -> OpenedRecord | None:
    """Wait for those who keep the record with the standby; None if the parent has given up."""
    gathering = Gathering(failover.replica, failover.key)
    lenders.keep(gathering.lenders)
    check_strangers_are_refused(sockets, keys, lenders)
    banner = _banner(failover.table, sockets, keys, is_open=False)
    door = Door(sockets.door, banner, gate, Incidents().count)
    try:
        return Gatherer(sockets, lenders, gathering, failover.number, parent).run()
    finally:
        door.stop()


def _written(failover: Failover, opened: OpenedRecord, directory: Path, host: str) -> Resumed:
    """Write the record of a game that goes on here, and return it; raises `RecordError`."""
    record, data = opened.record, opened.data
    if record.end is None:
        keys = [seated.key for seated in record.head.seats]
        seat = keys.index(failover.key) if failover.key in keys else None
        rev, term = len(record.moves), next_term(record.term, seat)
        where = Relocation(rev, term, host, failover.person, owner=failover.key)
        data += encode_entry(where)
    journal = Journal.adopt(directory, data, datetime.now())
    journal.keep()
    if record.end is not None:
        journal.close()
        told = "{path}: this game is over; watch it with coffeerush replay."
        raise RecordError(told, path=journal.path)
    head = (found := read_record(data)).head
    return Resumed({failover.number: (journal, found)}, None, 0, head.hall, failover.number)


def _typed(addresses: Iterable[str], port: int) -> tuple[str, ...]:
    """Return what to type after `coffeerush join` for each address."""
    return tuple(str(Address(each, port)) for each in addresses)


def _admission(
    wanted: HostOptions, keyring: AdmittedKeyring, kept: KeptCode, code: str
) -> Admission:
    """Return the host's admission, with the code from before the crash if games are resumed."""
    chance, on_change = SystemRandom(), kept.change
    admission = Admission(keyring, chance, is_open=wanted.open, code=code, on_change=on_change)
    kept.change(admission.code)
    return admission


def _guard(sockets: Sockets, incidents: Incidents) -> Guard:
    """Start the guard against floods on both ports of members."""
    limits = dict(zip(sockets.ports, (REQUESTS_ALLOWANCE, UPDATES_ALLOWANCE), strict=True))
    return Guard(limits, incidents)


def _banner(
    table: str, sockets: Sockets, keys: KeyPair, is_open: bool, hall: str = "", owner: str = ""
) -> Banner:
    """Return the banner of the door, for everybody."""
    versions = PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION
    public = keys.public.decode()
    return Banner(*versions, table, *sockets.ports, public, not is_open, hall, clean_name(owner))


def _inheriting(wanted: HostOptions, state: StateOfHall) -> HostOptions:
    """Return the options with those of the old host that the new one can keep."""
    guests = state.guests and not missing_packages()
    return replace(wanted, open=not state.code, guests=guests)


def _left(state: StateOfHall) -> str:
    """Return the key of who has left with the handover; empty for nobody."""
    return state.owner if state.leaves else ""


def _gateway_options(opened: _Opened, admission: Admission) -> GatewayOptions:
    """Return the options of the gateway for guests."""
    wanted, sockets, banner = opened.wanted, opened.sockets, opened.banner
    first = 0 if wanted.port == 0 else sockets.port + GUESTS_PORTS_FROM
    return GatewayOptions(
        *(sockets.local_address, sockets.port, banner.key, admission.code, banner.table),
        *(wanted.bind, first, first and first + 1, wanted.tls_cert, wanted.tls_key),
        lets_in=True,
        owner=banner.owner,
    )


def _address_watch(
    bind: str,
    found: list[str],
    port: int,
    admission: Admission,
    notice: GuestNotice,
    parent: ParentLink | None,
    change: Change,
) -> AddressWatch:
    """Tell everybody here how to join whenever this machine's addresses change."""

    def move(found: list[str]) -> None:
        addresses = _typed(found, port)
        invite(addresses, port, admission.code)
        notice.move(addresses)
        change(addresses=addresses)
        if parent:
            parent.tell(Addresses(addresses))

    return AddressWatch(bind, found, move)


def _sockets(
    wanted: HostOptions, resumed: Resumed, keys: KeyPair, *, beside_screen: bool
) -> Sockets:
    """Open the sockets; a second host beside a screen, which shows its port, takes other ones."""
    port = _port(wanted, resumed)
    if beside_screen and wanted.port is None and not (resumed.games or resumed.tournament):
        for place in range(OTHER_TABLES):
            with suppress(PortInUse):
                return open_sockets(wanted.bind, port + place * OTHER_TABLES, keys)
        port = 0
    return open_sockets(wanted.bind, port, keys)


def _port(wanted: HostOptions, resumed: Resumed) -> int:
    """Return the door's port: resumed games keep the port at which their guests look for it."""
    if wanted.port is not None:
        return wanted.port
    return resumed.port or DOOR_PORT


class Workshop:
    """Makes the tables of a host, new or resumed, each with its records; a `Carpenter`.

    Args:
        wanted: the options of the host.
        config: of its first table; the others differ in name and owner.
        directory: of the records.
        kept: keeps the join code with the records.
        port: the door's.
        hall: what the records of all tables have in common.
    """

    def __init__(
        self,
        wanted: HostOptions,
        config: TableConfig,
        directory: Path,
        kept: KeptCode,
        port: int,
        hall: str,
    ) -> None:
        self._wanted, self._config = wanted, config
        self._directory, self._kept = directory, kept
        self._head = CourseHead(hall=hall, port=port)
        self._buckets = Buckets()
        self._records: dict[TableNumber, RecordsWithCode] = {}
        self._unsynced = Unsynced()
        self._incoming: list[tuple[RecordsWithCode, Journal]] = []
        """The records of games that another host hands over, until they are ours."""
        self._tournaments: TournamentsWithCode | None = None
        self._begun: list[Record] = []
        """The records of the games with which the tables begin."""
        self.code = ""
        """The join code with which the resumed games were played; empty if unknown."""

    def hall(self, resumed: Resumed) -> Hall:
        """Return the hall with the tables that the host begins with; takes over the resumed ones.

        A host that resumes one record has only that table.
        """
        wanted, games = self._wanted, resumed.games
        terms = [record.term for _journal, record in games.values()]
        self._config = replace(self._config, term=max(terms, default=1))
        is_one = bool(wanted.resume or wanted.failover)
        ours = {*games} if is_one else {*games, *range(1, wanted.tables + 1)}
        stay = max(ours) if is_one else wanted.tables
        tables = [
            self._resume(number, *games.pop(number))
            if number in games
            else self._make(number, self._config.owner, self._config.rules, wanted.bots)
            for number in sorted(ours)
        ]
        tournaments = self._hold(resumed)
        epoch = os.urandom(_EPOCH_BYTES)
        made = tables, self, self._buckets, epoch, tournaments, stay, wanted.most_tables
        return Hall(*made, hall=self._head.hall, last=resumed.last)

    def _hold(self, resumed: Resumed) -> Tournaments:
        """Return with what the tournaments of the hall begin."""
        journal, course = resumed.tournament or (None, None)
        resumed.tournament = None
        if journal is not None:
            self.code = self._kept.resume(journal.path, self._head) or self.code
        made = TournamentsWithCode(self._directory, self._kept, self._head, journal)
        self._tournaments = made
        chance = _chance(self._wanted.seed, "tournament")
        return Tournaments(made, chance, course, self._wanted.tournament)

    def inherit(self, state: StateOfHall) -> Hall:
        """Return the hall that another host hands over; raises `RecordError`.

        Its games are on disk, but no host finds them there before `keep`.
        """
        self.code = state.code if can_be_drawn(state.code) else ""
        main = min(state.tables, key=lambda table: table.number)
        self._config = replace(
            self._config,
            name=clean_name(main.name) or "?",
            seats=main.seats,
            deck=main.deck,
            rules=main.rules,
            games=main.games,
            term=state.term,
        )
        tables = [self._inherit(state, table) for table in state.tables]
        last = state.last
        tournaments = self._hold(Resumed())
        made = tables, self, self._buckets, state.epoch, tournaments, state.stay, state.most
        return Hall(*made, hall=self._head.hall, last=last)

    def _inherit(self, state: StateOfHall, table: StateOfTable) -> Table:
        """Return a table that another host hands over; those of its owner get ours."""
        owner = self._config.owner if table.owner == state.owner else table.owner
        made = self._journals(table.number, None)
        record = read_record(table.record) if table.record else None
        self._begun += [record] if record else []
        if record and record.end is not None:
            made.past = table.record
        elif record:
            where = Relocation(
                len(record.moves),
                state.term,
                self._config.host,
                self._wanted.person,
                state.name,
                owner if table.owner == state.owner else "",
            )
            # also for those who keep the record sealed: it tells them the term
            table = replace(table, record=table.record + encode_entry(where))
            made.adopt(journal := Journal.adopt(self._directory, table.record, datetime.now()))
            self._incoming.append((made, journal))
        config = replace(self._config, owner=owner)
        chance = self._chance(table.number)
        return Table.take_over(table, config, made, chance, self._buckets)

    def deed(self, key: str, term: Term) -> Deed:
        """Return what proves to earlier hosts that games of theirs go on here."""
        return Deed(key, term, self._begun)

    def keep(self) -> None:
        """Make the games that were handed over our own; raises `RecordError`."""
        for records, journal in self._incoming:
            journal.keep()
            self._kept.begin(journal.path, load_head(journal.path))
            _log.info("The game is recorded in %s.", records.path)
        self._incoming.clear()

    def make(self, number: TableNumber, owner: str, rules: TableRules) -> Table:
        """Return a new table in its lobby, for its owner's key."""
        return self._make(number, owner, rules, ())

    def _make(
        self, number: TableNumber, owner: str, rules: TableRules, bots: tuple[str, ...]
    ) -> Table:
        name = self._config.name
        if number > 1:
            name = name_with_end(name, f" {number}")
        return Table(
            replace(self._config, name=name, owner=owner, rules=rules),
            self._journals(number, None),
            os.urandom(_EPOCH_BYTES),
            self._chance(number),
            bots,
            number,
            self._buckets,
        )

    def _resume(self, number: TableNumber, journal: Journal | None, record: Record) -> Table:
        self._begun.append(record)
        if journal is not None:
            self.code = self._kept.resume(journal.path, record.head) or self.code
        return Table.resume(
            record,
            self._config,
            self._journals(number, journal),
            os.urandom(_EPOCH_BYTES),
            self._chance(number),
            number,
            self._buckets,
        )

    def _journals(self, number: TableNumber, journal: Journal | None) -> RecordsWithCode:
        made = RecordsWithCode(self._directory, self._kept, journal)
        made.port, made.hall, made.number = self._head.port, self._head.hall, number
        if self._wanted.tables > 1 or number > 1:
            made.unsynced = self._unsynced
        made.term = self._config.term
        self._records[number] = made
        return made

    def _chance(self, number: TableNumber) -> Random:
        return _chance(self._wanted.seed, "games" if number == 1 else f"games {number}")

    def clear(self, number: TableNumber) -> None:
        """Close the record of a table that is gone."""
        self._records.pop(number).close()

    def sync(self) -> Mapping[TableNumber, Exception]:
        """Sync the moves that tables have written; return what went wrong at which table."""
        return self._unsynced.sync()

    def close(self) -> None:
        """Close all records, and delete those that are not ours."""
        for records, journal in self._incoming:
            records.adopt(None)
            journal.discard()
        self._incoming.clear()
        for number in [*self._records]:
            self.clear(number)
        if self._tournaments is not None:
            self._tournaments.close()


def _resumed(wanted: HostOptions, directory: Path, host: str) -> Resumed:
    """Return what to resume; raises `RecordError` if `wanted.resume` is not a record of ours.

    A game that has moved to another host than that with the public key `host` is not.
    """
    if wanted.resume is not None:
        journal, record = Journal.resume(Path(wanted.resume), host)
        head = record.head
        games: dict[TableNumber, ResumedGame] = {head.number: (journal, record)}
        return Resumed(games, None, head.port, head.hall, head.number)
    return _latest(directory, host) if wanted.resume_latest else Resumed()


def _latest(directory: Path, host: str) -> Resumed:
    """Return what the host that wrote last can take up again.

    These are its games and its tournament that are not over, and with the tournament the other
    games of its latest round.
    """
    found = Resumed()
    over: dict[TableNumber, Path] = {}
    gone: set[TableNumber] = set()
    known = False
    for path in newest_records(directory, patterns=(RECORDS, COURSES)):
        try:
            is_course = path.match(COURSES)
            head = load_course_head(path) if is_course else load_head(path)
            if known and found.hall != head.hall:
                continue
            if isinstance(head, CourseHead):
                found.tournament = found.tournament or CourseJournal.resume(path)
            elif head.number in gone.union(found.games, over):
                continue
            elif head.hall and finished_game(path):
                over[head.number] = path
            else:
                record = load_record(path)
                if record.is_copy:
                    continue
                if record.end is None and record.has_left(host) is None:
                    found.games[head.number] = Journal.resume(path, host)
                else:
                    gone.add(head.number)
        except RecordError as error:
            _log.warning("Cannot resume this game: %s", error)
            continue
        known, found.hall, found.port = True, head.hall, found.port or head.port
        if not head.hall:
            break  # of a version with one table only
    return _with_round(found, over)


def _with_round(found: Resumed, over: dict[TableNumber, Path]) -> Resumed:
    """Return what was found, with the games of the round that are over, or without tournament."""
    found.last = max((found.last, *found.games, *over))
    if found.tournament is not None:
        journal, course = found.tournament
        if course.stage == "over" and not found.games:
            journal.close()
            found.tournament = None
        else:
            found.last = max(found.last, course.last)
            for number in course.tables.keys() & over.keys():
                try:
                    found.games[number] = None, load_record(over[number])
                except RecordError as error:
                    _log.warning("Cannot resume this game: %s", error)
    return found if found.games or found.tournament else Resumed()


def _chance(seed: int | None, what: str) -> Random:
    return SystemRandom() if seed is None else Random(f"{seed} {what}")


@contextmanager
def remember_signals() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Yield a function that registers what SIGINT, SIGTERM, SIGHUP and SIGQUIT call from then on.

    Until then the previous handlers run. An exception raised by one of them can be swallowed, as
    in a weak reference's callback, so signals are remembered: a function registered after one
    is called at once. After one the program is about to end, and ignores all later ones.
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
            signal.signal(each, signal.SIG_IGN if came else handler)
