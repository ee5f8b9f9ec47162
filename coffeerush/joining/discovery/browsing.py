"""Looks for tables in the network by multicast DNS, in a process of its own.

What is heard is anybody's word, so that it is bounded and cleaned; here it only becomes a line that
a person may choose. Run as a module, this is the process, which writes what it knows as JSON.
"""

import asyncio
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

import msgspec

from coffeerush.joining.address import Address
from coffeerush.local.processes import child, serve

from .advert import SERVICE, read
from .found import MAX_FOUND, FoundTable, Interface, likeliest
from .interfaces import own_interfaces

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo

ASK_MS: Final = 2000
"""How long a table that was heard of is asked where it is."""
ADDRESS_POLL_SECONDS: Final = 5.0
"""Between two looks at the networks that this machine is in."""
MAX_ASKED: Final = 8
"""Tables that are asked at the same time; strangers could name any number."""
MAX_ADDRESSES: Final = 16
_MAX_LINE: Final = 1 << 16
_FOUND: Final = msgspec.json.Decoder(tuple[FoundTable, ...])

Tell = Callable[[tuple[FoundTable, ...]], None]


async def find(tell: Tell) -> None:
    """Look for tables until cancelled, and tell of all that are there whenever that changes.

    It returns where this machine cannot look, or cannot any more.
    """
    pipe = asyncio.subprocess.PIPE
    words, options = child(__name__, stdin=pipe, stdout=pipe)
    try:
        process = await asyncio.create_subprocess_exec(*words, limit=_MAX_LINE, **options)
    except OSError:
        return
    assert process.stdout is not None
    try:
        with suppress(msgspec.DecodeError, ValueError):
            while line := await process.stdout.readline():
                tell(_FOUND.decode(line))
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class TableBrowser:
    """The tables that are heard of, by what each is called among all of the network.

    Args:
        tell: called with all of them whenever that changes.
        own: the addresses of this machine, with their networks.
    """

    def __init__(self, tell: Tell, own: Collection[Interface]) -> None:
        self._tell = tell
        self._own = own
        self._found: dict[str, FoundTable] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def hear(
        self, zeroconf: "Zeroconf", service_type: str, name: str, state_change: "ServiceStateChange"
    ) -> None:
        """Take what zeroconf has heard of a name."""
        from zeroconf import Error, ServiceStateChange
        from zeroconf.asyncio import AsyncServiceInfo

        try:
            service = AsyncServiceInfo(service_type, name)
        except Error:  # a name that none of ours has
            return
        if state_change is ServiceStateChange.Removed:
            if task := self._asking.pop(name, None):
                task.cancel()
            self._set(name, None)
        elif service.load_from_cache(zeroconf):  # a host says all at once
            self._set(name, found(service, self._own))
        elif name not in self._asking and len(self._asking) < MAX_ASKED:
            self._asking[name] = asyncio.create_task(self._ask(zeroconf, service))

    def repeat(self) -> None:
        """Tell once more: whoever listens may remember tables of a search before this one."""
        self._tell(tuple(self._found.values()))

    async def _ask(self, zeroconf: "Zeroconf", service: "AsyncServiceInfo") -> None:
        from zeroconf import Error

        try:
            await service.async_request(zeroconf, ASK_MS)
        except Error:  # a name that cannot be asked for
            return
        finally:
            self._asking.pop(service.name, None)
        self._set(service.name, found(service, self._own))

    def _set(self, name: str, one: FoundTable | None) -> None:
        before = tuple(self._found.values())
        if one is None:
            self._found.pop(name, None)
        elif name in self._found or len(before) < MAX_FOUND:
            self._found[name] = one
        if (after := tuple(self._found.values())) != before:
            self._tell(after)


def found(service: "AsyncServiceInfo", own: Collection[Interface]) -> FoundTable | None:
    """Return the table that a service says it is; None where it is none that can be joined."""
    advert = read(service.properties)
    addresses = map(ip_address, service.parsed_scoped_addresses()[:MAX_ADDRESSES])
    address = likeliest(addresses, own)
    if advert is None or address is None or not service.port:
        return None
    return FoundTable(advert.table, str(Address(str(address), service.port)), advert.code)


async def search(tell: Tell, interfaces: Sequence[str] = ()) -> None:
    """Look for tables until cancelled, and anew whenever this machine comes to another network.

    Args:
        tell: called with all of them whenever that changes.
        interfaces: addresses of the networks to look in; by default all.
    """
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

    while True:
        own = set(own_interfaces())
        network = AsyncZeroconf(
            list(interfaces) or InterfaceChoice.All, ip_version=IPVersion.V4Only
        )
        try:
            seeker = TableBrowser(tell, own)
            AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[seeker.hear])
            while own == set(own_interfaces()):
                await asyncio.sleep(ADDRESS_POLL_SECONDS)
                seeker.repeat()
        finally:
            await network.async_close()


def _write(tables: tuple[FoundTable, ...]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(tables) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(search(_write))
