"""Start the host for tables that a person takes over, and let it begin once they are its own."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.hosts import Address
from coffeerush.moving.fencing import next_term
from protocol import NO_ID, CurveKey, Destination, Listening, Moved, Standby, TakeOver

from . import keeping
from .model import Model, Wish

RIVAL_SECONDS: Final = 5.0


class Understudy(Protocol):
    """Starts a host on this machine; `offer` and `prepare` take a while, the others do not."""

    def offer(self) -> Standby | None:
        """Return how this machine could host; None if it could not."""

    def prepare(self, tables: bytes, owner: str, name: str) -> Listening:
        """Start a host that waits to begin; raises `CoffeeRushError`.

        Args:
            tables: all that it has to know of them.
            owner: the key with which the person is at the table, which they will own.
            name: what they are called there.
        """

    def go_on(self, table: bytes, owner: str, name: str) -> Address:
        """Start a host that waits for others who have lost this one; raises `CoffeeRushError`.

        Args:
            table: what there is of it, as `Failover`.
            owner: as above.
            name: as above.

        Returns:
            Its door.
        """

    def begin(self) -> None:
        """Let it begin: the tables are its own."""

    def withdraw(self) -> bool:
        """End it unless it has the tables; return whether it has ended. Takes a while."""

    def stop(self) -> None:
        """End it: the tables stay where they are."""


class Successions:
    """Follows what a client does in a handover or a failover, and has its host started or ended.

    The host on this machine is in one of these states:

    - preparing: it has another host's tables, and waits for the word that they have moved;
      `succeed` lets it begin, `follow` ends it if they stay;
    - giving up: the other host has fallen silent before that, so it ends: its port is needed;
    - going on: the other host is gone, and it waits for those who have shares, at `_own` once it
      listens; `_settle` lets it begin when it shows the table;
    - withdrawing: another standby goes on, or the other host is back, so it ends, unless it has the
      table by then.

    A task that is cancelled leaves a thread behind that still starts a host; the understudy, which
    was told to stop, ends that as soon as it has started.

    Args:
        understudy: None if this person cannot host.
        wish: sends requests to the old host.
        move: takes the client to the host here, which has the table although the old one is back.
    """

    def __init__(
        self,
        understudy: Understudy | None,
        wish: Callable[[Wish], None],
        move: Callable[[Moved], None],
    ) -> None:
        self._understudy = understudy
        self._wish = wish
        self._move = move
        self._preparing: asyncio.Task[None] | None = None
        self._giving_up: asyncio.Task[None] | None = None
        self._going_on: asyncio.Task[None] | None = None
        self._withdrawing: asyncio.Task[bool] | None = None
        self._settling: asyncio.Task[None] | None = None
        self._own: Address | None = None
        """Where the host is that goes on without the other one, once it listens."""
        self.at: CurveKey = ""
        """The public key of the host whose door has let this client in last."""
        self.trouble: CoffeeRushError | None = None
        """Why the host could not be started, the last time."""

    async def offer(self) -> Standby | None:
        """Return how this person could host the table; None if they could not."""
        return await asyncio.to_thread(self._understudy.offer) if self._understudy else None

    @property
    def goes_on(self) -> bool:
        """Whether a host was started to go on without the other one."""
        return self._going_on is not None

    def places(self, model: Model) -> list[tuple[Address, CurveKey]]:
        """Return the doors of standbys, and the keys that their hosts have, in order."""
        if self._own and model.standby:
            return [(self._own, model.standby.key)]
        return _doors(model)

    def rivals(self, model: Model, since: float) -> list[tuple[Address, CurveKey]]:
        """Return the doors of standbys for which the one here gives way while it waits for others.

        Of two that wait, the later in the order gives way at once; the earlier does so after
        `RIVAL_SECONDS`, as the other one has the table by then.
        """
        if self._own is None or model.standby is None:
            return []
        doors, own = _doors(model), model.standby.key
        keys = [key for _door, key in doors]
        if own in keys and asyncio.get_running_loop().time() < since + RIVAL_SECONDS:
            doors = doors[: keys.index(own)]
        return [door for door in doors if door[1] != own]

    async def gives_way(self, model: Model, standby: CurveKey) -> bool:
        """End the host that waits for others here, for a client that turns to a standby.

        Return whether nobody waits here any more, or that standby is this one. Else the host here
        has the table, and what is lent to another one would open the record a second time.
        """
        is_own = model.standby is not None and model.standby.key == standby
        if self._understudy is None or self._own is None or is_own:
            return True
        if self._withdrawing is None:
            self._withdrawing = asyncio.create_task(self._withdraw(self._understudy))
        return await asyncio.shield(self._withdrawing)  # its end cuts the one who waits for it

    async def _withdraw(self, understudy: Understudy) -> bool:
        has_ended = await asyncio.to_thread(understudy.withdraw)
        if has_ended:
            self._own = self._going_on = None
        self._withdrawing = None
        return has_ended

    def go_on(self, model: Model, on_ready: Callable[[], None]) -> None:
        """Start a host here that waits for others who have lost theirs."""
        if self._understudy and self._going_on is None:
            self._going_on = asyncio.create_task(self._start(self._understudy, model, on_ready))

    async def _start(
        self, understudy: Understudy, model: Model, on_ready: Callable[[], None]
    ) -> None:
        table = keeping.failover_of(model).encode()
        if self._giving_up:
            await asyncio.gather(self._giving_up, return_exceptions=True)
        try:
            self._own = await asyncio.to_thread(understudy.go_on, table, model.key, model.name)
        except CoffeeRushError as error:
            self.trouble, self._going_on = error, None
        on_ready()

    def give_up_handover(self) -> None:
        """End a host that waits for the tables of another one, which is silent: it has the port."""
        if self._understudy and self._preparing:
            ending = self._end_prepared(self._understudy, self._preparing)
            self._giving_up, self._preparing = asyncio.create_task(ending), None

    async def _end_prepared(self, understudy: Understudy, preparing: "asyncio.Task[None]") -> None:
        await asyncio.gather(preparing, return_exceptions=True)
        await asyncio.to_thread(understudy.stop)

    def _settle(self, model: Model) -> None:
        """Let the host that goes on begin once it has the table; end it if the other is back."""
        if self._own is None or self._understudy is None or model.status != "here":
            return
        if model.standby and self.at == model.standby.key:
            self._own = self._going_on = None
            self._understudy.begin()
        elif self._settling is None:
            self._settling = asyncio.create_task(self._give_back(self._understudy, model))

    async def _give_back(self, understudy: Understudy, model: Model) -> None:
        """Leave the table to the old host, unless others already play at the one here."""
        has_ended, own = await self.gives_way(model, self.at), self._own
        self._settling = None
        if has_ended or own is None or model.table is None or model.standby is None:
            return
        term, key = next_term(model.table.term, model.seat), model.standby.key
        self._own = self._going_on = None
        self._move(Moved(Destination(term, model.name, key, (own.host,), own.port)))
        understudy.begin()

    def follow(self, model: Model) -> None:
        """Start the host once all of the tables are there; end it if they stay where they are."""
        self._settle(model)
        found = model.handover.inherits if model.handover else None
        if self._understudy is None or model.moved:
            return
        if found is None:
            self._giving_up = None
            if self._preparing is not None:
                self._preparing.cancel()
                self._preparing = None
                self._understudy.stop()
        is_new = self._preparing is None and self._giving_up is None
        if found and found.is_whole and is_new and model.status != "over":
            started = self._prepare(self._understudy, found.data, model.key, model.name)
            self._preparing = asyncio.create_task(started)

    async def _prepare(self, understudy: Understudy, data: bytes, owner: str, name: str) -> None:
        try:
            listening = await asyncio.to_thread(understudy.prepare, data, owner, name)
        except CoffeeRushError as error:
            self.trouble = error
            self._wish(TakeOver(NO_ID, False))
        else:
            self._wish(listening)

    def succeed(self, model: Model, to: Destination) -> None:
        """Let the host begin if it is the one to which the tables have gone."""
        is_ours = model.standby is not None and model.standby.key == to.key
        if self._understudy and self._preparing and is_ours:
            self._understudy.begin()
            self._preparing = None

    async def close(self) -> None:
        """End a host that has not begun, unless others already play there."""
        for ending in (self._giving_up, self._settling, self._withdrawing):
            if ending:
                await asyncio.gather(ending, return_exceptions=True)
        if self._understudy and self._going_on:
            await asyncio.gather(self._going_on, return_exceptions=True)
            if not await self._withdraw(self._understudy):
                self._understudy.begin()
        if self._understudy and self._preparing:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)
            self._understudy.stop()


def _doors(model: Model) -> list[tuple[Address, CurveKey]]:
    return [
        (Address(successor.address, successor.port), successor.key)
        for successor in model.successors
        if successor.key not in model.distrusted
    ]
