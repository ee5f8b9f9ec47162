"""Commands of plain mode for the person's settings, language and guide."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from coffeerush.local.settings import LANGUAGES, Settings
from coffeerush.ui.pages.setting_rows import ROWS, SettingRow, cycled, mark_wish, value_word
from coffeerush.ui.words.command_words import said, switched_on
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import item_list, numbered

from .game_commands import Effect, already, cannot
from .parsing import Command

_CODES: Final = tuple(code for code in LANGUAGES if code)


def _settings(settings: Settings, command: Command) -> Effect:
    if not command.numbers:
        rows = numbered(_row_line(settings, row) for row in ROWS)
        text = _("Type “{settings}” and a number to change that setting.")
        return Effect((*rows, text.format(settings=said("settings"))))
    (number,) = command.numbers
    if not 1 <= number <= len(ROWS):
        return cannot(_("There is no setting {number}.").format(number=number))
    row = ROWS[number - 1]
    if not row.values:
        text = _(
            "Your name is set in the start menu; before a game, change it with “{name}” "
            "and the new name, as in “{name} Bea”."
        )
        return cannot(text.format(name=said("name")))
    after = cycled(settings, row, 1)
    marks = row.field in ("letter", "colour")
    return Effect(settings=after, wish=mark_wish(after) if marks else None)


def _language(settings: Settings, command: Command) -> Effect:
    wanted = command.text.replace("-", "_")
    fitting = [code for code in _CODES if wanted and code.casefold().startswith(wanted)]
    if len(fitting) != 1:
        text = _("Type “{language}” and one of these: {codes}.")
        return cannot(text.format(language=said("language"), codes=item_list(_CODES)))
    return _changed(settings, replace(settings, language=fitting[0]))


def _changed(before: Settings, after: Settings) -> Effect:
    return already() if after == before else Effect(settings=after)


def setting_line(settings: Settings, field: str) -> str:
    """Return the line with the value of a setting."""
    return next(_row_line(settings, row) for row in ROWS if row.field == field)


def _row_line(settings: Settings, row: SettingRow) -> str:
    return _("{label}: {value}.").format(label=_(row.label), value=value_word(settings, row))


def changed_lines(before: Settings, after: Settings) -> tuple[str, ...]:
    """Describe the settings that changed, in the new language."""
    rows = [row for row in ROWS if getattr(before, row.field) != getattr(after, row.field)]
    told = tuple(_row_line(after, row) for row in rows)
    if before.guided == after.guided:
        return told
    return (*told, _("The guide is off.") if after.guided else _("The guide is on."))


def _guide(settings: Settings, command: Command) -> Effect:
    on = command.text in switched_on()
    if not command.text:
        text = _("The guide is off; type “{guide} {on}” to turn it on.")
        text = (
            text if settings.guided else _("The guide is on; type “{guide} {off}” to turn it off.")
        )
        return Effect((text.format(guide=said("guide"), on=said("on"), off=said("off")),))
    return _changed(settings, replace(settings, guided=not on))


PERSONAL: Final[dict[str, Callable[[Settings, Command], Effect]]] = {
    "settings": _settings,
    "language": _language,
    "guide": _guide,
}
"""Commands that only change the person's settings."""
