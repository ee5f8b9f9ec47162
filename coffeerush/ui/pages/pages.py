"""Pages over any screen: help, rules and settings; and ingredient chips, which all draw."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Final, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.local.settings import COLOURS, LANGUAGES, SPEEDS, THEMES, Settings
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Fragment,
    Target,
    fit,
    pad,
    size,
    width,
    wrap,
)
from coffeerush.ui.terminal.keys import (
    DIRECTIONS,
    ENTER,
    ESCAPE,
    TAB,
    Draft,
    HelpRows,
    Keymap,
    bound,
    edited,
    pasted,
)
from coffeerush.ui.terminal.parts import draw_lines, draw_list
from coffeerush.ui.words.i18n import N_, NC_, _, ngettext, pgettext
from coffeerush.ui.words.names import LETTERS, colour_name, ingredient_code, ingredient_name
from protocol import (
    MAX_PLAYERS,
    NAME_CELLS,
    NO_ID,
    Colour,
    Counts,
    Ingredient,
    Letter,
    SetMark,
    clean_name,
)

from .form import FormRow, SettingRow, list_rows
from .rules_text import rules_sections

# The state of the pages over a screen, and the contents of a program's help


Mode: TypeAlias = Literal[
    "table",
    "chat",
    "name",
    "table_name",
    "letter",
    "help",
    "rules",
    "settings",
    "upgrades",
    "empty",
    "serve",
    "orders",
    "bots",
    "seats",
    "room",
    "agreed",
    "emotes",
    "hall",
    "tournament",
    "pause",
    "invitation",
    "host",
    "leaving",
    "succeed",
]
"""The page, list or field that is open over a table or menu; `table` if nothing is."""
Marks: TypeAlias = tuple[tuple[str, str], ...]
"""Marks and their meanings; untranslated."""


class Help(Struct, frozen=True):
    """The contents of a program's help; untranslated."""

    keys: tuple[tuple[str, HelpRows], ...] = ()
    """Sections of keys: (title, rows)."""
    marks: tuple[tuple[str, Marks], ...] = ()
    """Sections of marks, by where one sees them."""
    marks_first: bool = False
    """Whether the marks come before the keys: nothing else on the screen says what they mean."""
    now: HelpRows = ()
    """Those of the keys that do something at the moment: they come before all else."""


ORDER_MARKS: Final[Marks] = (
    ("4!", N_("an order in slot 4 becomes a penalty when your turn ends")),
    (glyphs.MISSING, N_("what is still missing")),
    (f"{glyphs.TO}1", N_("the cup that fits it best")),
    (f"{glyphs.SERVED}1", N_("the cup that holds all it needs")),
    (glyphs.SPECIALTY, N_("a specialty: it earns a rush token")),
)
PLAYER_MARKS: Final[Marks] = (
    (
        f"{glyphs.SERVED} {glyphs.PENALTY}{glyphs.FREE}",
        N_("orders completed; penalties, and how many end the game"),
    ),
    (glyphs.RUSH, N_("rush token; on the board, what a step costs")),
    (
        glyphs.FULL * 2 + glyphs.EMPTY,
        N_("a score: one point per mark, or more where room is short"),
    ),
    (glyphs.ACTIVE + 3 * glyphs.INACTIVE, N_("the four upgrades; here the first one is active")),
)
"""The marks that all screens with a board use: those of orders, and those of players."""


class Page(Struct, frozen=True):
    """The page that is open over a screen, and its state."""

    mode: Mode = "table"
    help: Help = Help()
    """The contents of the help page."""
    scroll: int = 0
    """How many lines the page, or a pane of the screen, is scrolled."""
    row: int = 0
    """The selected row of the settings."""
    editing: bool = False
    """Whether the name on the settings page is being typed, in `draft`."""
    draft: Draft = Draft()
    """The text being typed."""
    size: tuple[int, int] = (80, 24)
    """Columns and rows of the terminal."""
    touch: bool = False
    """Whether the person taps on the screen."""
    is_guest: bool = False
    """Whether the person has no program of their own."""
    settings: Settings = Settings()
    """The person's settings; the program applies changes to the terminal."""


