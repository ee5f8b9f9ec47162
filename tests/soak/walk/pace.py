"""The request rate of each key: slow ones must never be refused as too fast."""

from collections import deque
from typing import Final

from protocol import Bye, Chat, GetRecord, Hello, Rename, Request, Submit, Undo

_SPAN: Final = 6.0
_MOST_FREE: Final = 20
"""A key that spends no more than this in the window is never too fast."""
_NEWS_PRICE: Final = 10
_UNDO_PRICE: Final = 21
_PART_PRICE: Final = 4


class Pace:
    """The requests of each key in the window."""

    def __init__(self) -> None:
        self._spent: dict[str, deque[tuple[float, int]]] = {}

    def may_be_too_fast(self, key: str, now: float) -> bool:
        """Return whether a key has sent so much that it may be refused as too fast."""
        spent = self._spent.setdefault(key, deque())
        while spent and spent[0][0] < now - _SPAN:
            spent.popleft()
        return sum(price for _, price in spent) > _MOST_FREE

    def pay(self, key: str, now: float, request: Request) -> None:
        """Note a request, at its highest possible cost."""
        undoes = isinstance(request, Submit) and isinstance(request.intent, Undo)
        tells = isinstance(request, Hello | Bye | Rename | Chat)
        price = _UNDO_PRICE if undoes else _NEWS_PRICE if tells else 1
        price = _PART_PRICE if isinstance(request, GetRecord) else price
        self._spent.setdefault(key, deque()).append((now, price))
