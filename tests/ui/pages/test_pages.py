"""The pages over the whole screen: all their keys, in every size, and their effects."""

import re
from functools import partial
from itertools import zip_longest

import pytest
from msgspec.structs import replace

from coffeerush.local.settings import LANGUAGES as SETTABLE, Settings, Theme
from coffeerush.ui.pages.form import cycled, value_word
from coffeerush.ui.pages.pages import (
    PAGES,
    READING_COLUMNS,
    ROWS,
    Mode,
    Page,
    PageAction,
    click_row,
    draw_page,
    page_end,
    page_lines,
    page_offers,
    paste_page,
    press_page,
)
from coffeerush.ui.pages.rules_text import rules_sections
from coffeerush.ui.table.actions import HELP
from coffeerush.ui.terminal.canvas import Canvas, Target, width
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER, ESCAPE, TAB
from coffeerush.ui.words.i18n import set_language
from tests.golden.frames import LANGUAGES, spoken

SIZES = [(40, 12), (80, 24), (120, 36), (200, 60)]
NAME = len(ROWS) - 1
page = partial(Page, help=HELP)


def lines(ui: Page, columns: int = 80, rows: int = 24) -> list[str]:
    canvas = Canvas(columns, rows)
    draw_page(canvas, replace(ui, size=(columns, rows)))
    return list(canvas.lines())


def pressed(ui: Page, *keys: str) -> Page:
    for key in keys:
        ui = press_page(ui, key)
    return ui


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", PAGES)
def test_a_page_shows_all_of_itself_one_screen_after_another(
    mode: Mode, size: tuple[int, int]
) -> None:
    ui, seen = page(mode=mode, size=size), ""
    for _each in range(100):
        drawn = lines(ui, *size)
        assert all(width(line) == size[0] for line in drawn)
        seen += "\n".join(drawn)
        if PageAction.SCROLL_ON not in page_offers(ui) or not page_offers(ui)[PageAction.SCROLL_ON]:
            break
        ui = press_page(ui, "pagedown")
    if mode == "settings":
        for _row in ROWS:  # the list follows the marked row
            ui = press_page(ui, "down")
            seen += "\n".join(lines(ui, *size))
        assert all(row.label[:12] in seen for row in ROWS)
    if mode == "rules":
        assert all(section.title in seen for section in rules_sections())
    assert ui.scroll == (0 if mode == "settings" else page_end(ui))


@pytest.mark.parametrize("mode", PAGES)
@pytest.mark.parametrize("key", [ESCAPE, "q", "й", "ㅂ"])
def test_a_page_is_closed(mode: Mode, key: str) -> None:
    assert press_page(page(mode=mode), key).mode == "table"


@pytest.mark.parametrize(
    ("mode", "key", "after"),
    [
        ("help", TAB, "rules"),
        ("rules", TAB, "settings"),
        ("settings", TAB, "help"),
        ("help", "s-tab", "settings"),
        ("help", "right", "rules"),
        ("rules", "left", "help"),
        ("help", "f2", "rules"),
        ("help", "f1", "table"),
        ("help", "?", "table"),
        ("rules", "?", "help"),
        ("rules", "f3", "settings"),
        ("settings", "f3", "table"),
        ("help", ENTER, "table"),
    ],
)
def test_keys_go_from_page_to_page(mode: Mode, key: str, after: Mode) -> None:
    assert press_page(page(mode=mode, scroll=3), key) == page(mode=after)


