"""A handover: the tables of a host as their successor gets them, and where the handover stands.

Nothing here is shown to anybody but the successor, who knows from then on what a host knows.
"""

import zlib
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

import msgspec
from msgspec import Meta, Struct

from coffeerush.errors import RecordError
from coffeerush.records.entries import (
    MAX_BOT,
    MAX_RECORD_BYTES,
    Key,
    KeyList,
    PersonKey,
)
from coffeerush.rules import Deck
from coffeerush.rules.deck import card_fault
from coffeerush.table_rules import TableRules
from protocol import (
    LOG_LENGTH,
    MAX_PLAYERS,
    MAX_SPECTATORS,
    MAX_TABLES,
    MIN_PLAYERS,
    NAME_CELLS,
    Colour,
    Count,
    Epoch,
    Event,
    Letter,
    Name,
    Seat,
    TableNumber,
    Term,
)

# The tables as they are


MAX_STATE_BYTES: Final = 2 * MAX_RECORD_BYTES
"""The most that a successor unpacks."""

Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Stage: TypeAlias = Literal["lobby", "game", "result"]


class StateOfPerson(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="p"):
    """Somebody with a seat, or who watches."""

    key: PersonKey
    name: Name
    ready: bool = False
    away: bool = False
    left: bool = False
    replaced: bool = False
    called: bool = False
    letter: Letter | None = None
    colour: Colour | None = None
    games_in_a_row: Count = 0
    heard: bool = True


class StateOfBot(Struct, frozen=True, forbid_unknown_fields=True, tag="b"):
    """A bot on a seat."""

    kind: Annotated[str, Meta(max_length=MAX_BOT)]
    name: Name


class StateOfLine(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the log: its public form, and that of the seat to which it belongs."""

    public: Event
    seat: Seat | None = None
    own: Event | None = None


class StateOfAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a request, which may come again; both as on the wire."""

    key: PersonKey
    request: bytes
    answer: bytes


class StateOfTurn(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The part of a turn that is not on record."""

    seconds: Seconds = 0.0
    """How long it has taken, but for pauses."""
    bot_intents: Count = 0
    undos: Count = 0
    timed_out: bool = False
    bot_failed: bool = False


class StateOfTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table between two requests."""

    number: TableNumber
    name: Name
    seats: Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)]
    deck: Deck
    rules: TableRules
    owner: Key
    first: Annotated[str, Meta(max_length=NAME_CELLS)]
    games: Count
    games_done: Count
    stage: Stage
    record: bytes
    """Of the latest game, as far as it goes; empty before the first."""
    end_is_due: bool
    places: Annotated[
        tuple[StateOfPerson | StateOfBot | None, ...],
        Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS),
    ]
    spectators: Annotated[tuple[StateOfPerson, ...], Meta(max_length=MAX_SPECTATORS)]
    queue: Annotated[tuple[PersonKey, ...], Meta(max_length=MAX_SPECTATORS)]
    guests: KeyList
    removed: KeyList
    began: Seat | None
    chosen_first: Seat | Literal["draw"] | None
    log: Annotated[tuple[StateOfLine, ...], Meta(max_length=LOG_LENGTH)]
    turn: StateOfTurn
    epoch: Epoch
    seq: Count
    answers: Annotated[tuple[StateOfAnswer, ...], Meta(max_length=4096)]

    def __post_init__(self) -> None:
        persons = [place for place in self.places if isinstance(place, StateOfPerson)]
        keys = [person.key for person in (*persons, *self.spectators)]
        if card_fault(self.deck):
            raise ValueError("its deck breaks a rule")
        if len({*keys}) < len(keys):
            raise ValueError("somebody is at a table twice")
        if not {*self.queue} <= {person.key for person in self.spectators}:
            raise ValueError("somebody waits for a seat who does not watch")
        if any(isinstance(seat, int) and seat >= len(self.places) for seat in self._seats_named()):
            raise ValueError("a table has too few seats")
        if self.stage != "game" and len(self.places) != self.seats:
            raise ValueError("a table has another number of seats")
        if self.stage != "lobby" and not self.record:
            raise ValueError("a game has no record")

    def _seats_named(self) -> tuple[object, ...]:
        return self.began, self.chosen_first, *(line.seat for line in self.log)


class StateOfHall(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that the successor of a host has to know."""

    term: Term
    """That of the successor."""
    hall: Annotated[str, Meta(max_length=32)]
    epoch: Epoch
    owner: Key
    """The one who hands over."""
    name: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """What they are called at the first table."""
    leaves: bool
    """Whether they leave with that."""
    code: Annotated[str, Meta(max_length=80)] = ""
    """The join code; empty at open tables."""
    guests: bool = False
    """Whether people could join without this program."""
    stay: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    """The highest number of the tables that stay when everybody has left."""
    most: Annotated[int, Meta(ge=1, le=MAX_TABLES)] = MAX_TABLES
    """How many tables there may be at once."""
    last: TableNumber
    """The highest number that any table has had."""
    tables: Annotated[tuple[StateOfTable, ...], Meta(min_length=1, max_length=MAX_TABLES)]

    def __post_init__(self) -> None:
        numbers = [table.number for table in self.tables]
        if len({*numbers}) < len(numbers) or max(numbers) > self.last:
            raise ValueError("its tables have the wrong numbers")

    def encode(self) -> bytes:
        """Return the bytes for the successor; they may be more than a host sends."""
        return zlib.compress(_encoder.encode(self))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return what another host has sent; raises `RecordError`."""
        try:
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(data, MAX_STATE_BYTES)
            if not unpacker.eof or unpacker.unused_data:
                raise ValueError("it is cut off, or too long")
            state: Self = _decoder.decode(plain)
        except (zlib.error, ValueError, RecursionError) as error:
            raise RecordError(
                "The table cannot be taken over: what its host has sent makes no sense ({reason}).",
                reason=str(error),
            ) from None
        return state


_encoder: Final = msgspec.json.Encoder()
_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(StateOfHall)
