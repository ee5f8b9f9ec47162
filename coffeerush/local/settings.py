"""What a person has chosen once for all tables: the values alone, kept by others."""

import re
from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol import MAX_PLAYERS, MIN_PLAYERS

Language: TypeAlias = Literal["", "en", "pt_BR", "it", "es", "ko", "ru"]
"""A language by its locale; "" takes the one that the environment asks for."""
Theme: TypeAlias = Literal["dark", "light", "contrast", "colour-blind"]
Colours: TypeAlias = Literal["auto", "none", "16", "256", "true"]
Speed: TypeAlias = Literal["slow", "normal", "fast", "at-once"]
"""How others' steps are shown one by one; `at-once` shows where they lead."""
Bots: TypeAlias = Annotated[tuple[str, ...], Meta(max_length=MAX_PLAYERS - 1)]
"""The kinds of some bots, one a seat."""

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
THEMES: Final[tuple[Theme, ...]] = get_args(Theme)
COLOURS: Final[tuple[Colours, ...]] = get_args(Colours)
SPEEDS: Final[tuple[Speed, ...]] = get_args(Speed)
MAX_RECENT: Final = 5
MAX_TURN_SECONDS: Final = 3600


class Settings(Struct, frozen=True, omit_defaults=True):
    """Everything that lasts; unknown fields of a newer version are passed over."""

    language: Language = ""
    theme: Theme = "dark"
    colours: Colours = "auto"
    ascii: bool = False
    mouse: bool = True
    bell: bool = True
    title: bool = True
    """Whether the terminal's title tells whose turn it is."""
    speed: Speed = "normal"
    name: str = ""
    """What one is called at tables; "" takes the login name."""
    recent: Annotated[tuple[str, ...], Meta(max_length=MAX_RECENT)] = ()
    """The addresses last joined, the latest first."""
    guided: bool = False
    """Whether the first-game guide was seen to its end or put away."""
    opponents: Bots = ("greedy", "greedy", "random")
    """The kinds of bots that one last played against."""
    table: str = ""
    """What one's own table was called; "" for the usual name."""
    seats: Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)] = MAX_PLAYERS
    """How many seats it had."""
    open: bool = False
    """Whether it asked for no code."""
    seated: Bots = ()
    """The kinds of bots that sat there from the start."""
    starters: bool = False
    """Whether it was played with the starter orders."""
    turn_seconds: Annotated[int, Meta(ge=0, le=MAX_TURN_SECONDS)] = 0
    """How long a turn took at most; 0 for as long as one likes."""


def language_named(text: str) -> Language | None:
    """Return the language that somebody means by `ko`, `pt`, `pt-BR` or `pt_BR.UTF-8`, if any."""
    root = re.split("[-_.]", text.lower())[0]
    return next((code for code in LANGUAGES if code and code.partition("_")[0] == root), None)


def remembering(settings: Settings, address: str) -> Settings:
    """Return the settings after an address was joined."""
    others = (other for other in settings.recent if other != address)
    return replace(settings, recent=(address, *others)[:MAX_RECENT])
