"""What a table has to remember of each key: its answers and its rate of requests."""

from collections import deque
from collections.abc import Collection
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.records.entries import Record
from protocol import (
    Accepted,
    Answer,
    Bye,
    Chat,
    GetRecord,
    GetView,
    Hello,
    Refused,
    Rename,
    Request,
    Submit,
    Sync,
    Undo,
)

from .checks import hold

KEPT: Final = 64
"""The number of answers per key that a host must keep."""
PASSING: Final = ("say_hello", "too_fast", "removed", "id_reused")
"""Refusals that are not the outcome of a request."""


_Answers: TypeAlias = dict[str, dict[bytes, tuple[Request, Answer | str]]]
"""By key and id, the request and its answer; only its kind if a killed host never sent it."""


class Memory:
    """The answers that a table has to remember, and the intents that must be on record."""

    def __init__(self) -> None:
        self._kept: _Answers = {}
        self._perhaps: _Answers = {}
        """Answers that a table may have forgotten."""
        self._acknowledged: list[tuple[int, str, Submit, Accepted]] = []
        """With the number of the record."""

    def keep(self, key: str, request: Request, answer: Answer, record: int) -> None:
        """Remember the first answer to a request that would change something."""
        if isinstance(request, Sync | GetView | GetRecord | Hello | Bye):
            return
        if isinstance(answer, Refused) and answer.refusal.code in PASSING:
            return
        mine = self._kept.setdefault(key, {})
        mine[request.id] = (request, answer)
        if len(mine) > KEPT:
            self._doubt(key, next(iter(mine)))
        if isinstance(request, Submit) and isinstance(answer, Accepted):
            self._acknowledged.append((record, key, request, answer))

    def repeated(self, key: str, request: Request) -> tuple[Answer | str | None, bool]:
        """Return the answer to a repeat, None for a first request, and whether that is certain.

        A text is the code of a refusal.
        """
        for answers, certain in ((self._kept, True), (self._perhaps, False)):
            found = answers.get(key, {}).get(request.id)
            if found is not None:
                return (found[1] if found[0] == request else "id_reused"), certain
        return None, True

    def forget_strangers(self, there: Collection[str]) -> None:
        """Note that the table need not remember the answers to people who have gone."""
        for key in [key for key in self._kept if key not in there]:
            for id_ in [*self._kept[key]]:
                self._doubt(key, id_)

    def restart(self, record: Record | None, epoch: bytes) -> None:
        """Keep what survives a kill: accepted intents of the game on record."""
        self._perhaps.clear()
        before, self._kept = self._kept, {}
        for move in record.moves if record else ():
            if not (record and move.key and move.id):
                continue
            asked = Submit(move.id, record.head.game, move.rev - 1, move.intent)
            _, answer = before.get(move.key, {}).get(move.id, (asked, "accepted"))
            if isinstance(answer, Accepted):
                answer = replace(answer, epoch=epoch)
            self._kept.setdefault(move.key, {})[move.id] = (asked, answer)
            if len(self._kept[move.key]) > KEPT:
                self._doubt(move.key, next(iter(self._kept[move.key])))

    def check_records(self, records: list[Record]) -> None:
        """Check that each accepted intent is on record, once."""
        found = []
        for record in records:
            moves = [move for move in record.moves if move.id]
            game = record.head.game
            found.append({(one.key, one.id): (game, one.rev, one.intent) for one in moves})
            hold("no intent is applied twice", len(found[-1]) == len(moves))
        for number, key, asked, answer in self._acknowledged:
            kept = found[number].get((key, asked.id)) if number < len(found) else None
            right = (asked.game, answer.rev, asked.intent)
            hold("what was acknowledged is on record", kept == right, asked=asked, found=kept)

    def _doubt(self, key: str, id_: bytes) -> None:
        self._perhaps.setdefault(key, {})[id_] = self._kept[key].pop(id_)


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
