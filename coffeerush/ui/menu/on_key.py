"""Input in the start menu: from a key, a click or pasted text to the next state. Pure."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.code import parse_code
from coffeerush.joining.hosts import parse_address
from coffeerush.joining.nearby import FoundTable, merged
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.page import Mode
from coffeerush.ui.pages.pages import PAGES, click_row, paste_page, press_page
from coffeerush.ui.pages.setting_rows import ROWS
from coffeerush.ui.table.keymap import KEYMAP
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import DIRECTIONS, ENTER, ESCAPE, INTERRUPT, Draft, edited, pasted
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import language
from protocol import NAME_CELLS

from .lines import DIGITS, QUITS, is_typing, lines_of, row_with
from .state import CHOOSING, Home, Join, Line, MenuPage, Quit, draft_of, settled

_PAGE_KEYS: Final[dict[str, Mode]] = {"f1": "help", "f2": "rules", "f3": "settings"}
_TURNS: Final = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
MAX_ADDRESS: Final = 280


def press(home: Home, key: str) -> Home:
    """Apply a key; `key` is a character or one of prompt_toolkit's key names."""
    if key == INTERRUPT:
        return replace(home, errand=Quit())
    if home.page.mode in PAGES:
        return replace(home, page=press_page(home.page, key))
    home = replace(home, notes=(), wrong=False)
    if key in _PAGE_KEYS:
        return _page(home, _PAGE_KEYS[key])
    if key == ESCAPE:
        return back(home)
    if key == ENTER:
        return enter(home)
    if key in _TURNS:
        return _moved(home, _TURNS[key])
    if is_typing(home):
        return _typed(home, edited(draft_of(home, _line(home)), key, _longest(home)))
    return _pressed(home, KEYMAP.resolve(key))


def click(home: Home, target: Target) -> Home:
    """Apply a click: open a line or, in a form, change its value; press a key of the footer."""
    if target.kind == "key":
        return press(home, str(target.value))
    if target.kind != "row" or not isinstance(target.value, int):
        return home
    # the frame that was clicked may be out of date
    if home.page.mode == "settings" and target.value < len(ROWS):
        return replace(home, page=click_row(home.page, target.value))
    if home.page.mode in PAGES or target.value >= len(lines_of(home)):
        return home
    return chosen(home, target.value)


def chosen(home: Home, row: int) -> Home:
    """Select a line, and change its value if it has one, else open it."""
    home = replace(home, row=row, notes=(), wrong=False)
    line = _line(home)
    if line.typed:
        return home
    return changed(home, 1) if line.change else enter(home)


def paste(home: Home, text: str) -> Home:
    """Insert pasted text into the text field, if there is one."""
    if home.page.mode in PAGES:
        return replace(home, page=paste_page(home.page, text))
    home = replace(home, notes=(), wrong=False)
    if not is_typing(home):
        return home
    draft = draft_of(home, _line(home))
    text = "".join(filter(str.isprintable, text if draft.text else text.lstrip()))
    return _typed(home, pasted(draft, text, _longest(home)))


def gone_to(home: Home, place: MenuPage) -> Home:
    """Go to a place, with the likeliest line selected."""
    menu_row = home.row if home.place == "menu" else home.menu_row
    if place == "career":
        home = replace(home, career=home.row)
    row = menu_row if place == "menu" else home.career if home.place == "career" else 0
    if place == "league" and home.place == "menu":
        home = replace(home, league=None, reading=(0, 0))
    choosing = place in CHOOSING
    if choosing and home.settings.recent:
        row = 1
    return replace(home, place=place, row=row, menu_row=menu_row, draft=Draft(), looking=choosing)


def back(home: Home) -> Home:
    """Go back; at the root, quit, except in the menu itself."""
    if home.place == home.root:
        return home if home.place == "menu" else replace(home, errand=Quit())
    if home.place == "code" and home.wanted:
        return gone_to(home, "join" if home.wanted.role == "player" else "watch")
    return gone_to(home, "league" if home.place == "career" else "menu")


def with_found(home: Home, tables: Iterable[FoundTable]) -> Home:
    """Update the tables found; if the selected one is gone, the address field is selected.

    The first table found is selected if there was no other, and nothing typed.
    """
    line, before = _line(home), lines_of(home)
    after = replace(home, found=merged(home.found, tables))
    if home.place not in CHOOSING:
        return after
    if line.typed:
        idle = len(before) == 1 and not home.draft.text
        return replace(after, row=1) if idle and len(lines_of(after)) > 1 else after
    row = _row_with(after, line, 0)
    # the digit that selected the table would now be an address
    draft = Draft() if not row and home.draft.text in DIGITS else home.draft
    return replace(after, row=row, draft=draft)


