"""The file in which the settings last: JSON, which people may edit too."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from .directories import config_directory
from .durable import locked, make_directory, write_whole
from .settings import Settings

FILE_NAME: Final = "settings.json"
BROKEN_NAME: Final = "settings.broken"
"""What a file is moved to that holds no settings at all, before it is written anew."""
_MAX_BYTES: Final = 65536


def settings_path() -> Path:
    """Return where the settings are, or will be."""
    return config_directory() / FILE_NAME


def load() -> Settings:
    """Return the settings; a value that is none is passed over, and a file that is none."""
    found = _read(settings_path()) or {}
    fitting = {name: value for name, value in found.items() if _fits(name, value)}
    return msgspec.convert(fitting, Settings)


def change(how: Callable[[Settings], Settings]) -> None:
    """Change the settings in their file; what another terminal saves at the same time stays.

    Args:
        how: from what the file holds now to what it is to hold.

    Raises:
        OSError: it cannot be written.
    """
    directory = _target().parent
    make_directory(directory)
    with locked(directory):
        save(how(load()))


def save(settings: Settings) -> None:
    """Put the settings in their file, whole or not at all.

    What is there and no setting of this version stays.

    Raises:
        OSError: it cannot be written.
    """
    path = _target()
    make_directory(path.parent)
    found = _read(path)
    if found is None:
        path.replace(path.with_name(BROKEN_NAME))
    known = Settings.__struct_fields__
    kept = {
        name: value
        for name, value in (found or {}).items()
        if name not in known or not _fits(name, value)
    }
    values = kept | msgspec.to_builtins(settings)
    write_whole(path, msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n")


def _target() -> Path:
    """Return the file itself: a link to somewhere else stays one."""
    return Path(os.path.realpath(settings_path()))


def _read(path: Path) -> dict[str, Any] | None:
    """Return what the file holds by name, {} where there is none; None where it is foreign."""
    try:
        with path.open("rb") as file:
            found: dict[str, Any] = msgspec.json.decode(file.read(_MAX_BYTES), type=dict[str, Any])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except msgspec.ValidationError:
        return False
    return True
