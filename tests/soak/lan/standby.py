"""A client process that may go on with a table whose host is gone, and reports as JSON lines.

Run as `python -m tests.soak.lan.standby ADDRESS CODE NAME SEED PUBLIC SECRET PAUSE KEPT`, with its
keys. It gets ready, plays whenever it can, and agrees to host. What it receives in each game is
kept in the folder `KEPT`. Each line of its input is an order; at the end of the input it leaves.
"""

import asyncio
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct

from coffeerush.client import handover
from coffeerush.client.connection import Way
from coffeerush.client.model import GoOn, Model
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.hosts import parse_address
from coffeerush.local.files import records_directory
from coffeerush.local.keys import KeyPair
from coffeerush.ui.understudy import HostUnderstudy
from protocol import NO_ID, HandOver, StandUp, Start, TakeOver
from tests.soak.clients import Recorder
from tests.soak.lan.lan_guest import Account, Sight, account_of, sight_of

GO_ON: Final = "go_on"
"""The key with which a person goes on without the host."""
HAND_OVER: Final = "hand_over"
"""An owner asks the person whose name follows to host."""
GONE: Final = "gone"
"""The person whose name follows does not come back: their seat is to be freed after the game."""
REST: Final = "rest"
"""Play no more, until `PLAY`."""
PLAY: Final = "play"


class Standing(Struct, frozen=True, tag="standing"):
    """What a client sees now of where its table is."""

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
    moves: bool
    """Whether a handover is under way."""
    whole: bool
    """Whether it has the sealed record, and a share."""
    refused: str
    epoch: bytes


def standing(model: Model) -> Standing:
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
        bool(table and table.moving) or model.moved is not None,
        bool(deals and deals[-1].is_whole and not model.replica.lacks),
        model.refusal.text if model.refusal else "",
        model.epoch,
    )


class Player(Recorder):
    """A link that keeps what it receives, and reports every change."""

    def __init__(self, way: Way, name: str, kept: Path, **options: Any) -> None:
        super().__init__(way, name, "player", keeps=True, **options)
        self._kept = kept
        self.gone: set[str] = set()
        """Those who do not come back."""
        self._told: Standing | None = None
        self.on_change = self._tell

    def _tell(self, model: Model) -> None:
        _say(sight_of(model))
        if (now := standing(model)) != self._told:
            self._told = now
            _say(now)

    def _publication(self, frame: bytes) -> None:
        self._keep(frame)
        super()._publication(frame)

    def _answer(self, body: bytes) -> None:
        inherits = self.model.handover and self.model.handover.inherits
        if inherits is None:  # a host gives its successor everything
            self._keep(body)
        super()._answer(body)

    def _keep(self, received: bytes) -> None:
        with (self._kept / f"game-{self.model.game}").open("ab") as file:
            file.write(received + b"\xc1")


def _say(line: Standing | Sight | Account) -> None:
    print(msgspec.json.encode(line).decode(), flush=True)


async def play(link: Player, chance: Random, pause: float) -> None:
    """Play until the end of the input."""
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    plays = True
    async with link:
        order = asyncio.create_task(orders.readline())
        while link.model.status != "over":
            if order.done():
                if not (words := order.result().decode().split()):
                    break
                plays = words[0] == PLAY or (plays and words[0] != REST)
                _obey(link, *words)
                order = asyncio.create_task(orders.readline())
            if handover.asks(link.model):
                link.wish(TakeOver(NO_ID, True))
            if plays and link.model.can_act:
                await asyncio.sleep(chance.uniform(0, 2 * pause))
                if link.model.can_act:
                    link.act(chance)
            elif plays:
                link.get_ready()
                _start(link)
            changed = asyncio.create_task(link.changed(link.model))
            await asyncio.wait((changed, order), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
        _say(account_of(link))


def _start(link: Player) -> None:
    """Start the game once all are ready, if that is for this client to do."""
    table = link.model.table
    asked = any(isinstance(one, Start | StandUp) for one in link.model.pending)
    if table is None or table.stage == "game" or not link.model.owner or asked:
        return
    if freed := [seat for seat, one in enumerate(table.seats) if one.name in link.gone]:
        link.wish(StandUp(NO_ID, freed[0]))
    elif sum(one.ready for one in table.seats) >= len(table.seats) - len(link.gone):
        link.wish(Start(NO_ID))


def _obey(link: Player, order: str, name: str = "") -> None:
    if order == GO_ON:
        link.wish(GoOn())
    elif order == HAND_OVER:
        link.wish(HandOver(NO_ID, name, False))
    elif order == GONE:
        link.gone.add(name)


def main() -> None:
    """Play as the arguments say."""
    address, code, name, seed, public, secret, pause, kept = sys.argv[1:]
    understudy = HostUnderstudy(records_directory(), lambda _process: None)
    keys = KeyPair(public.encode(), secret.encode())
    way = Way(parse_address(address), name, code, keys)
    link = Player(way, name, Path(kept), understudy=understudy)
    try:
        asyncio.run(play(link, Random(f"{seed} {name}"), float(pause)))
    except CoffeeRushError as error:
        print(error, file=sys.stderr)
    if understudy.process:
        understudy.process.leave()


if __name__ == "__main__":
    main()
