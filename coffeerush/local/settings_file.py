"""Load and save the settings file: JSON, which people may edit too."""

import os
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from .directories import config_directory
from .durable import locked, make_directory, write_atomic
from .regular_files import read_regular
from .settings import Settings

FILE_NAME: Final = "settings.json"
BROKEN_NAME: Final = "settings.broken"
"""The new name of a file that cannot be parsed, before it is replaced."""
_MAX_BYTES: Final = 65536


def settings_path() -> Path:
    """Return the path of the settings file, which may not exist yet."""
    return config_directory() / FILE_NAME


def load_settings() -> Settings:
    """Return the settings; invalid values, and a file that cannot be parsed, are ignored."""
    found = _read(settings_path()) or {}
    valid = {name: value for name, value in found.items() if _is_valid(name, value)}
    return msgspec.convert(valid, Settings)


def settings_are_broken() -> bool:
    """Return whether there is a settings file that cannot be read or parsed."""
    return _read(settings_path()) is None


def change_settings(how: Callable[[Settings], Settings]) -> None:
    """Change the settings file under a lock: changes by another terminal are not lost."""
    directory = _target().parent
    make_directory(directory)
    with locked(directory):
        save_settings(how(load_settings()))


def save_settings(settings: Settings) -> None:
    """Write the settings file atomically, and keep entries that this version does not know."""
    path = _target()
    make_directory(path.parent)
    found = _read(path)
    if found is None:
        path.replace(path.with_name(BROKEN_NAME))
    known = Settings.__struct_fields__
    kept = {
        name: value
        for name, value in (found or {}).items()
        if name not in known or not _is_valid(name, value)
    }
    values = kept | msgspec.to_builtins(settings)
    write_atomic(path, msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n")


def _target() -> Path:
    """Resolve symbolic links, so that a linked settings file stays a link."""
    return Path(os.path.realpath(settings_path()))


def _read(path: Path) -> dict[str, Any] | None:
    """Return the values in the file by name, {} if it is missing, None if it cannot be parsed."""
    try:
        # editors on Windows put a mark before the text
        data = read_regular(path, _MAX_BYTES).removeprefix(BOM_UTF8)
        found: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _is_valid(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except msgspec.ValidationError:
        return False
    return True
