"""A gateway in this process, at a real host, and guests who connect to it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import asyncssh
import pyte
from websockets.asyncio.client import ClientConnection, connect as connect_page
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from coffeerush.guests.gateway import Gateway, HostDoor
from coffeerush.guests.register import Gate, Register
from coffeerush.guests.ssh import SshDoor, host_key
from coffeerush.guests.web.server import Web, open_web
from coffeerush.host.server.sockets import listening
from coffeerush.joining.enrolment import Way, enrol
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import new_keys
from tests.soak.strangers.web import HELLO
from tests.support.hosts_and_clients import SECONDS, Host


class _Client(asyncssh.SSHClient):
    """Somebody without a password, who answers no question: there is none."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *_challenge: object) -> list[str]:
        return []


async def connect(port: int, user: str, **more: Any) -> asyncssh.SSHClientConnection:
    """Connect to a gateway as OpenSSH does, without a key unless one is given."""
    settings: dict[str, Any] = {"known_hosts": None, "client_keys": None, "agent_path": None}
    settings |= {"config": [], "client_factory": _Client, **more}
    return await asyncssh.connect("127.0.0.1", port, username=user, **settings)


class Reception:
    """A gateway and its servers, with all that may be left of a guest."""

    def __init__(self, gateway: Gateway, door: SshDoor, port: int, code: str) -> None:
        self.gateway = gateway
        self.door = door
        self.port = port
        self.code = code
        self.web: Web
        self.asking: tuple[tuple[int, str, str], ...] = ()
        """The number, the name and the number to type of each browser that asks."""
        self._tasks = len(asyncio.all_tasks())

    async def connect(self, user: str = "Ann", **more: Any) -> asyncssh.SSHClientConnection:
        """Connect as OpenSSH does, without a key unless one is given."""
        return await connect(self.port, user, **more)

    @asynccontextmanager
    async def page(self, source: str = "127.0.0.1", **hello: object) -> AsyncIterator["Page"]:
        """Connect as a page, which says hello with what it keeps: `token` and `ticket`."""
        address = f"127.0.0.1:{self.web.port}"
        async with connect_page(
            f"ws://{address}/socket",
            origin=Origin(f"http://{address}"),
            proxy=None,
            local_addr=(source, 0),
        ) as socket:
            page = Page(socket)
            await page.say(**{**HELLO, **hello})
            yield page

    def note_asking(self, asking: tuple[tuple[int, str, str], ...]) -> None:
        self.asking = asking

    async def asks(self, name: str) -> tuple[int, str]:
        """Wait until a browser asks under a name; return the guest and the number to type."""
        await self.until(lambda: name in [asked for _guest, asked, _number in self.asking])
        return {asked: (guest, number) for guest, asked, number in self.asking}[name]

    @property
    def left(self) -> dict[str, int]:
        return {
            "connections": len(self.door.connections),
            "places": len(self.gateway.places),
            "guests": self.gateway.guests,
            "tasks": len(asyncio.all_tasks()) - self._tasks,
        }

    async def until(self, wanted: Callable[[], object]) -> None:
        """Wait until something is true."""
        async with asyncio.timeout(SECONDS):
            while not wanted():
                await asyncio.sleep(0.01)  # nothing tells when a guest is forgotten

    async def settled(self) -> None:
        """Wait until nothing is left of anybody."""
        try:
            await self.until(lambda: not any(self.left.values()))
        except TimeoutError:
            raise AssertionError(self.left) from None


@asynccontextmanager
async def receiving(
    host: Host, state: Path, code: str = "", key: str = "", *, is_here: bool = True
) -> AsyncIterator[Reception]:
    """Run a gateway for a host; what guests have to give and the key are the host's by default.

    If the host is not taken to be here, its door is relied upon to know who may come.
    """
    code = code or host.ready["code"]
    address = Address("127.0.0.1", host.port)
    found = await enrol(Way(address, "", keys=new_keys()))
    gateway = Gateway(
        HostDoor(address, key or found.banner.key),
        "Kitchen",
        "",
        *(Gate(code, Random(1)), Register(state / "guests.json"), lambda: None),
        is_here=is_here,
    )
    door = SshDoor(gateway, host_key(state))
    port = await door.open(listening("127.0.0.1", 0))
    reception = Reception(gateway, door, port, code)
    listening_for_pages = listening("127.0.0.1", 0)
    reception.web = await open_web(gateway, listening_for_pages, reception.note_asking)
    try:
        yield reception
    finally:
        await reception.web.close()
        await door.close()
        await gateway.close()


