"""What each key was answered, and how fast it may ask."""

from collections import OrderedDict
from collections.abc import Collection
from typing import Final

from coffeerush.rates import TokenBucket
from protocol import Answer, Bye, Chat, Hello, RefusedError, Rename, Request, Submit, Undo

from .config import NEWS_PRICE, OUTCOMES_KEPT, REQUESTS_A_SECOND, REQUESTS_AT_ONCE, UNDOS_A_TURN

TALK: Final = (Bye, Chat, Hello, Rename)
"""Requests that tell everybody something, as often as they are repeated."""


class Outcomes:
    """The latest answers of each key by request id, so that a repeat is answered, not applied."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[bytes, tuple[Request, Answer]]] = {}

    def find(self, key: str, request: Request) -> Answer | None:
        """Return the answer that this request got before, or None; raises `id_reused`."""
        answers = self._kept.get(key)
        if answers is None or request.id not in answers:
            return None
        earlier, answer = answers[request.id]
        if earlier != request:
            raise RefusedError(
                "id_reused", "This id belonged to another request; take a new one for each."
            )
        return answer

    def keep(self, key: str, request: Request, answer: Answer) -> None:
        """Remember an answer, and forget the oldest beyond `OUTCOMES_KEPT`."""
        answers = self._kept.setdefault(key, OrderedDict())
        answers[request.id] = (request, answer)
        if len(answers) > OUTCOMES_KEPT:
            answers.popitem(last=False)

    def keep_only(self, keys: Collection[str]) -> None:
        """Drop the answers of all who are not among `keys`."""
        for key in [key for key in self._kept if key not in keys]:
            del self._kept[key]


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
