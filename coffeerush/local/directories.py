"""The state and config directories on this machine (XDG and its equivalents)."""

import os
from pathlib import Path
from typing import Final

import platformdirs

from .durable import make_directory

STATE_VARIABLE: Final = "COFFEERUSH_STATE"
"""The environment variable that overrides the system's usual directories."""


def state_directory() -> Path:
    """Return the directory for records, keys and logs; create it, owner-only; raises `OSError`."""
    path = _state_path()
    make_directory(path)
    return path


def records_directory() -> Path:
    """Return the directory for the records of the user's own tables, which may not exist yet."""
    return _state_path() / "records"


def _state_path() -> Path:
    named = os.environ.get(STATE_VARIABLE)
    return Path(named) if named else platformdirs.user_state_path("coffeerush", appauthor=False)


def config_directory() -> Path:
    """Return the directory for the settings, which may not exist yet."""
    named = os.environ.get(STATE_VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("coffeerush", appauthor=False)
