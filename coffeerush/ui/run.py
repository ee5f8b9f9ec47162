"""Run a user interface at a table: full screen, or plain mode if the terminal needs it."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from coffeerush.client.connection import Link, Opener, Way
from coffeerush.client.model import UNINVITED, Invitation, Model, Role
from coffeerush.client.record_keeper import FileShelf
from coffeerush.errors import CoffeeRushError, UsageError
from coffeerush.joining.enrolment import CodeNeeded, NobodyHosts
from coffeerush.joining.hosts import Address, page_address, ssh_command
from coffeerush.local.files import records_directory
from coffeerush.local.own_tables import forget_moved, keep_moved, own_tables, stop_own
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import mark_wish
from protocol import NO_ID, SetMark, Start

from .person import LocalPerson

if TYPE_CHECKING:
    from coffeerush.host.children import HostProcess
    from coffeerush.local.keys import KeyPair
    from coffeerush.ui.replay.replay_app import ReplayProgram
    from coffeerush.ui.table.state import Keep
    from coffeerush.ui.terminal.fullscreen import Display
    from coffeerush.ui.understudy import HostUnderstudy


RENEW_SECONDS: Final = 2.0
"""How often to look how others join a host that this program has not started."""


class Visit(NamedTuple):
    """What is left of a visit to a table."""

    kept: bool
    """Whether the record of a game was kept."""
    address: Address
    """Where the table was at last."""
    has_moved: bool
    """Whether that was not where it was at first."""
    goes_on: bool
    """Whether a host that this program started for it goes on."""


class OwnHost:
    """The host of the table, as far as this program started it: from the start, or as successor."""

    def __init__(self, process: "HostProcess | None") -> None:
        self.process = process
        self.on_change: Callable[[], None] | None = None
        """Called when another process has taken its place."""

    def understudy(self) -> "HostUnderstudy":
        """Return what starts a host when this person takes over the table."""
        from coffeerush.ui.understudy import HostUnderstudy

        return HostUnderstudy(records_directory(), self._begin)

    def _begin(self, process: "HostProcess") -> None:
        self.process = process
        if self.on_change:
            self.on_change()


def run(
    person: LocalPerson,
    address: Address,
    role: Role,
    code: str = "",
    *,
    name: str = "",
    keys: "KeyPair | None" = None,
    host: "HostProcess | None" = None,
) -> Visit:
    """Join a table, and show it until it closes or the person leaves.

    Args:
        person: the local user.
        address: of the table's door.
        role: player or spectator.
        code: the join code if the person gave one, as `coffeerush.joining.code` parses it.
        name: the one that the person has there; by default the present one.
        keys: the identity to join with; by default the one used before with this name and host.
        host: the host process, if this program started it; its screen shows how others join.

    A player who takes over the table leaves its host running if others play on.
    """
    name = name or person.name
    way = Way(address, name, code, keys, watches=role == "spectator")
    invitation = _invitation(host) if host else _of_running_host(address, name)
    own = OwnHost(host)
    understudy = own.understudy() if person.settings.standby else None
    shelf = FileShelf(records_directory())
    link = Link(way, name, role, invitation, shelf, understudy, keeps=host is None)
    known = next((table for table in own_tables() if table.address == str(address)), None)
    is_own = host is not None or (known is not None and not known.guest)
    try:
        _run(link, person, own)
    finally:
        joined, has_moved = link.address or address, link.has_moved
        if moved := link.model.moved or link.model.elsewhere:
            # the owner has left with the handover, or does not follow the table
            joined, has_moved = Address(moved.addresses[0], moved.port), True
        hosted = None if own.process is host else own.process
        is_elsewhere = hosted is None or moved is not None or not link.is_at_own_host
        if (host is None or has_moved) and is_elsewhere and link.model.table:
            person.remember(str(joined), gone=str(address) if has_moved else "")
        if is_own or (hosted and is_elsewhere):
            _keep_way_back(link, joined if has_moved and is_elsewhere else None, name)
        elif (left := link.model.ending == "left" and link.model.seat is not None) or known:
            there = joined if left or joined != address else None
            _keep_way_back(link, there, name, guest=True)
        stays = hosted is not None and hosted.leave(has_moved=is_elsewhere)
    return Visit(link.records.kept > 0, joined, has_moved, stays)


def _keep_way_back(link: Link, there: Address | None, name: str, *, guest: bool = False) -> None:
    """Keep where a table is on another computer, if it is; forget it if it is not there."""
    is_over = link.model.ending in ("stopping", "refused")
    if is_over or isinstance(link.error, NobodyHosts | CodeNeeded):
        forget_moved()
    elif there and link.model.table:
        keep_moved(link.model.table.name, str(there), name, guest=guest)


def run_own(person: LocalPerson, opener: Opener) -> None:
    """Open a table, start its game at once, and show it until it closes or the person leaves.

    The screen appears first: `opener` runs in the background.
    """
    shelf = FileShelf(records_directory())
    _run(Link(opener, person.name, shelf=shelf), person, starting=True)


def _run(
    link: Link, person: LocalPerson, own: OwnHost | None = None, *, starting: bool = False
) -> None:
    mark = mark_wish(person.settings)
    link.model = replace(link.model, mark=mark if mark != SetMark(NO_ID) else None)
    asyncio.run(_show(link, person, own or OwnHost(None), starting))
    if link.error is not None:
        raise link.error


async def _show(link: Link, person: LocalPerson, own: OwnHost, starting: bool) -> None:
    async with link, _invited(link, own):
        begin = asyncio.create_task(_begin(link, starting))
        if person.plain:
            from coffeerush.ui.plain.conversation import Session
            from coffeerush.ui.plain.plain_app import Plain

            session = Session(person.settings, starting)
            await Plain(link, person.tell, session, person.keep).run()
        else:
            from coffeerush.ui.table.actions import KEYMAP
            from coffeerush.ui.table.table_app import Screen
            from coffeerush.ui.terminal.fullscreen import FullScreen

            display = partial(FullScreen, names=KEYMAP.names)
            opener = partial(_open_inset, person.keep)
            await Screen(link, person.settings, person.keep, display, opener).run()
        begin.cancel()


async def _open_inset(
    keep: "Keep", model: Model, showing: str, settings: Settings, display: "Display"
) -> "ReplayProgram":
    """Open the replay of the game whose result is shown, or a review of it."""
    from coffeerush.ui.replay.replay_app import open_replay

    return await open_replay(keep, model, showing, settings, display)


@asynccontextmanager
async def _invited(link: Link, own: OwnHost) -> AsyncIterator[None]:
    """Pass each change of how others join our own host to the link."""
    loop = asyncio.get_running_loop()
    heard: set[int] = set()

    def hear(host: "HostProcess") -> None:
        if not host.hear():
            forget(host.fileno())
        is_there = host is own.process and link.model.invitation != UNINVITED
        if is_there and link.model.invitation != _invitation(host):
            link.invite(_invitation(host))

    def forget(descriptor: int) -> None:
        heard.discard(descriptor)
        loop.remove_reader(descriptor)

    def listen() -> None:
        if own.process:
            heard.add(own.process.fileno())
            loop.add_reader(own.process.fileno(), hear, own.process)

    def begin() -> None:
        listen()
        assert own.process is not None, "it has begun"
        link.invite(_invitation(own.process))

    def open_to_guests(allowed: bool) -> None:
        from coffeerush.host.children import check_installed
        from coffeerush.ui.words.errors import error_line

        assert own.process is not None, "it is offered to whose host it is"
        try:
            check_installed()
        except UsageError as error:
            link.invite(replace(link.model.invitation, no_guests=error_line(error)))
        else:
            own.process.let_guests_join(allowed)
            link.invite(_invitation(own.process))

    own.on_change = begin
    link.open_to_guests, link.close_host = open_to_guests, partial(_close_host, link, own)
    listen()
    try:
        yield
    finally:
        own.on_change = link.open_to_guests = link.close_host = None
        for descriptor in [*heard]:
            forget(descriptor)


def _close_host(link: Link, own: OwnHost) -> None:
    """Let the host on this computer stop, also one that an earlier program of this user started."""
    if own.process:
        own.process.close()
    elif link.address:
        stop_own(str(link.address))


def _invitation(host: "HostProcess") -> Invitation:
    addresses, ways = host.addresses, host.ways
    if ways is None:
        return Invitation(addresses, host.code, guests_due=host.guests_due)
    if ways.failed:
        return Invitation(addresses, host.code, no_guests=ways.failed)
    ssh = ssh_command(addresses[0], ways.ssh_port)
    page = page_address(addresses[0], ways.web_port, ways.web_tls) if ways.web_port else ""
    return Invitation(addresses, host.code, ssh, ways.fingerprint, page, ways.asking)


def _of_running_host(address: Address, name: str) -> Invitation:
    """Return how others join a table to which its owner comes back; nothing at any other."""
    for table in own_tables():
        if table.address == str(address) and table.name in ("", name) and table.addresses:
            return Invitation(table.addresses, table.code, returned=True)
    return UNINVITED


async def _renewed(link: Link) -> None:
    """Pass each change of how others join a host to which the person has come back."""
    while link.address and link.model.invitation.returned:
        invitation = _of_running_host(link.address, link.model.name)
        if invitation != link.model.invitation:
            link.invite(invitation)
        await asyncio.sleep(RENEW_SECONDS)


async def _begin(link: Link, starting: bool) -> None:
    """Start the first game if `starting`; the person starts later ones."""
    try:
        model = await link.joined()
    except CoffeeRushError:
        return  # the screen says so
    gc.freeze()  # loaded modules stay for good: collecting them would take several frames' time
    if starting and model.table and model.table.stage == "lobby":
        link.wish(Start(NO_ID))
    await _renewed(link)
