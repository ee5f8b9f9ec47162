"""The web server: the page over HTTP, and the frames over a WebSocket, on one port."""

import asyncio
import logging
import socket
from collections.abc import Callable
from http import HTTPStatus
from random import SystemRandom
from ssl import SSLContext
from typing import Any, Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import LoggerLike

from coffeerush.guests.gateway import Gateway
from coffeerush.guests.listener import BACKLOG, Listener
from coffeerush.guests.places import Arrivals
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import origin

from .asking import Asking
from .messages import MAX_MESSAGE
from .page import HEADERS, SOCKET, file_at, is_ours, is_same_origin
from .visit import PageVisit

OPEN_SECONDS: Final = 5.0
"""The time to send a request."""
PING_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0
WAITING_MESSAGES: Final = 8
TLS_SECONDS: Final = 5.0
"""The time for the handshake of TLS."""
ARRIVALS: Final = (20.0, 60, 20_000)
"""The limits of `Arrivals`: with 200 sources, 100 connections a second. Each takes a millisecond; a
page makes seven, and one a second while it searches for the host."""
MAX_REQUEST: Final = 32_768
"""The bytes of a request with its headers."""
ANNOUNCE_SECONDS: Final = 0.5
"""The minimum time between two announcements of who asks to be let in."""
Tell = Callable[[tuple[tuple[int, str, str], ...]], None]
"""Receives the guests who ask to come in: `Asking.waiting`."""
_SILENT: Final = logging.getLogger(f"{__name__}.silent")
"""What strangers send must not fill the log."""
_SILENT.setLevel(logging.CRITICAL)


class Web:
    """A running web server; `close` ends it."""

    def __init__(
        self, gateway: Gateway, server: Server, asking: Asking, announce: Callable[[], None]
    ) -> None:
        self._gateway = gateway
        self._server = server
        self._asking = asking
        self._announce = announce
        self.port: int = next(iter(server.sockets)).getsockname()[1]

    def let_in(self, guest: int, allowed: bool) -> None:
        """Let a guest in who asks, or turn them away."""
        now = asyncio.get_running_loop().time()
        self._asking.answer(guest, allowed, now, self._gateway.gate.code)
        self._announce()

    def new_code(self) -> None:
        """Draw other numbers for those who ask, as the table has another code."""
        self._asking.renew_numbers()
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
        listener = Listener(listening, gateway.places, Arrivals(*ARRIVALS), gateway.incidents)
        incidents = gateway.incidents

    async def visit(page: ServerConnection) -> None:
        assert isinstance(page, _Connection)
        page.place.begin()
        announce = announcer.announce
        await PageVisit(gateway, asking, announce, page.let_in, page, page.address).run()

    def answer(page: ServerConnection, request: Request) -> Response | None:
        assert isinstance(page, _Connection)
        response = respond(page, request, listened=certificate is None)
        if response and response.status_code == HTTPStatus.OK:
            page.let_in()  # to load the page is no failure
        return response

    logger: LoggerLike = _SILENT
    return Web(
        gateway,
        await serve(
            visit,
            sock=Connection.listener,
            backlog=BACKLOG,
            ssl=certificate,
            ssl_handshake_timeout=TLS_SECONDS if certificate else None,
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


class _Connection(ServerConnection):
    """A connection with a place among those of strangers, until its guest is in or it ends."""

    listener: Listener
    incidents: Incidents

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.address = ""
        """The numeric address of the browser."""
        self._unasked = 0
        """The bytes that came before the request was complete."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note who it is."""
        super().connection_made(transport)
        self.address = origin(transport.get_extra_info("peername")[0])
        self.place = self.listener.place_of(transport.get_extra_info("socket").fileno())
        self.place.set_cut(self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take data, but not without end before there is a request."""
        if self.request is None:
            self._unasked += len(data)
            if self._unasked > MAX_REQUEST:
                self.incidents.count("sent_too_much", self.address)
                self.transport.abort()
                return
        super().data_received(data)

    def let_in(self) -> None:
        """Give the place to somebody else."""
        self.place.give_back()
