"""The web server: the page over HTTP, and the frames over a WebSocket, on one port."""

import asyncio
import logging
import socket
from collections.abc import Callable
from random import SystemRandom
from ssl import SSLContext
from typing import Any, Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import LoggerLike

from coffeerush.guests.gateway import Gateway, Places
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.sources import origin, source_of
from coffeerush.rates import SlidingWindow

from .asking import Asking
from .messages import MAX_MESSAGE
from .page import HEADERS, SOCKET, file_at, is_ours, is_same_origin
from .visit import PageVisit

OPEN_SECONDS: Final = 5.0
"""The time to send a request."""
PING_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0
WAITING_MESSAGES: Final = 8
ARRIVALS: Final = 60
ARRIVALS_SECONDS: Final = 20.0
"""New connections of one source; a telephone that searches for the host makes one a second."""
MAX_SOURCES: Final = 1024
ANNOUNCE_SECONDS: Final = 0.5
"""The minimum time between two announcements of who asks to be let in."""
Tell = Callable[[tuple[tuple[int, str, str], ...]], None]
"""Receives the guests who ask to come in: `Asking.waiting`."""
_SILENT: Final = logging.getLogger(f"{__name__}.silent")
"""What strangers send must not fill the log."""
_SILENT.setLevel(logging.CRITICAL)


class Web:
    """A running web server; `close` ends it."""

    def __init__(self, server: Server, asking: Asking, announce: Callable[[], None]) -> None:
        self._server = server
        self._asking = asking
        self._announce = announce
        self.port: int = next(iter(server.sockets)).getsockname()[1]

    def let_in(self, guest: int, allowed: bool) -> None:
        """Let a guest in who asks, or turn them away."""
        self._asking.answer(guest, allowed, asyncio.get_running_loop().time())
        self._announce()

    async def close(self) -> None:
        """Close all connections, and the port."""
        self._server.close()
        await self._server.wait_closed()


async def open_web(
    gateway: Gateway, listening: socket.socket, tell: Tell, certificate: SSLContext | None = None
) -> Web:
    """Serve the page.

    Args:
        gateway: of the table.
        listening: the socket to accept connections at.
        tell: called when the visitors who ask to be let in have changed.
        certificate: for TLS; None to serve plain HTTP.
    """
    asking = Asking(SystemRandom())
    announcer = _Announcer(lambda: tell(asking.waiting))

    class Connection(_Connection):
        places = gateway.places
        incidents = gateway.incidents
        arrivals = _Arrivals()

    async def visit(page: ServerConnection) -> None:
        assert isinstance(page, _Connection)
        announce = announcer.announce
        await PageVisit(gateway, asking, announce, page.let_in, page, page.address).run()

    def answer(page: ServerConnection, request: Request) -> Response | None:
        return respond(page, request, listened=certificate is None)

    logger: LoggerLike = _SILENT
    return Web(
        await serve(
            visit,
            sock=listening,
            ssl=certificate,
            logger=logger,
            create_connection=Connection,
            process_request=answer,
            server_header=None,
            open_timeout=OPEN_SECONDS,
            close_timeout=CLOSE_SECONDS,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            max_size=MAX_MESSAGE,
            max_queue=WAITING_MESSAGES,
        ),
        asking,
        announcer.announce,
    )


def respond(page: ServerConnection, request: Request, *, listened: bool) -> Response | None:
    """Answer a request for a file; return None for a WebSocket that may be opened."""
    hosts = request.headers.get_all("Host")
    if len(hosts) != 1 or not is_ours(hosts[0], socket.gethostname()):
        return _response(page, 421, "text/plain", "")
    path = request.path.partition("?")[0]
    if path == SOCKET:
        origins = request.headers.get_all("Origin")
        if len(origins) == 1 and is_same_origin(origins[0], hosts[0]):
            return None
        return _response(page, 403, "text/plain", "")
    accepted = ",".join(request.headers.get_all("Accept-Language"))
    found = file_at(path, accepted, listened=listened)
    return _response(page, 200, *found) if found else _response(page, 404, "text/plain", "")


def _response(page: ServerConnection, status: int, kind: str, text: str) -> Response:
    response = page.respond(status, text)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = f"{kind}; charset=utf-8"
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


class _Announcer:
    """Calls a function at once, but not more often than the host's screen and log can take."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._told_at = float("-inf")
        self._waiting: asyncio.TimerHandle | None = None

    def announce(self) -> None:
        """Call the function now, or soon."""
        if self._waiting is None:
            at = self._told_at + ANNOUNCE_SECONDS
            self._waiting = asyncio.get_running_loop().call_at(at, self._now)

    def _now(self) -> None:
        self._waiting = None
        self._told_at = asyncio.get_running_loop().time()
        self._tell()


class _Arrivals:
    """Limits new connections of each source; a page takes five."""

    def __init__(self) -> None:
        self._sources: dict[str, SlidingWindow] = {}

    def may_come(self, now: float, source: str) -> bool:
        """Count a connection; return whether the source has not had too many."""
        if len(self._sources) >= MAX_SOURCES:
            self._sources = {name: one for name, one in self._sources.items() if one.count(now)}
        window = self._sources.setdefault(source, SlidingWindow(ARRIVALS_SECONDS))
        if window.count(now) >= ARRIVALS:
            return False
        window.add(now)
        return True


class _Connection(ServerConnection):
    """A connection with a place among those of strangers, until it is let in or ends."""

    places: Places
    incidents: Incidents
    arrivals: "_Arrivals"

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.address = ""
        """The numeric address of the browser."""
        self.let_in: Callable[[], None] = lambda: None
        """Gives the place to somebody else."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place, or end the connection if there is none."""
        super().connection_made(transport)
        self.address = origin(transport.get_extra_info("peername")[0])
        source = source_of(self.address)
        free = None
        if self.arrivals.may_come(self.loop.time(), source):
            free = self.places.take(source, self.transport.abort)
        if free is None:
            self.incidents.count("too_many", self.address)
            self.transport.abort()
        else:
            self.let_in = free

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self.let_in()
        super().connection_lost(exc)
