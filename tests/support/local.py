"""Clients in the process of their table: real models, with encoded bytes between.

A `LocalLink` has all messages at once; of a `Wire`, the test delivers each.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.model import Invitation, Model, Role, Wish
from coffeerush.client.recording import after_a_game
from coffeerush.client.talk import has_talk
from coffeerush.errors import CoffeeRushError
from coffeerush.host.hall.hall import HallOutcome, Published
from coffeerush.host.table.table import Table
from protocol import (
    HALL,
    NO_ID,
    Answer,
    Asker,
    Bye,
    Hello,
    Intent,
    Publication,
    Ready,
    Request,
    Start,
    Tick,
    Update,
    decode_answer,
    decode_publication,
    decode_request,
    encode,
)
from tests.support import remembered_bots
from tests.support.once import copied
from tests.support.tables import (
    ANN,
    NAMES,
    MemoryJournals,
    TableDriver,
    config_for,
    hall_of,
)

INVITATION = Invitation(("192.168.0.12:47820", "[2001:db8::12]:47820"), "apple-tiger-moon")


def invited(model: Model, invitation: Invitation = INVITATION) -> Model:
    """Return the model of an owner's screen, with an invitation."""
    return replace(model, invitation=invitation)


class LocalClient:
    """A client's model, which hears messages and makes requests; a subclass carries them."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def join(self) -> None:
        self.take(session.join(self.model, self.new_id()))

    def wish(self, wanted: Wish) -> None:
        self.take(session.wish(self.model, wanted, self.new_id()))

    def hear(self, message: Publication | Answer, table: int | None = None) -> None:
        if table == HALL and isinstance(message, Tick):
            self.take(session.hear_hall(self.model, message, self.new_id()))
        elif isinstance(message, Publication):
            self.take(session.hear(self.model, message, self.new_id()))
        else:
            self.take(session.answer(self.model, message, self.new_id()))

    def take(self, change: session.Transition) -> None:
        """Go on with another model, and send its requests."""
        raise NotImplementedError

    def new_id(self) -> bytes:
        raise NotImplementedError


class DrivenClient(LocalClient):
    """A client whose requests are answered at once; it hears what is published when told to."""

    def __init__(self, driver: TableDriver, model: Model) -> None:
        super().__init__(model)
        self.driver: TableDriver | None = driver
        """None if the host cannot be reached."""
        self.ids = Random(model.key)
        self.asked: list[Request] = []
        self.heard = len(driver.updates)
        self.join()

    def take(self, change: session.Transition) -> None:
        self.model = change[0]
        for request in change[1]:
            self.asked.append(request)
            self.send(request)

    def send(self, request: Request) -> None:
        """Send a request, and hear the answer."""
        if self.driver:
            self.driver.now += 0.3
            self.hear(self.driver.ask(self.model.key, request))

    def new_id(self) -> bytes:
        return self.ids.randbytes(16)

    def catch_up(self, updates: Sequence[Update] | None = None) -> None:
        """Hear what was published since, or something else."""
        assert self.driver
        news = self.driver.updates[self.heard :] if updates is None else updates
        self.heard = len(self.driver.updates)
        for update in news:
            self.hear(update)


class LocalLink(LocalClient):
    """A stand-in for `Link`, connected to a Table in this process."""

    def __init__(self, local: "LocalTable", key: str, name: str, role: Role) -> None:
        super().__init__(Model(role, name))
        self.error: CoffeeRushError | None = None
        self.table_at = self.said_at = 0.0
        self.on_change: Callable[[Model], None] | None = None
        self.local = local
        self.key = key
        self._waiting: set[asyncio.Event] = set()

    async def changed(self, since: Model) -> Model:
        while self.model is since:
            assert since.status != "over", "nothing more will come, so nobody may wait"
            event = asyncio.Event()
            self._waiting.add(event)
            await event.wait()
            self._waiting.discard(event)
        return self.model

    async def leave(self) -> None:
        if self.local.links == [self]:
            self.local.bots_play = False  # nobody sees the rest of the game
        self.wish(Bye(NO_ID, stand_in=True))

    def take(self, change: session.Transition) -> None:
        model, requests = change
        self.set(model)
        for request in requests:
            if self.local.hall.defers(request):
                continue  # a link sends it again
            outcome = self.local.handle(self.key, encode(request))
            self.hear(decode_answer(encode(outcome.answer)))
            self.local.publish(outcome.published)
        if requests:
            self.local.run_bots()

    def set(self, model: Model) -> None:
        if model.table is not self.model.table:
            with suppress(RuntimeError):  # without an event loop there is no screen
                self.table_at = asyncio.get_running_loop().time()
        if has_talk(self.model, model):
            with suppress(RuntimeError):
                self.said_at = asyncio.get_running_loop().time()
        self.model = model
        if self.on_change:
            self.on_change(model)
        for event in self._waiting:
            event.set()

    def new_id(self) -> bytes:
        return self.local.new_id()


class LocalTable:
    """A table, its bots and the links to it."""

    def __init__(
        self, seats: int, bots: tuple[str, ...] = (), seed: int | str = 1, **more: Any
    ) -> None:
        self.chance = Random(seed)
        owner = more.pop("owner", True)
        config = config_for(seats, name="Table", owner="a" * 40 if owner else "", **more)
        self.table = Table(config, MemoryJournals(), b"epoch..1", Random(seed), bots)
        self.hall = hall_of(self.table)
        self.links: list[LocalLink] = []
        self.now = 1000.0
        self.bots_play = True

    def link(self, name: str, role: Role = "player", key: str = "") -> LocalLink:
        """Join the table, as somebody new or with the key of another window."""
        link = self.unjoined(name, role)
        link.key = key or link.key
        link.join()
        return link

    def unjoined(self, name: str, role: Role = "player") -> LocalLink:
        link = LocalLink(self, "abcdefgh"[len(self.links)] * 40, name, role)
        self.links.append(link)
        return link

    def start(self) -> None:
        """Make everybody ready, and start the game."""
        for link in self.links:
            if link.model.seat is not None:
                link.wish(Ready(NO_ID, True))
        self.links[0].wish(Start(NO_ID))

    def ask_to_come_in(self, *asking: tuple[int, str]) -> None:
        """Let these guests ask, and no others."""
        self.table.note_asking([Asker(guest, name) for guest, name in asking])
        self.tick()

    def tick(self) -> None:
        """Let the table do what is due, and publish it."""
        self.publish(self.hall.tick(self.now))

    def new_id(self) -> bytes:
        return self.chance.randbytes(16)

    def handle(self, key: str, body: bytes) -> HallOutcome:
        self.now += 1.0  # stays below the rate limit
        return self.hall.handle(self.now, key, decode_request(body))

    def publish(self, published: Iterable[Published]) -> None:
        for number, message in published:
            self.tell(encode(message), number)

    def tell(self, body: bytes, table: int | None = None) -> None:
        """Publish something about a table; by default to everybody."""
        publication = decode_publication(body)
        for link in self.links:
            is_there = table in (None, HALL, link.model.number) or link.model.number == HALL
            if is_there and (link.model.status != "joining" or link.model.pending):
                link.hear(publication, table)
            elif table is not None:
                link.take(session.hear_other(link.model, table, publication, link.new_id()))

    def run_bots(self) -> None:
        while self.bots_play and (turn := self.table.bot_turn()):
            intent = remembered_bots.choose(turn.bot, turn.view, self.chance)
            self.publish(self.hall.bot_move(self.now, self.table.number, turn, intent))


@copied
def begun(
    bots: tuple[str, ...] = ("regular", "regular"), seed: int | str = 1, **more: object
) -> LocalLink:
    """Return Ann's link to a game that has just started, with bots on all other seats."""
    local = LocalTable(1 + len(bots), bots, seed, **more)
    link = local.link("Ann")
    local.start()
    return link


