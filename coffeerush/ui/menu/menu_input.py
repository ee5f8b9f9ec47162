"""Input in the start menu: keys, clicks and, in plain mode, typed lines. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.code import parse_code, parted
from coffeerush.joining.hosts import parse_address
from coffeerush.joining.nearby import MAX_FOUND, FoundTable
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.form import Edit, FormRow, press_form
from coffeerush.ui.pages.pages import (
    PAGES,
    ROWS,
    Help,
    Mode,
    click_row,
    paste_page,
    press_page,
    setting_rows,
)
from coffeerush.ui.pages.rules_text import rules_sections
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, Draft, pasted
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import N_, _, language
from coffeerush.ui.words.league import record_text
from coffeerush.ui.words.names import letter_named, name_question, numbered
from protocol import clean_name

from .draw_menu import is_read, reading_end
from .menu import (
    CHOOSING,
    LEAGUE_PAGES,
    MENU_KEYS,
    PARENTS,
    SEARCHING,
    Home,
    Join,
    Line,
    MenuPage,
    Quit,
    choices_of,
    entry_count,
    field_of,
    lines_of,
    settled,
    title_of,
    with_choices,
)

_PAGE_KEYS: Final[dict[str, Mode]] = {"f1": "help", "f2": "rules", "f3": "settings"}
_PAGING: Final = {"pageup": -10, "pagedown": 10}
_ARROWS: Final = {"h": "left", "j": "down", "k": "up", "l": "right"}


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
    lines = lines_of(home)
    by = _PAGING.get(key, 0)
    if is_read(lines):
        by = by or {"up": -1, "down": 1}.get(_ARROWS.get(key, key), 0)
        last = reading_end(home)
    else:
        last = len(lines) - 1
    if by:
        return replace(home, row=min(max(home.row + by, 0), last))
    field = field_of(home, lines)
    row = next((row for row, line in enumerate(lines) if line.key == key), None)
    if row is not None and home.place in CHOOSING and home.row:
        return chosen(home, row)
    if field is None:
        key = MENU_KEYS.resolve(key)
        if key == "q":
            return replace(home, errand=Quit()) if home.place == "menu" else back(home)
        if key == "?":
            return _page(home, "help")
        if key == "n" and home.place == "menu":
            return gone_to(home, "name")
        if key == "w" and home.row >= entry_count(home, lines):
            return _watched(home, home.row)
        if row is not None:  # what it changes is changed by the keys that show what they change
            return replace(home, row=row) if lines[row].change else chosen(home, row)
        key = _ARROWS.get(key, key)
    return _edited(home, press_form(lines, home.row, key, field))


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
    """Select a line, and do there what Enter does, except in a text field."""
    home = replace(home, row=row, notes=(), wrong=False)
    return home if _line(home).typed else enter(home)


def paste(home: Home, text: str) -> Home:
    """Insert pasted text into the text field, if there is one."""
    if home.page.mode in PAGES:
        return replace(home, page=paste_page(home.page, text))
    home = replace(home, notes=(), wrong=False)
    field = field_of(home, lines_of(home))
    if field is None or field.draft is None:
        return home
    text = " ".join((text if field.draft.text else text.lstrip()).splitlines())
    return _typed(home, pasted(field.draft, text, field.longest))


def gone_to(home: Home, place: MenuPage) -> Home:
    """Go to a place, with the likeliest line selected."""
    menu_row = home.row if home.place == "menu" else home.menu_row
    if place == "career":
        home = replace(home, career=home.row)
    if place in LEAGUE_PAGES and home.place != "career":
        home = replace(home, league=None, reading=(0, 0))
    after = replace(
        home,
        place=place,
        menu_row=menu_row,
        draft=Draft(home.settings.name if place == "name" else ""),
        looking=place in SEARCHING,
    )
    if place in CHOOSING:
        after = replace(after, choices=choices_of(after))
    return replace(after, row=_first_row(home, after))


def _first_row(home: Home, after: Home) -> int:
    """Return the line that is selected first in a place."""
    lines = lines_of(after)
    if after.place == "menu":
        return min(after.menu_row, len(lines) - 1)
    if home.place == "career":
        return after.career
    if after.place in CHOOSING and after.found:
        return 1
    return next((row for row, line in enumerate(lines) if line.opens == home.place), 0)


def back(home: Home) -> Home:
    """Go back; at the root, quit, except in the menu itself."""
    if home.place == home.root:
        return home if home.place == "menu" else replace(home, errand=Quit())
    if home.place == "name":
        return _named(home, "")
    if home.place == "code":
        return gone_to(home, home.asked_from)
    return gone_to(home, PARENTS.get(home.place, "menu"))


def _named(home: Home, name: str) -> Home:
    """Take a name, and go on; an empty one keeps the name of before, and asks no more.

    One that nobody has chosen is not kept as if they had: it would be text to erase first.
    """
    name = clean_name(name) or home.settings.name
    home = settled(home, replace(home.settings, name=name, introduced=True))
    return replace(home, errand=Quit()) if home.root == "name" else gone_to(home, "menu")


def with_found(home: Home, tables: Iterable[FoundTable]) -> Home:
    """Update the tables found; those that are gone stay listed, and keep their place.

    The first table found is selected if there was no other, and nothing chosen or typed.
    """
    line, before = _line(home), lines_of(home)
    found = {table.address: table for table in tables}
    after = with_choices(replace(home, found=tuple(found.values())[:MAX_FOUND]))
    if home.place == "menu" and home.row >= entry_count(home, before):
        return replace(after, row=_row_with(after, line, _friends_row(after)))
    if home.place not in CHOOSING:
        return after
    if line.typed:
        idle = not home.found and not home.draft.text
        return replace(after, row=1) if idle and after.found else after
    return replace(after, row=_row_with(after, line, 0))


def _friends_row(home: Home) -> int:
    """Return the line of the menu where other tables are, which starts nothing by itself."""
    return next(row for row, line in enumerate(lines_of(home)) if line.opens == "friends")


def without_league(home: Home, error: CoffeeRushError) -> Home:
    """Go back from the page of a league that cannot be read, and say why."""
    if home.place not in LEAGUE_PAGES:
        return home
    return replace(gone_to(home, "games"), notes=(error_line(error),), wrong=True)


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
    found = (row for row, other in enumerate(lines_of(home)) if other.errand == line.errand)
    return next(found, otherwise)


def asking_for_code(home: Home, join: Join) -> Home:
    """Go to the text field for a table's code."""
    if home.place != "code":  # else keep what was typed, so that it can be corrected
        home = replace(gone_to(home, "code"), asked_from=home.place)
    return replace(home, wanted=replace(join, code=""))


