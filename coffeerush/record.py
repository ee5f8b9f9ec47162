"""The record of a game as bytes: checksummed lines, and what is held against them when read.

A line is the CRC-32 of its JSON in eight hex digits, a space, the JSON, a newline. The first line
is the `Head`, then a `Move` for each accepted intent, and, when the game is over, the `End`.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.rules import Setup, State, apply, deal, replay, standings
from coffeerush.rules.deck import deck_fault
from protocol import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    PROTOCOL_VERSION,
    SENTENCE_CHARACTERS,
    Game,
    IllegalIntent,
    Intent,
    Name,
    Rev,
    Seat,
    Standing,
    Version,
    clean_line,
    clean_name,
    clean_speaker,
    clip,
)

RECORD_VERSION: Final = 1
MAX_RECORD_BYTES: Final = 16 * 2**20
MAX_SEED: Final = 2**64 - 1

Key = Annotated[str, Meta(max_length=40)]
"""A person's CURVE key in Z85, or empty for none."""


class Seated(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who sat on a seat when the game was dealt."""

    name: Name
    bot: Annotated[str, Meta(max_length=256)] = ""
    """The kind of bot; empty for a person."""
    key: Key = ""
    """The person's key: whoever has it comes back to this seat."""


class _Entry(Struct, frozen=True, tag_field="entry", forbid_unknown_fields=True):
    """Base of what a line holds."""


class Head(_Entry, tag="head", frozen=True, kw_only=True):
    """Everything that a game is played anew from, but its moves; secret until the game is over."""

    format: Literal["coffeerush-record"] = "coffeerush-record"
    version: Literal[1] = RECORD_VERSION
    protocol: Version = PROTOCOL_VERSION
    table: Name
    game: Game
    setup: Setup
    seats: Annotated[tuple[Seated, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    owner: Key = ""
    turn_seconds: Annotated[int, Meta(ge=0, le=3600)] = 0

    def __post_init__(self) -> None:
        if len(self.seats) != self.setup.players:
            raise ValueError(f"{len(self.seats)} seats in a game of {self.setup.players}")
        if not 0 <= self.setup.seed <= MAX_SEED:
            raise ValueError(f"a seed is from 0 to {MAX_SEED}")
        fault = deck_fault(self.setup.deck)
        if fault is not None:
            raise ValueError(f"the deck breaks a rule: {fault.reason}")


class Move(_Entry, tag="move", frozen=True, omit_defaults=True):
    """An accepted intent."""

    rev: Rev
    """The rev that it made: 1 for the first."""
    seat: Seat
    intent: Intent
    key: Key = ""
    """The key that asked for it; empty where the host moved for a bot or an absent person."""
    id: Annotated[bytes, Meta(max_length=16)] = b""
    """The id of the request."""


class End(_Entry, tag="end", frozen=True):
    """The result; nothing follows it."""

    standings: Annotated[tuple[Standing, ...], Meta(max_length=MAX_PLAYERS)]


Entry: TypeAlias = Head | Move | End


class Record(Struct, frozen=True):
    """A record that was read: every move is legal, and the result is the one they lead to."""

    head: Head
    moves: tuple[Move, ...]
    end: End | None
    """None while the game is on."""
    good: int
    """The bytes that hold this; what follows is a line that was never written whole."""

    def states(self) -> Iterator[State]:
        """Yield the dealt State, then the State after each move."""
        return replay(self.head.setup, ((move.seat, move.intent) for move in self.moves))


class _Stamp(Struct):
    """What a head of any version says."""

    version: int


_encoder = msgspec.json.Encoder()
_stamps = msgspec.json.Decoder(_Stamp)
_heads = msgspec.json.Decoder(Head)
_entries = msgspec.json.Decoder(Move | End)

# Every version begins so, after the checksum.
_MAGIC: Final = b' {"entry":"head","format":"coffeerush-record","version":'


def encode_entry(entry: Entry) -> bytes:
    """Return the line of an entry, its newline included."""
    body = _encoder.encode(entry)
    return b"%08x %b\n" % (crc32(body), body)


def read_record(data: bytes) -> Record:
    """Return the record in `data`; a last line without its newline is left out.

    Raises:
        RecordError: it is too large, foreign, of another version or broken; says the line.
    """
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(
            "a record has at most {most} bytes, this file has more", most=MAX_RECORD_BYTES
        )
    if not data.startswith(_MAGIC, 8):
        raise RecordError("this is no Coffee Rush record; name a file that a table wrote")
    good = data.rfind(b"\n") + 1
    if not good:
        raise RecordError("line 1 broke off, so no game was ever dealt; start a new one")
    first, *others = data[:good].split(b"\n")[:-1]
    head = _read_head(first)
    entries = [_read_entry(number, line) for number, line in enumerate(others, 2)]
    return _verified(head, entries, good)


def read_ends(first: bytes, tail: bytes) -> tuple[Head, End] | None:
    """Return the head and the end of a game without playing it; None while the game is on.

    Args:
        first: the first line of its record.
        tail: the last bytes of its record, the whole last line among them.

    Raises:
        RecordError: one of the two lines is broken.
    """
    *_others, last, rest = [b"", *tail.split(b"\n")]
    if rest:
        return None
    head = _read_head(first.removesuffix(b"\n"))
    end = _read_entry(0, last)
    if not isinstance(end, End):
        return None
    if sorted(one.seat for one in end.standings) != [*range(len(head.seats))]:
        raise RecordError("the result is of other players than the game")
    return head, end


def _read_head(line: bytes) -> Head:
    body = _body(1, line)
    stamp: _Stamp = _decoded(1, body, _stamps)
    if stamp.version != RECORD_VERSION:
        raise RecordError(
            "line 1: the record has format version {found}, and this program reads {own}; use the "
            "version of coffeerush that wrote it",
            found=stamp.version,
            own=RECORD_VERSION,
        )
    return _cleaned(_decoded(1, body, _heads))


def _cleaned(head: Head) -> Head:
    """Return `head` with names that move nobody's cursor: the file may have come from anywhere."""
    seats = tuple(
        replace(one, name=clean_speaker(one.name) or "?", bot=clean_line(one.bot))
        for one in head.seats
    )
    return replace(head, table=clean_name(head.table) or "?", seats=seats)


def _read_entry(number: int, line: bytes) -> Move | End:
    entry: Move | End = _decoded(number, _body(number, line), _entries)
    return entry


def _body(number: int, line: bytes) -> bytes:
    body = line[9:]
    if line[:9] != b"%08x " % crc32(body):
        raise RecordError(
            "line {line} is damaged: its checksum does not fit; use a copy", line=number
        )
    return body


def _decoded(number: int, body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        reason = clip(clean_line(str(error)), SENTENCE_CHARACTERS)
        raise RecordError(
            "line {line} is no entry of a record: {reason}", line=number, reason=reason
        ) from None


def _verified(head: Head, entries: list[Move | End], good: int) -> Record:
    """Return the record after playing it anew."""
    state = deal(head.setup)
    moves: list[Move] = []
    end: End | None = None
    for number, entry in enumerate(entries, 2):
        if end is not None:
            raise RecordError("line {line} comes after the end of the game", line=number)
        if isinstance(entry, Move):
            state = _moved(number, state, entry)
            moves.append(entry)
        else:
            end = _checked_end(number, state, entry)
    return Record(head, tuple(moves), end, good)


def _moved(number: int, state: State, move: Move) -> State:
    if move.rev != number - 1:
        raise RecordError(
            "line {line} has rev {found} where {wanted} must come",
            line=number,
            found=move.rev,
            wanted=number - 1,
        )
    try:
        return apply(state, move.seat, move.intent)
    except IllegalIntent as error:
        raise RecordError(
            "line {line} breaks the rules: {reason}", line=number, reason=error
        ) from None


def _checked_end(number: int, state: State, end: End) -> End:
    if state.active is not None:
        raise RecordError("line {line} ends a game that by the rules goes on", line=number)
    if end.standings != standings(state):
        raise RecordError("line {line} has another result than the moves lead to", line=number)
    return end
