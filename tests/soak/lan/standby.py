"""A client process that may go on with a table whose host is gone, and reports as JSON lines.

Run as `python -m tests.soak.lan.standby ADDRESS CODE NAME SEED`. It gets ready and plays whenever
it can. A line `go_on` is the key with which its person goes on without the host.
"""

import asyncio
import sys
from random import Random
from typing import Final

import msgspec
from msgspec import Struct

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import GoOn, Model
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.hosts import parse_address
from coffeerush.local.files import records_directory
from coffeerush.ui.understudy import HostUnderstudy
from protocol import NO_ID, Ready

GO_ON: Final = b"go_on\n"
PAUSE: Final = 0.2
"""The longest time that it thinks about an intent, in seconds."""


class Standing(Struct, frozen=True):
    """What a client sees now."""

    status: str
    trouble: str
    may_go_on: bool
    turned_to: str
    term: int
    game: int
    rev: int
    stage: str
    seat: int | None
    owner: bool
    failover: bool
    standbys: tuple[str, ...]
    whole: bool
    """Whether it has the sealed record, and a share."""
    accepted: int
    """The latest rev of an intent of its own that was accepted."""
    refused: str
    epoch: bytes


def standing(model: Model, accepted: int) -> Standing:
    """Return what a client sees."""
    table, deals = model.table, model.replica.deals
    return Standing(
        model.status,
        str(model.trouble or ""),
        model.may_go_on,
        model.turned_to,
        table.term if table else 0,
        model.game,
        model.rev,
        table.stage if table else "",
        model.seat,
        model.owner,
        bool(table and table.failover),
        table.standbys if table else (),
        bool(deals and deals[-1].is_whole and not model.replica.lacks),
        accepted,
        model.refusal.text if model.refusal else "",
        model.epoch,
    )


def is_unready(model: Model) -> bool:
    """Return whether the table waits for this client to get ready."""
    if model.table is None or model.seat is None or model.table.stage == "game":
        return False
    return not model.table.seats[model.seat].ready and not model.pending


async def play(address: str, code: str, name: str, seed: int) -> None:
    """Play until the end of the input."""
    chance, orders = Random(f"{seed} {name}"), asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    understudy = HostUnderstudy(records_directory(), lambda _process: None)
    link = Link(Way(parse_address(address), name, code), name, understudy=understudy, keeps=True)
    waiting: int | None = None
    accepted, told, plays = 0, None, True
    async with link:
        order = asyncio.create_task(orders.readline())
        while link.model.status != "over":
            model = link.model
            if waiting and model.waiting is None:
                accepted = waiting if model.rev >= waiting else accepted
                waiting = None
            if (now := standing(model, accepted)) != told:
                print(msgspec.json.encode(now).decode(), flush=True)
                told = now
            if order.done():
                heard = order.result()
                if not heard:
                    break
                if heard == GO_ON:
                    link.wish(GoOn())
                plays = heard != b"rest\n"
                order = asyncio.create_task(orders.readline())
            own = model.view.own if model.view else None
            if plays and model.can_act and own:
                await asyncio.sleep(chance.uniform(0, PAUSE))
                if link.model.can_act and link.model.view and (own := link.model.view.own):
                    options = [one.intent for one in own.options]
                    waiting = link.model.rev + 1
                    link.wish(chance.choice(options))
            elif is_unready(model):
                link.wish(Ready(NO_ID, True))
            changed = asyncio.create_task(link.changed(link.model))
            await asyncio.wait((changed, order), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
    if understudy.process:
        understudy.process.leave()


def main() -> None:
    """Play as the arguments say."""
    address, code, name, seed = sys.argv[1:]
    try:
        asyncio.run(play(address, code, name, int(seed)))
    except CoffeeRushError as error:
        print(error, file=sys.stderr)


if __name__ == "__main__":
    main()
