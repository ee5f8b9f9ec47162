"""From a key, a click or a pasted text to the next state of the start menu: pure."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.address import parse_address
from coffeerush.joining.code import parse_code
from coffeerush.joining.discovery.found import FoundTable, merged
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.page import Mode
from coffeerush.ui.pages.pages import PAGES, click_row, paste_page, press_page
from coffeerush.ui.pages.setting_rows import ROWS
from coffeerush.ui.table.keymap import KEYMAP
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keyboard import DIRECTIONS, ENTER, ESCAPE, INTERRUPT
from coffeerush.ui.terminal.line_edit import Draft, edited, pasted
from coffeerush.ui.words.errors import error_line
from protocol import NAME_CELLS

from .lines import DIGITS, lines_of
from .state import CHOOSING, Home, Join, Line, MenuPage, Quit, draft_of, settled

_PAGE_KEYS: Final[dict[str, Mode]] = {"f1": "help", "f2": "rules", "f3": "settings"}
_TURNS: Final = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}
MAX_ADDRESS: Final = 280


def press(home: Home, key: str) -> Home:
    """Return what a key does; `key` is a character or a name of prompt_toolkit."""
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
    if _is_typing(home):
        return _typed(home, edited(draft_of(home, _line(home)), key, _longest(home)))
    return _pressed(home, KEYMAP.resolve(key))


def click(home: Home, target: Target) -> Home:
    """Return what a click does: a line is entered or, in a form, changed; a key is pressed."""
    if target.kind == "key":
        return press(home, str(target.value))
    if target.kind != "row" or not isinstance(target.value, int):
        return home
    # the frame that was clicked on may be out of date
    if home.page.mode == "settings" and target.value < len(ROWS):
        return replace(home, page=click_row(home.page, target.value))
    if home.page.mode in PAGES or target.value >= len(lines_of(home)):
        return home
    return chosen(home, target.value)


def chosen(home: Home, row: int) -> Home:
    """Return what comes of choosing a line: its value changes if it has one, else it is entered."""
    home = replace(home, row=row, notes=(), wrong=False)
    line = _line(home)
    if line.typed:
        return home
    return changed(home, 1) if line.change else enter(home)


def paste(home: Home, text: str) -> Home:
    """Return the menu after a text is put in, where one is being typed."""
    if home.page.mode in PAGES:
        return replace(home, page=paste_page(home.page, text))
    home = replace(home, notes=(), wrong=False)
    if not _is_typing(home):
        return home
    draft = draft_of(home, _line(home))
    text = "".join(filter(str.isprintable, text if draft.text else text.lstrip()))
    return _typed(home, pasted(draft, text, _longest(home)))


def gone_to(home: Home, place: MenuPage) -> Home:
    """Return the menu at one of its places, where the likeliest line is chosen."""
    menu_row = home.row if home.place == "menu" else home.menu_row
    row = menu_row if place == "menu" else 0
    choosing = place in CHOOSING
    if choosing and home.settings.recent:
        row = 1
    return replace(home, place=place, row=row, menu_row=menu_row, draft=Draft(), looking=choosing)


def back(home: Home) -> Home:
    """Return the place before this one; before the first there is none."""
    if home.place == home.root:
        return home if home.place == "menu" else replace(home, errand=Quit())
    if home.place == "code" and home.wanted:
        return gone_to(home, "join" if home.wanted.role == "player" else "watch")
    return gone_to(home, "menu")


def with_found(home: Home, tables: Iterable[FoundTable]) -> Home:
    """Return the menu after a look at the network; the first table is chosen if nothing else is."""
    before, after = lines_of(home), replace(home, found=merged(home.found, tables))
    idle = len(before) == 1 and not home.draft.text
    return replace(after, row=1) if idle and len(lines_of(after)) > 1 else after


def resettled(home: Home, settings: Settings) -> Home:
    """Return the menu with settings that were changed elsewhere; the same table stays chosen."""
    line, after = _line(home), settled(home, settings)
    lines = lines_of(after)
    row = min(home.row, len(lines) - 1)
    if isinstance(line.errand, Join) and not line.typed:
        row = next((at for at, one in enumerate(lines) if one.errand == line.errand), row)
    return replace(after, row=row)


def asking_for_code(home: Home, join: Join) -> Home:
    """Return the menu where the code of a table is typed."""
    if home.place != "code":  # else what was typed is to be mended
        home = gone_to(home, "code")
    return replace(home, wanted=replace(join, code=""))


def enter(home: Home) -> Home:
    """Return what Enter comes to on the chosen line."""
    line = _line(home)
    if line.opens:
        return gone_to(home, line.opens)
    if line.page:
        return _page(home, line.page)
    if isinstance(line.errand, Join):
        return _joined(home, line.errand)
    return replace(home, errand=line.errand)


def changed(home: Home, by: int) -> Home:
    """Return the menu with the value of the chosen line moved on."""
    change = _line(home).change
    if change is None:
        return home
    after = settled(home, change(by))
    return replace(after, row=min(after.row, len(lines_of(after)) - 1))


def written(home: Home, text: str) -> Home:
    """Return the menu with `text` on the line that is typed on."""
    return _written(home, Draft(text[: _longest(home)]))


def _joined(home: Home, join: Join) -> Home:
    """Wish to be at a table, unless what was typed is seen to be no address, or no code."""
    if not join.address.strip():
        return home  # what to type is said already
    try:
        parse_address(join.address)
        if home.place == "code":
            join = replace(join, code=parse_code(home.draft.text))
    except CoffeeRushError as error:
        return replace(home, notes=(error_line(error),), wrong=True)
    return replace(home, errand=join)


def _page(home: Home, mode: Mode) -> Home:
    return replace(home, page=replace(home.page, mode=mode, scroll=0, row=0))


def _line(home: Home) -> Line:
    return lines_of(home)[home.row]


def _moved(home: Home, by: int) -> Home:
    """Choose another line; a step from the last one leads to the first."""
    count = len(lines_of(home))
    row = home.row + by
    row = row % count if abs(by) == 1 else min(max(row, 0), count - 1)
    return replace(home, row=row)


def _is_typing(home: Home) -> bool:
    """Tell whether characters go into a line."""
    return bool(_line(home).typed) or home.place in CHOOSING


def _longest(home: Home) -> int:
    return NAME_CELLS if _line(home).typed == "table" else MAX_ADDRESS


def _typed(home: Home, draft: Draft) -> Home:
    """Return the menu after a line was typed on; its first line is chosen if the text is another.

    Among tables a single digit chooses one: no address is that short.
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
    """Return what a letter or a digit does where nothing is typed."""
    if key == "q":
        return replace(home, errand=Quit()) if home.place == "menu" else back(home)
    if key == "?":
        return _page(home, "help")
    if key == " ":
        return changed(home, 1)
    if key in DIGITS:
        row = int(key) - 1
        return chosen(home, row) if row < len(lines_of(home)) else home
    down, right = DIRECTIONS.get(key, (0, 0))
    if down and not right:
        return _moved(home, down)
    return changed(home, right) if right and not down else home
