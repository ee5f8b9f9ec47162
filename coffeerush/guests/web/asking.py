"""Browsers that ask to come in, and the number that lets a visitor in. Sans-I/O.

Who at the table may let them in is decided there, in `host/table/requests.py`.

On plain HTTP, everybody who listens would hear the join code. A number, which only the host shows,
is for one visitor and one try: nobody else can use it. A request belongs to a ticket and outlives
its connection for a while: a phone that looks for the number in another app closes it.
"""

from collections import OrderedDict
from collections.abc import Callable
from itertools import cycle
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.client.model import Role
from coffeerush.guests.register import BrowserToken
from coffeerush.rates import SlidingWindow

DIGITS: Final = 6
WAITING: Final = 16
"""How many visitors may wait at a time; as many as may be at the table."""
WAITING_OF_SOURCE: Final = 4
REQUEST_SECONDS: Final = 300.0
"""The time to be let in, or to type the number."""
AWAY_SECONDS: Final = 90.0
"""How long a request outlives its connection."""
GIVEN: Final = 64
"""The most visitors let in lately whose token is kept for them, in case they never received it."""
TRIES: Final = 5
"""How often a source may be wrong or turned away in `TRIES_SECONDS`, as wrong codes at the door."""
ASKS: Final = 40
"""How often a source may ask in that time: each is news on the screens of the table."""
TRIES_SECONDS: Final = 600.0
MAX_SOURCES: Final = 1024
"""The most sources that are remembered; then nobody new may ask."""
GUESTS: Final = range(1, 1000)
"""The numbers by which the table tells those who ask apart, in turn."""


class Ticket(Struct, frozen=True):
    """Recognizes a browser that is not let in yet; it is not an identity at the table."""

    secret: str


class Waiting(Struct, eq=False):
    """The request of a visitor to be let in."""

    guest: int
    """The guest's number, which everybody may see."""
    name: str
    role: Role
    number: str
    """The number to type."""
    source: str
    until: float
    """When it is too late."""
    hear: Callable[[], None] | None
    """Called once there is news; None while the connection is broken."""
    away_since: float = 0.0
    allowed: bool | None = None
    """Whether they may come in; None until that is decided."""
    code: str = ""
    """The code that the table had when they were let in: they need not give that one."""

    @property
    def is_idle(self) -> bool:
        """Whether their connection is broken, and they are not let in."""
        return self.hear is None and not self.allowed


class _Source:
    """What came from one source."""

    def __init__(self) -> None:
        self.asked = SlidingWindow(TRIES_SECONDS)
        self.wrong = SlidingWindow(TRIES_SECONDS)