# The settings as rows: labels, and values in words


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
            "Your desktop notifies you of your turn while you use another window, if "
            "the terminal can."
        ),
    ),
    SettingRow(
        "moments",
        N_("Animations"),
        N_("Short flashes for served orders, upgrades, penalties, the last round and the end."),
    ),
    SettingRow(
        "speed",
        N_("Others' moves"),
        N_("How fast other players' turns are shown; Space skips to yours."),
        SPEEDS,
        _word,
    ),
    SettingRow(
        "remarks",
        N_("Bots' remarks"),
        N_("Bots make a remark now and then, at most one per round."),
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
    SettingRow(
        "standby",
        N_("Host for others"),
        N_("The owner of a table may ask you to host it on this computer from then on."),
    ),
    SettingRow("name", N_("Your name"), N_("The name that others see at a table."), (), _name),
)
"""All settings on the page, in order."""


def setting_rows(settings: Settings) -> list[FormRow]:
    """Return all settings on the page as rows of a form."""
    return [FormRow.of(settings, row) for row in ROWS]


def mark_wish(settings: Settings) -> SetMark:
    """Return the request for the letter and the colour in the settings."""
    return SetMark(NO_ID, settings.letter, settings.colour)


# Ingredient tokens as coloured chips: two-letter codes, whole names, or counts per kind


_STYLES: Final = {kind: f"class:{kind.name.lower()}" for kind in Ingredient}


def token_style(kind: Ingredient) -> str:
    """Return the style of an ingredient's chip."""
    return _STYLES[kind]


def kinds_of(counts: Counts) -> list[Ingredient]:
    """Expand a multiset to a list with one entry per token."""
    return [kind for kind, count in zip(Ingredient, counts, strict=True) for _token in range(count)]


def ink_style(kind: Ingredient) -> str:
    """Return the style of an ingredient that is missing: letters in its colour."""
    return f"{_STYLES[kind]}-ink"


def chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips of two cells each, separated by blanks."""
    return spaced([(_STYLES[kind], ingredient_code(kind))] for kind in kinds)


def _word_chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips with their whole names, separated by blanks."""
    return spaced([(_STYLES[kind], ingredient_name(kind))] for kind in kinds)


def tally(counts: Counts) -> list[Fragment]:
    """Return the count of each kind: `Co9 Mi8`."""
    return spaced(
        [(_STYLES[kind], ingredient_code(kind)), ("class:count", str(count))]
        for kind, count in zip(Ingredient, counts, strict=True)
    )


def spaced(pieces: Iterable[list[Fragment]]) -> list[Fragment]:
    """Join pieces with blanks."""
    return [part for piece in pieces for part in (("", " "), *piece)][1:]


# The full-screen pages help, rules and settings: keys, clicks and drawing; no table needed


P = TypeVar("P", bound=Page)
"""A page, or a screen's state that extends it."""

PAGES: Final[tuple[Mode, ...]] = ("help", "rules", "settings")
_TITLES: Final = {"help": N_("Help"), "rules": N_("Rules"), "settings": N_("Settings")}
_KEYS: Final[dict[str, Mode]] = {"f1": "help", "?": "help", "f2": "rules", "f3": "settings"}
"""Keys that open a page, or close it if it is open."""
TABS: Final[dict[Mode, str]] = {"help": "f1", "rules": "f2", "settings": "f3"}
"""The key that opens each page."""
_CLOSING: Final = (ESCAPE, "q")
_STRAIGHT: Final = tuple(key for key, (down, right) in DIRECTIONS.items() if not (down and right))
_PAGING: Final = {"pagedown": 1, " ": 1, "pageup": -1}


class PageAction(Enum):
    """An action on a page."""

    MOVE = auto()
    NEXT = auto()
    PANE = auto()
    SCROLL_BACK = auto()
    SCROLL_ON = auto()
    CLOSE = auto()


PAGE_KEYS: Final = Keymap(
    bound(PageAction.MOVE, _STRAIGHT, N_("arrows"), weight=6, click=""),
    bound(PageAction.NEXT, (ENTER, " "), N_("Enter"), weight=10),
    bound(PageAction.PANE, (TAB, "s-tab"), N_("Tab"), weight=3),
    bound(PageAction.SCROLL_BACK, ("pageup",), N_("PgUp")),
    bound(PageAction.SCROLL_ON, ("pagedown",), N_("PgDn")),
    bound(PageAction.CLOSE, (*_CLOSING, *_KEYS), N_("Esc"), weight=9),
)
READING_COLUMNS: Final = 92
"""Maximum width of a page's text: longer lines are hard to read."""
_COLUMN_GAP: Final = 4
_EDGE: Final = 3
"""Lines that are not text: the tabs above it, two lines below it."""
_OVERLAP: Final = 1
"""Lines that stay visible when the text is scrolled by a page."""


