"""The lines of the door: one JSON object a line, before ZeroMQ, which cannot say why it fails."""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from .errors import Refusal
from .messages import Version
from .text import Name

DOOR_PORT: Final = 47820

Port = Annotated[int, Meta(ge=1, le=65535)]
CurveKey = Annotated[str, Meta(min_length=40, max_length=40)]
"""A CURVE public key in Z85."""


class Banner(Struct, frozen=True):
    """The host's first line.

    Every version begins with it, and a newer one may add fields: unknown ones are ignored, so
    that an older client can still say which version it lacks.
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


class _Line(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of the lines after the banner."""


class Enrol(_Line, tag="enrol", frozen=True):
    """The client's line: let this key in."""

    key: CurveKey


class Enrolled(_Line, tag="enrolled", frozen=True):
    """The host's second line: connect now."""


class DoorRefused(_Line, tag="refused", frozen=True):
    """The host's second line: not let in."""

    refusal: Refusal


DoorAnswer: TypeAlias = Enrolled | DoorRefused
