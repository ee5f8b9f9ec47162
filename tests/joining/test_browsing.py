"""Browsing for tables: announced tables are found, and malicious announcements do no harm.

All on the loopback interface, where multicast DNS also works.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_interface
from random import Random

import pytest
from msgspec.structs import replace
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from coffeerush.joining.announcing import Announcement, announced
from coffeerush.joining.browsing import (
    MAX_ASKED,
    SearchBegun,
    TableBrowser,
    TablesFound,
    found,
    search,
)
from coffeerush.joining.nearby import SERVICE, Advert, FoundTable, instance, written
from coffeerush.local.processes import LinkedChild
from protocol import clean_name
from tests.support.hosts_and_clients import SECONDS

LOOPBACK = ["127.0.0.1"]
KEY = Random(os.getpid()).randbytes(20).hex()
ADDRESS = "192.0.2.7"
NAME, OTHER = (f"{word} {os.getpid()}" for word in ("Kitchen", "Bar"))
"""Unique to this process, like the key: other tests run at the same time."""
NO_TABLE = 47850
"""The port of services that are not tables, and of nothing else."""
ANNOUNCEMENT = Announcement(Advert(NAME, KEY), "*", 47830)
KITCHEN = FoundTable(NAME, f"{ADDRESS}:47830", True)


class Listener:
    """Receives the tables found, and can wait for some."""

    def __init__(self) -> None:
        self.found: tuple[FoundTable, ...] = ()
        self._changed = asyncio.Event()

    def tell(self, found: tuple[FoundTable, ...]) -> None:
        self.found = found
        self._changed.set()

    async def until(self, enough: Callable[[tuple[FoundTable, ...]], bool]) -> None:
        while not enough(self.found):
            self._changed.clear()
            await self._changed.wait()


@asynccontextmanager
async def searching() -> AsyncIterator[Listener]:
    listener = Listener()
    task = asyncio.create_task(search(listener.tell, LOOPBACK))
    try:
        yield listener
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("network", ["192.0.2.0/24", f"{ADDRESS}/24"])
def test_it_is_known_whether_a_table_is_on_this_machine(network: str) -> None:
    service = AsyncServiceInfo(
        SERVICE,
        instance(KEY, 47830),
        port=47830,
        properties=written(ANNOUNCEMENT.advert),
        parsed_addresses=[ADDRESS],
    )
    table = found(service, [ip_interface(network)])
    assert table == replace(KITCHEN, here=network.startswith(ADDRESS))


@pytest.mark.slow
async def test_a_table_is_found_while_it_is_announced() -> None:
    async with searching() as listener:
        async with announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK):
            await listener.until(lambda found: KITCHEN in found)
        await listener.until(lambda found: KITCHEN not in found)
    async with announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK), searching() as late:
        await late.until(lambda found: KITCHEN in found)


@pytest.mark.slow
async def test_a_table_that_vanishes_without_a_word_is_found_no_more() -> None:
    network = AsyncZeroconf(LOOPBACK, ip_version=IPVersion.V4Only)
    name = instance(KEY, 47860)
    table = AsyncServiceInfo(
        SERVICE,
        name,
        port=47860,
        properties=written(Advert(OTHER, KEY)),
        server=name.replace(SERVICE, "local."),
        parsed_addresses=[ADDRESS],
    )
    async with searching() as listener, announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK):
        await (await network.async_register_service(table))
        await listener.until(lambda found: {KITCHEN.table, OTHER} <= {one.table for one in found})
        network.zeroconf.registry.async_remove(table)  # it answers no more, and says no goodbye
        await listener.until(lambda found: OTHER not in {one.table for one in found})
        assert KITCHEN in listener.found, "it still answers"
    await network.async_close()


async def test_a_table_without_an_address_is_not_announced() -> None:
    other = Announcement(Advert(OTHER, KEY), "*", 47840)
    async with searching() as listener, announced(ANNOUNCEMENT, [], LOOPBACK):
        async with announced(other, [ADDRESS], LOOPBACK):
            await listener.until(lambda found: any(one.table == OTHER for one in found))
        assert KITCHEN not in listener.found


@pytest.mark.slow
async def test_free_seats_and_round_are_announced_as_they_change() -> None:
    async with searching() as listener, announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK) as change:
        await listener.until(lambda found: KITCHEN in found)
        await change(replace(ANNOUNCEMENT.advert, free=2, round=0))
        await listener.until(lambda found: replace(KITCHEN, free=2, round=0) in found)
        await change(replace(ANNOUNCEMENT.advert, free=0, round=1))
        await listener.until(lambda found: replace(KITCHEN, free=0, round=1) in found)
        assert KITCHEN not in listener.found


async def test_services_that_are_not_tables_are_not_shown() -> None:
    wrong: list[tuple[dict[str, str], str]] = [
        ({}, ADDRESS),
        ({"v": "x"}, ADDRESS),
        (written(ANNOUNCEMENT.advert), "127.0.0.1"),
    ]
    network = AsyncZeroconf(LOOPBACK, ip_version=IPVersion.V4Only)
    async with searching() as listener:
        for number, (pairs, address) in enumerate(wrong):
            name = f"{KEY[:20]}-{number}.{SERVICE}"
            one = AsyncServiceInfo(
                SERVICE, name, port=NO_TABLE, properties=pairs, parsed_addresses=[address]
            )
            await network.async_register_service(one, cooperating_responders=True)
        async with announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK):
            await listener.until(lambda found: KITCHEN in found)
        assert not [one for one in listener.found if one.address.endswith(f":{NO_TABLE}")]
    await network.async_unregister_all_services()
    await network.async_close()


async def test_few_services_are_resolved_at_a_time() -> None:
    from zeroconf import ServiceStateChange

    network = AsyncZeroconf(LOOPBACK, ip_version=IPVersion.V4Only)
    browser = TableBrowser(lambda _found: None, [])
    before = len(asyncio.all_tasks())
    names = [f"{number}.{SERVICE}" for number in range(50)]
    for name in names:
        browser.hear(network.zeroconf, SERVICE, name, ServiceStateChange.Added)
    assert len(asyncio.all_tasks()) - before == MAX_ASKED
    for name in names:
        browser.hear(network.zeroconf, SERVICE, name, ServiceStateChange.Removed)
    await network.async_close()


@pytest.mark.parametrize("name", ["n31.", f"{'x' * 70}.{SERVICE}", ""])
async def test_invalid_names_are_ignored(name: str) -> None:
    from zeroconf import ServiceStateChange

    network = AsyncZeroconf(LOOPBACK, ip_version=IPVersion.V4Only)
    told: list[tuple[FoundTable, ...]] = []
    browser = TableBrowser(told.append, [])
    before = asyncio.all_tasks()
    browser.hear(network.zeroconf, SERVICE, name, ServiceStateChange.Added)
    await asyncio.gather(*asyncio.all_tasks() - before)
    assert told == []
    await network.async_close()


def mutated(network: AsyncZeroconf, chance: Random) -> bytes:
    """Return the announcement of a table with some bytes changed or truncated."""
    name = f"{chance.randrange(40)}.{SERVICE}"
    one = AsyncServiceInfo(
        SERVICE,
        name,
        port=47840,
        properties=written(Advert("\x1b[31mKitchen", KEY)),
        server=f"{KEY[:20]}.local.",
        parsed_addresses=[ADDRESS],
    )
    sent = bytearray(network.zeroconf.generate_service_broadcast(one, None).packets()[0])
    for _change in range(chance.randrange(6)):
        sent[chance.randrange(len(sent))] = chance.randrange(256)
    return bytes(sent[: chance.choice([len(sent), len(sent), chance.randrange(len(sent))])])


async def test_malformed_packets_do_not_stop_a_search() -> None:
    chance = Random(7)
    network = AsyncZeroconf(LOOPBACK, ip_version=IPVersion.V4Only)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        there = socket.inet_aton(LOOPBACK[0])
        stranger.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, there)
        async with searching() as listener:
            async with announced(ANNOUNCEMENT, [ADDRESS], LOOPBACK):
                await listener.until(lambda found: KITCHEN in found)
                for _packet in range(500):
                    stranger.sendto(mutated(network, chance), ("224.0.0.251", 5353))
                    await asyncio.sleep(0)  # lets the search receive it
            await listener.until(lambda found: KITCHEN not in found)
            assert len(listener.found) > 1
            assert all(clean_name(one.table) == one.table for one in listener.found)
    await network.async_close()


async def test_a_search_says_when_it_begins() -> None:
    begun = asyncio.Event()
    task = asyncio.create_task(search(lambda _found: None, LOOPBACK, begun.set))
    await begun.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def test_the_browsing_child_ends_with_its_parent() -> None:
    looking: LinkedChild[SearchBegun | TablesFound] = LinkedChild(
        "coffeerush.joining.browsing", SearchBegun | TablesFound
    )
    looking.link.end.close()
    assert looking.wait(SECONDS) == 0
