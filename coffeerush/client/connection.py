"""The link to a table: keeps a model up to date over the door, a DEALER and a SUB.

Requests are repeated with the same bytes until they are answered; a host that falls silent is
looked for again at its door, and found again with everything that was not answered.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from secrets import token_bytes
from typing import Final, Self, TypeAlias

from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.errors import CoffeeRushError, LinkError
from coffeerush.joining.address import Address
from coffeerush.joining.door_client import refused
from coffeerush.joining.enrolment import BrokenOff, Enrolment, Unreachable, Way as Way, enrol
from protocol import NO_ID, Bye, WireError, decode_answer, decode_publication

from .invitation import UNINVITED, Invitation
from .model import Model, Role, Wish, end
from .outbox import Outbox, RequestSender
from .reconnect import Reconnector, back_off

KEEPALIVE_SECONDS: Final = 2.0
SILENCE_SECONDS: Final = 3.0
"""Without a publication for so long the connection counts as lost."""
JOIN_SECONDS: Final = 6.0
PATIENCE_SECONDS: Final = 9.0
"""Where somebody is there but a join does not come to its end, no new try begins after so long."""
LEAVE_SECONDS: Final = 1.0


Opener: TypeAlias = Callable[[], Way]
"""Starts a host of one's own; may block, and raise `CoffeeRushError`."""


