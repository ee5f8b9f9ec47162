"""The entries of a record, one per line, and their encoding; `docs/record.md` has the fields."""

from typing import Annotated, Final, Literal, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Meta, Struct

from coffeerush.errors import BotError, FieldError
from coffeerush.rules import Setup
from coffeerush.rules.deck import card_fault
from protocol import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    NAME_CELLS,
    PROTOCOL_VERSION,
    BotSeconds,
    Colour,
    Game,
    Intent,
    Letter,
    Name,
    PauseReason,
    Rev,
    Seat,
    Standing,
    TurnSeconds,
    Version,
)

RECORD_VERSION: Final = 5
OLDEST_VERSION: Final = 1
"""Version 1 lacks guests and removals, version 2 the number of seats at the table and `first`,
version 3 the version of the program, version 4 pauses, `bot_seconds`, `hints` and marks."""
MAX_SEED: Final = 2**64 - 1
MAX_BOT: Final = 256
"""The longest kind of bot, in characters: may be the absolute path of a file and a class."""
MAX_PROGRAM: Final = 32
"""The longest version of the program, in characters."""
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
    """The colour that the person has chosen."""


class _Entry(Struct, frozen=True, tag_field="entry", forbid_unknown_fields=True):
    """Base of what a line holds."""


class Head(_Entry, tag="head", frozen=True, kw_only=True):
    """Everything needed to replay a game except its moves; secret until the game is over."""

    format: Literal["coffeerush-record"] = "coffeerush-record"
    version: Literal[1, 2, 3, 4, 5] = RECORD_VERSION
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
    turn_seconds: TurnSeconds = 0
    bot_seconds: BotSeconds = 0
    hints: bool = True
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
        if self.version < 5 and (self.bot_seconds or not self.hints):
            raise FieldError("only a record of format version 5 or later can have such rules")
        if 0 < self.table_seats < len(self.seats):
            raise FieldError("there are more players than seats at the table")
        if len(self.seats) != self.setup.players:
            raise FieldError("the number of seats does not match the number of players")
        if not 0 <= self.setup.seed <= MAX_SEED:
            raise FieldError("a seed must be between 0 and {most}", most=MAX_SEED)
        fault = card_fault(self.setup.deck)
        if fault is not None:
            raise FieldError("the deck breaks a rule: {reason}", reason=fault.reason)


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


class End(_Entry, tag="end", frozen=True):
    """The result; nothing follows it."""

    standings: Annotated[tuple[Standing, ...], Meta(max_length=MAX_PLAYERS)]


Later: TypeAlias = Move | Guest | Removal | Paused | End
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


def encode_entry(entry: Entry) -> bytes:
    """Return the line of an entry, including its newline."""
    body = _encoder.encode(entry)
    return b"%08x %b\n" % (crc32(body), body)
