"""Plain mode: sentences on standard output, words from standard input, line by line."""

import asyncio
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from threading import Thread
from typing import Final, TextIO

from coffeerush.client.link import Link
from coffeerush.client.session import Reply, Session
from coffeerush.client.words import joining_lines

_CHUNK: Final = 4096
_LONGEST_LINE: Final = 65536
Typed = asyncio.Queue[str | None]


async def run_plain(link: Link, starting: bool = False) -> None:
    """Be at a table in plain mode until it is over.

    At the end of its input a player leaves, once all that was typed is done; who only looks on
    stays.

    Args:
        link: to the table.
        starting: whether its first game begins by itself.

    Raises:
        CoffeeRushError: the table cannot be joined.
    """
    await Plain(link, sys.stdout.write, starting).run()


class Plain:
    """Brings a session, a link and a terminal together."""

    def __init__(self, link: Link, write: Callable[[str], object], starting: bool) -> None:
        self._link = link
        self._write = write
        self._session = Session(starting)
        self._seen = link.model

    async def run(self) -> None:
        """Work until it is over."""
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self._say(Reply(joining_lines(self._link.addresses)))
        await self._link.joined()
        typing = asyncio.create_task(self._obey(_typed_lines()))
        try:
            self._look()
            while self._link.model.status != "over":
                await self._link.changed(self._seen)
                self._look()
                if typing.done():
                    typing.result()
        finally:
            typing.cancel()

    def _look(self) -> None:
        """Tell what is new, and do what it makes possible."""
        while self._link.model is not self._seen:
            self._seen = self._link.model
            self._say(self._session.changed(self._seen))

    async def _obey(self, typed: Typed) -> None:
        while (line := await typed.get()) is not None:
            self._look()
            self._say(self._session.line(self._link.model, line))
            self._look()
        if self._link.model.role == "spectator":
            return
        while self._session.busy:
            await self._link.changed(self._link.model)
            self._look()
        await self._link.leave()

    def _say(self, reply: Reply) -> None:
        if reply.lines:
            self._write("".join(f"{line}\n" for line in reply.lines))
            sys.stdout.flush()
        for wish in reply.wishes:
            self._link.wish(wish)


def _typed_lines() -> Typed:
    """Return the lines that are typed from now on; None at the end of the input.

    They are read in a thread, for standard input may be a file, which no event loop can wait for,
    and by descriptor, for a thread that still held `sys.stdin` would be in the way of the exit.
    """
    typed = Typed()
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(typed.put_nowait, line)

    Thread(target=_read_lines, args=(sys.stdin, put), name="typing", daemon=True).start()
    return typed


def _read_lines(stream: TextIO | None, put: Callable[[str | None], None]) -> None:
    rest = b""
    while chunk := _read(stream):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            put(line.decode(errors="replace"))
        rest = rest[:_LONGEST_LINE]
    if rest:
        put(rest.decode(errors="replace"))
    put(None)


def _read(stream: TextIO | None) -> bytes:
    """Return what was typed, once something was; nothing at the end."""
    if stream is None:  # closed before the start: its descriptor is somebody else's now
        return b""
    try:
        return os.read(stream.fileno(), _CHUNK)
    except OSError:  # a terminal that is gone
        return b""
