"""The person at this terminal: what they have chosen, for now and for good."""

import getpass
import os
import sys
from typing import Any

from msgspec.structs import asdict, replace

from coffeerush import settingsfile
from coffeerush.client.error_words import error_line
from coffeerush.i18n import _
from coffeerush.settings import Settings
from protocol import clean_speaker


class Person:
    """Holds the settings that are in force, and saves what the person changes.

    Args:
        plain: plain mode or not; None leaves it to the terminal.
        only_now: values that hold for this run alone, by field of `Settings`.
    """

    def __init__(self, plain: bool | None = None, **only_now: Any) -> None:
        self.plain = _wants_plain() if plain is None else plain
        self.settings = replace(settingsfile.load(), **only_now)
        self.complaint = ""
        """Why the settings could not be saved, if so."""
        self._unsaved: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """What the person is called at tables."""
        return clean_speaker(self.settings.name) or clean_speaker(_login_name()) or _("Guest")

    def keep(self, settings: Settings) -> None:
        """Take changed settings, and save what changed."""
        before, after = asdict(self.settings), asdict(settings)
        self._unsaved |= {name: value for name, value in after.items() if value != before[name]}
        self.settings = settings
        try:
            # another terminal may have saved others meanwhile
            settingsfile.save(replace(settingsfile.load(), **self._unsaved))
        except OSError as error:
            text = _("The settings hold for this time only, they cannot be saved: {reason}.")
            self.complaint = text.format(reason=error_line(error))
        else:
            self._unsaved, self.complaint = {}, ""


def _wants_plain() -> bool:
    """Tell whether plain mode is all that this terminal can."""
    # a stream that was closed before the start is None
    terminals = all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
    return not terminals or os.environ.get("TERM", "dumb") == "dumb"


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return ""
