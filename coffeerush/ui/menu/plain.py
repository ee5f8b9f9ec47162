"""The start menu in plain mode: numbered lines out, typed lines in. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import click_row
from coffeerush.ui.pages.rules_text import rules_sections
from coffeerush.ui.pages.setting_rows import ROWS, value_word
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import letter_named, numbered
from protocol import clean_name

from .lines import lines_of, title_of
from .on_key import back, chosen, enter, written
from .state import CHOOSING, Home, Line, Quit, settled

_MAX_NUMBER: Final = 3


def told(home: Home) -> tuple[str, ...]:
    """Return the lines to print now: notes, numbered lines, and the prompt."""
    if home.page.mode == "settings":
        return (*home.notes, _("Settings"), *numbered(_settings(home)), _asked(home))
    begin = title_of(home) or _("Coffee Rush. You are {name}.").format(name=home.name)
    lines = lines_of(home)
    if home.place == "code":
        return (*home.notes, begin, lines[0].about, _asked(home))
    if home.place == "records" and not home.games:
        return (*home.notes, begin, lines[0].label, _("Type 0 to go back."))
    if home.place == "league" and home.league and not home.league.careers:
        return (*home.notes, begin, lines[0].label, lines[0].about, _("Type 0 to go back."))
    if home.place == "career":
        return (*home.notes, begin, *map(_said, lines), _asked(home))
    if home.place in CHOOSING:
        lines = lines[1:]  # without the text field: any line can be typed
    lettered = [
        _("{number}. {line}").format(number=one.letter, line=_said(one))
        for one in lines
        if one.letter
    ]
    others = numbered(_said(one) for one in lines if not one.letter)
    return (*home.notes, begin, *lettered, *others, _asked(home))


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
    if not text:
        return enter(replace(home, row=0)) if home.place in ("play", "host") else home
    lines = lines_of(home)
    lettered = {one.letter: at for at, one in enumerate(lines) if one.letter}
    row = lettered.get(text.lower(), row + len(lettered) if row >= 0 else row)
    if not 0 <= row < len(lines):
        return _unknown(home)
    if lines[row].typed:
        return written(replace(home, row=row), clean_name(rest))
    return _read(chosen(home, row)) if lines[row].change is None else _changed(home, row)


def _said(line: Line) -> str:
    if not line.value and not line.typed:
        return line.label
    return _("{label}: {value}").format(label=line.label, value=line.value)


def _settings(home: Home) -> Iterator[str]:
    for row in ROWS:
        value = value_word(home.settings, row)
        yield _("{label}: {value}").format(label=_(row.label), value=value)


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
        if lines_of(home)[0].letter
        else _("Type a number; 0 quits the program."),
        "play": _("Type 1 to start, or a setting's number to change it; 0 goes back."),
        "host": _(
            "Type 1 to open the table, or a setting's number to change it (for the "
            "name: the number, then the new name). 0 goes back."
        ),
        "join": choose,
        "watch": choose,
        "code": _("Type the three words of the code; 0 goes back."),
        "records": _("Type the number of a game to replay it; 0 goes back."),
        "league": _("Type the number of a player to see more; 0 goes back."),
        "career": _("Type 0 to go back."),
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
