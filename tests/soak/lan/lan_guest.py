"""A client process that plays at random, and reports what it sees as JSON lines.

Run as `python -m tests.soak.lan.lan_guest CODE NAME SEED PAUSE`. It looks for the only table on its
network, joins it with the code, gets ready for every game until a line arrives, and leaves at
the end of its input. Whatever happens to the host, it never sends the code again.
"""

import asyncio
import hashlib
import os
import sys
from random import Random
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.joining.browsing import find
from coffeerush.joining.hosts import Address, parse_address
from coffeerush.joining.nearby import FoundTable
from protocol import View
from tests.soak.clients import PASSING, Client, Recorder

LAST: Final = "last"
"""Tells a guest to stay at the table when the game is over."""
_MARK_BYTES: Final = 8


class Discovery(Struct, frozen=True, tag="discovery"):
    """A report that the guest has found the table."""

    address: str
    seconds: float
    """How long it searched."""


class Sight(Struct, frozen=True, tag="sight"):
    """A report of a guest's current state."""

    at: float
    """On the clock that all programs of a machine share."""
    status: str
    trouble: str
    epoch: bytes
    seq: int
    game: int
    rev: int
    stage: str
    anybody_ready: bool
    """Whether somebody at the table wants another game."""
    everything: str
    """A hash of the table and of the public part of the View."""
    public: str
    """A hash of the public View alone; empty without a View."""
    own: str
    """A hash of this guest's cups and hand; empty while they may belong to another rev."""


class Account(Struct, frozen=True, tag="account"):
    """The final report of a guest."""

    key: str
    accepted: dict[str, int]
    """How often each intent was accepted, by the id of its request in hex."""
    refused: tuple[str, ...]
    """The ids of the refused requests."""
    asked: int
    """The number of intents sent."""
    repeated: int
    """The number of retries."""


def sight_of(model: Model) -> Sight:
    """Return what a client sees now."""
    view = model.view
    is_newest = model.own_at >= max(model.own_due, (model.game, model.rev))
    return Sight(
        monotonic(),
        model.status,
        str(model.trouble or (model.refusal.text if model.refusal else "")),
        model.epoch,
        model.seq,
        model.game,
        model.rev,
        model.table.stage if model.table else "",
        any(seat.ready for seat in model.table.seats) if model.table else False,
        _mark((model.table, view and replace(view, own=None))),
        public_mark(view) if view else "",
        own_mark(view) if view and is_newest else "",
    )


def account_of(client: Recorder) -> Account:
    """Return what became of a client's intents."""
    return Account(
        client.model.key,
        {id_.hex(): len(answers) for id_, answers in client.accepted.items()},
        tuple(one.id.hex() for one in client.refused if one.refusal.code not in PASSING),
        len(client.asked),
        client.outbox.repeated,
    )


def public_mark(view: View) -> str:
    """Return a hash of the public part of a View."""
    return _mark(replace(view, own=None))


def own_mark(view: View) -> str:
    """Return a hash of the private part of a View."""
    return "" if view.own is None else _mark((view.own.seat, view.own.cups, view.own.hand))


def _mark(value: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(value)).hexdigest()[: 2 * _MARK_BYTES]


class Guest:
    """Plays and reports."""

    def __init__(self, address: Address, code: str, name: str, seed: int, pause: float) -> None:
        host, port = address
        self._client = Client(port, name, "player", self._tell, host, code)
        self._chance = Random(f"{seed} {name}")
        self._pause = pause
        self._news = asyncio.Event()
        self._last = False
        self._leaves = False

    async def play(self) -> None:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._hear)
        async with self._client as client:
            while not self._leaves and client.model.status != "over":
                self._news.clear()
                if client.model.can_act:
                    await asyncio.sleep(self._chance.uniform(0, 2 * self._pause))  # thinks
                if client.model.can_act:
                    client.act(self._chance)
                over = client.model.table is not None and client.model.table.stage == "result"
                client.get_ready(not (over and self._last))
                await self._news.wait()
        _say(account_of(self._client))

    def _hear(self) -> None:
        """Read the orders that apply from now on."""
        heard = os.read(sys.stdin.fileno(), len(LAST) + 1)
        if not heard:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        self._last, self._leaves = True, not heard
        self._news.set()

    def _tell(self) -> None:
        self._news.set()
        _say(sight_of(self._client.model))


def _say(line: Discovery | Sight | Account) -> None:
    print(msgspec.json.encode(line).decode(), flush=True)


async def _be_guest(code: str, name: str, seed: str, pause: str) -> None:
    began = monotonic()
    address = await _find()
    guest = Guest(address, code, name, int(seed), float(pause))
    _say(Discovery(str(address), monotonic() - began))
    await guest.play()


async def _find() -> Address:
    """Return the address of the first table found on the network."""
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def look(tables: tuple[FoundTable, ...]) -> None:
        if tables and not first.done():
            first.set_result(tables[0].address)

    looking = asyncio.create_task(find(look))
    try:
        return parse_address(await first)
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


def main() -> None:
    asyncio.run(_be_guest(*sys.argv[1:]))


if __name__ == "__main__":
    main()