def draw_page(canvas: Canvas, ui: Page) -> None:
    """Draw the open page, over everything but the footer."""
    canvas.fill(0, 0, canvas.columns, canvas.rows - 1)
    _draw_tabs(canvas, ui)
    size = (canvas.columns, canvas.rows)
    if ui.mode == "settings":
        _draw_settings(canvas, ui, _area(size))
    else:
        _draw_lines(canvas, replace(ui, size=size))


def press_page(ui: P, key: str) -> P:
    """Apply a key to the open page; closing it sets the mode to `table`."""
    if ui.editing:
        return _typed(ui, key)
    key = PAGE_KEYS.resolve(key)
    if key in _CLOSING or _KEYS.get(key) == ui.mode:
        return _opened(ui, "table")
    if key in _KEYS:
        return _opened(ui, _KEYS[key])
    if key in (TAB, "s-tab"):
        return _adjacent_page(ui, -1 if key == "s-tab" else 1)
    return _in_settings(ui, key) if ui.mode == "settings" else _in_text(ui, key)


def click_row(ui: P, row: int) -> P:
    """Apply a click on a row of the settings, which is the same as Enter there."""
    return _changed(replace(ui, row=row, editing=False, draft=Draft()), 1)


def click_page(ui: P, target: Target) -> P:
    """Apply a click on the open page: on a row of the settings, or on a language."""
    if ui.mode != "settings":
        return ui
    match target:
        case Target("row", int(row)):
            return click_row(ui, row)
        case Target("language", chosen) if chosen in LANGUAGES:
            return replace(ui, settings=replace(ui.settings, language=chosen))
    return ui


def paste_page(ui: P, text: str) -> P:
    """Insert pasted text if the name is being typed."""
    return replace(ui, draft=pasted(ui.draft, text, NAME_CELLS)) if ui.editing else ui


def page_offers(ui: Page) -> dict[PageAction, str]:
    """Return the footer's labels for the open page, by action."""
    if ui.editing:
        return {
            PageAction.NEXT: pgettext("key", "save"),
            PageAction.CLOSE: pgettext("key", "cancel"),
        }
    offers = {
        PageAction.CLOSE: pgettext("key", "close"),
        PageAction.PANE: pgettext("key", "next page"),
    }
    if ui.mode == "settings":
        return offers | {
            PageAction.MOVE: pgettext("key", "choose"),
            PageAction.NEXT: pgettext("key", "change"),
        }
    offers |= {PageAction.SCROLL_BACK: "", PageAction.SCROLL_ON: ""}
    if ui.scroll < page_end(ui):
        offers[PageAction.SCROLL_ON] = pgettext("key", "more")
    return offers


def page_end(ui: Page) -> int:
    """Return the number of lines by which the help or the rules can be scrolled."""
    lines, areas = _text(ui)
    return max(len(lines) - sum(area.rows for area in areas), 0)


def _text(ui: Page) -> tuple[list[Fragment], list[Area]]:
    """Return the lines of the open page, and their area, or two columns if one is too short."""
    area = _area(ui.size)
    lines, both = page_lines(ui, area.columns), 2 * area.columns + _COLUMN_GAP
    if len(lines) <= area.rows or both > ui.size[0] - 2:
        return lines, [area]
    x = (ui.size[0] - both) // 2
    return lines, [replace(area, x=x), replace(area, x=x + area.columns + _COLUMN_GAP)]


