"""The limits of what guests may use of the gateway, and whose connection it accepts; sans-I/O."""

from collections import Counter, deque
from collections.abc import Callable
from typing import Final

MAX_GUESTS: Final = 16
"""The guests at the table at the same time, players and spectators."""
GUESTS_PER_SOURCE: Final = 8
"""Those of one source, so that nobody with the code can take all places; of the gateway's own
machine, from which tunnels and proxies connect, any number."""
MAX_VISITORS: Final = 32
"""The connections of people who have not given the code yet."""
VISITORS_PER_SOURCE: Final = 8
"""Those of one source, an address or a /64 network."""
ENTRANCE_SECONDS: Final = 180.0
"""The time to give the code."""
GRACE_SECONDS: Final = 6.0
"""How long a guest whose connection broke stays at the table; then a bot stands in, and all see it.

As long as any other player may be silent."""
INPUTS_PER_SECOND: Final = 60.0
INPUTS_AT_ONCE: Final = 240
"""Keys and clicks of one guest; further ones are dropped. A held key repeats 30 times a second."""
GUEST_SHARE: Final = 0.05
"""The share of the gateway's loop that one guest's keys and frames may take for long."""
STRANGERS_SHARE: Final = 0.1
"""That of all together who have not given the code."""
SHARE_SECONDS: Final = 1.0
"""The CPU time that may be used at once; a guest in debt waits, and loses no key."""
PIECE_SECONDS: Final = 0.002
"""The CPU time of one guest's keys after which others get their turn."""
FRAME_SECONDS: Final = 0.02
"""The minimum time from one frame of a guest to the next."""
LARGEST: Final = (250, 100)
"""The largest screen drawn for a guest, in columns and rows."""
PASTE_CHARACTERS: Final = 1000


# Whose connection is accepted, and whose makes room


FAILED_SECONDS: Final = 600.0
"""How long it is remembered that a connection ended before its visitor came in."""
MAX_FAILED: Final = 4096
"""The most of them that are remembered."""

Cut = Callable[[], None]


class _Recent:
    """Counts what came from each source in the last `seconds`; forgets the oldest beyond `most`."""

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._most = most
        self._events: deque[tuple[float, str]] = deque()
        self._sources: Counter[str] = Counter()

    def add(self, now: float, source: str) -> None:
        """Count one more, and forget what is older."""
        self._events.append((now, source))
        self._sources[source] += 1
        self.forget(now)

    def forget(self, now: float) -> None:
        """Forget what is older."""
        while self._events and (
            now - self._events[0][0] >= self._seconds or len(self._events) > self._most
        ):
            _at, source = self._events.popleft()
            self._sources[source] -= 1
            if not self._sources[source]:
                del self._sources[source]

    def of(self, source: str) -> int:
        """Return how many of a source are counted, as of the latest call that forgot any."""
        return self._sources[source]

    def __len__(self) -> int:
        return len(self._events)


class Arrivals:
    """Limits new connections to a port, because each handshake takes time.

    The more connections a source has made, the smaller the part of the capacity that it may use, so
    a source that has made fewer than others is refused last.

    Args:
        seconds: the time in which connections are counted.
        most: those of one source.
        capacity: those of all sources, for a source that has made none; half of that for one that
            has made one, a third for one that has made two, and so on.
    """

    def __init__(self, seconds: float, most: int, capacity: int) -> None:
        self._most = most
        self._capacity = capacity
        self._recent = _Recent(seconds, capacity)

    def may_come(self, now: float, source: str) -> bool:
        """Return whether a source may make a connection; count it if so."""
        self._recent.forget(now)
        mine = self._recent.of(source)
        if mine >= self._most or len(self._recent) * (mine + 1) >= self._capacity:
            return False
        self._recent.add(now, source)
        return True


class Place:
    """The place of a connection among those of visitors."""

    def __init__(self, places: "Places", source: str, cut: Cut) -> None:
        self._places = places
        self._cut = cut
        self.source = source
        self.has_begun = False
        """Whether the handshake is over, and the visitor is asked for the code."""
        self.is_cut = False

    @property
    def is_taken(self) -> bool:
        """Whether the visitor is still a stranger."""
        return self in self._places

    def begin(self) -> None:
        """Note that the visitor is asked for the code."""
        self.has_begun = True

    def set_cut(self, cut: Cut) -> None:
        """Set what ends the connection from now on; call it at once if it was to end already."""
        self._cut = cut
        if self.is_cut:
            cut()

    def cut(self) -> None:
        """End the connection: somebody else gets the place."""
        self.is_cut = True
        self._cut()

    def give_back(self) -> None:
        """Give the place to others: the visitor has come in, or got what they wanted."""
        self._places.remove(self)

    def end(self, now: float) -> None:
        """Note that the connection has ended: in failure, unless the place was given back."""
        if self._places.remove(self):
            self._places.note_failure(now, self.source)


class Places:
    """The connections of visitors: people who have not given the code."""

    def __init__(self) -> None:
        self._taken: list[Place] = []
        """Oldest first."""
        self._failed = _Recent(FAILED_SECONDS, MAX_FAILED)

    def __len__(self) -> int:
        return len(self._taken)

    def __contains__(self, place: Place) -> bool:
        return place in self._taken

    def take(self, now: float, source: str, cut: Cut) -> Place | None:
        """Return a place for a connection that has just begun; None if there is none.

        If all are taken, the worst source makes room: with the most places and failures. Of its
        connections the newest is cut, if possible one whose handshake is not over.
        """
        self._failed.forget(now)
        held = Counter(each.source for each in self._taken)
        if held[source] >= VISITORS_PER_SOURCE:
            return None
        if len(self._taken) >= MAX_VISITORS:
            held[source] += 1
            victim = self._worst(held)
            worse = self._badness(held, source) > self._badness(held, victim.source)
            if victim.source == source or worse:
                return None
            victim.end(now)
            victim.cut()
        place = Place(self, source, cut)
        self._taken.append(place)
        return place

    def _badness(self, held: Counter[str], source: str) -> int:
        return held[source] + self._failed.of(source)

    def _worst(self, held: Counter[str]) -> Place:
        """Return the place to take away; `held` has the places of each source."""
        waiting = {each.source for each in self._taken if not each.has_begun}
        worst = max(  # of equal sources, the one that came first
            (each.source for each in self._taken),
            key=lambda source: (self._badness(held, source), source in waiting),
        )
        of_it = [each for each in reversed(self._taken) if each.source == worst]
        return max(of_it, key=lambda each: not each.has_begun)

    def remove(self, place: Place) -> bool:
        """Free a place; return whether it was taken."""
        if place not in self:
            return False
        self._taken.remove(place)
        return True

    def note_failure(self, now: float, source: str) -> None:
        """Note that a visitor from there did not come in."""
        self._failed.add(now, source)
