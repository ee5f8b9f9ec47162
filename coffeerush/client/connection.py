"""The link to a table: join, keepalive, reconnect and leave, over the door, a DEALER and a SUB.

Requests are retried with the same bytes until answered. When the host falls silent, the link
retries at its door and, once reconnected, sends again what is unanswered.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_bytes
from typing import Final, Self, TypeAlias

from msgspec.structs import replace

from coffeerush.client import recording, session
from coffeerush.errors import CoffeeRushError, LinkError
from coffeerush.joining.door import refused
from coffeerush.joining.enrolment import BrokenOff, Enrolment, Unreachable, Way as Way, enrol
from protocol import NO_ID, Bye, WireError, decode_answer, decode_publication

from .invitation import UNINVITED, Invitation
from .model import Model, Role, Wish, end
from .outbox import Outbox, RequestSender
from .reconnect import Reconnector, wait_for_retry
from .record_keeper import RecordKeeper

KEEPALIVE_SECONDS: Final = 2.0
SILENCE_SECONDS: Final = 3.0
"""Without any publication for this long, the connection counts as lost."""
JOIN_SECONDS: Final = 6.0
JOIN_RETRY_SECONDS: Final = 9.0
"""If the host answers but joining does not complete, no retry starts after this long."""
LEAVE_SECONDS: Final = 1.0
Opener: TypeAlias = Callable[[], Way]
"""Starts this person's own host; may block, and raise `CoffeeRushError`."""


