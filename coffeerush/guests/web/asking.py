"""Letting browsers in: somebody at the table does, or the visitor types a number. Sans-I/O.

On plain HTTP, everybody who listens would hear the join code. A number, which only the host shows,
is for one visitor and one try: nobody else can use it.
"""

from collections.abc import Callable
from itertools import cycle
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.rates import SlidingWindow

DIGITS: Final = 6
WAITING: Final = 16
"""How many visitors may wait at a time; as many as may be at the table."""
WAITING_OF_SOURCE: Final = 4
TRIES: Final = 5
"""How often a source may be wrong or turned away in `TRIES_SECONDS`, as wrong codes at the door."""
ASKS: Final = 40
"""How often a source may ask in that time: each is news on the screens of the table."""
TRIES_SECONDS: Final = 600.0
MAX_SOURCES: Final = 1024
"""The most sources that are remembered; then nobody new may ask."""
GUESTS: Final = range(1, 1000)
"""The numbers by which the table tells those who ask apart, in turn."""


class Waiting(Struct, frozen=True):
    """A visitor who asks to be let in."""

    guest: int
    name: str
    number: str
    source: str
    decide: Callable[[bool], None]


class _Source:
    """What came from one source."""

    def __init__(self) -> None:
        self.asked = SlidingWindow(TRIES_SECONDS)
        self.wrong = SlidingWindow(TRIES_SECONDS)


class Asking:
    """The visitors who ask to be let in, by their connection.

    Args:
        chance: draws the numbers; unpredictable at a real table.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._waiting: dict[int, Waiting] = {}
        self._sources: dict[str, _Source] = {}
        self._guests = cycle(GUESTS)

    @property
    def waiting(self) -> tuple[tuple[int, str, str], ...]:
        """The guest's number, the name and the number to type of everybody who waits, in order."""
        return tuple((one.guest, one.name, one.number) for one in self._waiting.values())

    def ask(
        self, visitor: int, name: str, source: str, now: float, decide: Callable[[bool], None]
    ) -> int:
        """Draw a number for a visitor.

        Args:
            visitor: the connection.
            name: what the visitor wants to be called.
            source: where they come from.
            now: in seconds of a monotonic clock.
            decide: called once somebody at the table has let them in, or turned them away.

        Returns:
            The guest's number, which everybody may see; 0 if the source or the table has too many.
        """
        self.withdraw(visitor)
        same = sum(one.source == source for one in self._waiting.values())
        known = self._known(source, now)
        if same >= WAITING_OF_SOURCE or known is None:
            return 0
        if known.asked.count(now) >= ASKS or known.wrong.count(now) >= TRIES:
            return 0
        if len(self._waiting) >= WAITING and not self._make_room(known, now):
            return 0
        known.asked.add(now)
        taken = {one.guest for one in self._waiting.values()}
        guest = next(one for one in self._guests if one not in taken)
        number = "".join(self._chance.choices("0123456789", k=DIGITS))
        self._waiting[visitor] = Waiting(guest, name, number, source, decide)
        return guest

    def _make_room(self, known: _Source, now: float) -> bool:
        """Turn a visitor away from the source that has asked most, if that is more than `known`."""
        asks = {
            visitor: source.asked.count(now)
            for visitor, one in self._waiting.items()
            if (source := self._sources.get(one.source))
        }
        visitor = max(asks, key=asks.__getitem__)  # of equal ones, the one that came first
        if asks[visitor] <= known.asked.count(now):
            return False
        self._waiting.pop(visitor).decide(False)
        return True

    def enter(self, visitor: int, number: str, now: float) -> str:
        """Return the name of a visitor who typed the right number; "" ends the asking otherwise."""
        one = self._waiting.pop(visitor, None)
        known = self._known(one.source, now) if one else None
        if one is None or known is None or known.wrong.count(now) >= TRIES:
            return ""
        if "".join(number.split()) == one.number:
            return one.name
        known.wrong.add(now)
        return ""

    def answer(self, guest: int, allowed: bool, now: float) -> None:
        """Let a guest in who still waits, or turn them away, which counts as a wrong number."""
        for visitor, one in [*self._waiting.items()]:
            if one.guest == guest:
                self.withdraw(visitor)
                if not allowed and (known := self._known(one.source, now)):
                    known.wrong.add(now)
                one.decide(allowed)

    def withdraw(self, visitor: int) -> None:
        """Forget a visitor who has gone."""
        self._waiting.pop(visitor, None)

    def _known(self, source: str, now: float) -> _Source | None:
        """Return what came from a source; None if there are too many to remember it."""
        if len(self._sources) >= MAX_SOURCES:
            self._sources = {
                name: one
                for name, one in self._sources.items()
                if one.asked.count(now) or one.wrong.count(now)
            }
        if len(self._sources) >= MAX_SOURCES and source not in self._sources:
            return None
        return self._sources.setdefault(source, _Source())
