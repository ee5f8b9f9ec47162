"""The settings as rows: what each is called, its values in words, and the value after it."""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.local.settings import COLOURS, LANGUAGES, SPEEDS, THEMES, Settings
from coffeerush.ui.words.i18n import N_, pgettext


def _switch(on: bool) -> str:
    return pgettext("setting", "on") if on else pgettext("setting", "off")


class SettingRow(Struct, frozen=True):
    """A setting as a person chooses it."""

    field: str
    """Its name in `Settings`."""
    label: str
    """What it is called; to be translated."""
    about: str
    """What it does, in a sentence; to be translated."""
    values: tuple[Any, ...] = (False, True)
    """What it can be, in the order of the arrow keys; () where it is typed."""
    word: Callable[[Any], str] = _switch
    """A value in words."""


_OWN_NAMES: Final = {
    "en": "English",
    "pt_BR": "Português (Brasil)",
    "it": "Italiano",
    "es": "Español",
    "ko": "한국어",
    "ru": "Русский",
}
"""Each language in itself: whoever cannot read the screen finds it all the same."""


def _language(code: str) -> str:
    return _OWN_NAMES.get(code, code) or pgettext("language", "as the system")


def _theme(theme: str) -> str:
    return {
        "dark": pgettext("theme", "dark"),
        "light": pgettext("theme", "light"),
        "contrast": pgettext("theme", "high contrast"),
        "colour-blind": pgettext("theme", "colour-blind safe"),
    }[theme]


def _colours(colours: str) -> str:
    return {
        "auto": pgettext("colours", "as the terminal"),
        "none": pgettext("colours", "none"),
        "16": "16",
        "256": "256",
        "true": pgettext("colours", "all"),
    }[colours]


def _speed(speed: str) -> str:
    return {
        "slow": pgettext("speed", "slow"),
        "normal": pgettext("speed", "normal"),
        "fast": pgettext("speed", "fast"),
        "at-once": pgettext("speed", "at once"),
    }[speed]


def _name(name: str) -> str:
    return name or pgettext("name", "as you log in")


ROWS: Final = (
    SettingRow(
        "language",
        N_("Language"),
        N_("Everybody at a table can have another one."),
        LANGUAGES,
        _language,
    ),
    SettingRow(
        "theme", N_("Theme"), N_("The colours that everything is drawn with."), THEMES, _theme
    ),
    SettingRow(
        "colours",
        N_("Colours"),
        N_("How many colours are used, where the terminal does not say what it can."),
        COLOURS,
        _colours,
    ),
    SettingRow(
        "ascii",
        N_("Plain marks"),
        N_("Boxes and marks of plain characters, for terminals that show others badly."),
    ),
    SettingRow(
        "mouse",
        N_("Mouse"),
        N_("A click plays. Where this is off, the terminal selects text as usual."),
    ),
    SettingRow("bell", N_("Bell"), N_("The terminal rings when your turn begins.")),
    SettingRow("title", N_("Window title"), N_("The title says whose turn it is.")),
    SettingRow(
        "speed", N_("Others’ moves"), N_("How quickly others’ steps are shown."), SPEEDS, _speed
    ),
    SettingRow("name", N_("Your name"), N_("What you are called at tables."), (), _name),
)
"""Every setting that a person can see, in the order of the page."""


def value_word(settings: Settings, row: SettingRow) -> str:
    """Return what a setting is now, in words."""
    return row.word(getattr(settings, row.field))


def turned(settings: Settings, row: SettingRow, by: int) -> Settings:
    """Return the settings with a row's value moved on by so many, around its end."""
    now = row.values.index(getattr(settings, row.field))
    return replace(settings, **{row.field: row.values[(now + by) % len(row.values)]})
