"""Errors that end a command, each with one sentence that says what to do.

CoffeeRushError        exit 1
├── LinkError          no host there, another version, the connection is lost for good
├── HostError          the host cannot open its table: port in use, not an address of this machine
├── RecordError        a record is broken, foreign or cannot be written
├── FieldError         a value in a record or a setup is impossible; also a ValueError
├── DeckError          a deck breaks a rule; says the line and the reason
├── LeagueError        the files of the league cannot be read or written
├── BotError           a bot cannot be loaded, or did something that bots may not do
├── ClusterError       the machines that are to play together cannot
└── UsageError         the command line is wrong; exit 2

Errors in a peer's bytes and violations of the rules are in `protocol.errors`.

An error keeps its text and its values apart, so that it can be translated when it is shown
(`coffeerush.ui.words.errors`). In a log it is English.
"""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar


class CoffeeRushError(Exception):
    """Base of the errors that end a command with a sentence for the person who typed it.

    Args:
        text: English, with a `{name}` placeholder per value; without values it is shown verbatim.
            Must be a literal where the error is raised: the translation tools extract it there.
        values: an OSError is shown as its reason, any other error as its text.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str, /, **values: object) -> None:
        super().__init__(text)
        self.text = text
        self.values = values

    def __str__(self) -> str:
        return self.filled(self.text, _in_english)

    def filled(self, text: str, said: Callable[[Exception], str]) -> str:
        """Return `text`, which is `self.text` or a translation of it, with the values filled in."""
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
    """There is no host, it is not a Coffee Rush host, or its protocol is not compatible."""


class HostError(CoffeeRushError):
    """The host cannot open its table or cannot continue."""


class RecordError(CoffeeRushError):
    """A record is broken, foreign, or cannot be read or written."""


def unwritable(path: Path, reason: OSError) -> RecordError:
    """Return the error for a file that cannot be written."""
    return RecordError(
        "{path} cannot be written: {reason}; free some space or choose another path.",
        path=path,
        reason=reason,
    )


class FieldError(CoffeeRushError, ValueError):
    """A value in a record or a setup is impossible: msgspec takes a ValueError as its own cause."""


class DeckError(CoffeeRushError):
    """A deck breaks a rule; the text has the line and the reason (R-COMP-3)."""


class LeagueError(CoffeeRushError):
    """A file of the league is broken, or cannot be read or written."""


class BotError(CoffeeRushError):
    """A bot cannot be found or loaded, or did something that bots may not do."""


class ClusterError(CoffeeRushError):
    """There is no cluster at an address, its workers differ, or they have all ended."""


class UsageError(CoffeeRushError):
    """The command line does not make sense."""

    exit_code = 2
