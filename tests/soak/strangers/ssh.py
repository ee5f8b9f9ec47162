"""Attackers at the port for ssh, with the code and without it; a crowd of them has its own process.

Each attack is what one connection does. `besiege` keeps up so many of them from each address.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any, Final, NamedTuple

import asyncssh

from tests.soak.gateway import BUSY, as_spectator
from tests.support.guests import GuestScreen, connect, screen_of

STRANGER: Final = "Stranger"
WRONG: Final = "apple-apple-apple"
HOLD_SECONDS: Final = 20.0
"""How long one connection goes on at most."""
LARGEST: Final = (250, 100)
TRIED, IN = "wrong codes", "in"
_BROKEN: Final = (asyncssh.Error, OSError, TimeoutError, AssertionError)


class Line(NamedTuple):
    """One connection of an attacker."""

    port: int
    source: str
    code: str
    """The code of the table; strangers do not use it."""
    chance: Random
    counts: Counter[str]


class Attack(NamedTuple):
    """What attackers do."""

    act: Callable[[Line], Awaitable[None]]
    lines: int = 4
    """How many connections each address has at the same time."""


def sources_of(count: int) -> list[str]:
    return [f"127.0.{10 + number // 200}.{1 + number % 200}" for number in range(count)]


async def besiege(
    counts: Counter[str], port: int, code: str, seed: float, attacks: dict[str, int]
) -> None:
    """Keep up attacks, each from so many addresses."""
    chance = Random(seed)

    async def keep_up(name: str, source: str) -> None:
        while True:
            with suppress(*_BROKEN):
                async with asyncio.timeout(HOLD_SECONDS):
                    await ATTACKS[name].act(Line(port, source, code, chance, counts))
            await asyncio.sleep(0.02)  # so that the attackers are not the load

    await asyncio.gather(
        *(
            keep_up(name, source)
            for name, addresses in attacks.items()
            for source in sources_of(addresses)
            for _line in range(ATTACKS[name].lines)
        )
    )


@asynccontextmanager
async def _raw(line: Line) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", line.port, local_addr=(line.source, 0)
    )
    line.counts[BUSY] += 1
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


@asynccontextmanager
async def _session(line: Line, size: tuple[int, int] = (80, 24)) -> AsyncIterator[GuestScreen]:
    """Open a session, and read nothing of it but what is looked at."""
    connection = await connect(line.port, STRANGER, local_addr=(line.source, 0))
    try:
        screen = await screen_of(connection, size)
        line.counts[BUSY] += 1
        yield screen
    finally:
        connection.abort()


@asynccontextmanager
async def _member(line: Line, size: tuple[int, int] = (80, 24)) -> AsyncIterator[GuestScreen]:
    """Watch, with the code."""
    connection = await connect(line.port, "Mallory", local_addr=(line.source, 0))
    try:
        screen = await screen_of(connection, size)
        await as_spectator(screen, line.code)
        line.counts[BUSY] += 1
        yield screen
    finally:
        connection.abort()


async def _read_all(screen: GuestScreen) -> None:
    """Take what is sent, so that it is drawn."""
    while not screen.process.stdout.at_eof():
        await screen.process.stdout.read(1 << 16)


# With nothing but a connection


async def garbage(line: Line) -> None:
    """Send bytes at random."""
    async with _raw(line) as (reader, writer):
        writer.write(line.chance.randbytes(line.chance.choice([10, 1000, 100_000])))
        await reader.read()


async def half_open(line: Line) -> None:
    """Begin a handshake, and say no more."""
    async with _raw(line) as (reader, writer):
        writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")
        while await reader.read(4096):
            pass


async def slow_banner(line: Line) -> None:
    """Say who one is, a byte at a time."""
    async with _raw(line) as (_reader, writer):
        for byte in b"SSH-2.0-OpenSSH_9.9":
            writer.write(bytes([byte]))
            await asyncio.sleep(0.5)  # as slowly as that


async def endless_banner(line: Line) -> None:
    """Send lines before the banner, as the protocol allows, without an end."""
    async with _raw(line) as (_reader, writer):
        while not writer.transport.is_closing():
            writer.write(b"Hello!\r\n" * 100)
            await writer.drain()
            await asyncio.sleep(0.1)


async def aborted(line: Line) -> None:
    """End the connection at any moment of the handshake."""
    connection = await connect(line.port, STRANGER, local_addr=(line.source, 0))
    line.counts[BUSY] += 1
    await asyncio.sleep(line.chance.uniform(0, 0.2))
    connection.abort()


async def other_services(line: Line) -> None:
    """Ask for all that ssh servers have, but for a terminal."""
    connection = await connect(line.port, STRANGER, local_addr=(line.source, 0))
    line.counts[BUSY] += 1
    try:
        wanted: list[dict[str, Any]] = [{"command": "id"}, {"subsystem": "sftp"}]
        for one in wanted * 20:
            with suppress(asyncssh.ChannelOpenError):
                await connection.create_process(**one)
                line.counts[IN] += 1
    finally:
        connection.abort()


# In a session, without the code


async def guess(line: Line) -> None:
    """Type a wrong code."""
    async with _session(line) as screen:
        await screen.see("Code")
        screen.write(WRONG + "\r")
        line.counts[TRIED] += 1
        await screen.see("Seat 1")
        line.counts[IN] += 1


async def newcomers(line: Line) -> None:
    """Look at the form, and go."""
    async with _session(line) as screen:
        await screen.see("Code")
        line.counts["forms"] += 1


async def sizes(line: Line) -> None:
    """Change the size of the terminal sixty times a second."""
    async with _session(line, LARGEST) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        for number in range(10_000):
            screen.resize_only(LARGEST[0] - number % 2, LARGEST[1])
            line.counts["sizes"] += 1
            await asyncio.sleep(1 / 60)


async def form_keys(line: Line) -> None:
    """Type into the form without a pause."""
    async with _session(line, LARGEST) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        while True:
            screen.write("".join(line.chance.choices("ab\x1b[A\x1b[B\x0c\x15", k=60)))
            await asyncio.sleep(0.1)


# At the table, with the code


async def bursts(line: Line) -> None:
    """Change the size of the terminal as often as one may, at once."""
    async with _member(line, LARGEST) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        while True:
            for number in range(240):
                screen.resize_only(LARGEST[0] - number % 2, LARGEST[1])
            line.counts["sizes"] += 240
            await asyncio.sleep(4)  # more is cut off


async def keys(line: Line) -> None:
    """Press all kinds of keys, many in a packet."""
    async with _member(line, LARGEST) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        while True:
            some = line.chance.choices(["?", "\x1b[A", "\x1b[B", "\t", "\x0c", "1", " "], k=30)
            screen.write("".join(some))
            line.counts["keys"] += len(some)
            await asyncio.sleep(0.2)


async def settings(line: Line) -> None:
    """Change settings without a pause, the colours of everything among them."""
    async with _member(line, LARGEST) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        screen.write("\x1bOR")
        while True:
            screen.write("\x1b[C" * 6 + "\x1b[B")
            line.counts["settings"] += 6
            await asyncio.sleep(0.1)


async def packets(line: Line) -> None:
    """Send as many characters in one packet as one may."""
    async with _member(line) as screen, asyncio.TaskGroup() as tasks:
        tasks.create_task(_read_all(screen))
        while True:
            screen.write("t" + "\x1b[A" * 1300)
            line.counts["packets"] += 1
            await asyncio.sleep(4)


STRANGERS: Final[dict[str, Attack]] = {
    one.__name__: Attack(one)
    for one in (garbage, half_open, slow_banner, endless_banner, aborted, other_services)
} | {one.__name__: Attack(one) for one in (guess, newcomers)}
"""What people without the code do, from any number of addresses."""
SESSIONS: Final[dict[str, Attack]] = {
    one.__name__: Attack(one, lines=1)
    for one in (sizes, form_keys, bursts, keys, settings, packets)
}
"""What one session does; each is a connection from an address of its own."""
ATTACKS: Final = STRANGERS | SESSIONS | {"sizes_8": Attack(sizes, lines=8)}
"""All of them; also eight sessions of one address."""