def test_a_tab_is_clicked_by_its_key() -> None:
    canvas = Canvas(80, 24)
    draw_page(canvas, page(mode="help"))
    x = next(canvas.lines()).index("Rules")
    target = canvas.target_at(x, 0)
    assert target == Target("key", "f2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_big_terminal_has_all_of_the_rules_in_two_columns(language: str) -> None:
    with spoken(language):
        ui = page(mode="rules", size=(200, 64))
        text = [line for _style, line in page_lines(ui, READING_COLUMNS)]
        rows = lines(ui, 200, 64)[1:]
        left, right = text[:61], text[61:]
        assert page_end(ui) == 0
        for row, first, second in zip_longest(rows[:61], left, right, fillvalue=""):
            assert row.startswith(f"      {first}")
            assert row.rstrip().endswith(second)


def test_text_in_two_columns_is_scrolled_by_both() -> None:
    ui = page(mode="rules", size=(200, 30))
    ui = press_page(ui, "pagedown")
    text = [line for _style, line in page_lines(ui, READING_COLUMNS)]
    rows = lines(ui, 200, 30)
    assert rows[1].strip().startswith(text[2 * 27 - 1].strip())
    assert str(len(text) - 4 * 27 + 1) in rows[-2]


def test_scrolling_ends_where_the_text_does() -> None:
    ui = page(mode="help")
    assert pressed(ui, "up", "pageup").scroll == 0
    assert pressed(ui, "down", "j", "k").scroll == 1
    end = pressed(ui, *["pagedown"] * 9)
    assert end.scroll == page_end(ui)
    assert pressed(end, "down") == end


def test_every_language_is_named_in_itself() -> None:
    (row,) = (row for row in ROWS if row.field == "language")
    names = [value_word(Settings(language=code), row) for code in SETTABLE]
    assert names[:2] == ["same as system", "English"]
    assert not {*names} & {*SETTABLE}
    assert len({*names}) == len(SETTABLE)


def test_every_setting_is_a_row_that_turns_around() -> None:
    for row in ROWS[:NAME]:
        settings, words = Settings(), []
        for _value in row.values:
            words.append(value_word(settings, row))
            settings = cycled(settings, row, 1)
        assert settings == Settings()
        assert len(set(words)) == len(row.values)
        assert cycled(cycled(settings, row, -1), row, 1) == settings


@pytest.mark.parametrize(("key", "theme"), [("right", "light"), ("left", "colour-blind")])
def test_left_and_right_change_a_setting_and_it_shows(key: str, theme: Theme) -> None:
    ui = pressed(page(mode="settings"), "down", key)
    assert ui.settings == Settings(theme=theme)
    assert value_word(ui.settings, ROWS[1]) in "\n".join(lines(ui))


@pytest.mark.parametrize("key", [ENTER, " ", "l"])
def test_enter_changes_a_setting_too(key: str) -> None:
    assert pressed(page(mode="settings", row=3), key).settings == Settings(ascii=True)


def test_a_click_on_a_row_chooses_and_changes_it() -> None:
    canvas = Canvas(80, 24)
    draw_page(canvas, page(mode="settings"))
    y = next(y for y, line in enumerate(canvas.lines()) if "Bell" in line)
    target = canvas.target_at(40, y)
    assert target is not None
    assert target.kind == "row"
    assert isinstance(target.value, int)
    ui = click_row(page(mode="settings"), target.value)
    assert (ui.settings, ui.row) == (Settings(bell=False), target.value)


def test_a_name_is_typed_and_kept() -> None:
    ui = pressed(page(mode="settings", row=NAME), ENTER, "민", "q", "?", BACKSPACE)
    assert "민q▌" in "\n".join(lines(ui)).replace(" ", "")
    assert pressed(ui, ENTER).settings.name == "민q"
    assert pressed(ui, "c-u", "A", ENTER).settings.name == "A"
    assert pressed(ui, "home", "delete", "A", "right", "b", ENTER).settings.name == "Aqb"
    assert pressed(ui, ESCAPE).settings.name == ""
    assert page_offers(ui)[PageAction.NEXT] == "save"


def test_the_cursor_of_a_long_name_stays_in_sight() -> None:
    ui = pressed(page(mode="settings", row=NAME), ENTER, *"cappuccino and espresso")
    for keys in ((), ("left",) * 9, ("home",)):
        assert any("▌" in line for line in lines(pressed(ui, *keys), 40, 12))


def test_a_name_is_pasted_and_cleaned() -> None:
    ui = pressed(page(mode="settings", row=NAME), ENTER)
    ui = pressed(paste_page(ui, "  An\x1bn\n"), ENTER)
    assert ui.settings.name == "Ann"
    assert paste_page(ui, "more") == ui


def test_the_chosen_row_stays_in_sight_of_a_small_terminal() -> None:
    for row in range(len(ROWS)):
        drawn = lines(page(mode="settings", row=row), 40, 12)
        assert any("▸" in line and ROWS[row].label[:12] in line for line in drawn[1:])


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_value_of_the_chosen_row_has_both_its_arrows_on_a_small_terminal(language: str) -> None:
    set_language(language)
    try:
        for number, row in enumerate(ROWS[:NAME]):
            ui = page(mode="settings", row=number)
            drawn = "\n".join(lines(ui, 40, 12))
            value = re.escape(value_word(ui.settings, row))
            assert re.search(f"◂ ?{value} ?▸", drawn), row.field
    finally:
        set_language("en")
