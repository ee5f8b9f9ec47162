"""A person at the table: a real client model, the messages in transit, and ways to choose."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, TypeAlias

from coffeerush.bots import BOTS
from coffeerush.client import session
from coffeerush.client.model import Model, Role
from protocol import (
    Answer,
    EndTurn,
    Hello,
    Intent,
    PlaceMeeple,
    Pour,
    Publication,
    Request,
    ReturnRest,
    Serve,
    Step,
    Undo,
    View,
)
from tests.support.local import LocalClient

RETRY_SECONDS: Final = 0.5
NAMES: Final = (
    *("Ann", "ann", "Bob", "Zoë", "한국어 이름", "regular 1", "regular", "Crema"),
    *("W" * 24, "🍵" * 12),
)


class Person(LocalClient):
    """Somebody with a key, and their client; `new_id` makes the ids of its requests."""

    def __init__(self, key: str, new_id: Callable[[], bytes]) -> None:
        super().__init__(Model("player", ""))
        self.key = key
        self.publications: deque[Publication] = deque()
        self.answers: deque[Answer] = deque()
        self._has_come = False
        self._sent: dict[bytes, float] = {}
        self._new_id = new_id

    def new_id(self) -> bytes:
        return self._new_id()

    def take(self, change: session.Transition) -> None:
        """Go on with another model; `due` sends its requests."""
        self.model = change[0]

    @property
    def here(self) -> bool:
        """Whether their client is running."""
        return self._has_come and self.model.status != "over"

    def come(self, name: str, role: Role) -> None:
        """Start a client, which says hello."""
        self.lose()
        self._has_come, self.model = True, Model(role, name)
        self.join()

    def rejoin(self) -> None:
        if self.here:
            self.join()

    def lose(self) -> None:
        """Lose all messages in transit."""
        self.publications.clear()
        self.answers.clear()
        self._sent.clear()

    def live(self) -> None:
        if self.here:
            self.take(session.keepalive(self.model, self.new_id()))

    def due(self, now: float) -> Iterator[Request]:
        """Yield what the client sends now, in the order of its outbox."""
        pending = self.model.pending if self.here else ()
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
            self.hear(chance.choice(ways).popleft())

    @property
    def quiet(self) -> bool:
        """Whether no messages are in transit."""
        return not (self.publications or self.answers or self.model.pending)


Choice: TypeAlias = Callable[[View, Random], Intent | None]

_SOONEST: Final = (EndTurn, ReturnRest, Serve, PlaceMeeple, Pour, Step)


def regular(view: View, chance: Random) -> Intent:
    """Choose like the stand-in bot."""
    return BOTS["regular"]().choose(view, chance)


def anything(view: View, chance: Random) -> Intent:
    return chance.choice(options(view))


def short(view: View, chance: Random) -> Intent:
    """Choose the option that brings the turn closest to its end."""
    return soonest(options(view))


def illegal(view: View, chance: Random) -> Intent:
    return Undo()


def nothing(view: View, chance: Random) -> None:
    """Give no answer."""


def options(view: View) -> list[Intent]:
    return [option.intent for option in view.own.options] if view.own else []


def soonest(intents: Sequence[Intent]) -> Intent:
    """Return the intent that brings the turn closest to its end."""
    rated = [one for one in intents if isinstance(one, _SOONEST)]
    return min(rated, key=lambda one: _SOONEST.index(type(one)))