class Link:
    """A connection to a table, from `async with` to its end.

    It comes up in the background: `model.status` is `joining` at first, then `here`; `joined`
    waits for that. It is `over` when nothing will come any more; `error` is set where that is
    neither one's own wish nor the host's good-bye.

    Args:
        way: to the table, or what starts a host of one's own.
        name: how to be called there; the table may add a number to it.
        role: player or spectator.
        invitation: how others join, where the host is one's own.
    """

    def __init__(
        self,
        way: Way | Opener,
        name: str,
        role: Role = "player",
        invitation: Invitation = UNINVITED,
    ) -> None:
        self.model = Model(role, name, invitation=invitation)
        self.error: CoffeeRushError | None = None
        self._way = way
        self.on_change: Callable[[Model], None] | None = None
        """Called with each new model."""
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._outbox = Outbox()
        self._channels: RequestSender | None = None
        self._attending = False
        self._heard = 0.0
        self._begun = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _task: self._changed.set())
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close everything; the task says good-bye to a table that was not left."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def wish(self, wanted: Wish) -> None:
        """Ask the host for something; the model tells what comes of it."""
        self._take(session.wish(self.model, wanted, _new_id()))

    def invite(self, invitation: Invitation) -> None:
        """Take in that others join in another way now."""
        self._set(replace(self.model, invitation=invitation))

    async def joined(self) -> Model:
        """Wait until this client is at the table.

        Raises:
            CoffeeRushError: it cannot be; the sentence says why.
        """
        model = self.model
        while model.status == "joining":
            model = await self.changed(model)
        if self.error:
            raise self.error
        return model

    async def changed(self, since: Model) -> Model:
        """Return the model as soon as it is another one than `since`."""
        while self.model is since:
            if self._task.done():
                self._task.result()  # raises what no link should ever raise
                return self.model
            self._changed.clear()
            await self._changed.wait()
        return self.model

    async def leave(self) -> None:
        """Say good-bye, and wait a moment for the answer."""
        self.wish(Bye(NO_ID))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                while self.model.status != "over":
                    await self.changed(self.model)
        if self.model.status != "over":
            self._set(end(self.model, "left"))

    async def _run(self) -> None:
        try:
            way = self._way
            if not isinstance(way, Way):
                way = await asyncio.to_thread(way)
            await self._keep(way)
        except CoffeeRushError as error:
            self._set(session.fail(self.model, error))

    async def _keep(self, way: Way) -> None:
        """Be at the table, as often as it takes, until it is over."""
        self._begun = _now()
        table: Enrolment | None = await self._come_in(way)
        while table:
            # from now on the key is known there: it needs no code, and nobody else will do
            way = Way(way.address, way.name, "", table.keys, table.banner.key)
            async with self._channels_to(table) as channels:
                self._channels = channels
                try:
                    table = await self._stay(way, channels)
                except BaseException:
                    # a signal cancels every task at once: only here are the sockets surely open
                    self.wish(Bye(NO_ID))
                    raise
                finally:
                    self._channels = None

    def _channels_to(self, table: Enrolment) -> RequestSender:
        """Return the sockets for a table, not open yet."""
        # ZeroMQ is loaded when a link comes up: the first frame of a screen does not wait for it
        from .sockets import Channels

        return Channels(table, self._publication, self._answer, self._wake.set)

    async def _enrol(self, way: Way) -> Enrolment:
        """Be let in at the door; raises what `enrol` does."""
        return await enrol(way)

    async def _come_in(self, way: Way) -> Enrolment:
        """Be let in at the door; over a bad link that may take more than one try."""
        while True:
            try:
                return await self._enrol(way)
            except BrokenOff:
                if not self._is_patient():
                    raise
            await back_off()

    def _is_patient(self) -> bool:
        return _now() - self._begun < PATIENCE_SECONDS

    async def _stay(self, way: Way, channels: RequestSender) -> Enrolment | None:
        """Be at the table with these sockets; return where others lead to, None when it is over."""
        with self._losing():
            is_open = await channels.open(SILENCE_SECONDS)
        if is_open:
            await self._attend(channels)
        while not self._over():
            if self.model.status == "joining":
                if not self._is_patient():
                    raise _silent(way.address)
                await back_off()
                try:
                    return await self._come_in(way)
                except Unreachable:
                    if self.model.status == "joining":
                        raise  # else the table has answered meanwhile
            table = await self._look_out(way, channels)
            if table or self._over():
                return table
            await self._attend(channels)
        return None

    async def _look_out(self, way: Way, channels: RequestSender) -> Enrolment | None:
        """Knock at the door, and return where it leads to; None where the host is heard again.

        The sockets find a host again too, and on a bad link often sooner. Nothing may wait in them
        until then: another table may answer, and wishes are sorted out only by its first answer.
        """
        since = self._heard
        self._attending = False
        channels.renew()
        with self._losing(), Reconnector(way, self._enrol, self._wake.set) as search:
            while not search.ended and not self._over():
                if self._heard != since and channels.connected:
                    return None
                if self.model.status == "lost":
                    self._set(session.lose(self.model, search.trouble))
                await self._woken()
            return None if self._over() else search.table()

    async def _attend(self, channels: RequestSender) -> None:
        """Sit at the table until it is over, or nothing is heard any more."""
        begun = self._heard = _now()
        self._attending = True
        self._outbox.renew()
        self._take(session.join(self.model, _new_id()))
        while not self._over() and channels.connected and not self._is_silent():
            if self.model.status == "joining" and _now() - begun > JOIN_SECONDS:
                return
            channels.check()
            due = min(self._outbox.due(), self._heard + SILENCE_SECONDS)
            await self._woken(min(due, self._outbox.last + KEEPALIVE_SECONDS))
            if _now() >= self._outbox.last + KEEPALIVE_SECONDS:
                self._take(session.sign_of_life(self.model, _new_id()))
            self._send()

    def _is_silent(self) -> bool:
        return _now() >= self._heard + SILENCE_SECONDS

    @contextlib.contextmanager
    def _losing(self) -> Iterator[None]:
        """Say that the connection is lost, if meanwhile nothing was heard for too long."""
        loop = asyncio.get_running_loop()
        late = loop.call_at(self._heard + SILENCE_SECONDS, self._lose)
        try:
            yield
        finally:
            late.cancel()

    def _lose(self) -> None:
        if self.model.status == "here":
            self._set(session.lose(self.model))

    async def _woken(self, due: float | None = None) -> None:
        """Wait until something happens, and no longer than until `due`."""
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(due):
                await self._wake.wait()

    def _publication(self, body: bytes) -> None:
        with contextlib.suppress(WireError):  # the next one, or a resync, makes up for it
            message = decode_publication(body)
            self._heard = _now()
            self._wake.set()
            self._take(session.hear(self.model, message, _new_id()))

    def _answer(self, body: bytes) -> None:
        with contextlib.suppress(WireError):  # it will be asked for again
            self._take(session.answer(self.model, decode_answer(body), _new_id()))

    def _take(self, change: session.Transition) -> None:
        self._set(change[0])
        self._send()

    def _set(self, model: Model) -> None:
        if model is self.model:
            return
        self.model = model
        if model.ending == "refused" and model.refusal:
            self.error = refused(model.refusal)
        elif model.ending == "failed":
            self.error = model.trouble
        self._changed.set()
        self._wake.set()
        if self.on_change:
            self.on_change(model)

    def _over(self) -> bool:
        return self.model.status == "over"

    def _send(self) -> None:
        """Send what has to go out now; to a host that is not heard, only a good-bye."""
        leaving = any(isinstance(one, Bye) for one in self.model.pending)
        if self._channels and (self._attending or leaving):
            self._outbox.flush(self.model.pending, self._channels, _now())


def _silent(address: Address) -> LinkError:
    return LinkError(
        "The door at {address} is open, but the table does not answer; a firewall may close the "
        "two ports after that of the door.",
        address=address,
    )


def _new_id() -> bytes:
    return token_bytes(16)


def _now() -> float:
    return asyncio.get_running_loop().time()
