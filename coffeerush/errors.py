"""What goes wrong outside the wire and the rules, each with one sentence that says what to do.

CoffeeRushError        exit 1
├── LinkError          no host there, another version, the connection is lost for good
├── HostError          the host cannot open its table: a port in use, an address that is not ours
├── RecordError        a record is broken, foreign or not to be written
├── DeckError          a deck breaks a rule; says the line and the reason
├── BotError           a bot cannot be loaded, or did what no bot may
└── UsageError         the words on the command line are off; exit 2

What a peer's bytes or the rules get wrong is in `protocol.errors`.

An error keeps its text and what belongs into it apart: who raises it does not know the language of
the person, and who shows it does (`coffeerush.ui.words.errors`). In a log it is English.
"""

from collections.abc import Callable
from typing import ClassVar


class CoffeeRushError(Exception):
    """Anything that ends a command with a sentence for the person who typed it.

    Args:
        text: English, with a `{name}` for each of the values; without any it is shown as it is.
            It stands where the error is raised, word for word: translators find it there.
        values: of these, an OSError stands for its reason, and another error for its text.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text)
        self.text = text
        self.values = values

    def __str__(self) -> str:
        return self.filled(self.text, _in_english)

    def filled(self, text: str, said: Callable[[Exception], str]) -> str:
        """Return `text`, which is its own or a translation of that, with the values in it."""
        if not self.values:
            return text
        return text.format_map(
            {
                name: said(value) if isinstance(value, Exception) else value
                for name, value in self.values.items()
            }
        )


def _in_english(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


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
