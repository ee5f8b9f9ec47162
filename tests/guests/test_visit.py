"""The form that asks a guest for name and code."""

import pytest
from msgspec.structs import replace

from coffeerush.guests.gateway import marked
from coffeerush.guests.visit import (
    Entrance,
    RowName,
    click,
    draw_entrance,
    paste,
    press,
    suggested_name,
)
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Target, width
from coffeerush.ui.terminal.keys import Draft
from protocol import NAME_CELLS, clean_name

EMPTY = Entrance(Settings(language="en"), Draft(), asks_code=True)
NAMED = replace(EMPTY, name=Draft("Ann"), row="code")


def typed(form: Entrance, *keys: str) -> Entrance:
    for key in keys:
        form = press(form, key)
    return form


def test_a_name_and_a_code_lead_to_a_seat() -> None:
    form = typed(EMPTY, *"Ann", "c-m", *"apple tiger moon", "c-m")
    assert (form.name.text, form.code.text, form.role) == ("Ann", "apple tiger moon", "player")


def test_enter_leads_to_what_is_missing() -> None:
    assert typed(EMPTY, "down", "down", "c-m").row == "name"
    assert typed(NAMED, "down", "c-m").row == "code"
    assert typed(EMPTY, "c-m").note
    assert not typed(replace(NAMED, row="name"), "c-m").note, "the next field"
    for keys in (("c-m",), ("down", "c-m"), ("down", "down", "c-m")):
        assert typed(NAMED, *keys).note.startswith("Type the three words of the code;")


@pytest.mark.parametrize(("login", "name"), [("ann", "ann"), ("root", ""), (" Admin", "")])
def test_a_login_that_is_no_persons_name_suggests_none(login: str, name: str) -> None:
    assert suggested_name(login) == name


def test_one_can_watch_instead() -> None:
    form = typed(NAMED, *"moon", "down", "down", "c-m")
    assert form.role == "spectator"


def test_an_open_table_has_no_row_for_a_code() -> None:
    form = replace(EMPTY, asks_code=False, name=Draft("Ann"))
    assert typed(form, "down", "c-m").role == "player"
    assert "Code" not in "\n".join(draw_entrance(form, "", 80, 24).lines())


def test_the_rows_wrap_around() -> None:
    assert typed(EMPTY, "up").row == "language"
    assert typed(EMPTY, "up", "down").row == "name"


def test_the_language_is_changed_with_arrows_or_a_click() -> None:
    form = typed(EMPTY, "up", "right")
    assert form.settings.language == "pt_BR"
    assert typed(form, "left").settings.language == "en"
    assert typed(form, *["right"] * 5).settings.language == "en"
    assert click(EMPTY, Target("row", 4)).settings.language == "pt_BR"


def test_clicks_choose_and_enter() -> None:
    assert click(NAMED, Target("row", 0)).row == "name"
    assert click(replace(NAMED, code=Draft("x")), Target("row", 3)).role == "spectator"
    assert click(EMPTY, Target("row", 9)) == EMPTY
    assert click(EMPTY, Target("key", "up")).row == "language"


def test_pasted_text_goes_to_the_text_field() -> None:
    assert paste(NAMED, " apple tiger moon\n").code.text == "apple tiger moon"
    assert paste(typed(EMPTY, "up"), "text").settings == EMPTY.settings


def test_ctrl_c_leaves() -> None:
    assert typed(NAMED, "c-c").leaving


@pytest.mark.parametrize(
    ("row", "shown"), [("name", ["Ann▌", "apple"]), ("code", ["Ann", "apple▌"]), ("player", [])]
)
def test_only_the_selected_text_field_has_a_cursor(row: RowName, shown: list[str]) -> None:
    form = replace(NAMED, code=Draft("apple"), row=row)
    fields = [*draw_entrance(form, "", 80, 24).lines()][1:]
    values = [line.split()[-1] for line in fields if line.rstrip().endswith(("Ann", "apple", "▌"))]
    assert values == (shown or ["Ann", "apple"])


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60), (10, 3)])
def test_the_form_is_drawn_at_every_size(size: tuple[int, int]) -> None:
    canvas = draw_entrance(replace(NAMED, note="No. " * 60), "A table" * 3, *size)
    lines = list(canvas.lines())
    assert len(lines) == size[1]
    if size[0] >= 40:
        assert any("Ann" in line for line in lines)
        assert any("Code" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann (ssh)"),
        ("Ann> 1: hello", "Ann 1 hello (ssh)"),
        ("\x1b[2J\x07", "[2J (ssh)"),
        ("\u202e\u200b", ""),
        ("", ""),
        ("Maximilian von und zu Hohenstein", "Maximilian von und (ssh)"),
        ("한국어이름이아주아주깁니다", "한국어이름이아주아 (ssh)"),
    ],
)
def test_a_mark_follows_the_name_of_a_guest(name: str, shown: str) -> None:
    assert marked(name, "ssh") == shown
    assert width(shown) <= NAME_CELLS
    assert clean_name(shown) == shown