def enter(home: Home) -> Home:
    """Open the selected line or change its value, as Enter does."""
    line = _line(home)
    if line.change:
        return _edited(home, line.change(1))
    if line.opens:
        return gone_to(home, line.opens)
    if line.page:
        return _page(home, line.page)
    if isinstance(line.errand, Join):
        return _joined(home, line.errand)
    if home.place == "name":
        return _named(home, home.draft.text)
    if line.typed and not line.errand:  # the name of a table: Enter again opens it
        return replace(home, row=0)
    return replace(home, errand=line.errand)


def _watched(home: Home, row: int) -> Home:
    """Watch a table nearby."""
    join = lines_of(home)[row].errand
    assert isinstance(join, Join), "the last lines of the menu are tables"
    return _joined(replace(home, row=row), replace(join, role="spectator"))


def written(home: Home, text: str) -> Home:
    """Set the text of the text field."""
    return _typed(home, Draft(text[: _line(home).longest]))


def _joined(home: Home, join: Join) -> Home:
    """Join a table, or explain why the address or code is not valid."""
    if not join.address.strip():
        return home  # the line's description already says what to type
    try:
        address, code = parted(join.address)  # a friend may have sent both in one line
        parse_address(address or join.address)
        if home.place == "code" or code:
            code = parse_code(home.draft.text if home.place == "code" else code, language())
            join = replace(join, code=code)
    except CoffeeRushError as error:
        return replace(home, notes=(error_line(error),), wrong=True)
    return replace(home, errand=replace(join, address=address or join.address))


