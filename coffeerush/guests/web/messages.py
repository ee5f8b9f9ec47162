"""What the page says: bounded, and decoded strictly. Pure."""

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from coffeerush.client.model import Role
from coffeerush.local.settings import Language, Theme

MAX_MESSAGE: Final = 1024
"""Bytes; a line of chat takes up to 820."""
_Text: TypeAlias = Annotated[str, Meta(max_length=256)]
_Size: TypeAlias = Annotated[int, Meta(ge=1, le=250)]


class FromPage(Struct, frozen=True, tag_field="is", forbid_unknown_fields=True):
    """A message of the page; it gets an answer, if only an empty one."""


class Opened(FromPage, frozen=True, tag="hello"):
    """The first message: who is there, and how much room there is."""

    language: Language
    theme: Theme
    columns: _Size
    rows: _Size
    token: _Text = ""
    """What the page was given when it was let in before."""
    ticket: _Text = ""
    """What the page was given when it was not let in yet."""
    waits: bool = False
    """Whether the page shows that it waits to be let in."""
    chosen: bool = False
    """Whether the address of the page names its language, as the page's own links do."""


class Asked(FromPage, frozen=True, tag="ask"):
    """Asks to be let in under a name."""

    name: _Text
    role: Role


class Entered(FromPage, frozen=True, tag="enter"):
    """A number, as the host's screen shows it for this visitor."""

    number: _Text


class KeyPressed(FromPage, frozen=True, tag="key"):
    """A key: a character, or one of prompt_toolkit's key names."""

    key: Annotated[str, Meta(min_length=1, max_length=16)]


class Clicked(FromPage, frozen=True, tag="click"):
    """A button over the rows: the kind and value of its target."""

    kind: _Text
    value: str | int


class Wrote(FromPage, frozen=True, tag="text"):
    """The contents of the open text field, to be sent."""

    text: _Text


class Scrolled(FromPage, frozen=True, tag="wheel"):
    """The wheel, or a swipe; up if negative."""

    lines: int


class Resized(FromPage, frozen=True, tag="size"):
    """The size now, and whether fingers are used."""

    columns: _Size
    rows: _Size
    touch: bool = False


class Commanded(FromPage, frozen=True, tag="line"):
    """A command of plain mode."""

    text: _Text


PageMessage: TypeAlias = (
    Opened | Asked | Entered | KeyPressed | Clicked | Wrote | Scrolled | Resized | Commanded
)
_decoder: Final[msgspec.json.Decoder[PageMessage]] = msgspec.json.Decoder(PageMessage)


def decode(data: bytes | str) -> PageMessage:
    """Decode a message; raises `msgspec.MsgspecError` or `UnicodeDecodeError`."""
    try:
        return _decoder.decode(data)
    except RecursionError as error:
        raise msgspec.DecodeError("nested too deeply") from error
