"""The person at this terminal: what they have chosen, for now and for good."""

import getpass
import os
import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from msgspec.structs import asdict, replace

from coffeerush.local import settings_file
from coffeerush.local.settings import Settings, remembering
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _
from protocol import clean_speaker


class LocalPerson:
    """Holds the settings that are in force, and saves what the person changes.

    Args:
        plain: plain mode or not; None leaves it to the terminal.
        only_now: values that hold for this run alone, by field of `Settings`.
    """

    def __init__(self, plain: bool | None = None, **only_now: Any) -> None:
        self.plain = _wants_plain() if plain is None else plain
        self.settings = replace(settings_file.load(), **only_now)
        self.complaint = ""
        """Why the settings could not be saved, if so."""
        self._unsaved: list[Callable[[Settings], Settings]] = []

    @property
    def name(self) -> str:
        """What the person is called at tables."""
        return clean_speaker(self.settings.name) or clean_speaker(_login_name()) or _("Guest")

    def keep(self, settings: Settings) -> None:
        """Take changed settings, and save what changed."""
        before, after = asdict(self.settings), asdict(settings)
        changed = {name: value for name, value in after.items() if value != before[name]}
        self._take(settings, partial(replace, **changed))

    def remember(self, address: str) -> None:
        """Take the address of a table among those last joined, and save it there."""
        self._take(remembering(self.settings, address), partial(remembering, address=address))

    def _take(self, settings: Settings, change: Callable[[Settings], Settings]) -> None:
        self.settings = settings
        self._unsaved.append(change)
        try:
            settings_file.change(self._changed)
        except OSError as error:
            text = _("The settings hold for this time only, they cannot be saved: {reason}.")
            self.complaint = text.format(reason=error_line(error))
        else:
            self._unsaved, self.complaint = [], ""

    def _changed(self, saved: Settings) -> Settings:
        """Return what is saved, which another terminal may have changed, with our changes."""
        return reduce(lambda settings, change: change(settings), self._unsaved, saved)


def has_terminal() -> bool:
    """Tell whether there is a terminal to type at and to draw on."""
    # a stream that was closed before the start is None
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _wants_plain() -> bool:
    """Tell whether plain mode is all that this terminal can."""
    return not has_terminal() or os.environ.get("TERM", "dumb") == "dumb"


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return ""
