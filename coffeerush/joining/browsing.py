"""Browse the network for tables by multicast DNS, in a child process.

Anybody can send packets, so what is found is bounded and sanitized, and becomes no more than a
line in a menu. Run as a module, this is the child.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from coffeerush.local.processes import LineLink, LinkedChild, parent_socket, serve

from .hosts import Address
from .interfaces import own_interfaces
from .nearby import MAX_FOUND, SERVICE, FoundTable, Interface, likeliest, read

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo


ASK_MS: Final = 2000
"""The timeout for resolving a service."""
CHECK_SECONDS: Final = 2.0
"""How often this machine's networks are polled, and tables are asked whether they are there."""
SILENT_SECONDS: Final = 7.0
"""A table that has not answered for so long is gone; its host could not say so."""
MAX_ASKED: Final = 8
"""The most services resolved at the same time; strangers could announce any number."""
MAX_ADDRESSES: Final = 16

Tell = Callable[[tuple[FoundTable, ...]], None]
OnBegin = Callable[[], None]
"""Called when a search has begun: to start the child can take seconds."""


class SearchBegun(Struct, frozen=True, tag="search_begun"):
    """A line from the child when it begins to search."""


class TablesFound(Struct, frozen=True, tag="tables_found"):
    """A line from the child: all tables, whenever they change."""

    tables: tuple[FoundTable, ...]


def _ignore() -> None:
    pass


async def find(tell: Tell, on_begin: OnBegin = _ignore) -> None:
    """Browse until cancelled, or until the child ends; `tell` all tables whenever they change."""
    try:
        child: LinkedChild[SearchBegun | TablesFound] = LinkedChild(
            __name__, SearchBegun | TablesFound
        )
    except OSError:
        return
    try:
        with suppress(EOFError, ValueError):
            while True:
                line = await child.link.receive_async()
                on_begin() if isinstance(line, SearchBegun) else tell(line.tables)
    finally:
        child.end()


class TableBrowser:
    """Tracks the discovered tables by service instance name; `tell` is called with all of them.

    One that falls silent for a while comes back to where it was among them.
    """

    def __init__(self, tell: Tell, own: Collection[Interface]) -> None:
        self._tell = tell
        self._own = own
        self._found: dict[str, FoundTable] = {}
        self._silent = frozenset[str]()
        self._asking: dict[str, asyncio.Task[None]] = {}

    def hear(
        self, zeroconf: "Zeroconf", service_type: str, name: str, state_change: "ServiceStateChange"
    ) -> None:
        """Handle a state change of a service, as a handler of zeroconf."""
        from zeroconf import Error, ServiceStateChange
        from zeroconf.asyncio import AsyncServiceInfo

        try:
            service = AsyncServiceInfo(service_type, name)
        except Error:  # an invalid name, so not a table of ours
            return
        if state_change is ServiceStateChange.Removed:
            if task := self._asking.pop(name, None):
                task.cancel()
            self._set(name, None)
        elif service.load_from_cache(zeroconf):  # a host sends all records at once
            self._set(name, found(service, self._own))
        elif name not in self._asking and len(self._asking) < MAX_ASKED:
            self._asking[name] = asyncio.create_task(self._ask(zeroconf, service))

    def check(self, zeroconf: "Zeroconf") -> None:
        """Ask all tables whether they are there, and tell those that have answered of late.

        Zeroconf would remember a table whose machine has vanished for a quarter of an hour. Also
        tells them if nothing has changed: the listener may have those of an earlier search.
        """
        # its own __init__ exports the first two, though not by __all__
        from zeroconf import (  # type: ignore[attr-defined]
            DNSOutgoing,
            DNSQuestion,
            current_time_millis,
        )
        from zeroconf.const import _CLASS_IN, _FLAGS_QR_QUERY, _TYPE_SRV

        since = current_time_millis() - SILENT_SECONDS * 1000
        heard = {
            name
            for name in self._found
            for record in zeroconf.cache.get_all_by_details(name, _TYPE_SRV, _CLASS_IN)
            if record.created >= since
        }
        self._silent = frozenset(self._found.keys() - heard)
        self._tell(self._listed())
        if self._found:
            asking = DNSOutgoing(_FLAGS_QR_QUERY)
            for name in self._found:
                asking.add_question(DNSQuestion(name, _TYPE_SRV, _CLASS_IN))
            zeroconf.async_send(asking)

    def _listed(self) -> tuple[FoundTable, ...]:
        return tuple(table for name, table in self._found.items() if name not in self._silent)

    async def _ask(self, zeroconf: "Zeroconf", service: "AsyncServiceInfo") -> None:
        from zeroconf import Error

        try:
            await service.async_request(zeroconf, ASK_MS)
        except Error:  # a name that cannot be resolved
            return
        finally:
            self._asking.pop(service.name, None)
        self._set(service.name, found(service, self._own))

    def _set(self, name: str, table: FoundTable | None) -> None:
        before = self._listed()
        if table is None:
            self._found.pop(name, None)
        elif name in self._found or len(self._found) < MAX_FOUND:
            self._found[name] = table
        if (after := self._listed()) != before:
            self._tell(after)


def found(service: "AsyncServiceInfo", own: Collection[Interface]) -> FoundTable | None:
    """Return the table that a service describes; None if it cannot be joined."""
    advert = read(service.properties)
    address = likeliest(map(ip_address, service.parsed_scoped_addresses()[:MAX_ADDRESSES]), own)
    if advert is None or address is None or not service.port:
        return None
    where, here = (
        str(Address(str(address), service.port)),
        address in {interface.ip for interface in own},
    )
    told = advert.code, advert.free, advert.round, advert.owner
    return FoundTable(advert.table, where, *told, here)


async def search(tell: Tell, interfaces: Sequence[str] = (), on_begin: OnBegin = _ignore) -> None:
    """Browse, by default on all interfaces; start over whenever this machine's networks change."""
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

    while True:
        own = set(own_interfaces())
        network = AsyncZeroconf(
            list(interfaces) or InterfaceChoice.All, ip_version=IPVersion.V4Only
        )
        try:
            browser = TableBrowser(tell, own)
            AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[browser.hear])
            on_begin()
            while own == set(own_interfaces()):
                await asyncio.sleep(CHECK_SECONDS)  # no event tells of a change
                browser.check(network.zeroconf)
        finally:
            await network.async_close()


def _main() -> None:
    link: LineLink[None] = LineLink(parent_socket(), None)
    begin = partial(link.tell, SearchBegun())
    serve(search(lambda tables: link.tell(TablesFound(tables)), on_begin=begin), link)


if __name__ == "__main__":
    _main()
