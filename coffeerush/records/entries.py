"""The entries of a record, and how the lines of a file become one."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.errors import BotError, FieldError, RecordError
from coffeerush.rules import Setup, State, apply, deal, replay, standings
from coffeerush.rules.deck import card_fault
from coffeerush.table_rules import TableRules
from protocol import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    NAME_CELLS,
    PROTOCOL_VERSION,
    SENTENCE_CHARACTERS,
    BotSeconds,
    Colour,
    Count,
    Epoch,
    Game,
    IllegalIntent,
    Intent,
    Letter,
    Name,
    PauseReason,
    Rev,
    Rotation,
    Seat,
    Standing,
    Successor,
    TableNumber,
    Term,
    TurnSeconds,
    Version,
    clean_chat,
    clean_line,
    clean_name,
    clean_speaker,
    clip,
)

RECORD_VERSION: Final = 6
OLDEST_VERSION: Final = 1
"""Version 1 lacks guests and removals, version 2 the number of seats at the table and `first`,
version 3 the version of the program, version 4 pauses, `bot_seconds`, `hints`, `rotation` and
marks, version 5 `hall` and `number`."""
MAX_SEED: Final = 2**64 - 1
MAX_BOT: Final = 256
"""The longest kind of bot, in characters: may be the absolute path of a file and a class."""
MAX_PROGRAM: Final = 32
"""The longest version of the program, in characters."""
MAX_ADDRESS: Final = 64
"""The longest address of a host, in characters."""
MAX_PLACES: Final = 8
"""The most standbys in an entry."""
MAX_KEYS: Final = 256
"""The most guests in a head, and the most removed people."""

Key = Annotated[str, Meta(max_length=40)]
"""A person's CURVE key in Z85, or empty for none."""
PersonKey = Annotated[str, Meta(min_length=40, max_length=40)]
KeyList = Annotated[tuple[PersonKey, ...], Meta(max_length=MAX_KEYS)]


