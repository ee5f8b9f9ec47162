"""The link to a table: join, keepalive, resend, reconnect and leave."""

import asyncio
import contextlib
import random
from collections.abc import Callable, Coroutine, Iterator, Set
from contextlib import AbstractAsyncContextManager
from functools import partial
from secrets import token_bytes
from typing import Final, Protocol, Self, TypeAlias

from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError, LinkError
from coffeerush.joining.door import refused
from coffeerush.joining.enrolment import (
    BrokenOff,
    Enrolment,
    NobodyHosts,
    StandsStill,
    Unreachable,
    Way as Way,
    enrol,
    first_of,
    remember_move,
)
from coffeerush.joining.hosts import Address
from protocol import (
    HALL,
    NO_ID,
    Bye,
    CurveKey,
    Destination,
    Hello,
    Moved,
    Request,
    TableNumber,
    WireError,
    decode_answer,
    decode_publication,
    encode,
    split_publication,
)

from . import keeping, recording, session
from .model import (
    UNINVITED,
    CloseHost,
    GoOn,
    Invitation,
    Model,
    OpenToGuests,
    Requests,
    Role,
    Wish,
    end,
)
from .record_keeper import RecordKeeper, Shelf
from .succession import Successions, Understudy
from .talk import has_talk

# Reconnect: retry at the door of a host that has fallen silent


RETRY_DELAY_SECONDS: Final = (0.2, 1.0)
"""Bounds of the random delay between tries at the door, so that clients do not retry in step."""


async def _wait_for_retry() -> None:
    """Sleep for a random delay before the next try."""
    await asyncio.sleep(random.uniform(*RETRY_DELAY_SECONDS))


class _Reconnector:
    """Retries the door handshake in the background of the `with`, until the host answers.

    `on_change` is called whenever `trouble` or `ended` may have changed.
    """

    def __init__(
        self,
        way: Way,
        enrol: Callable[[Way], Coroutine[None, None, Enrolment]],
        on_change: Callable[[], None],
    ) -> None:
        self._way = way
        self._enrol = enrol
        self._on_change = on_change
        self.trouble: LinkError | None = None
        """Why the latest try failed."""

    def __enter__(self) -> Self:
        self._retrying = asyncio.create_task(self._retry())
        self._retrying.add_done_callback(lambda _task: self._on_change())
        return self

    def __exit__(self, *_error: object) -> None:
        # on a failed task this also marks the error as retrieved, else asyncio would complain
        self._retrying.cancel()

    @property
    def ended(self) -> bool:
        """Whether it has stopped retrying."""
        return self._retrying.done()

    def table(self) -> Enrolment:
        """Return the endpoints that the door gave; raises `LinkError` if it will never."""
        return self._retrying.result()

    async def _retry(self) -> Enrolment:
        while True:
            await _wait_for_retry()
            try:
                return await self._enrol(self._way)
            except Unreachable as error:
                self.trouble = self._why(error)
                self._on_change()

    def _why(self, error: Unreachable) -> LinkError:
        """Return the error, reworded for somebody waiting for their host to come back."""
        address = self._way.address
        match error:
            case NobodyHosts():
                return LinkError(
                    "No host is running at {address}; you will be reconnected once it is back.",
                    address=address,
                )
            case StandsStill():
                return LinkError(
                    "The host at {address} is paused; you will be reconnected when its "
                    "computer wakes.",
                    address=address,
                )
            case BrokenOff():
                return error
        return LinkError(
            "{address} does not answer; check your cable or Wi-Fi, and the host's.", address=address
        )


# Outgoing requests: each is retried with the same bytes until it is answered


RETRY_SECONDS: Final = (0.5, 1.0, 2.0)
TRIES_PER_SOCKET: Final = 4


class Wire(Protocol):
    """The socket for requests."""

    def send(self, body: bytes) -> None:
        """Send a request, or drop it."""

    def renew(self) -> None:
        """Replace the socket."""


