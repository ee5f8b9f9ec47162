"""Run a user interface at a table: full screen, or plain mode if the terminal needs it."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from coffeerush.client.connection import Link, Opener, Way
from coffeerush.client.model import UNINVITED, Invitation, Model, Role
from coffeerush.client.record_keeper import FileShelf
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.hosts import Address, page_address, ssh_command
from coffeerush.local.files import records_directory
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


def run(
    person: LocalPerson,
    address: Address,
    role: Role,
    code: str = "",
    *,
    keys: "KeyPair | None" = None,
    host: "HostProcess | None" = None,
) -> bool:
    """Join a table, and show it until it closes or the person leaves.

    Args:
        person: the local user.
        address: of the table's door.
        role: player or spectator.
        code: the join code if the person gave one, as `coffeerush.joining.code` parses it.
        keys: the identity to join with; by default the one used before with this name and host.
        host: the host process, if this program started it; its screen shows how others join.

    Returns:
        Whether the record of a game was kept.
    """
    way = Way(address, person.name, code, keys, watches=role == "spectator")
    invitation = _invitation(host) if host else UNINVITED
    link = Link(way, person.name, role, invitation, FileShelf(records_directory()))
    try:
        _run(link, person, host)
    finally:
        if host is None and link.model.table is not None:
            person.remember(str(address))
    return link.records.kept > 0


def run_own(person: LocalPerson, opener: Opener) -> None:
    """Open a table, start its game at once, and show it until it closes or the person leaves.

    The screen appears first: `opener` runs in the background.
    """
    shelf = FileShelf(records_directory())
    _run(Link(opener, person.name, shelf=shelf), person, starting=True)


def _run(
    link: Link, person: LocalPerson, host: "HostProcess | None" = None, *, starting: bool = False
) -> None:
    mark = mark_wish(person.settings)
    link.model = replace(link.model, mark=mark if mark != SetMark(NO_ID) else None)
    asyncio.run(_show(link, person, host, starting))
    if link.error is not None:
        raise link.error


async def _show(
    link: Link, person: LocalPerson, host: "HostProcess | None", starting: bool
) -> None:
    async with link, _invited(link, host):
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
async def _invited(link: Link, host: "HostProcess | None") -> AsyncIterator[None]:
    """Pass each change of how others join our own host to the link."""
    if host is None:
        yield
        return
    loop = asyncio.get_running_loop()

    def hear() -> None:
        if not host.hear():
            loop.remove_reader(host.fileno())
        if link.model.invitation != _invitation(host):
            link.invite(_invitation(host))

    loop.add_reader(host.fileno(), hear)
    try:
        yield
    finally:
        loop.remove_reader(host.fileno())


def _invitation(host: "HostProcess") -> Invitation:
    addresses, ways = host.addresses, host.ways
    if ways is None:
        return Invitation(addresses, host.code)
    if ways.failed:
        return Invitation(addresses, host.code, no_guests=ways.failed)
    ssh = ssh_command(addresses[0], ways.ssh_port)
    page = page_address(addresses[0], ways.web_port, ways.web_tls) if ways.web_port else ""
    return Invitation(addresses, host.code, ssh, ways.fingerprint, page, ways.asking)


async def _begin(link: Link, starting: bool) -> None:
    """Start the first game if `starting`; the person starts later ones."""
    try:
        model = await link.joined()
    except CoffeeRushError:
        return  # the screen says so
    gc.freeze()  # loaded modules stay for good: collecting them would take several frames' time
    if starting and model.table and model.table.stage == "lobby":
        link.wish(Start(NO_ID))
