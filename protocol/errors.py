"""The errors of the protocol.

ProtocolError
├── WireError          the peer's bytes are wrong; `code` says how
│   ├── TooLarge       `too_large`
│   ├── TooDeep        `too_deep`
│   ├── NotMessagePack `not_messagepack`
│   ├── WrongShape     `wrong_shape`
│   └── WrongVersion   `wrong_version`
└── RefusedError       the table says no; carries a `Refusal`
    └── IllegalIntent  the rules say no
"""

from typing import Annotated, ClassVar, Final, Literal, Self, get_args

from msgspec import Meta, Struct

from .refusals import PARAM_CHARACTERS, refusal_text
from .text import SENTENCE_CHARACTERS, Sentence, clip

WireCode = Literal["too_large", "too_deep", "not_messagepack", "wrong_shape", "wrong_version"]
RefusalCode = Literal[
    # the rules
    "not_your_turn",
    "wrong_phase",
    "cell_taken",
    "not_adjacent",
    "no_steps_left",
    "would_be_stuck",
    "other_meeple",
    "no_such_meeple",
    "must_step",
    "stands_on_meeple",
    "hand_not_empty",
    "hand_empty",
    "not_in_hand",
    "cup_is_empty",
    "cup_does_not_match",
    "too_few_completed",
    "upgrade_is_active",
    "nothing_to_undo",
    # the table
    "say_hello",
    "stale",
    "wrong_stage",
    "paused",
    "not_seated",
    "not_owner",
    "table_full",
    "too_many_spectators",
    "bad_text",
    "name_taken",
    "no_such_seat",
    "no_such_spectator",
    "no_such_guest",
    "seat_not_free",
    "unknown_bot",
    "too_few_players",
    "not_ready",
    "no_record",
    "id_reused",
    "too_fast",
    "removed",
    "record_failed",
    # the door
    "door_busy",
    "bad_key",
    "code_needed",
    "wrong_code",
    "too_many_tries",
]
Code = Annotated[str, Meta(min_length=1, max_length=32)]
"""Receivers accept codes that they do not know, so that hosts can add some."""
REFUSAL_CODES: Final[tuple[str, ...]] = get_args(RefusalCode)
ParamName = Annotated[str, Meta(min_length=1, max_length=24)]
ParamText = Annotated[str, Meta(max_length=PARAM_CHARACTERS)]
MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every double holds safely, and so every language."""
ParamNumber = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Params = Annotated[dict[ParamName, ParamText | ParamNumber], Meta(max_length=8)]


class ProtocolError(Exception):
    """Base of the protocol's errors."""


class WireError(ProtocolError):
    """A peer's bytes are not a message; the text says what is wrong with them."""

    code: ClassVar[WireCode]
    request_id: bytes = b""
    """The id of the malformed request, if it could be read."""


class TooLarge(WireError):
    """More bytes or elements than a message may have."""

    code = "too_large"


class TooDeep(WireError):
    """Nested deeper than any message."""

    code = "too_deep"


class NotMessagePack(WireError):
    """Not one whole MessagePack value."""

    code = "not_messagepack"


class WrongShape(WireError):
    """MessagePack, but not a message of this protocol."""

    code = "wrong_shape"


class WrongVersion(WireError):
    """A message of another version of this protocol."""

    code = "wrong_version"


class Refusal(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why something was not accepted.

    `text` is one English sentence. From `code` and `params`, its data, a client can word it in
    another language.
    """

    code: Code
    """A `RefusalCode`, or one of a later host."""
    text: Sentence
    params: Params = {}


class RefusedError(ProtocolError):
    """Raised when something is not accepted; nothing has changed.

    Its English text comes from its code and data. Texts that are too long for the wire are cut, so
    that the refusal can always be sent.
    """

    def __init__(self, code: RefusalCode, **params: str | int) -> None:
        short = {
            name: clip(value, PARAM_CHARACTERS) if isinstance(value, str) else value
            for name, value in params.items()
        }
        text = clip(refusal_text(code, short), SENTENCE_CHARACTERS)
        super().__init__(text)
        self.refusal = Refusal(code, text, short)

    @classmethod
    def received(cls, refusal: Refusal) -> Self:
        """Return the error for a host's refusal, which may have a code of a later version."""
        error = cls.__new__(cls, refusal.text)
        error.refusal = refusal
        return error


class IllegalIntent(RefusedError):
    """Raised when the rules forbid an intent."""
