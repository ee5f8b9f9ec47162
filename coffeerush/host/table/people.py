"""People at the table: seats, spectators, guests, removed keys, and unique names."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from coffeerush.levels import is_numbered, names_for
from protocol import (
    BOT_NAME_CHARACTERS,
    LETTERS,
    MAX_PLAYERS,
    Colour,
    Letter,
    Seat,
    SeatView,
    Standby,
    clean_speaker,
    clip,
    name_with_end,
)

from .config import STAND_IN


class Person(Struct, eq=False):
    """Somebody with a key, seated or a spectator."""

    key: str
    name: str
    seen: float
    """Time of the latest request."""
    ready: bool = False
    away: bool = False
    left: bool = False
    """Left or was given up while the seat had to be kept; only a hello brings them back."""
    replaced: bool = False
    """Whether a bot plays for them in a game until they are back."""
    letter: Letter | None = None
    colour: Colour | None = None
    games_in_a_row: int = 0
    """Games dealt to them since they sat down, or since the host was started."""
    standby: Standby | None = None
    """How their program could host the table."""
    address: str = ""
    """From which it is connected."""
    heard: bool = True
    """Whether they have asked anything; in a resumed game their seats are there before them."""
    keeps: bool = False
    """Whether it keeps the sealed record."""

    called: bool = False
    """Whether the hall has seated them, and they have not said hello since."""

    @property
    def here(self) -> bool:
        """Whether they are at the table, even if away."""
        return self.heard and not self.left


class Called(Struct, frozen=True):
    """Somebody whom the hall seats at another table."""

    key: str
    name: str
    """Unique at the table."""
    letter: Letter | None = None
    colour: Colour | None = None
    """What they have chosen."""


class SeatedBot(Struct, frozen=True):
    """A bot on a seat."""

    kind: str
    name: str


Occupant: TypeAlias = Person | SeatedBot | None
"""The occupant of a seat; None if it is open."""


def _bot_label(kind: str) -> str:
    """Return a kind of bot as shown to people: only the class of `path/to/file.py:Class`."""
    return clip(kind.rpartition(":")[2], BOT_NAME_CHARACTERS)


def described(player: Occupant) -> str:
    """Return a player's name for the log; a bot's with its kind, unless its name has it."""
    if player is None:
        return ""
    if isinstance(player, Person) or is_numbered(player.name, player.kind):
        return player.name
    return f"{player.name} ({_bot_label(player.kind)})"


class People:
    """The seats of a table and its spectators."""

    def __init__(self, seats: int) -> None:
        self.places: list[Occupant] = [None] * seats
        self.spectators: dict[str, Person] = {}
        self.queue: list[Person] = []
        """The spectators who want to play next, in the order in which they get seats."""
        self.guests: dict[str, None] = {}
        """The keys of everybody who is or was here, oldest first."""
        self.removed: dict[str, None] = {}
        """The keys that the owner kicked, oldest first."""

    def take_up(
        self, places: list[Occupant], spectators: Iterable[Person], queue: Iterable[str]
    ) -> None:
        """Seat everybody as at a table that another host hands over; `queue` has keys."""
        self.places = places
        self.spectators = {person.key: person for person in spectators}
        self.queue = [self.spectators[key] for key in queue]

    def seated(self) -> Iterator[tuple[Seat, Person]]:
        """Yield each seated person with their seat."""
        for seat, place in enumerate(self.places):
            if isinstance(place, Person):
                yield seat, place

    def everybody(self) -> Iterator[Person]:
        """Yield all people, seated ones first."""
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
        """Return all names at the table including bots', except that of `but`."""
        bots = [place.name for place in self.places if isinstance(place, SeatedBot)]
        return bots + [person.name for person in self.everybody() if person is not but]

    @property
    def vacant_seats(self) -> int:
        """How many seats are open, or were left by somebody for whom they were kept."""
        return len(self.places) - len(self.staying())

    def open_seat(self) -> Seat | None:
        """Return the first open seat; None if there is none."""
        return next((seat for seat, place in enumerate(self.places) if place is None), None)

    def vacant_seat(self) -> Seat | None:
        """Return the first seat that is open, or was left by somebody for whom it was kept."""
        stay = self.staying()
        return next((seat for seat, place in enumerate(self.places) if place not in stay), None)

    def staying(self) -> list[Person | SeatedBot]:
        """Return, in seat order, everybody who would play the next game."""
        return [
            place
            for place in self.places
            if place is not None and not (isinstance(place, Person) and place.left)
        ]

    def name_at(self, seat: Seat) -> str:
        """Return the name on a seat; empty if it is open."""
        place = self.places[seat]
        return "" if place is None else place.name

    def take_seat(self, seat: Seat, player: Person | SeatedBot) -> None:
        """Seat somebody in place of the person or bot there; a spectator stops being one."""
        self.places[seat] = player
        if isinstance(player, Person):
            self._stop_watching(player)
            self.mark(player, player.letter, player.colour)

    def mark(self, person: Person, letter: Letter | None, colour: Colour | None) -> None:
        """Give somebody with a seat these, or the next ones that nobody else has.

        Who has chosen no colour gets that of the seat, and keeps it on the next one.
        """
        seat = self.seat_of(person.key)
        assert seat is not None, "people without seats have no marks"
        others = [other for _seat, other in self.seated() if other is not person]
        wanted = seat if colour is None else colour
        person.letter = first_free(letter, [other.letter for other in others], LETTERS)
        person.colour = first_free(wanted, [other.colour for other in others], MAX_PLAYERS)

    def add_spectator(self, person: Person) -> None:
        """Make somebody a spectator, and open their seat."""
        self.take_out(person)
        person.ready = False
        person.games_in_a_row = 0
        self.spectators[person.key] = person

    def wait(self, person: Person, first: bool = False) -> None:
        """Put a spectator at the end of the queue, or at its head."""
        self.stop_waiting(person)
        self.queue.insert(0 if first else len(self.queue), person)

    def stop_waiting(self, person: Person) -> None:
        """Take somebody out of the queue."""
        self.queue = [other for other in self.queue if other is not person]

    def take_out(self, member: Person | SeatedBot) -> None:
        """Remove somebody from their seat or from the spectators."""
        self.places = [None if place is member else place for place in self.places]
        if isinstance(member, Person):
            self._stop_watching(member)

    def _stop_watching(self, person: Person) -> None:
        self.spectators.pop(person.key, None)
        self.stop_waiting(person)

    def seat_players(self, players: Sequence[Person | SeatedBot]) -> None:
        """Replace the seats by those of the players, in this order, for a game."""
        self.places = [*players]
        for _, person in self.seated():
            person.games_in_a_row += 1

    def have_seats(self, seats: int) -> None:
        """Have so many seats, all open."""
        self.places = [None] * seats

    def open_up(self, seats: int) -> None:
        """Add open seats until there are `seats` again, and clear everybody's ready flag."""
        self.places += [None] * (seats - len(self.places))
        self.unready()

    def unready(self) -> None:
        """Clear everybody's ready flag."""
        for _, person in self.seated():
            person.ready = False

    def move(self, old_seats: Sequence[Seat]) -> None:
        """Reorder the seats: `old_seats` has the number that each of them had before."""
        self.places = [self.places[old] for old in old_seats]

    def free_left(self) -> None:
        """Open the seats of people who left."""
        stay = self.staying()
        self.places = [place if place in stay else None for place in self.places]

    def not_ready(self, owner: str) -> list[str]:
        """Return the names of people who stay but are not ready; the owner always is."""
        return [
            person.name
            for _, person in self.seated()
            if not person.left and not person.ready and person.key != owner
        ]


