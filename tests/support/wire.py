"""A table and a client's model, with a simulated network that tests step through."""

from random import Random

from coffeerush.client import session
from coffeerush.client.model import Model, Role, Wish
from protocol import (
    Answer,
    Hello,
    Publication,
    Update,
    decode_answer,
    decode_publication,
    decode_request,
    encode,
)
from tests.support.tables import ANN, NAMES, TableDriver


class Wire:
    """One client of a table; each message waits until the test delivers it."""

    def __init__(self, driver: TableDriver, key: str = ANN, role: Role = "player") -> None:
        self.driver = driver
        self.key = key
        self.model = Model(role, NAMES[key])
        self.requests: list[bytes] = []
        self.answers: list[bytes] = []
        self.publications: list[bytes] = []
        self.published = len(driver.updates)
        self._ids = Random(key)

    # The client

    def join(self) -> None:
        self.take(session.join(self.model, self.new_id()))

    def wish(self, wanted: Wish) -> None:
        self.take(session.wish(self.model, wanted, self.new_id()))

    def take(self, change: session.Transition) -> None:
        check_step(self.model, change[0])
        self.model = change[0]
        self.requests += [encode(request) for request in change[1]]

    def new_id(self) -> bytes:
        return self._ids.randbytes(16)

    # The network

    def retry(self) -> None:
        """Resend unanswered requests, or only the hellos if there are any, as the outbox does."""
        hellos = [one for one in self.model.pending if isinstance(one, Hello)]
        self.requests += [encode(request) for request in hellos or self.model.pending]

    def deliver_request(self, index: int = 0) -> None:
        answer = self.driver.ask(self.key, decode_request(self.requests.pop(index)))
        self.answers.append(encode(answer))
        self.collect()

    def deliver_answer(self, index: int = 0) -> Answer:
        answer = decode_answer(self.answers.pop(index))
        self.take(session.answer(self.model, answer, self.new_id()))
        return answer

    def deliver_publication(self, index: int = 0) -> Publication:
        publication = decode_publication(self.publications.pop(index))
        self.take(session.hear(self.model, publication, self.new_id()))
        return publication

    def collect(self) -> None:
        """Put new publications onto the wire."""
        self.publications += [encode(one) for one in self.driver.updates[self.published :]]
        self.published = len(self.driver.updates)

    def tick(self) -> None:
        """Advance the host by one second."""
        self.driver.now += 1
        for one in self.driver.table.tick(self.driver.now):
            if isinstance(one, Update):
                self.driver.updates.append(one)
            else:
                self.collect()
                self.publications.append(encode(one))

    def settle(self) -> None:
        """Deliver everything until no message is in flight and no request is pending."""
        self.collect()
        while self.requests or self.answers or self.publications:
            while self.requests:
                self.deliver_request()
            while self.answers:
                self.deliver_answer()
            while self.publications:
                self.deliver_publication()

    def restart(self, driver: TableDriver) -> None:
        """Replace the host; messages in flight to the old one are lost."""
        self.driver = driver
        self.published = len(driver.updates)
        self.requests.clear()


def check_step(before: Model, after: Model) -> None:
    """Check that the model never goes back and has no stale options."""
    if before.epoch == after.epoch:
        assert (after.game, after.rev) >= (before.game, before.rev)
        assert after.seq >= before.seq
        assert after.own_at >= before.own_at
    own = after.view.own if after.view else None
    if after.view and own and own.options:
        assert after.view.active == own.seat == after.seat
        assert after.own_at == (after.game, after.rev)
