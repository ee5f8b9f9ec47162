"""The first screen of a guest: name, join code, language. Pure: a key or click in, a state out."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.code import spoken_code
from coffeerush.local.settings import LANGUAGES, Settings
from coffeerush.ui.pages.pages import ROWS, cycled, value_word
from coffeerush.ui.table.draw_lobby import draw_tiny
from coffeerush.ui.table.keymap import KEYMAP, Action
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, is_tiny, wrap
from coffeerush.ui.terminal.keys import ENTER, INTERRUPT, Draft, edited, pasted
from coffeerush.ui.terminal.parts import ListRow, draw_keys, draw_list
from coffeerush.ui.words.i18n import _, language, pgettext
from protocol import NAME_CELLS

Row: TypeAlias = Literal["name", "code", "player", "spectator", "language"]
EXAMPLE: Final = "apple-tiger-moon"
CODE_CHARACTERS: Final = 80
COLUMNS: Final = 76
"""Maximum width of the form."""
_LANGUAGE: Final = next(row for row in ROWS if row.field == "language")
_TURNS: Final = {"up": -1, "s-tab": -1, "down": 1, "c-i": 1}
_SIDES: Final = {"left": -1, "right": 1, " ": 1}


class Entrance(Struct, frozen=True):
    """The form that a guest fills in."""

    settings: Settings
    name: Draft
    asks_code: bool
    """Whether the table has a code."""
    code: Draft = Draft()
    row: Row = "name"
    note: str = ""
    """Why the guest was not let in."""
    role: Role | None = None
    """As what the guest wants to come in; None while the form is being filled in."""
    leaving: bool = False


def rows_of(form: Entrance) -> list[Row]:
    """Return the rows of the form."""
    code: list[Row] = ["code"] if form.asks_code else []
    return ["name", *code, "player", "spectator", "language"]


def press(form: Entrance, key: str) -> Entrance:
    """Apply a key."""
    if key == INTERRUPT:
        return replace(form, leaving=True)
    form = replace(form, note="")
    if key in _TURNS:
        rows = rows_of(form)
        return replace(form, row=rows[(rows.index(form.row) + _TURNS[key]) % len(rows)])
    if key == ENTER:
        return _entered(form)
    if form.row == "language":
        side = _SIDES.get(key, 0)
        return replace(form, settings=_other_language(form.settings, side)) if side else form
    if form.row in ("name", "code"):
        draft = edited(_draft(form), key, _longest(form))
        return _written(form, draft)
    return form


def paste(form: Entrance, text: str) -> Entrance:
    """Insert pasted text into the selected text field."""
    if form.row not in ("name", "code"):
        return form
    return _written(form, pasted(_draft(form), text.strip(), _longest(form)))


def click(form: Entrance, target: Target) -> Entrance:
    """Apply a click: on a row, or on a key of the footer."""
    kind, value = target
    if kind == "key":
        return press(form, str(value))
    rows = rows_of(form)
    if kind != "row" or not isinstance(value, int) or value >= len(rows):
        return form
    form = replace(form, row=rows[value], note="")
    if form.row == "language":
        return replace(form, settings=_other_language(form.settings, 1))
    return form if form.row in ("name", "code") else _entered(form)


def _entered(form: Entrance) -> Entrance:
    """Go on to what is missing, else come in."""
    if not form.name.text.strip():
        return replace(form, row="name", note=_("The name that others see at a table."))
    if form.asks_code and not form.code.text.strip():
        return replace(form, row="code")
    if form.row == "language":
        return replace(form, row="player")
    return replace(form, role="spectator" if form.row == "spectator" else "player")


def _other_language(settings: Settings, by: int) -> Settings:
    """Return the settings with the next language; one that is asked of the system is known."""
    if not settings.language:
        known = next((one for one in LANGUAGES if one == language()), settings.language)
        settings = replace(settings, language=known)
    after = cycled(settings, _LANGUAGE, by)
    return after if after.language else cycled(after, _LANGUAGE, by)


def _draft(form: Entrance) -> Draft:
    return form.name if form.row == "name" else form.code


def _written(form: Entrance, draft: Draft) -> Entrance:
    return replace(form, name=draft) if form.row == "name" else replace(form, code=draft)


def _longest(form: Entrance) -> int:
    return NAME_CELLS if form.row == "name" else CODE_CHARACTERS


def draw_entrance(
    form: Entrance, table: str, columns: int, rows: int, touch: bool = False
) -> Canvas:
    """Draw the form; `table` is the table's name, `touch` whether its rows are tapped."""
    canvas = Canvas(columns, rows)
    if is_tiny((columns, rows)):
        draw_tiny(canvas, is_guest=True)
        return canvas
    canvas.fill(0, 0, columns, 1, "class:header")
    x = canvas.put(1, 0, _("Coffee Rush"), "class:header class:brand")
    if table:
        canvas.put(
            x + 2, 0, _("Table “{name}”").format(name=table), "class:header", columns - x - 3
        )
    notes = wrap(form.note, columns - 4, "") if form.note else ()
    y = rows - 1 - len(notes)
    for offset, line in enumerate(notes):
        canvas.put(2, y + offset, line, "class:refusal")
    cells = min(columns - 2, COLUMNS)
    shown = rows_of(form)
    labels = {
        "name": ListRow(_("Your name"), set_by="typing", draft=form.name),
        "code": ListRow(_("Code"), set_by="typing", draft=form.code),
        "player": ListRow(_("Join the table")),
        "spectator": ListRow(_("Watch without a seat")),
        "language": ListRow(_("Language"), _language_name(form.settings), "arrows"),
    }
    area = Area((columns - cells) // 2, 1, cells, y - 1)
    listed = [labels[row] for row in shown]
    draw_list(canvas, area, listed, shown.index(form.row), _about(form), airy=touch)
    draw_keys(canvas, rows - 1, KEYMAP, _offers(form))
    return canvas


def _language_name(settings: Settings) -> str:
    known = next((one for one in LANGUAGES if one == language()), settings.language)
    return value_word(replace(settings, language=known), _LANGUAGE)


def _about(form: Entrance) -> str:
    match form.row:
        case "name":
            return _("The name that others see at a table.")
        case "code":
            return _(
                "Three words, such as {example}. The host's screen shows them; you can type "
                "them in any of this program's languages."
            ).format(example=spoken_code(EXAMPLE, language()))
    return ""


def _offers(form: Entrance) -> dict[Action, str]:
    offers = {Action.MOVE: pgettext("key", "choose"), Action.NEXT: pgettext("key", "connect")}
    if form.row == "language":
        offers[Action.MOVE] = pgettext("key", "choose, change")
    return offers