class Link:
    """A connection to a table, from `async with` to its end.

    It connects in the background: `model.status` is `joining` at first, then `here`, and `over`
    once nothing more will come; `error` is set unless this client left or the host stopped.

    Args:
        way: how to reach the table, or a function that starts one's own host.
        name: the name to use there; the table may append a number.
        role: player or spectator.
        invitation: how others join, if the host is one's own.
        records: where to file the records of finished games; None to do without.
    """

    def __init__(
        self,
        way: Way | Opener,
        name: str,
        role: Role = "player",
        invitation: Invitation = UNINVITED,
        records: Path | None = None,
    ) -> None:
        self.model = Model(role, name, invitation=invitation, keeps_records=records is not None)
        self.records = RecordKeeper(
            records, lambda fetch: self._set(recording.settled(self.model, fetch))
        )
        self.error: CoffeeRushError | None = None
        self.table_at = 0.0
        """When the model's table was received, by the clock of the event loop."""
        self._way = way
        self.on_change: Callable[[Model], None] | None = None
        """Called with each new model."""
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._outbox = Outbox()
        self._channels: RequestSender | None = None
        self._exchanging = False
        self._last_heard = 0.0
        self._begun = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _task: self._changed.set())
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connection; the task sends a bye if this client has not left."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self.records.close()

    def wish(self, wanted: Wish) -> None:
        """Send a request to the host; the model shows the result."""
        self._take(session.wish(self.model, wanted, _new_id()))

    def invite(self, invitation: Invitation) -> None:
        """Update how others join."""
        self._set(replace(self.model, invitation=invitation))

    async def joined(self) -> Model:
        """Wait until this client is at the table; raises `CoffeeRushError` if joining failed."""
        model = self.model
        while model.status == "joining":
            model = await self.changed(model)
        if self.error:
            raise self.error
        return model

    async def changed(self, since: Model) -> Model:
        """Wait until the model is not `since` any more, and return it."""
        while self.model is since:
            if self._task.done():
                self._task.result()  # raises if the task crashed, which is a bug
                return self.model
            self._changed.clear()
            await self._changed.wait()
        return self.model

    async def leave(self) -> None:
        """Wait up to `LEAVE_SECONDS` for a record, send a bye, and wait as long for the answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                while recording.is_on_its_way(self.model):
                    await self.changed(self.model)
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
            await self._rejoin_until_over(way)
        except CoffeeRushError as error:
            self._set(session.fail(self.model, error))

    async def _rejoin_until_over(self, way: Way) -> None:
        """Join the table, and rejoin it after each lost connection, until it is over."""
        self._begun = _now()
        table: Enrolment | None = await self._enrol_with_retries(way)
        while table:
            # the host knows this client's key now: no code is needed, and only this host will do
            way = Way(way.address, way.name, "", table.keys, table.banner.key)
            self._set(session.admitted(self.model, table.banner, table.keys.public.decode()))
            async with self._channels_to(table) as channels:
                self._channels = channels
                try:
                    table = await self._stay(way, channels)
                except BaseException:  # cancelled by a signal: here the sockets are still open
                    self.wish(Bye(NO_ID))
                    raise
                finally:
                    self._channels = None

    def _channels_to(self, table: Enrolment) -> RequestSender:
        """Return the sockets for a table, not connected yet."""
        # imported late so that a screen's first frame does not wait for ZeroMQ
        from .sockets import Channels

        return Channels(table, self._publication, self._answer, self._wake.set)

    async def _enrol(self, way: Way) -> Enrolment:
        """Do the handshake at the door once; raises what `enrol` does."""
        return await enrol(way)

    async def _enrol_with_retries(self, way: Way) -> Enrolment:
        """Do the handshake at the door, with retries if the connection breaks off."""
        while True:
            try:
                return await self._enrol(way)
            except BrokenOff:
                if not self._may_retry():
                    raise
            await wait_for_retry()

    def _may_retry(self) -> bool:
        return _now() - self._begun < JOIN_RETRY_SECONDS

    async def _stay(self, way: Way, channels: RequestSender) -> Enrolment | None:
        """Stay at the table with these sockets; return new endpoints, or None when it is over."""
        with self._lost_if_silent():
            is_open = await channels.open(SILENCE_SECONDS)
        if is_open:
            await self._exchange(channels)
        while not self._over():
            if self.model.status == "joining":
                if not self._may_retry():
                    raise LinkError(
                        "{address} answers, but the two ports after it do not; a firewall may be "
                        "blocking them.",
                        address=way.address,
                    )
                await wait_for_retry()
                try:
                    return await self._enrol_with_retries(way)
                except Unreachable:
                    if self.model.status == "joining":
                        raise  # else the table has answered in the meantime
            table = await self._search_host(way, channels)
            if table or self._over():
                return table
            await self._exchange(channels)
        return None

    async def _search_host(self, way: Way, channels: RequestSender) -> Enrolment | None:
        """Retry at the door; return its endpoints, or None if the sockets have reconnected.

        On a bad network the sockets often reconnect first. Nothing may be queued in them until
        then: another table may answer, and its first answer decides which requests still apply.
        """
        since = self._last_heard
        self._exchanging = False
        channels.renew()
        with self._lost_if_silent(), Reconnector(way, self._enrol, self._wake.set) as search:
            while not search.ended and not self._over():
                if self._last_heard != since and channels.connected:
                    return None
                if self.model.status == "lost":
                    self._set(session.lose(self.model, search.trouble))
                await self._wait_for_wake()
            return None if self._over() else search.table()

    async def _exchange(self, channels: RequestSender) -> None:
        """Exchange messages with the table until it is over or falls silent."""
        begun = self._last_heard = _now()
        self._exchanging = True
        self._outbox.renew()
        self._take(session.join(self.model, _new_id()))
        while not self._over() and channels.connected and _now() < self._silent_at:
            if self.model.status == "joining" and _now() - begun > JOIN_SECONDS:
                return
            channels.check()
            due = min(self._outbox.due(), self._silent_at)
            await self._wait_for_wake(min(due, self._outbox.last + KEEPALIVE_SECONDS))
            if _now() >= self._outbox.last + KEEPALIVE_SECONDS:
                self._take(session.keepalive(self.model, _new_id()))
            self._send()

    @property
    def _silent_at(self) -> float:
        return self._last_heard + SILENCE_SECONDS

    @contextlib.contextmanager
    def _lost_if_silent(self) -> Iterator[None]:
        """Mark the connection as lost if the body runs for too long without a publication."""
        late = asyncio.get_running_loop().call_at(self._silent_at, self._lose)
        try:
            yield
        finally:
            late.cancel()

    def _lose(self) -> None:
        if self.model.status == "here":
            self._set(session.lose(self.model))

    async def _wait_for_wake(self, due: float | None = None) -> None:
        """Wait for a wake-up, at most until `due`."""
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(due):
                await self._wake.wait()

    def _publication(self, body: bytes) -> None:
        with contextlib.suppress(WireError):  # the next one, or a resync, repairs it
            message = decode_publication(body)
            self._last_heard = _now()
            self._wake.set()
            self._take(session.hear(self.model, message, _new_id()))

    def _answer(self, body: bytes) -> None:
        try:
            message = decode_answer(body)
        except WireError:
            # imported late so that a screen's first frame does not wait for the rules
            from .sanity import impossible

            self._set(session.fail(self.model, impossible("answer")))  # as a retry would be
            return
        self._take(session.answer(self.model, message, _new_id()))

    def _take(self, change: session.Transition) -> None:
        self._set(change[0])
        self._send()

    def _set(self, model: Model) -> None:
        if model is self.model:
            return
        if model.table is not self.model.table:
            self.table_at = _now()
        self.model = model
        self.records.follow(model)
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
        """Send what is due; to a host that cannot be heard, only a bye."""
        leaving = any(isinstance(one, Bye) for one in self.model.pending)
        if self._channels and (self._exchanging or leaving):
            self._outbox.flush(self.model.pending, self._channels, _now())


def _new_id() -> bytes:
    return token_bytes(16)


def _now() -> float:
    return asyncio.get_running_loop().time()