class Page:
    """A page at the gateway that does nothing by itself."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def say(self, **message: object) -> None:
        await self._socket.send(json.dumps(message))

    async def ask(self, name: str, role: str = "player") -> dict[str, Any]:
        """Ask to come in, and return what comes of it."""
        await self.at("ask")
        await self.say(**{"is": "ask", "name": name, "role": role})
        return await self.hear("stage")

    async def enter(self, number: str) -> None:
        await self.say(**{"is": "enter", "number": number})

    async def hear(self, what: str) -> dict[str, Any]:
        """Wait for a message that says something, and return it."""
        async with asyncio.timeout(SECONDS):
            while True:
                heard: dict[str, Any] = json.loads(await self._socket.recv())
                if what in heard:
                    return heard

    async def at(self, stage: str) -> dict[str, Any]:
        """Wait for the next stage, which must be this one."""
        heard = await self.hear("stage")
        assert heard["stage"] == stage, heard
        return heard

    async def name(self) -> str:
        """Wait until the guest is at the table, and return what they are called there."""
        while "at the table as" not in (said := str((await self.hear("say"))["say"][0])):
            pass
        return said.partition(" as ")[2].partition(";")[0]

    async def is_closed(self) -> bool:
        """Wait for the end of the connection; return whether nothing but answers came before."""
        with suppress(ConnectionClosed):
            async with asyncio.timeout(SECONDS):
                while True:
                    if "stage" in json.loads(await self._socket.recv()):
                        return False
        return True

    async def drop(self) -> None:
        """Break the connection off."""
        self._socket.transport.abort()
        await self._socket.wait_closed()


class GuestScreen:
    """The screen of a guest over ssh, rendered by pyte."""

    def __init__(self, process: "asyncssh.SSHClientProcess[bytes]", size: tuple[int, int]) -> None:
        self.process = process
        self._cells = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._cells)
        self.sent = b""
        """Everything received."""

    @property
    def text(self) -> str:
        """The screen's lines."""
        across = range(self._cells.columns)
        rows = range(self._cells.lines)
        lines = ("".join(self._cells.buffer[row][x].data for x in across) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def write(self, keys: str) -> None:
        self.process.stdin.write(keys.encode())

    async def asks(self, request: bytes, *about: bytes) -> bool:
        """Send a request about the terminal; return whether it is granted."""
        return bool(await self.process.channel._make_request(request, *about))

    async def see(self, text: str) -> None:
        try:
            async with asyncio.timeout(SECONDS):
                while text not in self.text:
                    await self._read()
        except TimeoutError:
            raise AssertionError(f"no {text!r} in\n{self.text}") from None

    async def _read(self) -> None:
        data = await self.process.stdout.read(65536)
        if not data:
            raise TimeoutError
        self.sent += data
        self._stream.feed(data)

    async def leave(self) -> str:
        """Press q until the session ends; return what it has sent."""
        while True:
            self.write("q")
            with suppress(TimeoutError):
                async with asyncio.timeout(0.3):  # a second q at once would be a held key
                    while True:
                        await self._read()
            if self.process.stdout.at_eof():
                return self.sent.decode(errors="replace")

    async def look(self, seconds: float) -> bool:
        """Render what comes within that time; return whether there was any."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._read()
            return True
        return False

    async def to_its_end(self, seconds: float | None = SECONDS) -> str:
        """Read until the session ends, and return what the terminal then shows."""
        with suppress(asyncssh.Error):  # the connection is lost
            await self._read_on(seconds)
        return self.sent.decode(errors="replace")

    async def _read_on(self, seconds: float | None) -> None:
        async with asyncio.timeout(seconds):
            while data := await self.process.stdout.read(65536):
                self.sent += data
                self._stream.feed(data)

    def resize(self, columns: int, rows: int) -> None:
        self._cells.resize(rows, columns)
        self.resize_only(columns, rows)

    def resize_only(self, columns: int, rows: int) -> None:
        """Say that the terminal has another size, without looking at what is sent."""
        self.process.change_terminal_size(columns, rows)

    async def enter(self, code: str) -> None:
        """Give the code, and sit down."""
        await self.see("Code")
        self.write(code.replace("-", " ") + "\r")
        await self.see("Seat 1")


async def screen_of(
    connection: asyncssh.SSHClientConnection,
    size: tuple[int, int] = (80, 24),
    term: str = "xterm-256color",
    **environment: str,
) -> GuestScreen:
    """Open a session with a terminal."""
    process = await connection.create_process(
        term_type=term, term_size=size, env={"LANG": "en", **environment}, encoding=None
    )
    return GuestScreen(process, size)
