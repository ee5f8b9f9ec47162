"""The time of the gateway's loop, shared among guests.

All guests are drawn, and their keys handled, in one event loop, where one piece of work delays all
others. So a turn of the loop does one piece, and the guest who has used least comes first:
what others send meanwhile is heard before the next piece, and a key waits for one at most.
"""

import asyncio
from collections.abc import Callable
from time import thread_time
from typing import Final

from coffeerush.rates import TokenBucket

from .limits import GUEST_SHARE, SHARE_SECONDS, STRANGERS_SHARE

_AT_ONCE: Final = 0.001
"""A debt that is refilled within so many seconds is none; timers are no more exact."""


class Shares:
    """The shares of all guests, and the work that they have asked for."""

    def __init__(self) -> None:
        now = _now()
        self.strangers = TokenBucket(STRANGERS_SHARE, SHARE_SECONDS, now)
        """What those who have not given the code may use together."""
        self._asked: dict[Share, float] = {}
        """When the work of each is due at the earliest."""
        self._next: asyncio.Handle | None = None

    def share(self, work: Callable[[], None]) -> "Share":
        """Return the share of a guest, who has not given the code; `work` does a piece of work."""
        return Share(self, work)

    def ask(self, share: "Share", at: float) -> None:
        """Do a piece of a guest's work soon, but not before a time of the loop."""
        self._asked[share] = min(at, self._asked.get(share, at))
        self._plan()

    def _plan(self) -> None:
        """Plan the next turn."""
        if self._next:
            self._next.cancel()
            self._next = None
        if self._asked:
            loop, now = asyncio.get_running_loop(), _now()
            due = min(self._due(share, now) for share in self._asked)
            ready = due <= now
            self._next = loop.call_soon(self._turn) if ready else loop.call_at(due, self._turn)

    def _turn(self) -> None:
        """Do a piece of work for who is due and has the most left."""
        self._next, now = None, _now()
        due = [share for share in self._asked if self._due(share, now) <= now]
        if not due:
            self._plan()
            return
        share = max(due, key=lambda one: one.seconds.left(now))
        del self._asked[share]
        began = thread_time()
        try:
            share.work()
        finally:
            share.spend(thread_time() - began)
            self._plan()

    def _due(self, share: "Share", now: float) -> float:
        """Return the earliest time for a guest's work; a guest in debt has to wait."""
        wait = max(ration.wait(now) for ration in share.rations)
        return max(self._asked[share], now + wait if wait > _AT_ONCE else now)


class Share:
    """A guest's share of the loop's time.

    Args:
        shares: all of them.
        work: does a piece of work.
    """

    def __init__(self, shares: Shares, work: Callable[[], None]) -> None:
        self._shares = shares
        self.work = work
        self.seconds = TokenBucket(GUEST_SHARE, SHARE_SECONDS, _now())
        """The CPU time that is left."""
        self.is_in = False
        """Whether the guest has given the code."""

    @property
    def rations(self) -> list[TokenBucket]:
        """What the guest's work is paid from."""
        return [self.seconds] if self.is_in else [self.seconds, self._shares.strangers]

    def spend(self, seconds: float) -> None:
        """Pay for work, in seconds of CPU time."""
        for ration in self.rations:
            ration.spend(_now(), seconds)

    def ask(self, at: float = float("-inf")) -> None:
        """Do a piece of work soon, but not before a time of the loop."""
        self._shares.ask(self, at)


def _now() -> float:
    return asyncio.get_running_loop().time()
