"""Start the host for tables that a person takes over, and let it begin once they are its own."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from coffeerush.errors import CoffeeRushError
from protocol import NO_ID, Destination, Listening, Standby, TakeOver

from .model import Model, Wish


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

    def begin(self) -> None:
        """Let it begin: the tables are its own."""

    def stop(self) -> None:
        """End it: the tables stay where they are."""


class Successions:
    """Follows what a client does in a handover, and has its host started, begun or ended.

    Args:
        understudy: None if this person cannot host.
        wish: sends requests to the old host.
    """

    def __init__(self, understudy: Understudy | None, wish: Callable[[Wish], None]) -> None:
        self._understudy = understudy
        self._wish = wish
        self._preparing: asyncio.Task[None] | None = None
        self.trouble: CoffeeRushError | None = None
        """Why the host could not be started, the last time."""

    async def offer(self) -> Standby | None:
        """Return how this person could host the table; None if they could not."""
        return await asyncio.to_thread(self._understudy.offer) if self._understudy else None

    def follow(self, model: Model) -> None:
        """Start the host once all of the tables are there; end it if they stay where they are."""
        found = model.handover.inherits if model.handover else None
        if self._understudy is None or model.moved:
            return
        if found is None and self._preparing is not None:
            self._preparing.cancel()
            self._preparing = None
            self._understudy.stop()
        if found and found.is_whole and self._preparing is None and model.status != "over":
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
        """End a host that has not begun."""
        if self._understudy and self._preparing:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)
            self._understudy.stop()
