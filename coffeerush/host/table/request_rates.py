"""The rate limit of each key: requests, chat and other news, and undo without end."""

from typing import Final

from coffeerush.rates import TokenBucket
from protocol import Bye, Chat, Hello, RefusedError, Rename, Request, Submit, Undo

from .limits import NEWS_PRICE, REQUESTS_A_SECOND, REQUESTS_AT_ONCE, UNDOS_A_TURN

TALK: Final = (Bye, Chat, Hello, Rename)
"""Requests that tell everybody something, as often as they are repeated."""


def surcharge(request: Request, turn_undos: int) -> int:
    """Return the tokens that a request takes beside the one that each does.

    Args:
        request: by somebody who is at the table.
        turn_undos: how many the turn has seen.
    """
    undoes = isinstance(request, Submit) and isinstance(request.intent, Undo)
    return REQUESTS_A_SECOND - 1 if undoes and turn_undos >= UNDOS_A_TURN else 0


class Buckets:
    """A token bucket for each key; full ones are not kept."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, key: str, now: float, price: int = 1) -> None:
        """Pay for a request; raises `too_fast`."""
        new = TokenBucket(REQUESTS_A_SECOND, REQUESTS_AT_ONCE, now)
        bucket = self._buckets.setdefault(key, new)
        if bucket.left(now) < price:
            raise RefusedError(
                "too_fast",
                f"At most {REQUESTS_A_SECOND} requests a second are answered; slow down.",
                most=REQUESTS_A_SECOND,
            )
        bucket.spend(now, price)

    def owe(self, key: str, now: float) -> None:
        """Note that a request told everybody something; who owes waits until that is paid."""
        self._buckets[key].spend(now, NEWS_PRICE - 1)

    def give_back(self, key: str, now: float) -> None:
        """Take no payment after all: the request moved the game on."""
        self._buckets[key].spend(now, -1)

    def prune(self, now: float) -> None:
        """Forget the buckets that have filled up again."""
        for key in [k for k, one in self._buckets.items() if one.left(now) >= REQUESTS_AT_ONCE]:
            del self._buckets[key]