class RequestSender(Wire, AbstractAsyncContextManager["RequestSender"], Protocol):
    """The connections of a client to one host."""

    connected: bool
    """Whether the subscription is connected, as far as is known."""

    async def open(self, seconds: float) -> bool:
        """Connect; return whether that succeeded within `seconds`."""

    def follow(self, numbers: Set[TableNumber]) -> None:
        """Receive the publications of these tables, or of the hall, and no others any more."""

    def check(self) -> None:
        """Raise the error that ended a reader task, if any."""


class _Sent:
    """A pending request with its bytes and its retries."""

    def __init__(self, request: Request) -> None:
        self.body = encode(request)
        self.tries = 0
        self.due = 0.0
        """When to send it next, on the caller's clock."""


class Outbox:
    """Sends pending requests, and retries them with backoff."""

    def __init__(self) -> None:
        self._sent: dict[bytes, _Sent] = {}
        self._going: list[_Sent] = []
        """Those being sent now; the others wait for the answer to a hello."""
        self.last = 0.0
        """When something was last sent."""

    def renew(self) -> None:
        """Make everything due again: the host or the connection to it has changed."""
        for sent in self._sent.values():
            sent.tries, sent.due = 0, 0.0

    def due(self) -> float:
        """Return the time at which the next retry is due; infinity if nothing was sent.

        Requests that wait for a hello do not count: they may be overdue for as long as that takes.
        """
        return min((sent.due for sent in self._going if sent.tries), default=float("inf"))

    def flush(self, pending: Requests, wire: Wire, now: float) -> None:
        """Send new requests in `pending`, and retry those whose timeout has passed.

        While a hello is pending nothing else is sent: the host would refuse it.
        """
        self._sent = {
            request.id: self._sent.get(request.id) or _Sent(request) for request in pending
        }
        hellos = [request for request in pending if isinstance(request, Hello)]
        self._going = [self._sent[request.id] for request in hellos or pending]
        for sent in self._going:
            if sent.due <= now:
                self._send(sent, wire, now)

    def _send(self, sent: _Sent, wire: Wire, now: float) -> None:
        if sent.tries and sent.tries % TRIES_PER_SOCKET == 0:
            wire.renew()
        wire.send(sent.body)
        sent.due = now + RETRY_SECONDS[min(sent.tries, len(RETRY_SECONDS) - 1)]
        sent.tries += 1
        self.last = now


# The link: over the door, a DEALER and a SUB


