"""Where the program keeps its own files on this machine."""

import os
from pathlib import Path
from typing import Final

import platformdirs

from .durable import make_directory

STATE_VARIABLE: Final = "COFFEERUSH_STATE"
"""The environment variable that names another directory than the system's usual ones."""


def state_directory() -> Path:
    """Return the directory of records, keys and logs, made for its owner alone where it lacks.

    Raises:
        OSError: it cannot be made.
    """
    path = _state_path()
    make_directory(path)
    return path


def records_directory() -> Path:
    """Return the directory of the records of one's own tables, which may not be there yet."""
    return _state_path() / "records"


def _state_path() -> Path:
    named = os.environ.get(STATE_VARIABLE)
    return Path(named) if named else platformdirs.user_state_path("coffeerush", appauthor=False)


def config_directory() -> Path:
    """Return the directory of the settings, which may not be there yet."""
    named = os.environ.get(STATE_VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("coffeerush", appauthor=False)