def without_league(home: Home, error: CoffeeRushError) -> Home:
    """Go back from the page of a league that cannot be read, and say why."""
    if home.place != "league":
        return home
    return replace(gone_to(home, "menu"), notes=(error_line(error),), wrong=True)


def resettled(home: Home, settings: Settings) -> Home:
    """Apply settings that were changed elsewhere; the selected table stays selected."""
    line, after = _line(home), settled(home, settings)
    lines = lines_of(after)
    row = min(home.row, len(lines) - 1)
    if isinstance(line.errand, Join) and not line.typed:
        row = _row_with(after, line, row)
    return replace(after, row=row)


def _row_with(home: Home, line: Line, otherwise: int) -> int:
    """Return the row of the line with the same errand."""
    found = (row for row, one in enumerate(lines_of(home)) if one.errand == line.errand)
    return next(found, otherwise)


def asking_for_code(home: Home, join: Join) -> Home:
    """Go to the text field for a table's code."""
    if home.place != "code":  # else keep what was typed, so that it can be corrected
        home = gone_to(home, "code")
    return replace(home, wanted=replace(join, code=""))


def enter(home: Home) -> Home:
    """Open the selected line, as Enter does."""
    line = _line(home)
    if line.opens:
        return gone_to(home, line.opens)
    if line.page:
        return _page(home, line.page)
    if isinstance(line.errand, Join):
        return _joined(home, line.errand)
    return _moved(home, 1) if line.typed == "table" else replace(home, errand=line.errand)


def changed(home: Home, by: int) -> Home:
    """Change the value of the selected line by `by` steps."""
    change = _line(home).change
    if change is None:
        return home
    after = settled(home, change(by))
    return replace(after, row=min(after.row, len(lines_of(after)) - 1))


def written(home: Home, text: str) -> Home:
    """Set the text of the text field."""
    return _written(home, Draft(text[: _longest(home)]))


def _joined(home: Home, join: Join) -> Home:
    """Join a table, or explain why the address or code is not valid."""
    if not join.address.strip():
        return home  # the line's description already says what to type
    try:
        parse_address(join.address)
        if home.place == "code":
            join = replace(join, code=parse_code(home.draft.text, language()))
    except CoffeeRushError as error:
        return replace(home, notes=(error_line(error),), wrong=True)
    return replace(home, errand=join)


def _page(home: Home, mode: Mode) -> Home:
    return replace(home, page=replace(home.page, mode=mode, scroll=0, row=0))


def _line(home: Home) -> Line:
    return lines_of(home)[home.row]


def _moved(home: Home, by: int) -> Home:
    """Select another line; single steps wrap around."""
    count = len(lines_of(home))
    row = home.row + by
    row = row % count if abs(by) == 1 else min(max(row, 0), count - 1)
    return replace(home, row=row)


def _longest(home: Home) -> int:
    return NAME_CELLS if _line(home).typed == "table" else MAX_ADDRESS


def _typed(home: Home, draft: Draft) -> Home:
    """Update the text field; if its text has changed, select the first line.

    In a list of tables a single digit selects one: no address is that short.
    """
    text = draft.text
    if _line(home).typed != "table" and text != home.draft.text:
        listed = home.place in CHOOSING and len(text) == 1
        listed = listed and text in DIGITS[: len(lines_of(home)) - 1]
        home = replace(home, row=int(text) if listed else 0)
    return _written(home, draft)


def _written(home: Home, draft: Draft) -> Home:
    home = replace(home, draft=draft)
    if _line(home).typed == "table":
        return settled(home, replace(home.settings, table=draft.text))
    return home


def _pressed(home: Home, key: str) -> Home:
    """Apply a letter or digit outside text fields."""
    if key == "q":
        return replace(home, errand=Quit()) if home.place == "menu" else back(home)
    if key == "?":
        return _page(home, "help")
    if key == " ":
        return changed(home, 1)
    if key == QUITS and home.place == "menu":
        return replace(home, errand=Quit())
    if (row := row_with(home, key)) is not None:
        return chosen(home, row)
    down, right = DIRECTIONS.get(key, (0, 0))
    if down and not right:
        return _moved(home, down)
    return changed(home, right) if right and not down else home
