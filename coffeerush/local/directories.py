"""The state and config directories on this machine (XDG and its equivalents)."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import platformdirs

from .durable import make_directory

STATE_VARIABLE: Final = "COFFEERUSH_STATE"
"""The environment variable that overrides the system's usual directories."""
NO_HOME: Final = Path(os.devnull)
"""Stands for the home of a user who has none: nothing can be created in it, not even by root."""


def state_directory() -> Path:
    """Return the directory for records, keys and logs; create it, owner-only; raises `OSError`."""
    path = _state_path()
    make_directory(path)
    return path


def records_directory() -> Path:
    """Return the directory for the records of the user's own tables, which may not exist yet."""
    return _state_path() / "records"


def config_directory() -> Path:
    """Return the directory for the settings, which may not exist yet."""
    return _named_or(platformdirs.user_config_path)


def _state_path() -> Path:
    return _named_or(platformdirs.user_state_path)


def _named_or(usual: Callable[..., Path]) -> Path:
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(named)
    try:
        return usual("coffeerush", appauthor=False)
    except RuntimeError:  # a user without an entry in passwd and without HOME, as in a container
        return NO_HOME / "coffeerush"
