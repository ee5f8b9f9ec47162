"""Rate limit of each key: requests, broadcasts such as chat, parts of records, excessive undo."""

from typing import Final

from coffeerush.rates import TokenBucket
from protocol import (
    Bye,
    Chat,
    GetRecord,
    Hello,
    Ready,
    RefusedError,
    Rename,
    Request,
    Submit,
    TableRequest,
    Undo,
    WireError,
)

from .limits import BROADCAST_COST, PART_COST, REQUESTS_A_SECOND, REQUESTS_BURST, UNDOS_A_TURN

_TALK: Final = Bye | Chat | Hello | Rename | TableRequest


def is_talk(request: Request | WireError) -> bool:
    """Return whether a request may broadcast something each time that it is repeated.

    Getting ready moves a table on, so that it is free of that; taking it back is not.
    """
    return isinstance(request, _TALK) or (isinstance(request, Ready) and not request.ready)


def surcharge(request: Request, turn_undos: int) -> int:
    """Return the cost of a request beyond the usual token, after `turn_undos` in this turn."""
    if isinstance(request, GetRecord):
        return PART_COST - 1
    undoes = isinstance(request, Submit) and isinstance(request.intent, Undo)
    return REQUESTS_A_SECOND - 1 if undoes and turn_undos >= UNDOS_A_TURN else 0


class Buckets:
    """A token bucket per key; full ones are dropped."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, key: str, now: float, cost: int = 1) -> None:
        """Charge a request; raises `too_fast`."""
        new = TokenBucket(REQUESTS_A_SECOND, REQUESTS_BURST, now)
        bucket = self._buckets.setdefault(key, new)
        if bucket.left(now) < cost:
            raise RefusedError("too_fast", most=REQUESTS_A_SECOND)
        bucket.spend(now, cost)

    def charge_broadcast(self, key: str, now: float) -> None:
        """Charge a broadcast, even into debt: the key then waits until it is paid off."""
        self._buckets[key].spend(now, BROADCAST_COST - 1)

    def refund(self, key: str, now: float) -> None:
        """Refund a request that moved the game on."""
        self._buckets[key].spend(now, -1)

    def prune(self, now: float) -> None:
        """Drop buckets that are full again."""
        for key in [k for k, one in self._buckets.items() if one.left(now) >= REQUESTS_BURST]:
            del self._buckets[key]
