"""What a person has chosen once for all tables: the values alone, kept by others."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Meta, Struct

Language: TypeAlias = Literal["", "en", "pt_BR", "it", "es", "ko", "ru"]
"""A language by its locale; "" takes the one that the environment asks for."""
Theme: TypeAlias = Literal["dark", "light", "contrast", "colour-blind"]
Colours: TypeAlias = Literal["auto", "none", "16", "256", "true"]
Speed: TypeAlias = Literal["slow", "normal", "fast", "at-once"]
"""How others' steps are shown one by one; `at-once` shows where they lead."""

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
THEMES: Final[tuple[Theme, ...]] = get_args(Theme)
COLOURS: Final[tuple[Colours, ...]] = get_args(Colours)
SPEEDS: Final[tuple[Speed, ...]] = get_args(Speed)
RECENT_MOST: Final = 5


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
    recent: Annotated[tuple[str, ...], Meta(max_length=RECENT_MOST)] = ()
    """The addresses last joined, the latest first."""
    guided: bool = False
    """Whether the first-game guide was seen to its end or put away."""
