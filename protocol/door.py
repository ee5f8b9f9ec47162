"""The door handshake: one JSON object per line, before ZeroMQ, which cannot say why it fails."""

from functools import reduce
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from .errors import Refusal
from .messages import Version
from .text import Name

PROTOCOL_NAME: Final = "coffeerush"
PROTOCOL_VERSION: Final = 5
PROTOCOL_OLDEST: Final = 5
"""The oldest version that is still supported."""
DOOR_PORT: Final = 47820

Port = Annotated[int, Meta(ge=1, le=65535)]
CurveKey = Annotated[str, Meta(min_length=40, max_length=40)]
"""A CURVE public key in Z85."""
Hex32 = Annotated[str, Meta(min_length=64, max_length=64)]
"""32 bytes in lower-case hex digits."""
NoneOrHex32 = Annotated[str, Meta(max_length=64)]
"""32 bytes in lower-case hex digits, or nothing."""

_Z85: Final = {
    digit: value
    for value, digit in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}


def is_curve_key(text: str) -> bool:
    """Return whether a text is 32 bytes in Z85: ZeroMQ accepts no other key."""
    return len(text) == 40 and all(
        _Z85.keys() >= set(five)
        and reduce(lambda value, digit: value * 85 + _Z85[digit], five, 0) < 1 << 32
        for five in (text[at : at + 5] for at in range(0, 40, 5))
    )


class Banner(Struct, frozen=True):
    """The host's first line.

    Every version starts with it, and newer ones may add fields. Unknown fields are ignored, so
    that an older client can still tell which version it needs.
    """

    game: Annotated[str, Meta(max_length=32)]
    """`PROTOCOL_NAME`; anything else is another program."""
    oldest: Version
    newest: Version
    """The range of protocol versions that the host speaks."""
    table: Name
    requests: Port
    updates: Port
    key: CurveKey
    """The host's CURVE public key."""
    code: bool = True
    """Whether a key that the host does not know has to prove the join code."""


class _Line(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of the lines after the banner."""


class Enrol(_Line, tag="enrol", frozen=True):
    """The client's first line: asks to admit its key."""

    key: CurveKey
    share: NoneOrHex32 = ""
    """The client's SPAKE2 element, if it has the join code."""


class Challenge(_Line, tag="challenge", frozen=True):
    """The host's second line, to a client that sent a share: both now prove the code."""

    share: Hex32
    """The host's SPAKE2 element."""


class Proof(_Line, tag="proof", frozen=True):
    """The client's second line: proves that it knows the code."""

    proof: Hex32


class Enrolled(_Line, tag="enrolled", frozen=True):
    """The host's last line: the key is admitted, the client may connect."""

    proof: NoneOrHex32 = ""
    """The host's proof, if the client gave one."""


class DoorRefused(_Line, tag="refused", frozen=True):
    """The host's last line: the key is not admitted."""

    refusal: Refusal


DoorAnswer: TypeAlias = Challenge | Enrolled | DoorRefused
"""The messages that the host sends after its banner."""
