"""One connection of a page: let in by its token, by a number or by somebody, then at the table."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from secrets import token_urlsafe
from typing import Final

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.guests.gateway import Gateway
from coffeerush.guests.identity import BrowserToken
from coffeerush.guests.stay import marked
from coffeerush.guests.visit import receive
from coffeerush.joining.admission import source_of
from coffeerush.local.settings import Settings
from coffeerush.rates import TokenBucket
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, speak_apart
from protocol import clean_speaker

from .asking import AWAY_SECONDS, Asking, Ticket, Waiting
from .frame import PageFrame
from .front import WAITING_FRAMES, PageFront
from .messages import Asked, Entered, Opened, PageMessage, decode

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


class Rejected(Exception):
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
    """

    def __init__(
        self,
        gateway: Gateway,
        asking: Asking,
        tell: Callable[[], None],
        give_place_back: Callable[[], None],
        page: ServerConnection,
        address: str,
    ) -> None:
        self._gateway = gateway
        self._asking = asking
        self._tell = tell
        self._give_place_back = give_place_back
        self._page = page
        self._address = address
        self._source = source_of(address)
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

    async def _proved(self, one: Waiting | None, *, was_waiting: bool) -> tuple[str, Role, str]:
        """Wait until somebody lets the visitor in, or they type the number of the host's screen.

        Returns:
            Name and role, and the table's code.
        """
        gate, note = self._gateway.gate, ""
        if was_waiting and one is None:
            note = _("Your request is no longer open; ask again.")
        while True:
            if one is None:
                name, role = await self._name(note)
                if not gate.code:
                    return name, role, ""
                one, note = self._ask(name, role), ""
            if one.allowed is None:
                await self._say_at_door("enter", f"{note} {self._waiting_line(one)}".strip())
            try:
                async with asyncio.timeout_at(one.until):
                    number = await self._number_unless_decided(one)
            except TimeoutError:
                one, note = None, _("Your request is no longer open; ask again.")
                continue
            if number is not None and not self._asking.enter(
                self._ticket, number, _now(), gate.code
            ):
                self._gateway.incidents.count("wrong_code", self._source)
                note = _("That was not the number; the host's screen shows a new one.")
            elif not one.allowed:
                await self._say(ticket="")  # once the page has heard of it, it may ask again
                raise Rejected(_("You were not let in."))
            elif one.code == gate.code:
                return one.name, one.role, one.code
            one = self._ask(one.name, one.role)

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
        await self._say(stage=stage, note=note, ticket=self._ticket.secret)

    def _ask(self, name: str, role: Role) -> Waiting:
        self._news.clear()
        one = self._asking.ask(self._ticket, name, role, self._source, _now(), self._notice)
        if one is None:
            raise Rejected(
                _("Too many people are asking, or too many numbers were wrong; try again later.")
            )
        self._tell()
        return one

    def _waiting_line(self, one: Waiting) -> str:
        """Return the line about the wait; "" if nobody at the table hears who asks."""
        if not self._gateway.lets_in:
            return ""
        text = _("You are guest {guest}: wait to be let in, or type the number.")
        return text.format(guest=one.guest)

    async def _number_unless_decided(self, one: Waiting) -> str | None:
        """Return the visitor's input, or None once a decision was made.

        Raises:
            Rejected: another connection has the ticket.
        """
        noticing = asyncio.create_task(self._news.wait())
        try:
            while one.allowed is None and one.hear == self._notice:
                hearing = asyncio.create_task(self._hear())
                try:
                    await asyncio.wait((hearing, noticing), return_when=asyncio.FIRST_COMPLETED)
                    if not noticing.done():
                        heard = hearing.result()
                        if isinstance(heard, Entered):
                            return heard.number
                        await self._say()
                finally:
                    hearing.cancel()
                    await asyncio.gather(hearing, return_exceptions=True)
        finally:
            noticing.cancel()
        if one.hear != self._notice:
            raise Rejected(_("You are playing in another window now."))
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
        size = hello.columns, hello.rows
        front = PageFront(
            *(self._gateway.shares, self._address, size, hello.language, token),
            *(self._queue, self._give_place_back),
        )
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
