"""Who is at the table: the seats and those who look on."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from protocol import BOT_NAME_CHARACTERS, Seat, SeatView, clean_name, clean_speaker, clip

from .limits import STAND_IN


class Person(Struct, eq=False):
    """Somebody with a key, seated or looking on."""

    key: str
    name: str
    seen: float
    """When the latest request came."""
    ready: bool = False
    away: bool = False
    left: bool = False
    """Said bye, or was given up, where the seat had to stay: only a hello brings them back."""


class SeatedBot(Struct, frozen=True):
    """A bot on a seat."""

    kind: str
    name: str


Occupant: TypeAlias = Person | SeatedBot | None
"""What is on a seat; None for an open one."""


def bot_label(kind: str) -> str:
    """Return how people read a kind of bot: the class where it is `path/to/file.py:Class`."""
    return clip(kind.rpartition(":")[2], BOT_NAME_CHARACTERS)


class People:
    """The places of a table and its spectators."""

    def __init__(self, seats: int) -> None:
        self.places: list[Occupant] = [None] * seats
        self.spectators: dict[str, Person] = {}
        self.guests: dict[str, None] = {}
        """The keys of those who are or were here, oldest first."""
        self.removed: dict[str, None] = {}
        """The keys that the owner sent away, oldest first."""

    def seated(self) -> Iterator[tuple[Seat, Person]]:
        """Yield the persons who have a seat, with it."""
        for seat, place in enumerate(self.places):
            if isinstance(place, Person):
                yield seat, place

    def everybody(self) -> Iterator[Person]:
        """Yield all persons, those on seats first."""
        for _, person in self.seated():
            yield person
        yield from self.spectators.values()

    def find(self, key: str) -> Person | None:
        """Return the person with `key`."""
        return next((person for person in self.everybody() if person.key == key), None)

    def seat_of(self, key: str) -> Seat | None:
        """Return the seat of the person with `key`."""
        return next((seat for seat, person in self.seated() if person.key == key), None)

    def names(self, but: Person | None = None) -> list[str]:
        """Return all names at the table, bots' too, without that of `but`."""
        bots = [place.name for place in self.places if isinstance(place, SeatedBot)]
        return bots + [person.name for person in self.everybody() if person is not but]

    def open_seat(self) -> Seat | None:
        """Return the first open seat."""
        return next((seat for seat, place in enumerate(self.places) if place is None), None)

    def staying(self) -> list[Person | SeatedBot]:
        """Return, in seat order, who would play the next game."""
        return [
            place
            for place in self.places
            if place is not None and not (isinstance(place, Person) and place.left)
        ]

    def name_at(self, seat: Seat) -> str:
        """Return the name of who is on a seat; empty where it is open."""
        place = self.places[seat]
        return "" if place is None else place.name

    def take_seat(self, seat: Seat, one: Person | SeatedBot) -> None:
        """Put somebody on a seat, whoever sat there; who looked on does so no more."""
        self.places[seat] = one
        if isinstance(one, Person):
            self.spectators.pop(one.key, None)

    def look_on(self, person: Person) -> None:
        """Put somebody among the spectators, and open the seat that they had."""
        self.take_out(person)
        person.ready = False
        self.spectators[person.key] = person

    def take_out(self, one: Person | SeatedBot) -> None:
        """Open somebody's seat, or have them look on no more."""
        self.places = [None if place is one else place for place in self.places]
        if isinstance(one, Person):
            self.spectators.pop(one.key, None)

    def seat_players(self, players: Sequence[Person | SeatedBot]) -> None:
        """Leave no seats but those of the players, in this order."""
        self.places = [*players]

    def open_up(self, seats: int) -> None:
        """Add open seats until there are `seats` again; nobody is ready for what comes next."""
        self.places += [None] * (seats - len(self.places))
        for _, person in self.seated():
            person.ready = False

    def free_left(self) -> None:
        """Open the seats of those who left."""
        stay = self.staying()
        self.places = [place if place in stay else None for place in self.places]

    def not_ready(self, owner: str) -> list[str]:
        """Return the names of those who stay and are not ready; the owner always is."""
        return [
            person.name
            for _, person in self.seated()
            if not person.left and not person.ready and person.key != owner
        ]


def seat_view(place: Occupant, playing: bool, owner: str, timed_out: bool) -> SeatView:
    """Return a seat as everybody sees it.

    Args:
        place: who sits there.
        playing: in a game, or between two.
        owner: the key of the table's owner.
        timed_out: whether the time of a turn of that seat is up.
    """
    if place is None:
        return SeatView("open")
    if isinstance(place, SeatedBot):
        return SeatView("bot", place.name, bot_label(place.kind), ready=True)
    ready = not playing and not place.left and (place.ready or place.key == owner)
    bot = STAND_IN if playing and (place.away or timed_out) else ""
    return SeatView("person", place.name, bot, ready=ready, away=place.away)


def is_taken(name: str, taken: Collection[str]) -> bool:
    """Tell whether somebody has `name`, in whatever case."""
    return name.casefold() in {other.casefold() for other in taken}


def unique_name(wanted: str, taken: Collection[str]) -> str:
    """Return `wanted`, a cleaned name, with a number behind it where it is taken: `Ann 2`."""
    return _numbered(wanted, taken, 2) if is_taken(wanted, taken) else wanted


def bot_name(kind: str, taken: Collection[str]) -> str:
    """Return a name for a bot: its kind and a number, `greedy 1`."""
    return _numbered(clean_speaker(kind) or "bot", taken, 1)


def _numbered(base: str, taken: Collection[str], number: int) -> str:
    while is_taken(name := _within_width(base, f" {number}"), taken):
        number += 1
    return name


def _within_width(base: str, suffix: str) -> str:
    """Return both together, `base` cut until they fit: `clean_name` knows how wide text is."""
    while base and clean_name(base + suffix) != base + suffix:
        base = base[:-1].rstrip()
    return (base + suffix).strip()
