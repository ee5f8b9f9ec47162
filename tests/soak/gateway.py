"""People at a gateway: guests who watch, type or play, and newcomers; crowds are processes."""

import asyncio
import multiprocessing
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from typing import Any, Final, Self

import asyncssh

from coffeerush.ui.terminal.glyphs import CARET
from scripts.programs.bench.keystrokes import LETTERS
from tests.soak.attacked import KEY_GAP_SECONDS, PATIENCE
from tests.support.guests import GuestScreen, connect, screen_of
from tests.support.hosts_and_clients import SECONDS
from tests.support.screen_reader import IGNORED_SECONDS, ScreenReader
from tests.support.ssh import KEYS

NICENESS: Final = 19
"""Guests and strangers run on other machines elsewhere."""
BUSY: Final = "connections"
"""What attackers count once they are at work."""
BUSY_SECONDS: Final = 10.0
"""Attackers who are not at work by then are kept out."""
_BROKEN: Final = (asyncssh.Error, OSError, TimeoutError, AssertionError)


class Others:
    """A crowd in a process, for as long as the body of the `with` runs.

    `act` is what they do, a coroutine function of a counter and of `arguments`.
    """

    def __init__(self, act: Callable[..., Any], *arguments: object) -> None:
        context = multiprocessing.get_context("spawn")
        self._done, theirs = context.Pipe(duplex=False)
        self._busy, self._stop = context.Event(), context.Event()
        self._process = context.Process(
            target=_act, args=(act, arguments, theirs, self._busy, self._stop), daemon=True
        )
        self.counts: Counter[str] = Counter()
        """What they did; known at the end."""

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def until_busy(self) -> None:
        """Wait until they are at work, or seem not to get so far."""
        self._busy.wait(BUSY_SECONDS)

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self.counts = self._done.recv() if self._done.poll(SECONDS) else Counter()
        self._process.kill()
        self._process.join()


def _act(
    act: Callable[..., Any], arguments: tuple[object, ...], done: Any, busy: Any, stop: Any
) -> None:
    os.nice(NICENESS)

    async def main() -> None:
        counts: Counter[str] = Counter()
        acting = asyncio.create_task(act(counts, *arguments))
        while not counts[BUSY] and not stop.is_set():
            await asyncio.sleep(0.05)  # nothing tells when somebody counts
        busy.set()
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
        screen = await screen_of(await _connected(port, f"Guest {number}"))
        await as_spectator(screen, code)
        counts["watching"] += 1
        watching.append(asyncio.create_task(screen.to_its_end(None)))
    await asyncio.gather(*watching)


async def _connected(port: int, name: str) -> asyncssh.SSHClientConnection:
    """Connect, again if strangers have just used up what there is for newcomers."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(asyncssh.Error, OSError):
                return await connect(port, name)
            await asyncio.sleep(0.5)


async def as_spectator(screen: GuestScreen, code: str) -> None:
    """Give the code, and watch."""
    await screen.see("Code")
    screen.write(code.replace("-", " "))
    await screen.see(code.replace("-", " "))
    for row in ("▸ Join", "▸ Watch"):
        screen.write("\x1b[B")
        await screen.see(row)
    screen.write("\r")
    await screen.see("q leave")  # in any stage


class Typist:
    """A guest who types into the chat line, and looks for each letter on the screen."""

    def __init__(self, runner: asyncio.Runner, port: int, code: str) -> None:
        self._runner = runner
        self._letters = cycle(LETTERS)
        self._screen = runner.run(self._come(port, code))

    async def _come(self, port: int, code: str) -> GuestScreen:
        self._connection = await connect(port, "Ann")
        screen = await screen_of(self._connection)
        await screen.enter(code)
        screen.write("t")
        await screen.see("Say:")
        return screen

    def close(self) -> None:
        self._connection.abort()
        self._runner.run(self._connection.wait_closed())

    def press(self) -> float:
        """Type a letter; return the seconds until it is shown."""
        return self._runner.run(self._press(next(self._letters)))

    async def _press(self, letter: str) -> float:
        if letter == LETTERS[0]:
            self._screen.write("\x15")
            await self._screen.see(f"Say: {CARET}")
            await asyncio.sleep(KEY_GAP_SECONDS)
        begun, wanted = time.perf_counter(), letter.encode()
        self._screen.sent = b""
        self._screen.write(letter)
        while wanted not in self._screen.sent and time.perf_counter() - begun < PATIENCE:
            await self._screen.look(1.0)
        return time.perf_counter() - begun


class Newcomer:
    """People who come to the form, one after another, each from an address that nobody else has."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._addresses = cycle(f"127.0.20.{number}" for number in range(1, 200))

    def come(self) -> float:
        """Connect; return the seconds until the form is shown, and at most `PATIENCE`."""
        begun = time.perf_counter()
        with suppress(*_BROKEN):
            asyncio.run(self._come(next(self._addresses), begun))
        return time.perf_counter() - begun

    async def _come(self, address: str, begun: float) -> None:
        """Try, again and again as people do, until the form is shown."""
        while time.perf_counter() - begun < PATIENCE:
            with suppress(*_BROKEN):
                async with asyncio.timeout(PATIENCE):
                    connection = await connect(self._port, "New", local_addr=(address, 0))
                    try:
                        await (await screen_of(connection)).see("Code")
                        return
                    finally:
                        connection.abort()
                        await connection.wait_closed()
            await asyncio.sleep(0.5)


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
        over = "The result" in screen.text
        found = re.search(r"[Rr]ound (\d+)", screen.text)
        if found and not over:  # the result tells of all rounds
            self.rounds.append(int(found[1]))
        return over
