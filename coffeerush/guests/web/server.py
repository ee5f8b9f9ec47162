"""Guests with a browser: the page over HTTP, and its visits over a WebSocket, on one port."""

import asyncio
import logging
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from http import HTTPStatus
from importlib.resources import files
from ipaddress import ip_address
from random import SystemRandom
from secrets import token_urlsafe
from ssl import SSLContext
from typing import Any, Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import LoggerLike

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.guests.gateway import Gateway, marked
from coffeerush.guests.listener import BACKLOG, Listener
from coffeerush.guests.places import Arrivals
from coffeerush.guests.register import BrowserToken
from coffeerush.guests.visit import receive
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import origin, source_of
from coffeerush.joining.code import MIN_QUIET, qr_modules
from coffeerush.local.settings import LANGUAGES, Settings
from coffeerush.rates import TokenBucket
from coffeerush.ui.pages.pages import OWN_NAMES
from coffeerush.ui.terminal.keys import ESCAPE
from coffeerush.ui.terminal.theme import palette_of
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, best_language, language, pgettext, speak_apart
from protocol import NAME_CELLS, clean_speaker

from .asking import AWAY_SECONDS, Asking, Ticket, Waiting
from .front import (
    MAX_MESSAGE,
    WAITING_FRAMES,
    Asked,
    Entered,
    KeyPressed,
    Opened,
    PageFrame,
    PageFront,
    PageMessage,
    decode,
)

# The page itself: its files, and its HTML in a visitor's language


HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Of every answer: nothing is loaded from elsewhere, and nobody frames the page."""
SOCKET: Final = "/socket"
QR: Final = "/qr.svg"
"""The address of the page, for the camera of the next guest."""
_TYPES: Final = {
    "/page.js": "text/javascript",
    "/page.css": "text/css",
    "/icon.svg": "image/svg+xml",
    "/tiles.svg": "image/svg+xml",
}
_STATIC: Final = files("coffeerush.guests.web") / "static"


def file_at(path: str, accepted: str, *, listened: bool) -> tuple[str, str] | None:
    """Return the type and contents of what is at a path; None if there is nothing.

    Args:
        path: of the request.
        accepted: the header Accept-Language.
        listened: whether others can listen, because the connection is not encrypted.
    """
    if path in _TYPES:
        text = (_STATIC / path[1:]).read_text(encoding="utf-8")
        return _TYPES[path], (_colours() if path == "/page.css" else "") + text
    asked = path[1:] or best_language(
        part.partition(";")[0].strip() for part in accepted.split(",")
    )
    return ("text/html", _html(asked, listened)) if asked in OWN_NAMES else None


def _colours() -> str:
    """Return the colours of the page before it shows a table, as the person prefers them."""
    rules = {
        theme: "".join(f"--{role}: {colour}; " for role, colour in palette_of(theme).items())
        for theme in ("dark", "light", "contrast")
    }
    return (
        f":root {{ {rules['dark']}}}\n"
        f"@media (prefers-color-scheme: light) {{ :root {{ {rules['light']}}} }}\n"
        f"@media (prefers-contrast: more) {{ :root {{ {rules['contrast']}}} }}\n"
    )


def is_ours(host: str | None, name: str) -> bool:
    """Return whether a Host header names this machine by an address, or by its own name.

    Otherwise a page from elsewhere could let its name point here (DNS rebinding), and play with
    the token of the person who looks at it.
    """
    bare = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?", host or "")
    if bare is None:
        return False
    host = bare[1].strip("[]").lower()
    try:
        ip_address(host)
    except ValueError:
        return host in ("localhost", name.lower(), f"{name.lower()}.local")
    return True


def is_same_origin(origin: str | None, host: str) -> bool:
    """Return whether the page that opens a socket is ours."""
    return origin in (f"http://{host}", f"https://{host}")


def _html(spoken: str, listened: bool) -> str:
    """Return the page in a language, in a context of its own."""
    speak_apart([spoken])
    words = {
        "code": language().replace("_", "-"),
        "title": _("Coffee Rush"),
        "listeners": _("Nothing here is encrypted: play only on a network of people you trust."),
        "noscript": _("This page needs JavaScript."),
        "lost": _("Connection lost; trying again."),
        "name": _("Your name"),
        "ask": _("Join the table"),
        "watch": _("Watch without a seat"),
        "or": pgettext("between two ways in", "or"),
        "number": _("The number that the host's screen shows next to your name"),
        "join": pgettext("key", "connect"),
        "again": _("Come back to the table"),
        "language": _("Language"),
        "command": _("Command; “help” lists them"),
        "send": pgettext("key", "send"),
        "cancel": pgettext("key", "cancel"),
    }
    chosen = {language(): ' aria-current="true"'}
    links = (
        f'<a href="/{code}" lang="{code.replace("_", "-")}"{chosen.get(code, "")}>'
        f"{escape(OWN_NAMES[code])}</a>"
        for code in LANGUAGES
        if code
    )
    page = (_STATIC / "index.html").read_text(encoding="utf-8")
    return page.format(
        **{name: escape(text) for name, text in words.items()},
        longest=NAME_CELLS,
        languages=" ".join(links),
        safe="" if listened else "hidden",
    )


# One connection of a page: let in by its token, by a number or by somebody, then at the table


FINAL: Final = 4000
"""The code with which a connection is closed that the page shall not open again by itself."""
HELLO_SECONDS: Final = 5.0
NAME_SECONDS: Final = 300.0
"""The time to give a name; then the page connects again."""
ASKING_PER_SECOND: Final = 0.5
ASKING_AT_ONCE: Final = 10
"""The messages of somebody who is not let in yet; further ones end the connection."""
MESSAGES_PER_SECOND: Final = 60.0
MESSAGES_AT_ONCE: Final = 240
_SECRET_BYTES: Final = 24


class _Rejected(Exception):
    """A visitor is not let in, with a sentence that says why."""


class PageVisit:
    """A connection, from `run` until it ends.

    Args:
        gateway: of the table.
        asking: those who ask to be let in.
        tell: called when they have changed.
        give_place_back: called once this visitor is at the table.
        page: the connection.
        address: of the browser.
        closing: set once nobody may come or stay.
    """

    def __init__(
        self,
        gateway: Gateway,
        asking: Asking,
        tell: Callable[[], None],
        give_place_back: Callable[[], None],
        page: ServerConnection,
        address: str,
        closing: asyncio.Event,
    ) -> None:
        self._gateway = gateway
        self._asking = asking
        self._tell = tell
        self._give_place_back = give_place_back
        self._page = page
        self._address = address
        self._source = source_of(address)
        self._closing = closing
        self._messages = TokenBucket(ASKING_PER_SECOND, ASKING_AT_ONCE, _now())
        self._frames: asyncio.Queue[PageFrame] = asyncio.Queue()
        self._front: PageFront | None = None
        self._news = asyncio.Event()
        """Set when the request is decided, or another connection has its ticket."""
        self._notice = self._news.set
        self._ticket = Ticket("")

    async def run(self) -> None:
        """Serve the page until its connection ends; whatever it sends wrongly ends it."""
        with suppress(ConnectionClosed, msgspec.MsgspecError, UnicodeDecodeError, TimeoutError):
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await self._hear()
            if not isinstance(hello, Opened):
                return
            speak_apart([hello.language])
            await self._say(stage="again", note=await self._farewell(hello))
            await self._page.close(FINAL)

    async def _farewell(self, hello: Opened) -> str:
        """Let the visitor in and show the table; return why that ended."""
        visiting = asyncio.create_task(self._visited(hello))
        closing = asyncio.create_task(self._closing.wait())
        try:
            await asyncio.wait((visiting, closing), return_when=asyncio.FIRST_COMPLETED)
            if visiting.done():
                return visiting.result()
            return _("The host has closed the entrance for browsers.")
        finally:
            for task in (visiting, closing):
                task.cancel()
            await asyncio.gather(visiting, closing, return_exceptions=True)

    async def _visited(self, hello: Opened) -> str:
        try:
            return await self._at_the_table(hello, await self._entered(hello))
        except (_Rejected, CoffeeRushError) as error:
            return str(error) if isinstance(error, _Rejected) else error_line(error)

    async def _hear(self) -> PageMessage:
        """Return the next message; raises `ConnectionClosed` also if there are too many."""
        self._messages.spend(_now(), 1)
        if self._messages.left(_now()) < 0:
            self._page.transport.abort()
        return decode(await self._page.recv())

    async def _say(self, **news: object) -> None:
        await self._page.send(msgspec.json.encode(news).decode())

    # Being let in

    async def _entered(self, hello: Opened) -> BrowserToken:
        """Return the token of a visitor who is let in: by it, or by a name and the number."""
        gateway, own, ticket = self._gateway, BrowserToken(hello.token), Ticket(hello.ticket)
        if gateway.register.may_return(own, gateway.gate.code):
            if hello.chosen:
                gateway.register.speak(own, hello.language)
            return own
        token = self._asking.given(ticket, _now())
        if token is None or not gateway.register.may_return(token, gateway.gate.code):
            token = own if gateway.register.find(own) else BrowserToken(_secret())
            await self._let_in(hello, ticket, token)
        await self._say(token=token.secret)
        return token

    async def _let_in(self, hello: Opened, ticket: Ticket, token: BrowserToken) -> None:
        """Remember a visitor under a token once they are let in."""
        waiting = self._asking.resume(ticket, _now(), self._notice)
        self._ticket = ticket if waiting else Ticket(_secret())
        try:
            name, role, code = await self._proved(waiting, was_waiting=hello.waits)
            settings = Settings(language=hello.language, theme=hello.theme)
            self._gateway.admit(token, name, role, code, settings, self._source)
            self._asking.give(self._ticket, token, _now())
        finally:
            self._leave()

    async def _proved(self, waiting: Waiting | None, *, was_waiting: bool) -> tuple[str, Role, str]:
        """Wait until somebody lets the visitor in, or they type the number of the host's screen.

        Returns:
            Name and role, and the table's code.
        """
        gate, note = self._gateway.gate, ""
        if was_waiting and waiting is None:
            note = _("Your request is no longer open; ask again.")
        while True:
            if waiting is None:
                name, role = await self._name(note)
                if not gate.code:
                    return name, role, ""
                waiting, note = self._ask(name, role), ""
            if waiting.allowed is None:
                await self._say_at_door("enter", f"{note} {self._waiting_line(waiting)}".strip())
            try:
                async with asyncio.timeout_at(waiting.until):
                    heard = await self._heard_unless_decided(waiting)
            except TimeoutError:
                waiting, note = None, _("Your request is no longer open; ask again.")
                continue
            if isinstance(heard, KeyPressed):  # to ask under another name
                self._asking.withdraw(self._ticket)
                self._tell()
                waiting = None
                continue
            number = heard.number if heard else None
            if number is not None and not self._asking.enter(
                self._ticket, number, _now(), gate.code
            ):
                self._gateway.incidents.count("wrong_code", self._source)
                note = _("That was not the number; the host's screen shows a new one.")
            elif not waiting.allowed:
                await self._say(ticket="")  # once the page has heard of it, it may ask again
                raise _Rejected(_("You were not let in."))
            elif waiting.code == gate.code:
                return waiting.name, waiting.role, waiting.code
            waiting = self._ask(waiting.name, waiting.role)

    async def _name(self, note: str) -> tuple[str, Role]:
        """Ask for a name until it is one."""
        async with asyncio.timeout(NAME_SECONDS):
            while True:
                await self._say_at_door("ask", note)
                while not isinstance(asked := await self._hear(), Asked):
                    await self._say()
                name = clean_speaker(asked.name)
                if marked(name, PageFront.kind):
                    return name, asked.role
                note = _("The name that others see at a table.")

    async def _say_at_door(self, stage: str, note: str) -> None:
        table, ticket = self._gateway.heading, self._ticket.secret
        await self._say(stage=stage, note=note, table=table, ticket=ticket)

    def _ask(self, name: str, role: Role) -> Waiting:
        self._news.clear()
        waiting = self._asking.ask(self._ticket, name, role, self._source, _now(), self._notice)
        if waiting is None:
            raise _Rejected(
                _("Too many people are asking, or too many numbers were wrong; try again later.")
            )
        self._tell()
        return waiting

    def _waiting_line(self, waiting: Waiting) -> str:
        """Return the line about the wait; "" if nobody at the table hears who asks."""
        if not self._gateway.lets_in:
            return ""
        owner = self._gateway.owner
        text = (
            _(
                "{name}, you are guest {guest}. Ask {host}, the owner of the table, to "
                "let you in; the table then opens here by itself."
            )
            if owner
            else _(
                "{name}, you are guest {guest}. Ask somebody at the table to let you in; it then "
                "opens here by itself."
            )
        )
        return text.format(name=waiting.name, guest=waiting.guest, host=owner)

    async def _heard_unless_decided(self, waiting: Waiting) -> Entered | KeyPressed | None:
        """Return the visitor's number, or their Esc, or None once a decision was made.

        Raises:
            Rejected: another connection has the ticket.
        """
        noticing = asyncio.create_task(self._news.wait())
        try:
            while waiting.allowed is None and waiting.hear == self._notice:
                hearing = asyncio.create_task(self._hear())
                try:
                    await asyncio.wait((hearing, noticing), return_when=asyncio.FIRST_COMPLETED)
                    if not noticing.done():
                        heard = hearing.result()
                        if isinstance(heard, Entered) or heard == KeyPressed(ESCAPE):
                            return heard
                        await self._say()
                finally:
                    hearing.cancel()
                    await asyncio.gather(hearing, return_exceptions=True)
        finally:
            noticing.cancel()
        if waiting.hear != self._notice:
            raise _Rejected(_("You are playing in another window now."))
        return None

    def _leave(self) -> None:
        """Keep the request of a visitor who may come back, for a while."""
        asking, tell = self._asking, self._tell
        if asking.leave(self._ticket, _now(), self._notice):

            def expire() -> None:
                asking.expire(_now())
                tell()

            asyncio.get_running_loop().call_later(AWAY_SECONDS, expire)
        tell()

    # At the table

    async def _at_the_table(self, hello: Opened, token: BrowserToken) -> str:
        """Show the table until the visit ends, and return the farewell."""
        self._messages = TokenBucket(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE, _now())
        await self._say(stage="table")
        front = PageFront(
            *(self._gateway.shares, self._address, hello.language, token),
            *(self._queue, self._give_place_back),
        )
        front.touch, front.in_settings = hello.touch, hello.settings
        assert self._page.request is not None, "it has been answered"
        front.page_address = _address(self._page.request, self._gateway.page)
        self._front = front
        receiving = asyncio.create_task(receive(self._gateway, front, [hello.language]))
        talking = asyncio.gather(self._send_frames(front), self._obey(front))
        try:
            await asyncio.wait((receiving, talking), return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                await talking  # raises why the connection ended
            return await receiving
        finally:
            receiving.cancel()
            talking.cancel()
            await asyncio.gather(receiving, talking, return_exceptions=True)

    def _queue(self, frame: PageFrame) -> None:
        self._frames.put_nowait(frame)
        if self._front and self._frames.qsize() >= WAITING_FRAMES:
            self._front.pause()

    async def _send_frames(self, front: PageFront) -> None:
        while True:
            frame = await self._frames.get()
            await self._page.send(msgspec.json.encode(frame).decode())
            if not front.can_show and self._frames.empty():
                front.resume()

    async def _obey(self, front: PageFront) -> None:
        while True:
            front.hear(await self._hear())


def _now() -> float:
    return asyncio.get_running_loop().time()


def _secret() -> str:
    return token_urlsafe(_SECRET_BYTES)


# The web server: the page over HTTP, and the frames over a WebSocket, on one port


OPEN_SECONDS: Final = 5.0
"""The time to send a request."""
PING_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0
WAITING_MESSAGES: Final = 8
TLS_SECONDS: Final = 5.0
"""The time for the handshake of TLS."""
PAGE_CONNECTIONS: Final = 7
"""What a browser opens for a page; and one a second while that searches for the host."""
ARRIVALS: Final = (20.0, 20 * PAGE_CONNECTIONS, 20_000)
"""The limits of `Arrivals`: with 200 sources, 100 connections a second. Each takes a millisecond.
All guests may come by one proxy; a page whose script was refused does nothing."""
MAX_REQUEST: Final = 32_768
"""The bytes of a request with its headers."""
ANNOUNCE_SECONDS: Final = 0.5
"""The minimum time between two announcements of who asks to be let in."""
_serve: Final = partial(
    serve,
    server_header=None,
    backlog=BACKLOG,
    open_timeout=OPEN_SECONDS,
    close_timeout=CLOSE_SECONDS,
    ping_interval=PING_SECONDS,
    ping_timeout=PING_SECONDS,
    max_size=MAX_MESSAGE,
    max_queue=WAITING_MESSAGES,
)
Tell = Callable[[tuple[tuple[int, str, str], ...]], None]
"""Receives the guests who ask to come in: `Asking.waiting`."""
_SILENT: Final = logging.getLogger(f"{__name__}.silent")
"""What strangers send must not fill the log."""
_SILENT.setLevel(logging.CRITICAL)


class Web:
    """A running web server; `close` ends it."""

    def __init__(
        self,
        gateway: Gateway,
        server: Server,
        asking: Asking,
        announce: Callable[[], None],
        visits: "_Visits",
    ) -> None:
        self._gateway = gateway
        self._server = server
        self._visits = visits
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
        """Tell all visitors, then close their connections, and the port."""
        self._visits.closing.set()
        if running := self._visits.running:
            await asyncio.wait(running, timeout=CLOSE_SECONDS)
        self._server.close()
        await self._server.wait_closed()


class _Visits:
    """The connections of pages."""

    def __init__(self) -> None:
        self.closing = asyncio.Event()
        """Set once nobody may come or stay."""
        self.running: set[asyncio.Task[None]] = set()

    async def run(self, visit: PageVisit) -> None:
        """Run a visit, which is known until it ends."""
        task = asyncio.create_task(visit.run())
        self.running.add(task)
        try:
            await task
        finally:
            task.cancel()
            self.running.discard(task)


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
    visits = _Visits()

    class Connection(_Connection):
        listener = Listener(listening, gateway.places, Arrivals(*ARRIVALS), gateway.incidents)
        incidents = gateway.incidents

    async def visit(page: ServerConnection) -> None:
        assert isinstance(page, _Connection)
        page.place.begin()
        await visits.run(
            PageVisit(
                *(gateway, asking, announcer.announce, page.let_in, page, page.address),
                visits.closing,
            )
        )

    def answer(page: ServerConnection, request: Request) -> Response | None:
        assert isinstance(page, _Connection)
        response = _respond(page, request, listened=certificate is None)
        if response and response.status_code == HTTPStatus.OK:
            page.let_in()  # to load the page is no failure
        return response

    logger: LoggerLike = _SILENT
    return Web(
        gateway,
        await _serve(
            visit,
            sock=Connection.listener,
            ssl=certificate,
            ssl_handshake_timeout=TLS_SECONDS if certificate else None,
            logger=logger,
            create_connection=Connection,
            process_request=answer,
        ),
        asking,
        announcer.announce,
        visits,
    )


def _respond(page: ServerConnection, request: Request, *, listened: bool) -> Response | None:
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
    if path == QR:
        address = _address(request, ("http" if listened else "https", 0))
        return _response(page, 200, "image/svg+xml", _qr_svg(address))
    accepted = ",".join(request.headers.get_all("Accept-Language"))
    file = file_at(path, accepted, listened=listened)
    return _response(page, 200, *file) if file else _response(page, 404, "text/plain", "")


def _address(request: Request, page: tuple[str, int] | None) -> str:
    """Return the address by which a browser has found the page."""
    return f"{page[0] if page else 'http'}://{request.headers['Host']}/"


def _qr_svg(text: str) -> str:
    """Return a picture of a QR code, dark on light in every theme."""
    modules = qr_modules(text, MIN_QUIET)
    dots = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(modules) for x, on in enumerate(row) if on)
    size = len(modules)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" '
        f'shape-rendering="crispEdges"><rect width="{size}" height="{size}" fill="#fff"/>'
        f'<path d="{"".join(dots)}"/></svg>'
    )


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