def seat_view(place: Occupant, playing: bool, owner: str, timed_out: bool) -> SeatView:
    """Return a seat's public view; `playing` while a game is in progress."""
    if place is None:
        return SeatView("open")
    if isinstance(place, SeatedBot):
        return SeatView("bot", place.name, _bot_label(place.kind), ready=True)
    ready = not playing and not place.left and (place.ready or place.key == owner)
    bot = STAND_IN if playing and (place.replaced or timed_out) else ""
    return SeatView(
        "person",
        place.name,
        bot,
        ready=ready,
        away=place.away,
        letter=place.letter,
        colour=place.colour,
    )


def first_free(wanted: int | None, taken: Collection[int | None], count: int) -> int | None:
    """Return a wanted number below `count`, or the next one that is free, from 0 again at the end.

    One is free: there are fewer people than letters, or colours.
    """
    if wanted is None:
        return None
    numbers = ((wanted + more) % count for more in range(count))
    return next(number for number in numbers if number not in taken)


def is_taken(name: str, taken: Collection[str]) -> bool:
    """Return whether `name` is taken, ignoring case."""
    return name.casefold() in {other.casefold() for other in taken}


def unique_name(wanted: str, taken: Collection[str]) -> str:
    """Return `wanted`, a cleaned name, with a number appended if it is taken: `Ann 2`."""
    return _numbered(wanted, taken, 2) if is_taken(wanted, taken) else wanted


def bot_name(kind: str, seat: Seat, taken: Collection[str], elsewhere: Collection[str] = ()) -> str:
    """Return a unique name for a bot: one of its kind's, else its kind and a number.

    Rather one that no bot `elsewhere` has.
    """
    free = [name for name in names_for(kind, seat) if not is_taken(name, taken)]
    free.sort(key=lambda name: name in elsewhere)
    return next(iter(free), "") or _numbered(clean_speaker(_bot_label(kind)) or "bot", taken, 1)


def _numbered(base: str, taken: Collection[str], number: int) -> str:
    while is_taken(name := name_with_end(base, f" {number}"), taken):
        number += 1
    return name