class Seated(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who sat on a seat when the game was dealt."""

    name: Name
    bot: Annotated[str, Meta(max_length=MAX_BOT)] = ""
    """The kind of bot; empty for a person."""
    key: Key = ""
    """The person's key: who has it may return to this seat."""
    letter: Letter | None = None
    """The letter that the person has chosen."""
    colour: Colour | None = None
    """The colour that the person has chosen, or was given."""


class _Entry(Struct, frozen=True, tag_field="entry", forbid_unknown_fields=True):
    """Base of what a line holds."""


class Head(_Entry, tag="head", frozen=True, kw_only=True):
    """Everything needed to replay a game except its moves; secret until the game is over."""

    format: Literal["coffeerush-record"] = "coffeerush-record"
    version: Literal[1, 2, 3, 4, 5, 6] = RECORD_VERSION
    protocol: Version = PROTOCOL_VERSION
    program: Annotated[str, Meta(max_length=MAX_PROGRAM)] = ""
    """The version of coffeerush that dealt the game, and so of its bots; empty if unknown."""
    table: Name
    game: Game
    setup: Setup
    seats: Annotated[tuple[Seated, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    table_seats: Annotated[int, Meta(ge=0, le=MAX_PLAYERS)] = 0
    """The number of seats at the table, empty ones included; 0 if unknown."""
    first: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """The name of the requested start player; empty for none."""
    owner: Key = ""
    port: Annotated[int, Meta(ge=0, le=65535)] = 0
    """The port of the door, which a host opens again that resumes the game; 0 if unknown."""
    hall: Annotated[str, Meta(max_length=32)] = ""
    """The tables of one host have the same, also after it was started again; empty if unknown."""
    number: TableNumber = 1
    """Of the table, among those."""
    term: Term = 1
    """Grows each time the table has another host; see `coffeerush.moving.fencing.next_term`."""
    turn_seconds: TurnSeconds = 0
    bot_seconds: BotSeconds = 0
    hints: bool = True
    rotation: Rotation = "owner"
    guests: KeyList = ()
    """Other people at the table: they may rejoin without its code."""
    removed: KeyList = ()
    """People kicked by the owner: they cannot rejoin."""

    def __post_init__(self) -> None:
        if self.version == OLDEST_VERSION and (self.guests or self.removed):
            raise FieldError("a record of format version 1 cannot have guests or removed players")
        if self.version < 3 and (self.table_seats or self.first):
            raise FieldError(
                "only a record of format version 3 or later can have the number of seats and the "
                "start player"
            )
        if self.version < 4 and (self.program or self.port):
            raise FieldError(
                "only a record of format version 4 or later can have the version of the program "
                "and the port"
            )
        if self.version < 5 and (self.bot_seconds or not self.hints or self.rotation != "owner"):
            raise FieldError("only a record of format version 5 or later can have such rules")
        if self.version < 6 and (self.hall or self.number != 1):
            raise FieldError("only a record of format version 6 or later can have other tables")
        if 0 < self.table_seats < len(self.seats):
            raise FieldError("there are more players than seats at the table")
        if len(self.seats) != self.setup.players:
            raise FieldError("the number of seats does not match the number of players")
        if not 0 <= self.setup.seed <= MAX_SEED:
            raise FieldError("a seed must be between 0 and {most}", most=MAX_SEED)
        fault = card_fault(self.setup.deck)
        if fault is not None:
            raise FieldError("the deck breaks a rule: {reason}", reason=fault.reason)

    @property
    def rules(self) -> TableRules:
        """The table's rules, but for who lets guests in, which is not on record."""
        return TableRules(
            self.setup.starters,
            self.turn_seconds,
            self.bot_seconds,
            self.hints,
            rotation=self.rotation,
        )

    def with_rules(self, rules: TableRules) -> Self:
        """Return this head with the table's rules; the setup already has `starters`."""
        return replace(
            self,
            turn_seconds=rules.turn_seconds,
            bot_seconds=rules.bot_seconds,
            hints=rules.hints,
            rotation=rules.rotation,
        )


class Move(_Entry, tag="move", frozen=True, omit_defaults=True):
    """An accepted intent."""

    rev: Rev
    """The rev that it produced: 1 for the first."""
    seat: Seat
    intent: Intent
    key: Key = ""
    """The key that submitted it; empty if the host moved for a bot or an absent person."""
    id: Annotated[bytes, Meta(max_length=16)] = b""
    """The id of the request."""


class Guest(_Entry, tag="guest", frozen=True):
    """Somebody new joined the table, and may rejoin like the guests in the head."""

    key: PersonKey


class Removal(_Entry, tag="removal", frozen=True, omit_defaults=True):
    """Somebody was kicked by the owner, and cannot rejoin."""

    key: PersonKey
    seat: Seat | None = None
    """The person's seat in the game, where a bot plays from now on; None for a spectator."""


class Paused(_Entry, tag="pause", frozen=True):
    """The game was paused, or went on."""

    reason: PauseReason | None
    """Why it is paused, which may be empty; None if it went on."""


class Relocation(_Entry, tag="moved", frozen=True, omit_defaults=True):
    """The table has moved to another host; in the record of the old one, nothing follows it."""

    rev: Rev
    """The rev at which it moved."""
    term: Term
    """The new one: higher than in the head, and than those before."""
    host: PersonKey
    """The public key of the new host."""
    name: Name
    """Whose computer it is on from now on."""
    before: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """Whose computer it was on; empty if that is not known."""
    owner: Key = ""
    """The key that owns the table from now on; empty if that has not changed."""
    address: Annotated[str, Meta(max_length=MAX_ADDRESS)] = ""
    """Of the new host; empty in its own record."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 0
    """Of its door."""


class SharedKey(_Entry, tag="shares", frozen=True, omit_defaults=True):
    """SharedKey of a key were dealt with which players can open the sealed record together.

    Who has opened it, and so goes on with the game in a later term, knows the key from here on.
    """

    epoch: Epoch
    term: Term
    deal: Count
    """Its number in this epoch and term, from 1."""
    key: Annotated[bytes, Meta(min_length=16, max_length=16)]
    standbys: Annotated[tuple[Successor, ...], Meta(max_length=MAX_PLACES)] = ()
    """Where the game may go on if this host is gone."""


class End(_Entry, tag="end", frozen=True):
    """The result; nothing follows it."""

    standings: Annotated[tuple[Standing, ...], Meta(max_length=MAX_PLAYERS)]


Later: TypeAlias = Move | Guest | Removal | Paused | Relocation | SharedKey | End
"""Any entry after the head."""
Entry: TypeAlias = Head | Later

_encoder: Final = msgspec.json.Encoder()


def check_bot(bot: str) -> None:
    """Raise `BotError` if a record cannot hold this kind of bot."""
    undecoded = any("\ud800" <= character <= "\udfff" for character in bot)
    if len(bot) > MAX_BOT or undecoded:
        raise BotError(
            "The path of {bot} cannot be recorded: it may have at most {most} "
            "characters, all of them UTF-8; move the file.",
            bot=bot,
            most=MAX_BOT,
        )


def encode_entry(entry: Struct) -> bytes:
    """Return the line of an entry, including its newline."""
    body = _encoder.encode(entry)
    return b"%08x %b\n" % (crc32(body), body)


# Read and validate the record of a game: checksummed lines, replayed move by move
#
# A line is the CRC-32 of its JSON in eight hex digits, a space, the JSON, a newline. The first line
# is the `Head`; then comes a `Move` for each accepted intent, a `Guest` or a `Removal` whenever
# somebody new joined or was kicked, a `Paused` when a pause began or ended, a `SharedKey` when
# shares were dealt, a `Relocation` when the table moved to another host, and, when the game is
# over, the `End`.


MAX_RECORD_BYTES: Final = 16 * 2**20


class Record(Struct, frozen=True):
    """A validated record: every move is legal, and the result follows from the moves."""

    head: Head
    moves: tuple[Move, ...]
    guests: tuple[str, ...]
    """The keys of people who joined during the game, oldest first."""
    removals: tuple[Removal, ...]
    pause: str | None
    """Why the game is paused at the end of the record; None if it is not."""
    end: End | None
    """None while the game is not over."""
    good: int
    """The length of the valid part in bytes; after it comes at most one torn line."""
    relocations: tuple[Relocation, ...] = ()
    """The moves of the table to other hosts during the game, in order."""
    shares: tuple[SharedKey, ...] = ()
    """The keys that were dealt, in order."""

    @property
    def term(self) -> int:
        """The term of the host that wrote the end of this record."""
        return self.relocations[-1].term if self.relocations else self.head.term

    @property
    def owner(self) -> str:
        """The key that owns the table at the end of this record; empty for none."""
        owners = [moved.owner for moved in self.relocations if moved.owner]
        return owners[-1] if owners else self.head.owner

    def has_left(self, host: str) -> Relocation | None:
        """Return where the game went, if it is not at the host with this key any more."""
        last = self.relocations[-1] if self.relocations else None
        return last if last and last.host != host and self.end is None else None

    @property
    def is_copy(self) -> bool:
        """Whether a host has sent it to a guest: the game is of no host here.

        The first versions of the format did not have the number of seats, but owners and requests.
        """
        head = self.head
        own = head.table_seats or head.owner or any(move.id for move in self.moves)
        return self.end is not None and not own

    def stand_ins(self) -> tuple[bool, ...]:
        """Return for each move whether a bot made it in the place of a person.

        All false if no move of a copy has a key, as in those of older hosts: then it is not known.
        """
        is_known = not self.is_copy or any(move.key for move in self.moves)
        people = [is_known and bool(seated.key) for seated in self.head.seats]
        return tuple(people[move.seat] and not move.key for move in self.moves)

    def states(self) -> Iterator[State]:
        """Yield the dealt State, then the State after each move."""
        return replay(self.head.setup, ((move.seat, move.intent) for move in self.moves))


class _Stamp(Struct):
    """The part of a head that all versions have."""

    version: int


_stamps = msgspec.json.Decoder(_Stamp)
_heads = msgspec.json.Decoder(Head)
_entries = msgspec.json.Decoder(Later)

# How every version starts, after the checksum.
_MAGIC: Final = b' {"entry":"head","format":"coffeerush-record","version":'


def read_record(data: bytes) -> Record:
    """Parse and validate a record, but for a torn last line; raises `RecordError` with the line."""
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(
            "a record has at most {most} bytes, but this file has more", most=MAX_RECORD_BYTES
        )
    if not data.startswith(_MAGIC, 8):
        raise RecordError("this is not a Coffee Rush record; choose a .record file")
    good = data.rfind(b"\n") + 1
    if not good:
        raise RecordError("line 1 is cut off, so no game was ever dealt; start a new one")
    first, *others = data[:good].split(b"\n")[:-1]
    head = read_head(first)
    entries = [_read_entry(number, line) for number, line in enumerate(others, 2)]
    return _verified(head, entries, good)


def read_ends(first: bytes, tail: bytes) -> tuple[Head, End] | None:
    """Return the head and the end of a game without replaying it; None if it is not over.

    `first` is its first line, and `tail` has at least its last; a torn line after that is ignored.
    """
    *_others, last, _torn = [b"", *tail.split(b"\n")]
    head = read_head(first.removesuffix(b"\n"))
    end = _read_entry(0, last)
    if not isinstance(end, End):
        return None
    if sorted(standing.seat for standing in end.standings) != [*range(len(head.seats))]:
        raise RecordError("the players in the result are not those of the game")
    return head, end


def read_head(line: bytes) -> Head:
    """Return the head of a record, from its first line; raises `RecordError`."""
    body = line_body(1, line)
    stamp: _Stamp = decoded(1, body, _stamps)
    if not OLDEST_VERSION <= stamp.version <= RECORD_VERSION:
        raise RecordError(
            "line 1: the record has format version {found}, but this program reads "
            "{own}; use the version of coffeerush that wrote it",
            found=stamp.version,
            own=f"{OLDEST_VERSION}-{RECORD_VERSION}",
        )
    return _cleaned(decoded(1, body, _heads))


def _cleaned(head: Head) -> Head:
    """Sanitize the names in `head`: the file may come from a stranger."""
    seats = tuple(
        replace(seated, name=clean_speaker(seated.name) or "?", bot=clean_line(seated.bot))
        for seated in head.seats
    )
    deck = head.setup.deck
    drinks = tuple(replace(drink, name=clean_name(drink.name) or "?") for drink in deck.drinks)
    deck = replace(deck, name=clean_name(deck.name) or "?", drinks=drinks)
    setup = replace(head.setup, deck=deck)
    table, program = clean_name(head.table) or "?", clean_line(head.program)
    return replace(head, table=table, program=program, setup=setup, seats=seats)


def _read_entry(number: int, line: bytes) -> Later:
    entry: Later = decoded(number, line_body(number, line), _entries)
    return entry


def line_body(number: int, line: bytes) -> bytes:
    """Return the JSON of a line, by its number for the error; raises `RecordError`."""
    body = line[9:]
    if line[:9] != b"%08x " % crc32(body):
        raise RecordError(
            "line {line} is damaged: its checksum does not match; use a copy", line=number
        )
    return body


def decoded(number: int, body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return what the JSON of a line holds; raises `RecordError`."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        reason: str | FieldError = clip(clean_line(str(error)), SENTENCE_CHARACTERS)
        if isinstance(error.__cause__, FieldError):
            reason = error.__cause__
        raise RecordError(
            "line {line} is not a record entry ({reason})", line=number, reason=reason
        ) from None


def _verified(head: Head, entries: list[Later], good: int) -> Record:
    """Replay the entries and return the record."""
    state = deal(head.setup)
    seated = [seat.key for seat in head.seats]
    moves: list[Move] = []
    guests: list[str] = []
    removals: list[Removal] = []
    relocations: list[Relocation] = []
    shares: list[SharedKey] = []
    pause: str | None = None
    end: End | None = None
    for number, entry in enumerate(entries, 2):
        if end is not None:
            raise RecordError("line {line} comes after the end of the game", line=number)
        match entry:
            case Move():
                state = _replayed(number, len(moves) + 1, state, entry)
                moves.append(entry)
            case Guest():
                guests.append(entry.key)
            case Removal():
                _unseat(number, seated, entry)
                removals.append(entry)
            case Paused():
                pause = None if entry.reason is None else clean_chat(entry.reason)
            case Relocation():
                before = relocations[-1] if relocations else head
                relocations.append(_checked_relocation(number, before.term, len(moves), entry))
            case SharedKey():
                shares.append(replace(entry, standbys=tuple(map(_cleaned_place, entry.standbys))))
            case End():
                end = _checked_end(number, state, entry)
    people = tuple(guests), tuple(removals)
    moved = tuple(relocations), tuple(shares)
    return Record(head, tuple(moves), *people, pause, end, good, *moved)


def _cleaned_place(place: Successor) -> Successor:
    name, address = clean_speaker(place.name) or "?", clean_line(place.address) or "?"
    return replace(place, name=name, address=address)


def _checked_relocation(number: int, term: int, rev: int, entry: Relocation) -> Relocation:
    """Return a sanitized entry; raises `RecordError` unless term and rev come after the others."""
    if entry.rev > rev:
        raise RecordError(
            "line {line} has rev {found} instead of {wanted}",
            line=number,
            found=entry.rev,
            wanted=rev,
        )
    if entry.term <= term:
        raise RecordError(
            "line {line} moves the table to term {found}, which is not later than the one before",
            line=number,
            found=entry.term,
        )
    name, before = clean_speaker(entry.name) or "?", clean_speaker(entry.before)
    return replace(entry, name=name, before=before, address=clean_line(entry.address))


def _unseat(number: int, seated: list[str], removal: Removal) -> None:
    """Clear the key of a kicked person in `seated`, the keys by seat."""
    seat = seated.index(removal.key) if removal.key in seated else None
    if seat != removal.seat:
        raise RecordError(
            "line {line} removes somebody from a seat that is not theirs", line=number
        )
    if seat is not None:
        seated[seat] = ""


def _replayed(number: int, rev: int, state: State, move: Move) -> State:
    if move.rev != rev:
        raise RecordError(
            "line {line} has rev {found} instead of {wanted}",
            line=number,
            found=move.rev,
            wanted=rev,
        )
    try:
        return apply(state, move.seat, move.intent)
    except IllegalIntent as error:
        raise RecordError(
            "line {line} breaks the rules: {reason}", line=number, reason=error
        ) from None


def _checked_end(number: int, state: State, end: End) -> End:
    if state.active is not None:
        raise RecordError(
            "line {line} ends the game, but by the rules it is not over yet", line=number
        )
    if end.standings != standings(state):
        raise RecordError(
            "line {line} has a result that does not follow from the moves", line=number
        )
    return end
