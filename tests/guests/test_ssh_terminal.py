"""A guest's terminal at the end of a real connection: what is slow is not animated."""

import asyncio
import socket
from contextlib import closing

import pytest

from coffeerush.guests.front_end import Shares
from coffeerush.guests.ssh import UNREAD_BYTES, SshTerminal, unread_bytes
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.output import LATE_SECONDS
from tests.support.hosts_and_clients import SECONDS


class Letters:
    """A program whose frames differ everywhere from one key to the next."""

    def __init__(self) -> None:
        self.settings = Settings()
        self._keys = 0

    def frame(self, columns: int, rows: int) -> Canvas:
        canvas = Canvas(columns, rows)
        for row in range(rows):
            canvas.put(0, row, chr(ord("a") + self._keys % 26) * columns)
        return canvas

    def press(self, _key: str) -> None:
        self._keys += 1

    def paste(self, text: str) -> None: ...

    def click(self, target: Target) -> None: ...

    def wheel(self, target: Target | None, lines: int) -> None: ...


@pytest.mark.parametrize("reads", [True, False])
def test_nothing_is_animated_if_frames_are_still_on_their_way_when_the_next_is_due(
    reads: bool,
) -> None:
    async def main(ours: socket.socket, theirs: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        terminal = SshTerminal(
            *(Shares(), "127.0.0.1", (80, 24), {"TERM": "xterm"}, ""),
            *(ours.sendall, lambda: None, lambda: unread_bytes(ours)),
        )
        display = terminal.display(Letters())
        showing = asyncio.create_task(display.run())
        until, frames = loop.time() + SECONDS, 0
        while not display.look.still and (frames < 3 if reads else loop.time() < until):
            terminal.press("x")
            frames += 1
            while reads and unread_bytes(ours):
                await loop.sock_recv(theirs, 1 << 16)
            await asyncio.sleep(LATE_SECONDS + 0.01)  # when the next frame is due
        assert display.look.still is not reads
        display.close()
        await showing

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD_BYTES)
        with closing(socket.create_connection(server.getsockname())) as ours:
            theirs, _address = server.accept()
            with theirs:
                theirs.setblocking(False)
                asyncio.run(main(ours, theirs))
