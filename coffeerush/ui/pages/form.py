"""Forms: rows that are selected, and changed, typed into or opened; keys and drawing. Pure."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Self, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.keys import Draft, edited
from coffeerush.ui.terminal.parts import ListRow
from coffeerush.ui.words.i18n import _, pgettext
from protocol import NAME_CELLS

# Settings as shown: their values in words, and the next value


def _switch(on: bool) -> str:
    return pgettext("setting", "on") if on else pgettext("setting", "off")


class SettingRow(Struct, frozen=True):
    """A setting as shown to the person."""

    field: str
    """Its field in `Settings`."""
    label: str
    """Its name; untranslated."""
    about: str = ""
    """A sentence on what it does; untranslated."""
    values: Sequence[Any] = (False, True)
    """Its possible values, in the order of the arrow keys; () if it is typed."""
    word: Callable[[Any], str] = _switch
    """Returns a value in words."""


Value = TypeVar("Value")


def advanced(values: Sequence[Value], now: Value, by: int) -> Value:
    """Advance by `by` values, wrapping around; an unknown value counts as before the first."""
    at = values.index(now) if now in values else -1
    return values[(at + by) % len(values)]


def value_word(settings: Settings, row: SettingRow) -> str:
    """Return the current value of a setting in words."""
    return row.word(getattr(settings, row.field))


def cycled(settings: Settings, row: SettingRow, by: int) -> Settings:
    """Advance a row's value by `by` steps, wrapping around."""
    return replace(settings, **{row.field: advanced(row.values, getattr(settings, row.field), by)})


# The rows of a form, and what keys do to it


class FormRow(Struct, frozen=True):
    """A row of a form, as it is now."""

    label: str
    value: str = ""
    about: str = ""
    """A sentence on what it is for."""
    change: Callable[[int], Settings] | None = None
    """Returns the settings with its value advanced by some steps."""
    draft: Draft | None = None
    """The text of its text field, if it has one."""
    longest: int = NAME_CELLS
    """The maximum number of characters of that text."""
    shorter: tuple[tuple[str, str], ...] = ()
    """Shorter wordings of label and value, for a narrow terminal."""
    key: str = ""
    """The digit or letter that opens it."""

    @classmethod
    def of(cls, settings: Settings, setting: SettingRow) -> Self:
        """Return the row of a setting, which can be changed or typed."""
        return cls(
            _(setting.label),
            value_word(settings, setting),
            _(setting.about),
            partial(cycled, settings, setting) if setting.values else None,
            None if setting.values else Draft(getattr(settings, setting.field)),
        )

    @property
    def typed(self) -> bool:
        """Whether it is a text field."""
        return self.draft is not None


Edit: TypeAlias = int | Draft | Settings | None
"""The effect of a key: the row that is selected now, the text of the field, or the settings."""
_STEPS: Final = {"up": -1, "down": 1}
_SIDES: Final = {"left": -1, "right": 1, " ": 1}


def press_form(
    rows: Sequence[FormRow], selected: int, key: str, field: FormRow | None = None
) -> Edit:
    """Apply a key: select another row, wrapping around, type into `field`, or change a value."""
    if key in _STEPS:
        return (selected + _STEPS[key]) % len(rows)
    if field and field.draft is not None:
        return edited(field.draft, key, field.longest)
    change, by = rows[selected].change, _SIDES.get(key, 0)
    return change(by) if change and by else None


def list_rows(rows: Sequence[FormRow], field: FormRow | None = None) -> list[ListRow]:
    """Return the rows as `draw_list` shows them; only `field` has a caret."""
    return [
        ListRow(
            row.label,
            row.value,
            "typing" if row.typed else "arrows" if row.change else "",
            row.draft if row is field else None,
            row.key,
            row.shorter,
        )
        for row in rows
    ]
