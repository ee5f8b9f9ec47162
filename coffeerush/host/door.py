"""The door: one bounded exchange of lines over plain TCP, after which a key may connect.

asyncio in a thread of its own, so that a stranger at the door never holds up the table.
"""

import asyncio
import contextlib
import socket
import struct
from threading import Thread
from typing import Final

from zmq.utils import z85

from coffeerush.host.keyring import Keyring
from protocol import (
    MAX_DOOR_BYTES,
    Banner,
    DoorAnswer,
    DoorRefused,
    Enrol,
    Enrolled,
    Refusal,
    WireError,
    decode_enrol,
    encode_line,
)

DOOR_SECONDS: Final = 2.0
"""A visitor has this long from the connection to the end."""
MAX_VISITORS: Final = 32
_BUSY: Final = DoorRefused(Refusal("door_busy", "the door is busy: try again in a few seconds"))


class Door:
    """Serves a listening socket from the start until it is stopped.

    Args:
        listening: the socket, bound and listening; the door closes it.
        banner: what everybody is told first.
        keyring: gets the keys that are let in.
    """

    def __init__(self, listening: socket.socket, banner: Banner, keyring: Keyring) -> None:
        self._listening = listening
        self._banner = encode_line(banner)
        self._keyring = keyring
        self._visitors = 0
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the door, and wait until it is closed; from any other thread."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        # At the limit a reader stops with an error: no line makes it keep more.
        server = await asyncio.start_server(self._visit, sock=self._listening, limit=MAX_DOOR_BYTES)
        await self._stopping.wait()
        server.close()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._visitors += 1
        try:
            async with asyncio.timeout(DOOR_SECONDS):
                await self._exchange(reader, writer)
                await writer.drain()
        except OSError:
            pass  # the visitor went or dawdled: there is nobody to tell
        finally:
            self._visitors -= 1
            with contextlib.suppress(OSError):
                writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(self._banner)
        if self._visitors > MAX_VISITORS:
            writer.write(encode_line(_BUSY))
            return
        try:
            line = await reader.readline()
        except ValueError:
            line = b""  # longer than a line may be
        if line or not reader.at_eof():  # who only read the banner asks for nothing
            writer.write(encode_line(self._answer(line)))

    def _answer(self, line: bytes) -> DoorAnswer:
        try:
            enrol = decode_enrol(line)
            z85.decode(enrol.key)
        except (WireError, ValueError, KeyError, struct.error):
            return DoorRefused(Refusal("bad_key", "the door takes one line with a CURVE key"))
        return self._admit(enrol)

    def _admit(self, enrol: Enrol) -> DoorAnswer:
        """Decide who gets in: everybody who finds the door."""
        self._keyring.admit(enrol.key)
        return Enrolled()
