"""The settings as rows: labels, values in words, and the next value."""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.local.settings import COLOURS, LANGUAGES, SPEEDS, THEMES, Settings
from coffeerush.ui.words.i18n import N_, NC_, pgettext
from coffeerush.ui.words.names import LETTERS, colour_name
from protocol import MAX_PLAYERS, NO_ID, Colour, Letter, SetMark


def _switch(on: bool) -> str:
    return pgettext("setting", "on") if on else pgettext("setting", "off")


class SettingRow(Struct, frozen=True):
    """A setting as shown to the person."""

    field: str
    """Its field in `Settings`."""
    label: str
    """Its name; untranslated."""
    about: str
    """A sentence on what it does; untranslated."""
    values: tuple[Any, ...] = (False, True)
    """Its possible values, in the order of the arrow keys; () if it is typed."""
    word: Callable[[Any], str] = _switch
    """Returns a value in words."""


OWN_NAMES: Final = {
    "en": "English",
    "pt_BR": "Português (Brasil)",
    "it": "Italiano",
    "es": "Español",
    "ko": "한국어",
    "ru": "Русский",
}
"""Each language's name in itself, so that people find theirs whatever language is set."""


def _language(code: str) -> str:
    return OWN_NAMES.get(code, code) or pgettext("language", "same as system")


_WORDS: Final = {
    "dark": NC_("theme", "dark"),
    "light": NC_("theme", "light"),
    "contrast": NC_("theme", "high contrast"),
    "colour-blind": NC_("theme", "colour-blind safe"),
    "auto": NC_("colours", "same as terminal"),
    "none": NC_("colours", "none"),
    "true": NC_("colours", "all"),
    "slow": NC_("speed", "slow"),
    "normal": NC_("speed", "normal"),
    "fast": NC_("speed", "fast"),
    "at-once": NC_("speed", "instant"),
}


def _word(value: str) -> str:
    return pgettext(*_WORDS[value]) if value in _WORDS else value  # a number of colours


def _name(name: str) -> str:
    return name or pgettext("name", "login name")


def _letter(letter: Letter | None) -> str:
    return pgettext("seat letter", "from your name") if letter is None else LETTERS[letter]


def _colour(colour: Colour | None) -> str:
    return pgettext("seat colour", "from your seat") if colour is None else colour_name(colour)


ROWS: Final = (
    SettingRow(
        "language",
        N_("Language"),
        N_("Players at one table can each use their own language."),
        LANGUAGES,
        _language,
    ),
    SettingRow("theme", N_("Theme"), N_("The colours of the screen."), THEMES, _word),
    SettingRow(
        "colours",
        N_("Colours"),
        N_("How many colours to use if the terminal does not say what it supports."),
        COLOURS,
        _word,
    ),
    SettingRow(
        "ascii",
        N_("ASCII only"),
        N_("Draw with plain ASCII characters, for terminals that cannot show other characters."),
    ),
    SettingRow(
        "mouse", N_("Mouse"), N_("Play by clicking. If off, the terminal selects text as usual.")
    ),
    SettingRow(
        "bell",
        N_("Bell"),
        N_("The terminal beeps when your turn begins, and when ten seconds of it are left."),
    ),
    SettingRow("title", N_("Window title"), N_("The window title shows whose turn it is.")),
    SettingRow(
        "notify",
        N_("Notification"),
        N_(
            "Your desktop tells you of your turn while you use another window, if the terminal can."
        ),
    ),
    SettingRow(
        "moments",
        N_("Animations"),
        N_("Short flashes for served orders, upgrades, penalties, the last round and the end."),
    ),
    SettingRow(
        "speed", N_("Others' moves"), N_("How fast other players' steps are shown."), SPEEDS, _word
    ),
    SettingRow(
        "letter",
        N_("Your letter"),
        N_("The letter that marks you on the board, unless somebody chose it first."),
        (None, *range(len(LETTERS))),
        _letter,
    ),
    SettingRow(
        "colour",
        N_("Your colour"),
        N_("The colour of your name and letter, as it is called in the dark theme."),
        (None, *range(MAX_PLAYERS)),
        _colour,
    ),
    SettingRow("name", N_("Your name"), N_("The name that others see at a table."), (), _name),
)
"""All settings on the page, in order."""


def value_word(settings: Settings, row: SettingRow) -> str:
    """Return the current value of a setting in words."""
    return row.word(getattr(settings, row.field))


def cycled(settings: Settings, row: SettingRow, by: int) -> Settings:
    """Advance a row's value by `by` steps, wrapping around."""
    now = row.values.index(getattr(settings, row.field))
    return replace(settings, **{row.field: row.values[(now + by) % len(row.values)]})


def mark_wish(settings: Settings) -> SetMark:
    """Return the request for the letter and the colour in the settings."""
    return SetMark(NO_ID, settings.letter, settings.colour)
