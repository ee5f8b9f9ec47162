"""Rows of forms: keys that select, change and type, and how rows are listed."""

import pytest

from coffeerush.local.settings import Settings
from coffeerush.ui.pages.form import Edit, FormRow, SettingRow, advanced, list_rows, press_form
from coffeerush.ui.terminal.keys import ENTER, TAB, Draft

OWN = Settings(seats=3)
SEATS = SettingRow("seats", "Seats", values=range(2, 5), word=str)
NAME = SettingRow("name", "Name", values=(), word=str)
ROWS = [FormRow("Start"), FormRow.of(OWN, SEATS), FormRow.of(OWN, NAME)]
START, COUNT, FIELD = range(3)


@pytest.mark.parametrize(
    ("selected", "key", "edit"),
    [
        (START, "up", FIELD),
        (FIELD, "down", START),
        (COUNT, "right", Settings(seats=4)),
        (COUNT, " ", Settings(seats=4)),
        (COUNT, "left", Settings(seats=2)),
        (START, "right", None),
        (FIELD, " ", None),
        (COUNT, "l", None),
        (COUNT, ENTER, None),
    ],
)
def test_a_key_selects_another_row_or_changes_a_value(selected: int, key: str, edit: Edit) -> None:
    assert press_form(ROWS, selected, key) == edit


@pytest.mark.parametrize("key", ["l", " "])
def test_characters_go_to_the_field_whichever_row_is_selected(key: str) -> None:
    assert press_form(ROWS, COUNT, key, ROWS[FIELD]) == Draft(key)
    assert press_form(ROWS, COUNT, TAB, ROWS[FIELD]) == Draft()
    assert press_form(ROWS, COUNT, "down", ROWS[FIELD]) == FIELD


def test_a_text_is_as_long_as_its_row_allows() -> None:
    row = FormRow("Code", draft=Draft("abc"), longest=3)
    assert press_form([row], 0, "d", row) == Draft("abc")


def test_a_value_that_is_not_listed_counts_as_before_the_first() -> None:
    assert advanced((0, 30, 60), 45, 1) == 0
    assert advanced((0, 30, 60), 60, 1) == 0
    assert advanced((0, 30, 60), 0, -1) == 60


def test_rows_are_listed_with_how_they_are_set_and_one_cursor() -> None:
    listed = list_rows(ROWS, ROWS[FIELD])
    assert [row.set_by for row in listed] == ["", "arrows", "typing"]
    assert [row.draft for row in listed] == [None, None, Draft()]
    assert [row.draft for row in list_rows(ROWS)] == [None] * 3
