"""What goes wrong outside the wire and the rules, each with one sentence that says what to do.

CoffeeRushError        exit 1
├── LinkError          no host there, another version, the connection is lost for good
├── HostError          the host cannot open its table: a port in use, an address that is not ours
├── RecordError        a record is broken, foreign or not to be written
├── DeckError          a deck breaks a rule; says the line and the reason
├── BotError           a bot cannot be loaded, or did what no bot may
└── UsageError         the words on the command line are off; exit 2

What a peer's bytes or the rules get wrong is in `protocol.errors`.
"""

from typing import ClassVar


class CoffeeRushError(Exception):
    """Anything that ends a command with a sentence for the person who typed it."""

    exit_code: ClassVar[int] = 1


class LinkError(CoffeeRushError):
    """The host is not there, is no Coffee Rush host, or cannot be spoken with."""


class HostError(CoffeeRushError):
    """The host cannot open its table or cannot go on."""


class RecordError(CoffeeRushError):
    """A record is broken, foreign, or cannot be read or written."""


class DeckError(CoffeeRushError):
    """A deck breaks a rule; the text says the line and the reason (R-COMP-3)."""


class BotError(CoffeeRushError):
    """A bot cannot be found or loaded, or did what no bot may."""


class UsageError(CoffeeRushError):
    """The command line asks for something that makes no sense."""

    exit_code = 2
