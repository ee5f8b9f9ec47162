"""Shows a table to a person: in full screen where the terminal can, else in plain mode."""

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from coffeerush.client.address import Address
from coffeerush.client.link import Link, Opener, Way
from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.settings import Settings
from protocol import NO_ID, Start

if TYPE_CHECKING:
    from coffeerush.host.spawn import HostProcess
    from coffeerush.keyfile import KeyPair


def run(
    address: str,
    port: int,
    name: str,
    role: Role,
    *,
    plain: bool | None = None,
    keys: "KeyPair | None" = None,
    host: "HostProcess | None" = None,
) -> int:
    """Be at a table until it is over, and return the exit code.

    Args:
        address: of the table's door, a name or an address.
        port: of the table's door.
        name: how to be called there.
        role: player or spectator.
        plain: plain mode or not; None leaves it to the terminal.
        keys: who one is there; by default whoever had this name there before.
        host: that of the table, if it is one's own; others are told its addresses.

    Raises:
        CoffeeRushError: the table cannot be joined, or was lost for good.
    """

    def find() -> Way:
        from coffeerush.client.keys import keys_for

        return Way(Address(address, port), keys or keys_for(address, port, name))

    return _run(Link(find, name, role, addresses=host.ready.addresses if host else ()), plain)


def run_own(opener: Opener, name: str, *, plain: bool | None = None) -> int:
    """Open a table of one's own, start its game at once, and be there until it is over.

    The screen comes before the table: `opener` works behind it.

    Raises:
        CoffeeRushError: the table cannot be opened, or was lost for good.
    """
    return _run(Link(opener, name), plain, starting=True)


def wants_plain(plain: bool | None) -> bool:
    """Tell whether plain mode is to be used: asked for, or all that this terminal can."""
    if plain is not None:
        return plain
    # a stream that was closed before the start is None
    terminals = all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
    return not terminals or os.environ.get("TERM", "dumb") == "dumb"


def _run(link: Link, plain: bool | None, *, starting: bool = False) -> int:
    asyncio.run(_show(link, wants_plain(plain), starting))
    if link.error is not None:
        raise link.error
    return 0


async def _show(link: Link, plain: bool, starting: bool) -> None:
    async with link:
        start = asyncio.create_task(_start(link)) if starting else None
        if plain:
            from coffeerush.client.plain import run_plain

            await run_plain(link, starting)
        else:
            from coffeerush.client.screen.app import run_screen

            await run_screen(link, settings=Settings(), keep=lambda settings: None)
        if start:
            start.cancel()


async def _start(link: Link) -> None:
    """Start the first game; the next ones are for the person to start."""
    try:
        model = await link.joined()
    except CoffeeRushError:
        return  # the screen says so
    if model.table and model.table.stage == "lobby":
        link.wish(Start(NO_ID))
