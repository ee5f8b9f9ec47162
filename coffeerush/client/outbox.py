"""Outgoing requests: each is retried with the same bytes until it is answered."""

from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from protocol import Hello, Request, encode

from .model import Requests

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
        """Connect; tell whether that succeeded within `seconds`."""

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
