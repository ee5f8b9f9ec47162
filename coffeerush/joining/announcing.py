"""Announce a table by multicast DNS, from a child process.

The join code is not announced. A failure does not affect the table: if the child dies, that is
logged once, and it is restarted with a backoff. Run as a module, this is the child.
"""

import ipaddress
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from threading import Event, Lock, Thread
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.local.processes import LineLink, LinkedChild, parent_socket, serve
from protocol import Banner

from .interfaces import ADDRESS_POLL_SECONDS, EVERYWHERE, join_addresses
from .nearby import SERVICE, Advert, instance, written

RESTART_DELAY_SECONDS: Final = 60.0
"""The backoff before the child is restarted; doubled each time."""
STOP_SECONDS: Final = 1.0
"""The timeout for withdrawing the announcement."""
TTL_SECONDS: Final = 120
"""How long the network remembers a table whose machine has vanished."""
IPV6: Final = 6
_log: Final = logging.getLogger(__name__)


class Announcement(Struct, frozen=True):
    """The advert that the child announces."""

    advert: Advert
    address: str
    """The address that the door is bound to; may be a wildcard."""
    port: int
    """The door's."""


Change: TypeAlias = Callable[[Advert], Awaitable[None]]


class Beacon:
    """Announces from construction until `stop()`; does nothing if the door is on loopback only."""

    def __init__(self, banner: Banner, address: str, port: int) -> None:
        advert = Advert(banner.table, banner.key, banner.code, banner.newest, owner=banner.owner)
        self._announcement = Announcement(advert, address, port)
        self._lock = Lock()
        self._stopped = Event()
        self._child: LinkedChild[None] | None = None
        self._thread = Thread(target=self._supervise, name="beacon", daemon=True)
        if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
            self._thread.start()

    def show(self, free: int, game_round: int) -> None:
        """Announce how many seats are free now, and the round of the game; 0 between games."""
        with self._lock:
            advert = replace(self._announcement.advert, free=free, round=game_round)
            self._announcement = replace(self._announcement, advert=advert)
            if self._child is not None:
                self._child.link.tell(self._announcement)

    def stop(self) -> None:
        """Withdraw the announcement and end the child."""
        self._stopped.set()
        if self._child is not None:
            self._child.end(STOP_SECONDS)
        if self._thread.ident is not None:
            self._thread.join()

    def _supervise(self) -> None:
        pause = RESTART_DELAY_SECONDS
        while not self._stopped.is_set():
            ending = self._run_child()
            if not self._stopped.is_set():
                _log.warning(
                    "This table is not announced on the network for %d s, because the announcer "
                    "process ended (%s). It can still be joined by its address.",
                    pause,
                    ending,
                )
            self._stopped.wait(pause)
            pause *= 2

    def _run_child(self) -> str:
        """Run the child, and return how it ended."""
        with self._lock:
            try:
                child = self._child = LinkedChild(__name__, None)
            except OSError as error:
                return str(error)
            child.link.tell(self._announcement)
        if self._stopped.is_set():  # it may not know of this child
            child.end()
        status = child.wait()
        child.end()
        return f"status {status}"


async def announce(parent: LineLink[Announcement]) -> None:
    """Announce a table at this machine's addresses, again whenever they change, or the table does.

    Ends with the parent.
    """
    with suppress(EOFError):
        await _announce(parent, await parent.receive_async())


async def _announce(parent: LineLink[Announcement], announcement: Announcement) -> None:
    from asyncio import wait_for  # imported late: hosts have no event loop

    while True:
        addresses = _reachable(announcement.address)
        interfaces = () if announcement.address in EVERYWHERE else addresses
        async with announced(announcement, addresses, interfaces) as change:
            while addresses == _reachable(announcement.address):
                with suppress(TimeoutError):  # no event tells of a change of addresses
                    waiting = parent.receive_async()
                    announcement = await wait_for(waiting, ADDRESS_POLL_SECONDS)
                    await change(announcement.advert)


@asynccontextmanager
async def announced(
    announcement: Announcement, addresses: Sequence[str], interfaces: Sequence[str]
) -> AsyncIterator[Change]:
    """Answer multicast DNS queries for a table, if it has addresses, and withdraw it on exit.

    `interfaces` are local addresses of those to use; all are used if none of them is IPv4. Yields
    what changes the advert.
    """
    from asyncio import ensure_future

    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    def service(advert: Advert) -> AsyncServiceInfo:
        name = instance(advert.key, announcement.port)
        return AsyncServiceInfo(
            SERVICE,
            name,
            port=announcement.port,
            properties=written(advert),
            server=name.replace(SERVICE, "local."),
            parsed_addresses=list(addresses),
            host_ttl=TTL_SECONDS,
            other_ttl=TTL_SECONDS,
        )

    if not addresses:
        yield _ignore
        return
    told = [address for address in interfaces if ":" not in address] or InterfaceChoice.All
    network = AsyncZeroconf(told, ip_version=IPVersion.V4Only)
    try:
        # no probing for the name, which is unique: a stranger could claim it, and block us
        registered = service(announcement.advert)
        announcing = await network.async_register_service(registered, cooperating_responders=True)

        async def change(advert: Advert) -> None:
            nonlocal announcing
            ensure_future(announcing).cancel()  # else it announces the table as it was
            announcing = await network.async_update_service(service(advert))

        try:
            yield change
        finally:
            ensure_future(announcing).cancel()  # else it announces the table once more
            await network.async_unregister_all_services()
    finally:
        await network.async_close()


async def _ignore(_advert: Advert) -> None:
    """Change nothing: there is no address to announce."""


def _reachable(bound: str) -> list[str]:
    """Return the addresses to announce: neither loopback nor IPv6 link-local, valid only here."""
    addresses = map(ipaddress.ip_address, join_addresses(bound))
    return [
        str(address)
        for address in addresses
        if not (address.is_loopback or (address.version == IPV6 and address.is_link_local))
    ]


if __name__ == "__main__":
    link: LineLink[Announcement] = LineLink(parent_socket(), Announcement)
    serve(announce(link))
