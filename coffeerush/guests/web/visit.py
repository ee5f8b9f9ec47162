"""One connection of a page: let in by its token, by a number or by somebody, then at the table."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from secrets import token_urlsafe
from typing import Final

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from coffeerush.errors import CoffeeRushError
from coffeerush.guests.gateway import Gateway
from coffeerush.guests.identity import BrowserToken
from coffeerush.guests.stay import marked
from coffeerush.guests.visit import receive
from coffeerush.joining.sources import source_of
from coffeerush.local.settings import Settings
from coffeerush.rates import TokenBucket
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, speak_apart
from protocol import clean_speaker

from .asking import Asking
from .frame import PageFrame
from .front import WAITING_FRAMES, PageFront
from .messages import Asked, Entered, Opened, PageMessage, decode

FINAL: Final = 4000
"""The code with which a connection is closed that the page shall not open again by itself."""
HELLO_SECONDS: Final = 5.0
ENTRANCE_SECONDS: Final = 300.0
"""The time to give a name and the number."""
ASKING_PER_SECOND: Final = 0.5
ASKING_AT_ONCE: Final = 10
"""The messages of somebody who is not let in yet; further ones end the connection."""
MESSAGES_PER_SECOND: Final = 60.0
MESSAGES_AT_ONCE: Final = 240
_TOKEN_BYTES: Final = 24


class Rejected(Exception):
    """A visitor is not let in, with a sentence that says why."""


class PageVisit:
    """A connection, from `run` until it ends.

    Args:
        gateway: of the table.
        asking: those who ask to be let in.
        tell: called when they have changed.
        let_in: called once this visitor is at the table.
        page: the connection.
        address: of the browser.
    """

    def __init__(
        self,
        gateway: Gateway,
        asking: Asking,
        tell: Callable[[], None],
        let_in: Callable[[], None],
        page: ServerConnection,
        address: str,
    ) -> None:
        self._gateway = gateway
        self._asking = asking
        self._tell = tell
        self._let_in = let_in
        self._page = page
        self._address = address
        self._source = source_of(address)
        self._messages = TokenBucket(ASKING_PER_SECOND, ASKING_AT_ONCE, _now())
        self._frames: asyncio.Queue[PageFrame] = asyncio.Queue()
        self._front: PageFront | None = None

    async def run(self) -> None:
        """Serve the page until its connection ends; whatever it sends wrongly ends it."""
        with suppress(ConnectionClosed, msgspec.MsgspecError, UnicodeDecodeError, TimeoutError):
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await self._hear()
            if not isinstance(hello, Opened):
                return
            speak_apart([hello.language])
            try:
                farewell = await self._at_the_table(hello, await self._entered(hello))
            except (Rejected, CoffeeRushError) as error:
                farewell = str(error) if isinstance(error, Rejected) else error_line(error)
            await self._say(stage="again", note=farewell)
            await self._page.close(FINAL)

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
        own = BrowserToken(hello.token)
        if self._gateway.register.may_return(own, self._gateway.gate.code):
            return own
        known = self._gateway.register.find(own)
        note, token = "", own if known else BrowserToken(token_urlsafe(_TOKEN_BYTES))
        try:
            async with asyncio.timeout(ENTRANCE_SECONDS):
                while True:
                    await self._say(stage="ask", note=note)
                    asked = await self._hear()
                    name = clean_speaker(asked.name) if isinstance(asked, Asked) else ""
                    if not isinstance(asked, Asked) or not marked(name, PageFront.kind):
                        note = _("The name that others see at a table.")
                    elif await self._proved(name):
                        break
        finally:
            self._withdraw()
        settings = Settings(language=hello.language, theme=hello.theme)
        code = self._gateway.gate.code
        self._gateway.admit(token, name, asked.role, code, settings, self._source)
        await self._say(token=token.secret)
        return token

    async def _proved(self, name: str) -> bool:
        """Wait until somebody lets the visitor in, or they type the number of the host's screen."""
        note = ""
        while self._gateway.gate.code:
            decided: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            guest = self._asking.ask(id(self), name, self._source, _now(), decided.set_result)
            if not guest:
                raise Rejected(
                    _("Too many people ask, or too many numbers were wrong; try again later.")
                )
            self._tell()
            await self._say(stage="enter", note=f"{note} {self._waiting_line(guest)}".strip())
            number = await self._number_unless(decided)
            if number is None or self._asking.enter(id(self), number, _now()):
                return True
            self._gateway.incidents.count("wrong_code", self._source)
            note = _("That was not the number; the host's screen shows a new one.")
        return True

    def _waiting_line(self, guest: int) -> str:
        """Return what to wait for; "" if nobody at the table hears who asks."""
        if not self._gateway.lets_in:
            return ""
        text = _("You are guest {guest}: wait to be let in, or type the number.")
        return text.format(guest=guest)

    async def _number_unless(self, decided: asyncio.Future[bool]) -> str | None:
        """Return what the visitor types, or None once somebody has let them in.

        Raises:
            Rejected: somebody has turned them away.
        """
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.wait((hearing, decided), return_when=asyncio.FIRST_COMPLETED)
            if not decided.done():
                entered = hearing.result()
                return entered.number if isinstance(entered, Entered) else ""
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
        if not decided.result():
            raise Rejected(_("You were not let in."))
        return None

    def _withdraw(self) -> None:
        self._asking.withdraw(id(self))
        self._tell()

    # At the table

    async def _at_the_table(self, hello: Opened, token: BrowserToken) -> str:
        """Show the table until the visit ends, and return the farewell."""
        self._messages = TokenBucket(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE, _now())
        await self._say(stage="table")
        size = hello.columns, hello.rows
        front = PageFront(self._address, size, hello.language, token, self._queue, self._let_in)
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
