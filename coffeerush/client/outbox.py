"""Requests on their way: each is sent with the same bytes until the model has its answer."""

from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from protocol import Hello, Request, encode

from .model import Requests

RETRY_SECONDS: Final = (0.5, 1.0, 2.0)
TRIES_PER_SOCKET: Final = 4


class Wire(Protocol):
    """Where requests go out."""

    def send(self, body: bytes) -> None:
        """Send a request, or lose it."""

    def renew(self) -> None:
        """Take another socket from now on."""


class RequestSender(Wire, AbstractAsyncContextManager["RequestSender"], Protocol):
    """The connections of a client to one host."""

    connected: bool
    """Whether publications reach this client, as far as is known."""

    async def open(self, seconds: float) -> bool:
        """Connect; tell whether the host was found within `seconds`."""

    def check(self) -> None:
        """Raise what ended a reader."""


class _Sent:
    """A request that was sent at least once."""

    def __init__(self, request: Request) -> None:
        self.body = encode(request)
        self.tries = 0
        self.due = 0.0
        """When to send it, on the clock of the caller."""


class Outbox:
    """Sends what is pending, and sends it again."""

    def __init__(self) -> None:
        self._sent: dict[bytes, _Sent] = {}
        self._going: list[_Sent] = []
        """Those that go out now; the others wait for the answer to a hello."""
        self.last = 0.0
        """When something was sent the last time."""

    def renew(self) -> None:
        """Send everything anew: the host, or the way to it, is another one."""
        for sent in self._sent.values():
            sent.tries, sent.due = 0, 0.0

    def due(self) -> float:
        """Return when something has to be sent again; infinity if nothing waits for an answer.

        What waits for a hello has no time of its own: it may be overdue for as long as that takes.
        """
        return min((sent.due for sent in self._going if sent.tries), default=float("inf"))

    def flush(self, pending: Requests, wire: Wire, now: float) -> None:
        """Send what is new in `pending`, and what has waited too long for its answer.

        Before the answer to a hello nothing else is sent: the host would not know who asks.
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
