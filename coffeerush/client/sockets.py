"""A client's SUB and DEALER, each with one permanent reader: a cancelled read loses messages."""

import asyncio
import contextlib
from collections.abc import Callable, Set
from typing import Final, Self

import zmq
import zmq.asyncio
from zmq.utils.monitor import parse_monitor_message

from coffeerush.joining.enrolment import Enrolment
from coffeerush.tcp_keepalive import keep_alive
from protocol import TableNumber, topic

LINGER_MS: Final = 200
MAX_FRAME_BYTES: Final = 65536
_EVENTS: Final = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_DISCONNECTED
)
Take = Callable[[bytes], None]
Socket = zmq.asyncio.Socket


class Channels:
    """SUB and DEALER to one host, open inside the `async with`.

    `on_change` is called whenever `connected` may have changed.
    """

    def __init__(
        self, table: Enrolment, on_update: Take, on_answer: Take, on_change: Callable[[], None]
    ) -> None:
        self.connected = False
        """Whether the subscription is connected, as far as this machine knows."""
        self._table = table
        self._on_update = on_update
        self._on_answer = on_answer
        self._on_change = on_change
        self._found = asyncio.Event()
        self._context = zmq.asyncio.Context()
        self._updates = self._socket(zmq.SUB)
        self._requests = self._socket(zmq.DEALER)
        self._readers: dict[Socket, asyncio.Task[None]] = {}
        self._followed: frozenset[TableNumber] = frozenset()

    async def __aenter__(self) -> Self:
        self._updates.rcvhwm = 1024
        return self

    async def __aexit__(self, *_error: object) -> None:
        for reader in self._readers.values():
            reader.cancel()
        try:
            await asyncio.gather(*self._readers.values(), return_exceptions=True)
        finally:  # the wait itself may be cancelled
            self._context.destroy(LINGER_MS)

    async def open(self, seconds: float) -> bool:
        """Connect; return whether the subscription succeeded within `seconds`."""
        monitor = self._updates.get_monitor_socket(_EVENTS)
        self._readers[monitor] = asyncio.create_task(self._watch(monitor))
        self._connect(self._updates, self._table.banner.updates, self._on_update)
        self._connect(self._requests, self._table.banner.requests, self._on_answer)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._found.wait()
        return self.connected

    async def _watch(self, monitor: Socket) -> None:
        """Track the state of the subscription, which reconnects by itself while it is admitted."""
        while True:
            event = parse_monitor_message(await monitor.recv_multipart())
            self.connected = event["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED
            self._found.set()
            self._on_change()

    def follow(self, numbers: Set[TableNumber]) -> None:
        """Receive the publications of these tables, or of the hall, and no others any more."""
        before, self._followed = self._followed, frozenset(numbers)
        for number in self._followed - before:
            self._updates.subscribe(topic(number))
        for number in before - self._followed:
            self._updates.unsubscribe(topic(number))

    def renew(self) -> None:
        """Replace the DEALER, and drop what it has queued.

        A DEALER whose handshake was refused never reconnects.
        """
        self._readers.pop(self._requests).cancel()
        self._requests.close(0)
        self._requests = self._socket(zmq.DEALER)
        self._connect(self._requests, self._table.banner.requests, self._on_answer)

    def send(self, body: bytes) -> None:
        """Send a request now, or drop it: unanswered requests are retried anyway."""
        sending = self._requests.send_multipart([b"", body], zmq.DONTWAIT)
        asyncio.ensure_future(sending).add_done_callback(_forget)

    def check(self) -> None:
        """Raise the error that ended a reader, if any: readers never end by themselves."""
        for reader in self._readers.values():
            if reader.done():
                reader.result()

    def _socket(self, kind: int) -> Socket:
        socket = self._context.socket(kind)
        socket.linger = LINGER_MS
        socket.ipv6 = True
        socket.maxmsgsize = MAX_FRAME_BYTES
        keep_alive(socket)
        socket.handshake_ivl = 3000
        socket.reconnect_ivl = 200
        socket.reconnect_ivl_max = 3000
        socket.connect_timeout = 2000
        socket.curve_serverkey = self._table.banner.key.encode()
        socket.curve_publickey = self._table.keys.public
        socket.curve_secretkey = self._table.keys.secret
        return socket

    def _connect(self, socket: Socket, port: int, take: Take) -> None:
        host = self._table.host
        socket.connect(f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}")
        self._readers[socket] = asyncio.create_task(_read(socket, take))


async def _read(socket: Socket, take: Take) -> None:
    while True:
        frames = await socket.recv_multipart()
        take(frames[-1])


def _forget(sending: asyncio.Future[zmq.MessageTracker | None]) -> None:
    """Retrieve a send's exception, so that asyncio does not log it as never retrieved."""
    if not sending.cancelled():
        sending.exception()
