"""Tells the network where the table is, by multicast DNS, in a process of its own.

It tells nothing of the join code. What becomes of it is never the table's trouble: a beacon that
dies is one line in the log, and lit again a while later. Run as a module, this is that process.
"""

import asyncio
import ipaddress
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from threading import Event, Thread
from typing import Final

import msgspec
from msgspec import Struct

from coffeerush.local.processes import child, serve
from protocol import Banner

from .advert import SERVICE, Advert, instance, written
from .interfaces import EVERYWHERE, join_addresses

RESTART_DELAY_SECONDS: Final = 60.0
"""After a beacon has died, before the next one; twice as long after each."""
STOP_SECONDS: Final = 1.0
"""For it to tell the network that the table is gone."""
ADDRESS_POLL_SECONDS: Final = 5.0
"""Between two looks at the addresses of this machine: a Wi-Fi comes and goes."""
TTL_SECONDS: Final = 120
"""So long the network remembers a table whose machine has vanished."""
IPV6: Final = 6
_log: Final = logging.getLogger(__name__)


class Announcement(Struct, frozen=True):
    """What a beacon tells, and of which door."""

    advert: Advert
    address: str
    """The one that is listened on, perhaps one that stands for all."""
    port: int


class Beacon:
    """Burns from its making until `stop`; not at all where only this machine reaches the door.

    Args:
        banner: what the door says.
        address: the one that is listened on.
        port: the door's.
    """

    def __init__(self, banner: Banner, address: str, port: int) -> None:
        advert = Advert(banner.table, banner.key, banner.code, banner.newest)
        self._light = Announcement(advert, address, port)
        self._stopped = Event()
        self._process: subprocess.Popen[bytes] | None = None
        # no byte goes through it: it ends when this process does
        self._theirs, self._ours = os.pipe()
        self._thread = Thread(target=self._keep, name="beacon", daemon=True)
        if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
            self._thread.start()

    def stop(self) -> None:
        """Put it out."""
        self._stopped.set()
        os.close(self._ours)
        if self._thread.ident is not None:
            self._thread.join(STOP_SECONDS)
        if self._thread.is_alive() and self._process is not None:
            self._process.kill()
        os.close(self._theirs)

    def _keep(self) -> None:
        pause = RESTART_DELAY_SECONDS
        while not self._stopped.is_set():
            ending = self._burn()
            if not self._stopped.is_set():
                _log.warning(
                    "The network is not told of this table for %d s: its beacon ended (%s). Who "
                    "knows the address can join.",
                    pause,
                    ending,
                )
            self._stopped.wait(pause)
            pause *= 2

    def _burn(self) -> str:
        """Run the process, and return how it ended."""
        light = msgspec.json.encode(self._light).decode()
        words, options = child(__name__, light, stdin=self._theirs)
        try:
            self._process = subprocess.Popen(words, **options)
        except OSError as error:
            return str(error)
        return f"status {self._process.wait()}"


async def burn(light: Announcement) -> None:
    """Announce a table at the addresses of this machine, and again whenever these change."""
    while True:
        addresses = _reachable(light.address)
        interfaces = () if light.address in EVERYWHERE else addresses
        async with announced(light, addresses, interfaces):
            while addresses == _reachable(light.address):
                await asyncio.sleep(ADDRESS_POLL_SECONDS)


@asynccontextmanager
async def announced(
    light: Announcement, addresses: Sequence[str], interfaces: Sequence[str]
) -> AsyncIterator[None]:
    """Answer whoever looks for tables, and tell the network when this one is gone.

    Args:
        light: what is told.
        addresses: at which others reach the door; without any nothing is told.
        interfaces: addresses of the networks that are told, all if there is none of IPv4.
    """
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    if not addresses:
        yield
        return
    name = instance(light.advert.key, light.port)
    service = AsyncServiceInfo(
        SERVICE,
        name,
        port=light.port,
        properties=written(light.advert),
        server=name.replace(SERVICE, "local."),
        parsed_addresses=list(addresses),
        host_ttl=TTL_SECONDS,
        other_ttl=TTL_SECONDS,
    )
    told = [one for one in interfaces if ":" not in one] or InterfaceChoice.All
    network = AsyncZeroconf(told, ip_version=IPVersion.V4Only)
    try:
        # nobody else has this name: to ask the network for it would let it say no
        saying = await network.async_register_service(service, cooperating_responders=True)
        try:
            yield
        finally:
            asyncio.ensure_future(saying).cancel()  # or it says once more that the table is there
            await network.async_unregister_all_services()
    finally:
        await network.async_close()


def _reachable(bound: str) -> list[str]:
    """Return the addresses that mean the same door to whoever hears them."""
    found = map(ipaddress.ip_address, join_addresses(bound))
    return [
        str(one)
        for one in found
        if not (one.is_loopback or (one.version == IPV6 and one.is_link_local))
    ]


if __name__ == "__main__":
    serve(burn(msgspec.json.decode(sys.argv[1], type=Announcement)))
