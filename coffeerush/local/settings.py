"""A person's settings: the values, their types, and the file that keeps them."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.table_rules import TableRules
from protocol import MAX_PLAYERS, MIN_PLAYERS, Colour, Letter, Rotation, TurnSeconds

from .files import config_directory, locked, make_directory, read_regular, write_atomic

Language: TypeAlias = Literal["", "en", "pt_BR", "it", "es", "ko", "ru"]
"""A language by its locale; "" for that of the environment."""
Theme: TypeAlias = Literal["dark", "light", "contrast", "colour-blind"]
Colours: TypeAlias = Literal["auto", "none", "16", "256", "true"]
Speed: TypeAlias = Literal["slow", "normal", "fast", "at-once"]
"""How fast other players' steps are animated; `at-once` shows only the result."""
Bots: TypeAlias = Annotated[tuple[str, ...], Meta(max_length=MAX_PLAYERS - 1)]
"""The kinds of bots, one per seat."""

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
THEMES: Final[tuple[Theme, ...]] = get_args(Theme)
COLOURS: Final[tuple[Colours, ...]] = get_args(Colours)
SPEEDS: Final[tuple[Speed, ...]] = get_args(Speed)
MAX_RECENT: Final = 5
MAX_TURN_SECONDS: Final = 3600


class Settings(Struct, frozen=True, omit_defaults=True):
    """All persistent settings; unknown fields of a newer version are ignored."""

    language: Language = ""
    theme: Theme = "dark"
    colours: Colours = "auto"
    ascii: bool = False
    mouse: bool = True
    bell: bool = True
    title: bool = True
    """Whether the terminal's title shows whose turn it is."""
    notify: bool = False
    """Whether a desktop notification tells of a turn that begins while another window is used."""
    moments: bool = True
    """Whether serving, upgrades, penalties and the end are shown by short animations."""
    speed: Speed = "normal"
    remarks: bool = True
    """Whether bots make a remark now and then."""
    standby: bool = True
    """Whether others at a table may ask this person to host it from then on."""
    name: str = ""
    """The person's name at tables; "" for the login name."""
    introduced: bool = False
    """Whether they were asked for it, so that without one they are not asked again."""
    letter: Letter | None = None
    """Their letter there, which marks them on the board; None for one of their name."""
    colour: Colour | None = None
    """Their colour there; None for that of their seat."""
    recent: Annotated[tuple[str, ...], Meta(max_length=MAX_RECENT)] = ()
    """The addresses joined last, the latest first."""
    guided: bool = False
    """Whether the first-game guide was completed or dismissed."""
    opponents: Bots = ("casual", "regular")
    """The kinds of bots in the last game of `play`."""
    solo_seconds: TurnSeconds = 0
    """Its turn clock in seconds; 0 for none."""
    table: str = ""
    """The name of the table last hosted; "" for the default."""
    seats: Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)] = MAX_PLAYERS
    """Its number of seats."""
    open: bool = False
    """Whether it asked for no code."""
    guests: bool = False
    """Whether others could join without this program."""
    seated: Bots = ()
    """The kinds of bots seated there from the start."""
    starters: bool = False
    """Whether it was played with the starter orders."""
    turn_seconds: TurnSeconds = 0
    """Its turn clock in seconds; 0 for none."""
    rotation: Rotation = "owner"
    """Who made room there for people in line for a seat."""

    @property
    def is_introduced(self) -> bool:
        """Whether this person has a name of their own, or wanted none when asked."""
        return self.introduced or bool(self.name)

    @property
    def solo_rules(self) -> TableRules:
        """The rules of the last game of `play`."""
        return TableRules(self.starters, self.solo_seconds)

    @property
    def hosted_rules(self) -> TableRules:
        """The rules of the table last hosted."""
        return TableRules(self.starters, self.turn_seconds, rotation=self.rotation)


def language_named(text: str) -> Language | None:
    """Return the language that `ko`, `pt`, `pt-BR` or `pt_BR.UTF-8` stands for, if it is ours."""
    root = re.split("[-_.]", text.lower())[0]
    return next((code for code in LANGUAGES if code and code.partition("_")[0] == root), None)


def remembering(settings: Settings, address: str, gone: str = "") -> Settings:
    """Return the settings with `address` as the most recently joined, in place of one `gone`."""
    others = (other for other in settings.recent if other not in (address, gone))
    return replace(settings, recent=(address, *others)[:MAX_RECENT])


# Load and save the settings file: JSON, which people may edit too


FILE_NAME: Final = "settings.json"
BROKEN_NAME: Final = "settings.broken"
"""The new name of a file that cannot be parsed, before it is replaced."""
_MAX_BYTES: Final = 65536


def settings_path() -> Path:
    """Return the path of the settings file, which may not exist yet."""
    return config_directory() / FILE_NAME


def load_settings() -> Settings:
    """Return the settings; invalid values, and a file that cannot be parsed, are ignored."""
    values = _read(settings_path()) or {}
    valid = {name: value for name, value in values.items() if _is_valid(name, value)}
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
    before = _read(path)
    if before is None:
        path.replace(path.with_name(BROKEN_NAME))
    known = Settings.__struct_fields__
    kept = {
        name: value
        for name, value in (before or {}).items()
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
        values: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return values


def _is_valid(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Settings)
    except msgspec.ValidationError:
        return False
    return True
