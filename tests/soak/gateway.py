"""People at a gateway: guests who watch or play, and strangers; crowds have their own process."""

import asyncio
import multiprocessing
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final, Self

import asyncssh

from tests.support.guests import connect, screen_of
from tests.support.screen_reader import IGNORED_SECONDS, ScreenReader
from tests.support.ssh import KEYS

NICENESS: Final = 5
"""Guests and strangers run on other machines elsewhere."""
WRONG: Final = "apple-apple-apple"
STRANGER: Final = "Stranger"
_BROKEN: Final = (asyncssh.Error, OSError, TimeoutError, AssertionError)


class Others:
    """A crowd in a process, for as long as the body of the `with` runs.

    Args:
        act: what they do, a coroutine function of a counter and of `arguments`.
    """

    def __init__(self, act: Callable[..., Any], *arguments: object) -> None:
        context = multiprocessing.get_context("spawn")
        self._done, theirs = context.Pipe(duplex=False)
        self._stop = context.Event()
        self._process = context.Process(
            target=_act, args=(act, arguments, theirs, self._stop), daemon=True
        )
        self.counts: Counter[str] = Counter()
        """What they did; known at the end."""

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self.counts = self._done.recv() if self._done.poll(20) else Counter()
        self._process.kill()
        self._process.join()


def _act(act: Callable[..., Any], arguments: tuple[object, ...], done: Any, stop: Any) -> None:
    os.nice(NICENESS)

    async def main() -> None:
        counts: Counter[str] = Counter()
        acting = asyncio.create_task(act(counts, *arguments))
        await asyncio.to_thread(stop.wait)
        acting.cancel()
        with suppress(asyncio.CancelledError):
            await acting
        done.send(counts)

    asyncio.run(main())


async def watch(counts: Counter[str], port: int, code: str, guests: int) -> None:
    """Let guests watch, and draw everything that happens."""
    watching = []
    for number in range(guests):
        screen = await screen_of(await connect(port, f"Guest {number}"))
        await screen.see("Code")
        screen.write(code.replace("-", " "))
        await screen.see(code.replace("-", " "))
        for row in ("▸ Join", "▸ Watch"):
            screen.write("\x1b[B")
            await screen.see(row)
        screen.write("\r")
        await screen.see("watching")
        counts["watching"] += 1
        watching.append(asyncio.create_task(screen.to_its_end(None)))
    await asyncio.gather(*watching)


async def besiege(counts: Counter[str], port: int, seed: float, sources: int) -> None:
    """Try everything without the code, from several addresses at once."""
    tries = (_garbage, _half, _slowly, _guess, _abort)
    chance = Random(seed)

    async def one(source: str) -> None:
        while True:
            with suppress(*_BROKEN):
                async with asyncio.timeout(5):
                    await chance.choice(tries)(counts, port, source, chance)
            await asyncio.sleep(0.02)  # so that the attackers are not the load

    addresses = [f"127.0.0.{2 + number}" for number in range(sources)]
    await asyncio.gather(*(one(source) for source in addresses for _ in range(4)))


async def _garbage(counts: Counter[str], port: int, source: str, chance: Random) -> None:
    _reader, writer = await _connection(port, source)
    counts["garbage"] += 1
    writer.write(chance.randbytes(chance.choice([10, 1000, 100_000])))
    await writer.drain()
    writer.close()


async def _half(counts: Counter[str], port: int, source: str, chance: Random) -> None:
    reader, writer = await _connection(port, source)
    counts["half handshakes"] += 1
    writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")
    await reader.read(4096)
    await asyncio.sleep(chance.uniform(0, 4))  # keeps the place for a while
    writer.transport.abort()


async def _slowly(counts: Counter[str], port: int, source: str, _chance: Random) -> None:
    _reader, writer = await _connection(port, source)
    counts["slow lines"] += 1
    for byte in b"SSH-2.0-OpenSSH_9.9":
        writer.write(bytes([byte]))
        await asyncio.sleep(0.2)  # as slowly as that
    writer.close()


async def _guess(counts: Counter[str], port: int, source: str, _chance: Random) -> None:
    connection = await connect(port, STRANGER, local_addr=(source, 0))
    try:
        screen = await screen_of(connection)
        await screen.see("Code")
        screen.write(WRONG + "\r")
        counts["wrong codes"] += 1
        await screen.see("Seat 1")
        counts["in"] += 1
    finally:
        connection.abort()


async def _abort(counts: Counter[str], port: int, source: str, chance: Random) -> None:
    connection = await connect(port, STRANGER, local_addr=(source, 0))
    counts["aborted"] += 1
    await asyncio.sleep(chance.uniform(0, 0.2))  # at any moment of the handshake
    connection.abort()


async def _connection(port: int, source: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))


class Gambler:
    """A guest with a key, who plays whatever the screen asks for, and comes back after each cut."""

    def __init__(self, port: int, code: str) -> None:
        self._port = port
        self._code = code
        self._key = asyncssh.generate_private_key("ssh-ed25519")
        self._known = False
        self.rounds: list[int] = []
        """The round that was shown at the start and the end of each visit."""

    def play(self, seconds: float) -> bool:
        """Connect and play for a while; return whether the game is over."""
        return asyncio.run(self._play(seconds))

    async def _play(self, seconds: float) -> bool:
        connection = await connect(self._port, "Ann", client_keys=[self._key])
        try:
            return await self._play_at(connection, seconds)
        finally:
            connection.abort()
            await connection.wait_closed()

    async def _play_at(self, connection: asyncssh.SSHClientConnection, seconds: float) -> bool:
        screen = await screen_of(connection)
        if not self._known:
            await screen.enter(self._code)
            self._known = True
        await screen.see("──")  # the table, not the form again
        until, reader, tried = time.monotonic() + seconds, ScreenReader(), 0.0
        first = True
        while time.monotonic() < until and "The result" not in screen.text:
            changed = await screen.look(0.05)
            found = re.search(r"[Rr]ound (\d+)", screen.text)
            if found and first:
                self.rounds.append(int(found[1]))
                first = False
            if not (changed or time.monotonic() - tried > IGNORED_SECONDS):
                continue
            if key := reader.wanted(screen.text):
                screen.write(KEYS[key])
                tried = time.monotonic()
        found = re.search(r"[Rr]ound (\d+)", screen.text)
        if found:
            self.rounds.append(int(found[1]))
        return "The result" in screen.text