def acting(local: LocalTable) -> LocalLink | None:
    return next((link for link in local.links if link.model.can_act), None)


def choose(link: LocalLink, chance: Random) -> Intent:
    """Return an intent such as a person would choose: mostly sensible, sometimes not."""
    view = link.model.view
    assert view is not None
    assert view.own is not None
    if chance.random() < 0.8:
        return remembered_bots.choose("regular", view, chance)
    return chance.choice([option.intent for option in view.own.options])


def play(local: LocalTable, chance: Random, look: Callable[[], None], most: int = 3000) -> None:
    """Play to the end of the game, or `most` intents; call `look` after each."""
    for _ in range(most):
        link = acting(local)
        if link is None:
            return
        link.wish(choose(link, chance))
        look()


def recorded(model: Model) -> Model:
    """Return the model of a result whose record is filed."""
    found = after_a_game(model, replace(model, keeps_records=True))
    assert found.record
    return replace(found, record=found.record.filed("a.record"))


class Wire(LocalClient):
    """A client of a `TableDriver`; each message waits until the test delivers it."""

    def __init__(self, driver: TableDriver, key: str = ANN, role: Role = "player") -> None:
        super().__init__(Model(role, NAMES[key]))
        self.driver = driver
        self.key = key
        self.requests: list[bytes] = []
        self.answers: list[bytes] = []
        self.publications: list[bytes] = []
        self.published = len(driver.updates)
        self._ids = Random(key)

    def take(self, change: session.Transition) -> None:
        check_step(self.model, change[0])
        self.model = change[0]
        self.requests += [encode(request) for request in change[1]]

    def new_id(self) -> bytes:
        return self._ids.randbytes(16)

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
        self.hear(answer)
        return answer

    def deliver_publication(self, index: int = 0) -> Publication:
        publication = decode_publication(self.publications.pop(index))
        self.hear(publication)
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