def _page(home: Home, mode: Mode) -> Home:
    # imported here so that the first frame does not wait for all of a game's modules
    from coffeerush.ui.table.actions import HELP, KEYMAP

    keys = (N_("Keys"), MENU_KEYS.help_rows()), (N_("Keys at a table"), KEYMAP.help_rows())
    page = replace(home.page, mode=mode, help=Help(keys, HELP.marks), scroll=0, row=0)
    return replace(home, page=page)


def _line(home: Home) -> Line:
    return lines_of(home)[home.row]


def _edited(home: Home, edit: Edit) -> Home:
    """Apply what a key or a click has changed."""
    match edit:
        case int():
            return replace(home, row=edit)
        case Draft():
            return _typed(home, edit)
        case Settings():
            after = settled(home, edit)
            return replace(after, row=min(after.row, len(lines_of(after)) - 1))
    return home


def _typed(home: Home, draft: Draft) -> Home:
    """Update the text field; if its text has changed, select the first line."""
    if home.place == "host":
        return settled(replace(home, draft=draft), replace(home.settings, table=draft.text))
    if draft.text != home.draft.text:
        home = replace(home, row=0)
    return replace(home, draft=draft)


# The start menu in plain mode: numbered lines out, typed lines in. Pure


_MAX_NUMBER: Final = 3


def told(home: Home) -> tuple[str, ...]:
    """Return the lines to print now: notes, numbered lines, and the prompt."""
    if home.page.mode == "settings":
        rows = numbered(map(_said, setting_rows(home.settings)))
        return (*home.notes, _("Settings"), *rows, _asked(home))
    lines = lines_of(home)
    if home.place == "menu":
        return (*home.notes, *_told_menu(home, lines), _asked(home))
    begin = title_of(home)
    if home.place == "name":
        return (*home.notes, _asked(home))
    if home.place == "code":
        return (*home.notes, begin, lines[0].about, _asked(home))
    if lines[0].opens == "games":  # the list is empty
        texts = filter(None, (lines[0].label, lines[0].about))
        return (*home.notes, begin, *texts, _("Type 0 to go back."))
    if not any(line.leads for line in lines):
        return (*home.notes, begin, *map(_said, lines), _asked(home))
    if home.place in CHOOSING:
        lines = lines[1:]  # without the text field: any line can be typed
    return (*home.notes, begin, *numbered(map(_said, lines)), _asked(home))


def _told_menu(home: Home, lines: Sequence[Line]) -> Iterator[str]:
    """Yield the person's name and results, the entries, the tables nearby, and what n and w do."""
    yield _("Coffee Rush. You are {name}.").format(name=home.name)
    if home.own_record:
        yield record_text(home.own_record)
    end = entry_count(home, lines)
    for line in lines[:end]:
        if line.key.isalpha():
            yield _numbered(line.key, line)
    yield from numbered(_said(line) for line in lines[:end] if not line.key.isalpha())
    yield from told_tables(home)
    yield _("“n” changes your name.")


def told_tables(home: Home) -> Iterator[str]:
    """Yield the tables nearby in plain mode, with their numbers, and how to watch at them."""
    lines = lines_of(home)
    first = entry_count(home, lines)
    lettered = sum(line.key.isalpha() for line in lines[:first])
    if first < len(lines):
        yield _("Tables nearby:")
        for number, line in enumerate(lines[first:], start=first - lettered + 1):
            yield _numbered(str(number), line)
        text = _("To watch a table, type “w” and its number, such as “w {number}”.")
        yield text.format(number=number)


def _numbered(number: str, line: Line) -> str:
    return _("{number}. {line}").format(number=number, line=_said(line))


