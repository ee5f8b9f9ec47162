"""Headless clients that play at random, and remember all requests, answers and updates."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from random import Random
from typing import Any, Final, Self, TypeVar

from msgspec.structs import replace

from coffeerush.client.connection import Link, Outbox, Way, Wire
from coffeerush.client.model import Role
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import new_keys
from coffeerush.records.entries import Record
from protocol import (
    HALL,
    NO_ID,
    Accepted,
    Ready,
    Refused,
    Submit,
    TableNumber,
    Undo,
    decode_answer,
)
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import SECONDS

UNDO_SHARE: Final = 0.05

Found = TypeVar("Found")


class CountingOutbox(Outbox):
    """Counts retries."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies: set[bytes] = set()
        self.repeated = 0

    def _send(self, sent: Any, wire: Wire, now: float) -> None:
        self.repeated += sent.body in self._bodies
        self._bodies.add(sent.body)
        super()._send(sent, wire, now)


class Recorder(Link):
    """A link that keeps track of its intents and answers."""

    def __init__(self, way: Way, name: str, role: Role, **options: Any) -> None:
        self.asked: dict[bytes, Submit] = {}
        """The intents sent, by id."""
        self.accepted: dict[bytes, list[Accepted]] = {}
        """The `Accepted` answers by request id, with repeats."""
        self.refused: list[Refused] = []
        super().__init__(way, name, role, **options)
        self._outbox = self.outbox = CountingOutbox()

    def act(self, chance: Random) -> Submit:
        """Send one of the options."""
        view = self.model.view
        assert view is not None
        assert view.own is not None
        intents = [option.intent for option in view.own.options]
        onwards = [intent for intent in intents if not isinstance(intent, Undo)]
        undoes = len(intents) > len(onwards) and chance.random() < UNDO_SHARE
        self.wish(Undo() if undoes or not onwards else chance.choice(onwards))
        sent = self.model.waiting
        assert sent is not None
        self.asked[sent.id] = sent
        return sent

    def get_ready(self, ready: bool = True) -> None:
        """Get ready for the next game, if that is due and not done yet."""
        model = self.model
        if model.table is None or model.seat is None or model.table.stage == "game":
            return
        asked = any(isinstance(one, Ready) for one in model.pending)
        if model.status == "here" and not asked and model.table.seats[model.seat].ready != ready:
            self.wish(Ready(NO_ID, ready))

    @property
    def is_settled(self) -> bool:
        """Whether it is at the table and has its own part of the newest state."""
        model = self.model
        return model.status == "here" and not model.waiting and model.own_at >= model.own_due

    def _answer(self, body: bytes) -> None:
        heard = decode_answer(body)
        if isinstance(heard, Accepted):
            self.accepted.setdefault(heard.id, []).append(heard)
        elif isinstance(heard, Refused):
            self.refused.append(heard)
        super()._answer(body)


class Client(Recorder):
    """A client with a new key; it joins a table, or any if that is `HALL`."""

    def __init__(
        self,
        port: int,
        name: str,
        role: Role,
        news: Callable[[], None],
        host: str = "127.0.0.1",
        code: str = "",
        table: TableNumber = HALL,
    ) -> None:
        self.key = new_keys()
        super().__init__(Way(Address(host, port), name, code, self.key), name, role)
        self.model = replace(self.model, number=table)
        self.on_change = lambda _model: news()


class Party:
    """The clients at one table, awaited together."""

    def __init__(
        self, port: int, spectators: int = 0, players: int = 4, table: TableNumber = HALL
    ) -> None:
        self._news = asyncio.Event()
        come = partial(Client, port, news=self._news.set, table=table)
        self.players = [come(f"Player {n}", "player") for n in range(1, players + 1)]
        self.spectators = [come(f"Guest {n}", "spectator") for n in range(1, spectators + 1)]

    @property
    def everybody(self) -> Sequence[Client]:
        """Players, then spectators."""
        return (*self.players, *self.spectators)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for one in self.everybody:
                await stack.enter_async_context(one)
                await one.joined()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._stack.aclose()

    async def until(self, happened: Callable[[], Found | None]) -> Found:
        """Wait for updates until something `happened`, and return that.

        Raises:
            TimeoutError: it did not; the text has the state of everybody.
        """
        try:
            async with asyncio.timeout(SECONDS):
                while not (found := happened()):
                    gone = [one for one in self.everybody if one.model.status == "over"]
                    assert not gone, _standing(gone[0])
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise TimeoutError([_standing(one) for one in self.everybody]) from None
        return found

    def mover(self) -> Client | None:
        """Return the client that can act; get everybody ready first if necessary."""
        for one in self.players:
            one.get_ready()
        return next((one for one in self.players if one.model.can_act), None)

    async def play(self, moves: int, chance: Random) -> None:
        """Play this many intents, across several games if necessary."""
        for _move in range(moves):
            mover = await self.until(self.mover)
            await self.until(partial(_is_answered, mover, mover.act(chance)))

    def together(self, unlike: bytes = b"") -> bytes | None:
        """Return the epoch in which all clients have the same complete state; not `unlike`."""
        models = [one.model for one in self.everybody]
        where = {(model.epoch, model.game, model.rev) for model in models}
        settled = all(one.is_settled for one in self.everybody)
        epoch = models[0].epoch
        return epoch if settled and len(where) == 1 and epoch != unlike else None


def _is_answered(one: Client, sent: Submit) -> bool:
    return one.model.waiting is not sent


def _standing(one: Client) -> str:
    model = one.model
    pending = ", ".join(type(each).__name__ for each in model.pending)
    where = f"{model.status}{model.ending}{model.trouble} at {model.game}/{model.rev}"
    return f"{model.name}: {where}, waits for [{pending}]"


PASSING: Final = ("say_hello", "too_fast", "record_failed")
"""Temporary refusals: the client retries, or a copy of a request that a full disk refused
reaches the next host, which has space and does not remember it."""


def check_acknowledged(soak: Soak, players: Sequence[Client], records: Sequence[Record]) -> None:
    """Check players' answers against the records: nothing is missing or applied twice."""
    recorded = [(record.head.game, move) for record in records for move in record.moves if move.id]
    by_id = {(move.key, move.id): (game, move.rev, move.intent) for game, move in recorded}
    soak.hold("no intent is applied twice", len(by_id) == len(recorded))
    for one in players:
        key = one.key.public.decode()
        refused = [each for each in one.refused if each.refusal.code not in PASSING]
        wrong = [each for each in refused if (key, each.id) in by_id]
        soak.hold("what was refused is not on record", not wrong, refused=wrong)
        for id_, answers in one.accepted.items():
            sent = one.asked[id_]
            kept = by_id.get((key, id_)) == (sent.game, sent.rev + 1, sent.intent)
            soak.hold("what was acknowledged is on record", kept, sent=sent)
            first, *others = [replace(answer, epoch=b"") for answer in answers]
            again = all(other == first for other in others)
            soak.hold("a repeat gets the same answer", again, answers=answers)
