"""Shows a table to a person: in full screen where the terminal can, else in plain mode."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from coffeerush.client.connection import Link, Opener, Way
from coffeerush.client.invitation import UNINVITED, Invitation
from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.address import Address
from protocol import NO_ID, Start

from .person import LocalPerson

if TYPE_CHECKING:
    from coffeerush.host.spawn import HostProcess
    from coffeerush.local.keys import KeyPair


def run(
    person: LocalPerson,
    address: Address,
    role: Role,
    code: str = "",
    *,
    keys: "KeyPair | None" = None,
    host: "HostProcess | None" = None,
) -> None:
    """Be at a table until it is over.

    Args:
        person: who is there.
        address: of the table's door.
        role: player or spectator.
        code: what the person gave as `coffeerush.joining.code` reads it, if anything.
        keys: who one is there; by default whoever had this name at that host before.
        host: that of the table, if it is one's own; its screen says how others join.

    Raises:
        CodeNeeded: the table asks for its code.
        WrongCode: it has another code.
        CoffeeRushError: the table cannot be joined, or was lost for good.
    """
    way = Way(address, person.name, code, keys)
    link = Link(way, person.name, role, invitation=_invitation(host) if host else UNINVITED)
    try:
        _run(link, person, host)
    finally:
        if host is None and link.model.table is not None:
            person.remember(str(address))


def run_own(person: LocalPerson, opener: Opener) -> None:
    """Open a table of one's own, start its game at once, and be there until it is over.

    The screen comes before the table: `opener` works behind it.

    Raises:
        CoffeeRushError: the table cannot be opened, or was lost for good.
    """
    _run(Link(opener, person.name), person, starting=True)


def _run(
    link: Link, person: LocalPerson, host: "HostProcess | None" = None, *, starting: bool = False
) -> None:
    asyncio.run(_show(link, person, host, starting))
    if link.error is not None:
        raise link.error


async def _show(
    link: Link, person: LocalPerson, host: "HostProcess | None", starting: bool
) -> None:
    async with link, _invited(link, host):
        begin = asyncio.create_task(_begin(link, starting))
        if person.plain:
            from coffeerush.ui.plain.app import run_plain

            await run_plain(link, settings=person.settings, keep=person.keep, starting=starting)
        else:
            from coffeerush.ui.table.app import run_screen

            await run_screen(link, settings=person.settings, keep=person.keep)
        begin.cancel()


@asynccontextmanager
async def _invited(link: Link, host: "HostProcess | None") -> AsyncIterator[None]:
    """Tell the link each new code of a host of one's own."""
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
    return Invitation(host.ready.addresses, host.code)


async def _begin(link: Link, starting: bool) -> None:
    """Start the first game of a table of one's own; the next ones are for the person to start."""
    try:
        model = await link.joined()
    except CoffeeRushError:
        return  # the screen says so
    gc.freeze()  # all modules are loaded and stay: to go through them takes several frames' time
    if starting and model.table and model.table.stage == "lobby":
        link.wish(Start(NO_ID))