def _area(size: tuple[int, int]) -> Area:
    columns = min(size[0] - 2, READING_COLUMNS)
    return Area((size[0] - columns) // 2, 1, columns, max(size[1] - _EDGE, 1))


# Keys


def _opened(ui: P, mode: Mode) -> P:
    return replace(ui, mode=mode, scroll=0, draft=Draft(), editing=False)


def _adjacent_page(ui: P, by: int) -> P:
    return _opened(ui, PAGES[(PAGES.index(ui.mode) + by) % len(PAGES)])


def _in_text(ui: P, key: str) -> P:
    """Scroll, go to the next or previous page, or close with Enter."""
    if key == ENTER:
        return _opened(ui, "table")
    down, right = _direction(key)
    if right:
        return _adjacent_page(ui, right)
    rows = sum(area.rows for area in _text(ui)[1])
    lines = down + _PAGING.get(key, 0) * max(rows - _OVERLAP, 1)
    return replace(ui, scroll=min(max(ui.scroll + lines, 0), page_end(ui)))


def _in_settings(ui: P, key: str) -> P:
    down, right = _direction(key)
    down += {"pagedown": len(ROWS), "pageup": -len(ROWS)}.get(key, 0)
    if down:
        return replace(ui, row=min(max(ui.row + down, 0), len(ROWS) - 1))
    if key in (ENTER, " "):
        right = 1
    return _changed(ui, right) if right else ui


def _direction(key: str) -> tuple[int, int]:
    """Return (down, right) of an arrow key or its letter; (0, 0) for a diagonal."""
    down, right = DIRECTIONS.get(key, (0, 0))
    return (0, 0) if down and right else (down, right)


def _changed(ui: P, by: int) -> P:
    row = FormRow.of(ui.settings, ROWS[ui.row])
    if row.change:
        return replace(ui, settings=row.change(by))
    return replace(ui, editing=True, draft=row.draft)


def _typed(ui: P, key: str) -> P:
    """Apply a key to the name being typed; an empty name means the login name."""
    closed = replace(ui, editing=False, draft=Draft())
    if key == ESCAPE:
        return closed
    if key == ENTER:
        return replace(closed, settings=replace(ui.settings, name=clean_name(ui.draft.text)))
    return replace(ui, draft=edited(ui.draft, key, NAME_CELLS))


# Drawing


def _draw_tabs(canvas: Canvas, ui: Page) -> None:
    """Draw the page titles in the top line; a click on one opens that page."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    x = 1
    for page in PAGES:
        is_open = page == ui.mode
        title = page_title(page)
        text = f"{glyphs.POINTER if is_open else ' '} {title}"
        style = "class:header class:turn" if is_open else "class:header"
        end = canvas.put(x, 0, text, style)
        canvas.zone(x, 0, end - x, 1, Target("key", page if is_open else TABS[page]))
        x = end + 2


def page_title(page: Mode) -> str:
    """Return the title of a page."""
    return _(_TITLES[page])


def _draw_lines(canvas: Canvas, ui: Page) -> None:
    lines, areas = _text(ui)
    rest = lines[min(ui.scroll, page_end(ui)) :]
    for area in areas:
        draw_lines(canvas, area, rest[: area.rows])
        rest = rest[area.rows :]
    if rest:
        line = more_line(len(rest))
        canvas.put(area.x, area.y + area.rows, line, "class:more", area.columns)


def more_line(count: int) -> str:
    """Return the line below a list that says how many more lines there are."""
    text = ngettext("{count} more line: PgDn", "{count} more lines: PgDn", count)
    return text.format(count=count)


def _draw_settings(canvas: Canvas, ui: Page, area: Area) -> None:
    """Draw one row per setting, the selected one's description, and sample chips if they fit."""
    rows = setting_rows(ui.settings)
    field = replace(rows[ui.row], draft=ui.draft) if ui.editing else None
    rows[ui.row] = field or rows[ui.row]
    area = replace(area, rows=area.rows + 1)  # here no line for "more" is needed
    _rows, y = draw_list(canvas, area, list_rows(rows, field), ui.row, rows[ui.row].about)
    if y + 1 < area.y + area.rows:
        kinds = list(Ingredient)
        sample = fit((_word_chips(kinds), chips(kinds)), area.columns - 2, size)
        canvas.puts(area.x + 2, y + 1, sample, area.columns - 2)


# The text of help and rules


def page_lines(page: Page, columns: int) -> list[Fragment]:
    """Return the lines of the open page, help or rules, as (style, line)."""
    return _rules_lines(columns) if page.mode == "rules" else _help_lines(page.help, columns)


def _help_lines(explained: Help, columns: int) -> list[Fragment]:
    """Return the explanations of keys and marks."""

    def worded(rows: Iterable[tuple[tuple[str, ...], str]]) -> list[tuple[str, str]]:
        return [(" ".join(map(_, caps)), _(text)) for caps, text in rows]

    sections = [
        (_(title), worded(row for row in rows if row not in explained.now))
        for title, rows in explained.keys
    ]
    marks = [
        (_(title), [(_(mark), _(text)) for mark, text in rows]) for title, rows in explained.marks
    ]
    sections = [*marks, *sections] if explained.marks_first else [*sections, *marks]
    if explained.now:
        sections.insert(0, (_("Keys now"), worded(explained.now)))
    caps = max(width(cap) for _title, section in sections for cap, _text in section) + 2
    found: list[Fragment] = []
    for title, section in sections:
        found += [("", "")] if found else []
        found.append(("class:title", title))
        for cap, text in section:
            found += _explained(cap, text, caps, columns)
    return found


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found
