"""Letting browsers in: each visitor types a number that only the host shows. Sans-I/O.

On plain HTTP, everybody who listens would hear the join code. A number is for one visitor and one
try: nobody else can use it.
"""

from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.rates import SlidingWindow

DIGITS: Final = 6
WAITING: Final = 16
"""How many visitors may wait at a time; as many as may be at the table."""
WAITING_OF_SOURCE: Final = 4
TRIES: Final = 5
"""The wrong numbers allowed per source in `TRIES_SECONDS`, as wrong codes at the door."""
TRIES_SECONDS: Final = 600.0
MAX_SOURCES: Final = 1024
"""The most sources with wrong tries that are remembered; then nobody new may ask."""


class Waiting(Struct, frozen=True):
    """A visitor who asks to be let in."""

    name: str
    number: str
    source: str


class Asking:
    """The visitors who ask to be let in, by their connection.

    Args:
        chance: draws the numbers; unpredictable at a real table.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._waiting: dict[int, Waiting] = {}
        self._wrong: dict[str, SlidingWindow] = {}

    @property
    def waiting(self) -> tuple[tuple[str, str], ...]:
        """The name and number of everybody who waits, the first one first."""
        return tuple((one.name, one.number) for one in self._waiting.values())

    def ask(self, visitor: int, name: str, source: str, now: float) -> bool:
        """Draw a number for a visitor; return False if the source or the table has too many."""
        self.withdraw(visitor)
        same = sum(one.source == source for one in self._waiting.values())
        if same >= WAITING_OF_SOURCE or len(self._waiting) >= WAITING or self._spent(source, now):
            return False
        number = "".join(self._chance.choices("0123456789", k=DIGITS))
        self._waiting[visitor] = Waiting(name, number, source)
        return True

    def enter(self, visitor: int, number: str, now: float) -> str:
        """Return the name of a visitor who typed the right number; "" ends the asking otherwise."""
        one = self._waiting.pop(visitor, None)
        if one is None or self._spent(one.source, now):
            return ""
        if "".join(number.split()) == one.number:
            return one.name
        self._wrong.setdefault(one.source, SlidingWindow(TRIES_SECONDS)).add(now)
        return ""

    def withdraw(self, visitor: int) -> None:
        """Forget a visitor who has gone."""
        self._waiting.pop(visitor, None)

    def _spent(self, source: str, now: float) -> bool:
        """Tell whether a source has no tries left, or nobody's can be remembered."""
        self._wrong = {name: one for name, one in self._wrong.items() if one.count(now)}
        if source not in self._wrong:
            return len(self._wrong) >= MAX_SOURCES
        return self._wrong[source].count(now) >= TRIES