def answered(home: Home, text: str) -> Home:
    """Apply a typed line; an empty one starts a form, or searches for tables again."""
    home = replace(home, notes=(), wrong=False)
    text = text.strip()
    if text.lower() in ("0", "q"):
        return _left(home)
    number, _space, rest = text.partition(" ")
    row = int(number) - 1 if number.isdecimal() and len(number) <= _MAX_NUMBER else -1
    if home.page.mode == "settings":
        return _set(home, row, rest) if 0 <= row < len(ROWS) else _unknown(home)
    if home.place in CHOOSING:
        return _to(home, row + 1, text) if text else replace(home, looking=True)
    if home.place == "code":
        return enter(written(home, text)) if text else home
    if home.place == "name":
        return _named(home, text)
    if not text:
        return enter(replace(home, row=0)) if home.place in ("play", "host") else home
    lines = lines_of(home)
    lettered = {line.key: at for at, line in enumerate(lines) if line.key.isalpha()}
    if home.place == "menu" and text.lower() == "n":
        return gone_to(home, "name")
    if number.lower() == "w" and rest.isdecimal() and len(rest) <= _MAX_NUMBER:
        row = int(rest) - 1 + len(lettered)
        is_table = entry_count(home, lines) <= row < len(lines)
        return _watched(home, row) if is_table else _unknown(home)
    row = lettered.get(text.lower(), row + len(lettered) if row >= 0 else row)
    if not 0 <= row < len(lines):
        return _unknown(home)
    if lines[row].typed:
        return written(replace(home, row=row), clean_name(rest))
    return _read(chosen(home, row)) if lines[row].change is None else _changed(home, row)


def _said(line: FormRow) -> str:
    if not line.value and not line.typed:
        return line.label
    return _("{label}: {value}").format(label=line.label, value=line.value)


def _asked(home: Home) -> str:
    if home.page.mode == "settings":
        return _(
            "Type a setting's number to change it (for your name or letter: the number, then "
            "the name or the letter). 0 goes back. The settings are kept in {path}."
        ).format(path=home.kept_in)
    if home.place in CHOOSING and len(lines_of(home)) == 1:
        return _(
            "No table was found on your network. Type the address that a host's screen "
            "shows, or press Enter to search again; 0 goes back."
        )
    choose = _(
        "Type the number of a table or the address of another one, or press Enter to "
        "search again; 0 goes back."
    )
    return {
        "menu": _("Type a number or a letter; 0 quits the program.")
        if lines_of(home)[0].key.isalpha()
        else _("Type a number; 0 quits the program."),
        "name": name_question(home.name),
        "play": _("Type 1 to start, or a setting's number to change it; 0 goes back."),
        "host": _(
            "Type 1 to open the table, or a setting's number to change it (for the "
            "name: the number, then the new name). 0 goes back."
        ),
        "friends": _("Type a number; 0 goes back."),
        "join": choose,
        "watch": choose,
        "code": _("Type the three words of the code; 0 goes back."),
        "games": _("Type a number; 0 goes back."),
        "records": _("Type the number of a game to replay it; 0 goes back."),
        "unfinished": _("Type the number of a game to continue it; 0 goes back."),
        "league": _("Type the number of a player to see more; 0 goes back."),
        **dict.fromkeys(("evening", "career"), _("Type 0 to go back.")),
    }[home.place]


def _unknown(home: Home) -> Home:
    return replace(home, notes=(_("Type one of the numbers, and press Enter."),))


def _left(home: Home) -> Home:
    if home.page.mode != "table":
        return replace(home, page=replace(home.page, mode="table"))
    return replace(home, errand=Quit()) if home.place == "menu" else back(home)


def _set(home: Home, row: int, text: str) -> Home:
    """Change a setting to its next value, or to the typed text."""
    if not ROWS[row].values:
        return settled(home, replace(home.settings, name=clean_name(text)))
    if ROWS[row].field == "letter" and text:
        letter = letter_named(text)
        if letter is None:
            return replace(home, notes=(_("Choose one of the letters A to Z."),))
        return settled(home, replace(home.settings, letter=letter))
    return replace(home, page=click_row(home.page, row))


def _to(home: Home, row: int, text: str) -> Home:
    """Join a listed table by its number, or an address."""
    if 1 <= row < len(lines_of(home)):
        return enter(replace(home, row=row))
    return enter(written(replace(home, row=0), text))


def _changed(home: Home, row: int) -> Home:
    """Change a line's value, and set its description as a note."""
    after = chosen(home, row)
    about = lines_of(after)[after.row].about
    return replace(after, notes=(about,) if about else ())


def _read(home: Home) -> Home:
    """Replace the rules page by notes with its text."""
    if home.page.mode != "rules":
        return home
    texts = [text for section in rules_sections() for text in (section.title, *section.paragraphs)]
    return replace(home, notes=tuple(texts), page=replace(home.page, mode="table"))