class Asking:
    """The visitors who ask to be let in, by their ticket.

    In all calls, `now` is in seconds of a monotonic clock.

    Args:
        chance: draws the numbers; unpredictable at a real table.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._waiting: dict[Ticket, Waiting] = {}
        self._given: OrderedDict[Ticket, tuple[float, BrowserToken]] = OrderedDict()
        self._sources: dict[str, _Source] = {}
        self._guests = cycle(GUESTS)

    @property
    def waiting(self) -> tuple[tuple[int, str, str], ...]:
        """The guest's number, the name and the number to type of everybody who waits, in order."""
        undecided = (waiting for waiting in self._waiting.values() if waiting.allowed is None)
        return tuple((waiting.guest, waiting.name, waiting.number) for waiting in undecided)

    def ask(
        self,
        ticket: Ticket,
        name: str,
        role: Role,
        source: str,
        now: float,
        hear: Callable[[], None],
    ) -> Waiting | None:
        """Make a request, instead of an earlier one of the ticket.

        Args:
            ticket: the visitor's.
            name: what the visitor wants to be called.
            role: as what they want to come in.
            source: where they come from.
            now: the time.
            hear: called once it is decided, or another connection has the ticket.

        Returns:
            The request; None if the source or the table has too many.
        """
        self.withdraw(ticket)
        self.expire(now)
        known = self._known(source, now)
        if known is None or known.asked.count(now) >= ASKS or known.wrong.count(now) >= TRIES:
            return None
        if not self._make_room(source, known, now):
            return None
        known.asked.add(now)
        taken = {waiting.guest for waiting in self._waiting.values()}
        guest = next(number for number in self._guests if number not in taken)
        until = now + REQUEST_SECONDS
        waiting = Waiting(guest, name, role, self._number(), source, until, hear)
        self._waiting[ticket] = waiting
        return waiting

    def _make_room(self, source: str, known: _Source, now: float) -> bool:
        """Return whether one more may wait.

        A visitor who is away may lose their place for that, else one from the source that has asked
        most, if that is more often than this one.
        """
        for one_source, most in ((True, WAITING_OF_SOURCE), (False, WAITING)):
            among = {
                ticket: waiting
                for ticket, waiting in self._waiting.items()
                if waiting.source == source or not one_source
            }
            victim = next((ticket for ticket, waiting in among.items() if waiting.is_idle), None)
            if len(among) < most:
                continue
            if victim is not None:
                self.withdraw(victim)
            elif one_source or not self._turn_away(known, now):
                return False
        return True

    def _turn_away(self, known: _Source, now: float) -> bool:
        """Turn a visitor away from the source that has asked most, if that is more than `known`."""
        asks = {
            ticket: source.asked.count(now)
            for ticket, waiting in self._waiting.items()
            if waiting.allowed is None and (source := self._sources.get(waiting.source))
        }
        ticket = max(asks, key=asks.__getitem__, default=None)  # of equal ones, the first
        if ticket is None or asks[ticket] <= known.asked.count(now):
            return False
        waiting = self._waiting[ticket]
        waiting.allowed = False
        if waiting.hear:
            waiting.hear()
        self.withdraw(ticket)
        return True

    def _number(self) -> str:
        return "".join(self._chance.choices("0123456789", k=DIGITS))

    def resume(self, ticket: Ticket, now: float, hear: Callable[[], None]) -> Waiting | None:
        """Return the request of a visitor who is back; an older connection loses it."""
        self.expire(now)
        waiting = self._waiting.get(ticket)
        if waiting is not None:
            before, waiting.hear = waiting.hear, hear
            if before:
                before()
        return waiting

    def leave(self, ticket: Ticket, now: float, hear: Callable[[], None]) -> bool:
        """Note that a connection has ended; return whether its request waits for the visitor.

        It does not if another connection has the ticket by now.
        """
        waiting = self._waiting.get(ticket)
        if waiting is None or waiting.hear != hear:
            return False
        waiting.hear, waiting.away_since = None, now
        return True

    def expire(self, now: float) -> None:
        """Forget the requests of those who are away for too long, or have waited for too long."""
        for ticket, waiting in [*self._waiting.items()]:
            is_away = waiting.hear is None and now >= waiting.away_since + AWAY_SECONDS
            if is_away or now >= waiting.until:
                self.withdraw(ticket)

    def enter(self, ticket: Ticket, number: str, now: float, code: str) -> bool:
        """Let a visitor in who typed the right number; a wrong one ends the request.

        Args:
            ticket: the visitor's.
            number: that was typed.
            now: the time.
            code: the table's, which they need not give.
        """
        waiting = self._waiting.get(ticket)
        known = self._known(waiting.source, now) if waiting else None
        if waiting is None or known is None:
            return False
        if known.wrong.count(now) < TRIES:
            if "".join(number.split()) == waiting.number:
                waiting.allowed, waiting.code = True, code
                return True
            known.wrong.add(now)
        self.withdraw(ticket)
        return False

    def answer(self, guest: int, allowed: bool, now: float, code: str) -> None:
        """Let a guest in who still waits, or turn them away, which counts as a wrong number."""
        self.expire(now)
        for waiting in self._waiting.values():
            if waiting.guest == guest and waiting.allowed is None:
                waiting.allowed, waiting.code = allowed, code
                if not allowed and (known := self._known(waiting.source, now)):
                    known.wrong.add(now)
                if waiting.hear:
                    waiting.hear()

    def renew_numbers(self) -> None:
        """Draw other numbers: a person who was kicked may have seen the old ones."""
        for waiting in self._waiting.values():
            waiting.number = self._number()

    def withdraw(self, ticket: Ticket) -> None:
        """Forget a request."""
        self._waiting.pop(ticket, None)

    def give(self, ticket: Ticket, token: BrowserToken, now: float) -> None:
        """End the request of a visitor who is let in, and note their token."""
        self.withdraw(ticket)
        self._given[ticket] = (now, token)
        while len(self._given) > GIVEN:
            self._given.popitem(last=False)

    def given(self, ticket: Ticket, now: float) -> BrowserToken | None:
        """Return the token of a visitor who was let in lately and may not have received it."""
        at, token = self._given.get(ticket, (now, None))
        return token if now < at + REQUEST_SECONDS else None

    def _known(self, source: str, now: float) -> _Source | None:
        """Return the record of a source's requests; None if there are too many to remember it."""
        if len(self._sources) >= MAX_SOURCES:
            self._sources = {
                name: known
                for name, known in self._sources.items()
                if known.asked.count(now) or known.wrong.count(now)
            }
        if len(self._sources) >= MAX_SOURCES and source not in self._sources:
            return None
        return self._sources.setdefault(source, _Source())
