"""The settings of this run, and what of them lasts."""

from typing import Any

from msgspec.structs import asdict, replace

from coffeerush import settingsfile
from coffeerush.i18n import _
from coffeerush.settings import Settings


class Keeper:
    """Holds the settings that are in force, and saves what a person changes.

    Args:
        only_now: values that hold for this run alone, by field of `Settings`.
    """

    def __init__(self, **only_now: Any) -> None:
        self.settings = replace(settingsfile.load(), **only_now)
        self.complaint = ""
        """Why the settings could not be saved, if so."""

    def keep(self, settings: Settings) -> None:
        """Take changed settings, and save what changed."""
        before, after = asdict(self.settings), asdict(settings)
        changed = {name: value for name, value in after.items() if value != before[name]}
        self.settings = settings
        try:
            # another terminal may have saved others meanwhile
            settingsfile.save(replace(settingsfile.load(), **changed))
        except OSError as error:
            text = _("The settings hold for this time only, they cannot be saved: {reason}.")
            self.complaint = text.format(reason=error.strerror)