KEEPALIVE_SECONDS: Final = 2.0
LAPSE_SECONDS: Final = 6.0
"""Without a word from the host for this long, the first standby's person may go on."""
DOUBT_SECONDS: Final = 1.0
"""How long a client waits once more for the host's door before it turns to a standby."""
NEXT_SECONDS: Final = 10.0
"""How much later the others may."""
SILENCE_SECONDS: Final = 3.0
"""Without any publication for this long, the connection counts as lost."""
JOIN_SECONDS: Final = 6.0
JOIN_RETRY_SECONDS: Final = 9.0
"""If the host answers but joining does not complete, no retry starts after this long."""
LEAVE_SECONDS: Final = 1.0
Places: TypeAlias = Callable[[Model], list[tuple[Address, CurveKey]]]
"""The doors of standbys and the keys of their hosts, in order."""
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
        shelf: for the records of finished games; None to do without.
        understudy: starts a host for tables that this person takes over; None if they cannot.
        keeps: whether to keep the sealed record of the game, and a share of its key.
    """

    def __init__(
        self,
        way: Way | Opener,
        name: str,
        role: Role = "player",
        invitation: Invitation = UNINVITED,
        shelf: Shelf | None = None,
        understudy: Understudy | None = None,
        keeps: bool = False,
    ) -> None:
        self.model = Model(
            role,
            name,
            invitation=invitation,
            opens=not isinstance(way, Way),
            keeps_records=shelf is not None,
            keeps_replica=keeps,
        )
        self.successions = Successions(understudy, self.wish, self._move)
        self.records = RecordKeeper(
            shelf, lambda fetch: self._set(recording.settled(self.model, fetch))
        )
        self.error: CoffeeRushError | None = None
        self.table_at = 0.0
        """When the model's table was received, by the clock of the event loop."""
        self.said_at = 0.0
        """When its newest message was, by the same clock."""
        self._way = way
        self.on_change: Callable[[Model], None] | None = None
        """Called with each new model."""
        self.open_to_guests: Callable[[bool], None] | None = None
        """Makes one's own host let in guests without this program, or no more."""
        self.close_host: Callable[[], None] | None = None
        """Makes one's own host stop."""
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._outbox = Outbox()
        self._channels: RequestSender | None = None
        self._exchanging = False
        self._last_heard = 0.0
        self._host_heard = 0.0
        """When the host was heard last, as against a standby to which this client has turned."""
        self._at: Way | None = None
        """How to reach the host that has let this client in last."""
        self._home: Way | None = None
        """How to reach the host whose table was seen last, or is on its way."""
        self._is_on_its_way = False
        """Whether the host at home has not shown the table yet: it may not know anybody either."""
        self._begun = 0.0
        self.address: Address | None = None
        """Where the table is, once this client has looked for it there."""
        self.has_moved = False
        """Whether the table has had another host than now, since this client has joined it."""
        self.host_key = ""
        """The public key of the host to which this client has followed the table."""

    @property
    def is_at_own_host(self) -> bool:
        """Whether the table is at the host that this program has started as its successor."""
        standby = self.model.standby
        return standby is not None and self.successions.at == standby.key

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _task: self._changed.set())
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connection; the task sends a bye if this client has not left."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        gone = self.model.moved or self.model.elsewhere
        if gone and self._at:  # who does not follow it may come back later
            await _remember(self._at, *_ways_to(gone, self._at))
        await self.records.close()
        await self.successions.close()

    def wish(self, wanted: Wish) -> None:
        """Send a request to the host; the model shows the result."""
        if isinstance(wanted, GoOn):
            self._go_on()
            return
        if isinstance(wanted, CloseHost):
            if self.close_host:
                self.close_host()
            return
        if isinstance(wanted, OpenToGuests):
            if self.open_to_guests:
                self.open_to_guests(wanted.allowed)
            return
        self._take(session.wish(self.model, wanted, _new_id()))

    def _move(self, to: Moved) -> None:
        """Go where the table is, which the host that is heard here does not know yet."""
        self._take(session.hear(self.model, to, _new_id()))

    def _go_on(self) -> None:
        """Let the table go on here, or follow it to where it goes on."""
        if not self.model.may_go_on:
            return
        if self.model.elsewhere:
            self._set(replace(self.model, moved=self.model.elsewhere, may_go_on=False))
            return
        self.successions.go_on(self.model, self._wake.set)
        self._set(replace(self.model, may_go_on=False))

    def invite(self, invitation: Invitation) -> None:
        """Update how others join."""
        self._set(replace(self.model, invitation=invitation))

    async def joined(self) -> Model:
        """Wait until this client is at the table, or knows where it goes on.

        Raises `CoffeeRushError` if joining failed.
        """
        model = self.model
        while model.status == "joining" and not model.elsewhere:
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

    async def leave(self, stand_in: bool = True) -> None:
        """Wait up to `LEAVE_SECONDS` for a record, send a bye, and wait as long for the answer.

        With `stand_in`, a bot plays at once for somebody who leaves a game on purpose.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                while recording.is_on_its_way(self.model):
                    await self.changed(self.model)
        self.wish(Bye(NO_ID, stand_in))
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
        code = way.code
        self.address = way.address
        if standby := await self.successions.offer():
            self._set(replace(self.model, standby=standby))
        table: Enrolment | None = await self._enrol_with_retries(way)
        while table:
            # the host knows this client's key now: no code is needed, and only this host will do
            way = way._replace(
                address=self.address, code="", keys=table.keys, host_key=table.banner.key
            )
            self._at, self.successions.at = way, table.banner.key
            if self._home and self._home.host_key != way.host_key:
                await _remember(self._home, way)
            if not self.model.turned_to:
                self._home = way
            self._set(session.admitted(self.model, table.banner, table.keys.public.decode()))
            async with self._channels_to(table) as channels:
                self._channels = channels
                channels.follow(_followed(self.model))
                try:
                    table = await self._stay(way, channels)
                except BaseException:  # cancelled by a signal: here the sockets are still open
                    self.wish(Bye(NO_ID))
                    raise
                finally:
                    self._channels = None
            while self.model.elsewhere and not self.model.moved and not self._over():
                await self._wait_for_wake()  # this person has to decide
            if self.model.moved:
                newcomers = code if self.model.table is None else ""
                table = await self._follow(way._replace(code=newcomers), self.model.moved)
            elif self.model.turned_to in self.model.distrusted and self._home:
                self._set(keeping.turned(self.model, ""))
                table = await self._search_host(self._home, None)

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
            await _wait_for_retry()

    def _may_retry(self) -> bool:
        return _now() - self._begun < JOIN_RETRY_SECONDS

    async def _follow(self, way: Way, to: Destination) -> Enrolment | None:
        """Go where the table has gone, with the same keys; return its endpoints.

        Only the host that the old one has named will do, or a later one that goes on without it.
        None if this client is over before.
        """
        self.successions.succeed(self.model, to)
        self._is_on_its_way = True
        ways = _ways_to(to, way)
        with self._lost_if_silent():
            while not self._over():
                try:
                    found, table = await first_of(ways, self._enrol_later)
                except Unreachable as error:
                    self._set(session.lose(self.model, error))
                    if _now() >= self._host_heard + LAPSE_SECONDS:
                        self._home = ways[0]
                        self._set(session.followed(self.model))
                        return await self._search_host(ways[0], None)
                    await _wait_for_retry()
                    continue
                self.address = found.address
                self._last_heard = _now()
                self.has_moved, self.host_key = True, to.key
                self._set(session.followed(self.model))
                return table
        return None

    async def _enrol_later(self, way: Way) -> Enrolment:
        """Do the handshake at the door of a host to which a table is on its way.

        Anyone with a place there is let in at the latest when it has come.
        """
        try:
            return await self._enrol(way)
        except LinkError as error:
            if self.model.table is None:
                raise
            raise Unreachable("No other computer has continued this game yet.") from error

    async def _enrol_at_home(self, way: Way) -> Enrolment:
        """Do the handshake at the door of the host that has the table, or will have it."""
        return await (self._enrol_later if self._is_on_its_way else self._enrol)(way)

    async def _stay(self, way: Way, channels: RequestSender) -> Enrolment | None:
        """Stay at the table with these sockets.

        Returns:
            New endpoints; None when it is over, or has another host.
        """
        with self._lost_if_silent():
            is_open = await channels.open(SILENCE_SECONDS)
        if is_open and (table := await self._exchange(channels)):
            return table
        while self._is_here():
            if self.model.status == "joining":
                if not self._may_retry():
                    raise LinkError(
                        "{address} answers, but the two ports after it do not; a firewall may be "
                        "blocking them.",
                        address=way.address,
                    )
                await _wait_for_retry()
                try:
                    return await self._enrol_with_retries(way)
                except Unreachable:
                    if self.model.status == "joining":
                        raise  # else the table has answered in the meantime
            table = await self._search_host(self._home or way, channels)
            if table or not self._is_here():
                return table
            if table := await self._exchange(channels):
                return table
        return None

    async def _search_host(self, way: Way, channels: RequestSender | None) -> Enrolment | None:
        """Retry at the door, and later at those of standbys.

        On a bad network the sockets often reconnect first. Nothing may be queued in them until
        then: another table may answer, and its first answer decides which requests still apply.

        Returns:
            The endpoints; None if the sockets have reconnected.
        """
        since = self._last_heard
        self._exchanging = False
        if channels:
            channels.renew()
        retrying = _Reconnector(way, self._enrol_at_home, self._wake.set)
        turning = self._turning(way, self.successions.places)
        with self._lost_if_silent(), retrying, turning:
            while not (retrying.ended or turning.ended) and self._is_here():
                if channels and self._last_heard != since and channels.connected:
                    return None
                if self.model.status == "lost":
                    self._set(self._offering(retrying.trouble))
                await self._wait_for_wake(self._next_offer())
            if not self._is_here():
                return None
            if retrying.ended:
                self.address = way.address
                self._set(keeping.turned(self.model, ""))
                return retrying.table()
            return turning.table()

    def _turning(self, way: Way, places: Places) -> _Reconnector:
        """Return what tries the doors of standbys until one goes on with the game."""
        return _Reconnector(way, partial(self._enrol_at_standby, places), self._wake.set)

    async def _enrol_at_standby(self, places_of: Places, way: Way) -> Enrolment:
        """Do the handshake at the door of a standby that goes on with the game.

        Nobody is asked before `LAPSE_SECONDS`. Raises `Unreachable` if none does.
        """
        await asyncio.sleep(self._host_heard + LAPSE_SECONDS - _now())
        model = self.model
        places = places_of(model) if keeping.is_safe(model) else []
        ways = [way._replace(address=where, host_key=key) for where, key in places]
        try:
            found, table = await first_of(ways, self._enrol)
            if model.table is None or table.banner.table != model.table.name:
                raise ValueError("that host has another table")
            if await self._host_answers(way):
                raise ValueError("the host is there again")
            if not await self.successions.gives_way(model, table.banner.key):
                raise ValueError("the game goes on here")
            if self.model.status == "here":
                raise ValueError("meanwhile this client has found the table")
        except (LinkError, ValueError) as error:
            raise Unreachable("No other computer has continued this game yet.") from error
        # nothing can cancel this any more
        self.address = found.address
        self._set(keeping.turned(self.model, table.banner.key))
        return table

    async def _host_answers(self, way: Way) -> bool:
        """Return whether the host's door answers now: then nothing is lent to a standby."""
        try:
            async with asyncio.timeout(DOUBT_SECONDS):
                await self._enrol(way)
        except (LinkError, TimeoutError):
            return False
        return True

    def _offering(self, trouble: CoffeeRushError | None) -> Model:
        """Return the model with what is known of a silent host, and what this person may do."""
        silent = _now() - self._host_heard
        if silent < LAPSE_SECONDS or not keeping.is_safe(self.model):
            return session.lose(self.model, trouble)
        self.successions.give_up_handover()
        rank = keeping.rank(self.model)
        due = rank is not None and silent >= LAPSE_SECONDS + (NEXT_SECONDS if rank else 0)
        may = due and not self.successions.goes_on
        told = session.lose(self.model, keeping.silence(self.model))
        return told if told.may_go_on == may else replace(told, may_go_on=may)

    def _next_offer(self) -> float | None:
        """Return when a silent host is next a reason to offer something; None for never."""
        times = self._host_heard + LAPSE_SECONDS, self._host_heard + LAPSE_SECONDS + NEXT_SECONDS
        return next((time for time in times if time > _now()), None)

    async def _exchange(self, channels: RequestSender) -> Enrolment | None:
        """Exchange messages with the table until it is over or falls silent.

        While a standby waits for others, the host may come back, and then it is the one. Or another
        standby waits as well: returns the endpoints of the one for which this one gives way.
        """
        if not self.model.turned_to or self._home is None:
            await self._exchange_until(channels)
            return None
        rivals = partial(self.successions.rivals, since=_now())
        with (
            _Reconnector(self._home, self._enrol_at_home, self._wake.set) as back,
            self._turning(self._home, rivals) as other,
        ):
            await self._exchange_until(channels, back, other)
            return other.table() if other.ended and self.model.turned_to else None

    async def _exchange_until(self, channels: RequestSender, *others: _Reconnector) -> None:
        begun = self._last_heard = _now()
        self._exchanging = True
        self._outbox.renew()
        self._take(session.join(self.model, _new_id()))
        while self._is_here() and channels.connected and _now() < self._silent_at:
            if self.model.turned_to and any(door.ended for door in others):
                return  # the host is there again, or another standby
            if self.model.status == "joining" and _now() - begun > JOIN_SECONDS:
                return
            channels.check()
            due = min(self._outbox.due(), self._silent_at)
            await self._wait_for_wake(min(due, self._outbox.last + KEEPALIVE_SECONDS))
            if _now() >= self._outbox.last + KEEPALIVE_SECONDS:
                self._take(session.keepalive(self.model, _new_id()))
            self._send()

    def _is_here(self) -> bool:
        is_distrusted = self.model.turned_to in self.model.distrusted
        has_gone = self.model.moved is not None or self.model.elsewhere is not None
        return not self._over() and not has_gone and not is_distrusted

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

    def _publication(self, frame: bytes) -> None:
        number, body = split_publication(frame)
        with contextlib.suppress(WireError):  # the next one, or a resync, repairs it
            message = decode_publication(body)
            if number == HALL != self.model.number:  # no sign of life of the table
                self._take(session.hear_hall(self.model, message, _new_id()))
                return
            self._last_heard = _now()
            if not self.model.turned_to:
                self._host_heard = self._last_heard
            self._wake.set()
            # anything else is only a sign of life
            if number == self.model.number != HALL or isinstance(message, Moved):
                self._take(session.hear(self.model, message, _new_id()))
            elif number != HALL:  # else it is only a sign of life
                self._take(session.hear_other(self.model, number, message, _new_id()))

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
            self._is_on_its_way = False
        if has_talk(self.model, model):
            self.said_at = _now()
        if self._channels and _followed(model) != _followed(self.model):
            self._channels.follow(_followed(model))
        if self.model.turned_to and not model.turned_to and model.status == "here":
            self.has_moved, self._home = True, self._at
        self.model = model
        self.records.follow(model)
        self.successions.follow(model)
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
        leaving = any(isinstance(request, Bye) for request in self.model.pending)
        if self._channels and (self._exchanging or leaving):
            asked = self.model.pending
            if self.model.turned_to:
                asked = tuple(
                    request for request in asked if isinstance(request, keeping.FOR_STANDBYS)
                )
            self._outbox.flush(asked, self._channels, _now())


def _followed(model: Model) -> frozenset[TableNumber]:
    """Return whose publications a client needs: the hall's, its table's, and one's looked at."""
    looking = () if model.looking is None else (model.looking.number,)
    return frozenset((HALL, model.number, *looking))


def _ways_to(gone: Destination, way: Way) -> list[Way]:
    """Return the ways to where a table has gone, with the same keys."""
    addresses = (Address(host, gone.port) for host in gone.addresses)
    return [way._replace(address=address, host_key=gone.key) for address in addresses]


async def _remember(before: Way, *ways: Way) -> None:
    """Keep where a table has gone, and the keys for its new host."""
    with contextlib.suppress(LinkError):  # only matters when they come back later
        for way in ways:
            await asyncio.to_thread(remember_move, way, before.host_key)


def _new_id() -> bytes:
    return token_bytes(16)


def _now() -> float:
    return asyncio.get_running_loop().time()
