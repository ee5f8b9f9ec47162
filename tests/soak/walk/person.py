"""A person at the table: a real client model, and the messages in transit."""

from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from coffeerush.client import session
from coffeerush.client.model import Model, Role, Wish
from protocol import Answer, Hello, Publication, Request

RETRY_SECONDS: Final = 0.5
NAMES: Final = (
    "Ann",
    "ann",
    "Bob",
    "Zoë",
    "한국어 이름",
    "regular 1",
    "regular",
    "W" * 24,
    "🍵" * 12,
)


class Person:
    """Somebody with a key, and their client.

    Args:
        key: the person's key.
        new_id: makes the ids of requests.
    """

    def __init__(self, key: str, new_id: Callable[[], bytes]) -> None:
        self.key = key
        self.model: Model | None = None
        """None before they joined."""
        self.publications: deque[Publication] = deque()
        self.answers: deque[Answer] = deque()
        self._sent: dict[bytes, float] = {}
        self._new_id = new_id

    @property
    def here(self) -> bool:
        """Whether their client is running."""
        return self.model is not None and self.model.status != "over"

    def come(self, name: str, role: Role) -> None:
        """Start a client, which says hello."""
        self.lose()
        self._take(session.join(Model(role=role, name=name), self._new_id()))

    def rejoin(self) -> None:
        """Reconnect to the host."""
        if self.model and self.here:
            self._take(session.join(self.model, self._new_id()))

    def lose(self) -> None:
        """Lose all messages in transit."""
        self.publications.clear()
        self.answers.clear()
        self._sent.clear()

    def wish(self, wanted: Wish) -> None:
        """Make a request, as keys on a screen do."""
        if self.model and self.here:
            self._take(session.wish(self.model, wanted, self._new_id()))

    def live(self) -> None:
        """Send a keepalive."""
        if self.model and self.here:
            self._take(session.keepalive(self.model, self._new_id()))

    def due(self, now: float) -> Iterator[Request]:
        """Yield what the client sends now, in the order of its outbox."""
        pending = self.model.pending if self.model and self.here else ()
        hellos = tuple(one for one in pending if isinstance(one, Hello))
        for request in hellos or pending:
            if now - self._sent.get(request.id, float("-inf")) >= RETRY_SECONDS:
                self._sent[request.id] = now
                yield request

    def deliver(self, chance: Random, most: int) -> None:
        """Deliver some messages; the two sockets are not ordered relative to each other."""
        for _ in range(most):
            ways = [way for way in (self.publications, self.answers) if way]
            if not ways or not self.here:
                break
            self._hear(chance.choice(ways).popleft())

    def _hear(self, message: Publication | Answer) -> None:
        assert self.model is not None  # it is here
        if isinstance(message, Publication):
            self._take(session.hear(self.model, message, self._new_id()))
        else:
            self._take(session.answer(self.model, message, self._new_id()))

    @property
    def quiet(self) -> bool:
        """Whether no messages are in transit."""
        pending = self.model.pending if self.model else ()
        return not (self.publications or self.answers or pending)

    def _take(self, change: session.Transition) -> None:
        self.model = change[0]
