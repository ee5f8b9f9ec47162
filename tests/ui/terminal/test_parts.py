"""Text fields and lists."""

import pytest
from hypothesis import given, strategies as st

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Target, cell_width, width
from coffeerush.ui.terminal.keys import BACKSPACE, EDITING, ERASE, Draft, drawn, edited, pasted
from coffeerush.ui.terminal.parts import (
    AIRY_ROWS,
    ListRow,
    bar,
    draw_lines,
    draw_list,
    draw_marks,
    tall_bars,
    window,
)

# A line with a cursor: nothing that was typed is lost, and the cursor is always seen


LONGEST = 24
MOVES = {"left", "right", "home", "end", "c-a", "c-e"}
MARK = "\u0301"
LETTERS = st.sampled_from(["a", "b", " ", "민", "ㅎ", "ж", "☕", "😀", MARK, *"🇮🇹"])
KEYS = st.sampled_from(sorted(EDITING)) | LETTERS
LINES = st.lists(KEYS, max_size=40)


def text_of(draft: Draft, cells: int) -> str:
    return "".join(text for _style, text in drawn(draft, cells))


def typed(*keys: str, longest: int = LONGEST) -> Draft:
    draft = Draft()
    for key in keys:
        draft = edited(draft, key, longest)
    return draft


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ((), "one two ", "three"),
        (("left",), "one two", " three"),
        (("right",), "one two t", "hree"),
        (("home",), "", "one two three"),
        (("c-a", "x"), "x", "one two three"),
        (("end",), "one two three", ""),
        (("c-e", "right", "x"), "one two threex", ""),
        ((BACKSPACE,), "one two", "three"),
        (("home", BACKSPACE, "left"), "", "one two three"),
        (("delete", "4"), "one two 4", "hree"),
        (("end", "delete"), "one two three", ""),
        (("c-w",), "one ", "three"),
        (("c-w", "c-w", "c-w"), "", "three"),
        (("c-k",), "one two ", ""),
        ((ERASE,), "", ""),
        (("up", "f1", "escape"), "one two ", "three"),
    ],
)
def test_what_keys_do(keys: tuple[str, ...], before: str, after: str) -> None:
    assert typed(*"one two three", *["left"] * 5, *keys) == Draft(before, after)


def test_the_cursor_steps_over_a_letter_with_its_marks() -> None:
    draft = typed("e", MARK, MARK, "민", "x")
    for key, before in zip(
        ["left"] * 4, (f"e{MARK}{MARK}민", f"e{MARK}{MARK}", "", ""), strict=True
    ):
        draft = edited(draft, key, LONGEST)
        assert draft.before == before
    assert edited(draft, "delete", LONGEST).text == "민x"
    assert typed("e", MARK, BACKSPACE).text == ""


def test_the_cursor_steps_over_a_flag() -> None:
    draft = typed(*"🇮🇹🇰🇷", "left")
    assert draft == Draft("🇮🇹", "🇰🇷")
    assert edited(draft, BACKSPACE, LONGEST) == Draft("", "🇰🇷")
    assert edited(draft, "delete", LONGEST) == Draft("🇮🇹")


def test_what_is_pasted_comes_in_at_the_cursor_as_far_as_there_is_room() -> None:
    assert pasted(Draft("a", "b"), "x\x1b\ny", LONGEST) == Draft("ax y", "b")
    assert pasted(Draft("a", "b"), "xyz", 4) == Draft("axy", "b")
    assert pasted(Draft("too", "long"), "x", 4) == Draft("too", "long")


@given(LINES, KEYS)
def test_no_key_loses_what_it_does_not_take(keys: list[str], key: str) -> None:
    draft = typed(*keys)
    after = edited(draft, key, LONGEST)
    assert len(after.text) <= LONGEST
    if key in MOVES:
        assert after.text == draft.text
    elif key in EDITING:
        assert draft.before.startswith(after.before)
        assert draft.after.endswith(after.after)
    else:
        room = len(draft.text) < LONGEST
        assert after.text == draft.before + key * room + draft.after
    assert not (after.before and after.after) or cell_width(after.after[0])


@given(LINES, st.integers(1, 40))
def test_the_cursor_is_in_sight_with_what_stands_around_it(keys: list[str], cells: int) -> None:
    draft = typed(*keys)
    line = text_of(draft, cells)
    before, _caret, after = line.partition(glyphs.CARET)
    assert line.count(glyphs.CARET) == 1
    assert width(line) <= cells
    assert draft.before.endswith(before.removeprefix(glyphs.CUT))
    assert draft.after.startswith(after.removesuffix(glyphs.CUT))
    if width(draft.text) < cells:
        assert (before, after) == (draft.before, draft.after)
    if cells > 4:
        assert bool(before) is bool(draft.before)


@pytest.mark.parametrize(
    ("draft", "line"),
    [
        (Draft("latte"), "latte▌"),
        (Draft("flat white"), "…white▌"),
        (Draft("", "flat white"), "▌flat …"),
        (Draft("flat ", "white"), "…at ▌w…"),
    ],
)
def test_marks_stand_for_what_does_not_fit(draft: Draft, line: str) -> None:
    assert text_of(draft, 7) == line


# Lists: the chosen row is in sight, marks tell of others, and a click meets exactly its row


AREA = Area(3, 1, 30, 8)
FORM = (
    ListRow("Start"),
    ListRow("이름", "민준", "typing"),
    ListRow("Speed", "fast", "arrows"),
    ListRow("Theme", "dark", "arrows"),
)
MANY = tuple(ListRow(f"row {number}", digit=str(number)) for number in range(1, 10))


def list_drawn(
    rows: tuple[ListRow, ...], pointer: int, area: Area = AREA, about: str = ""
) -> Canvas:
    canvas = Canvas(40, 12)
    draw_list(canvas, area, rows, pointer, about)
    return canvas


def text(canvas: Canvas, look: Look | None = None) -> list[str]:
    """Return the lines that are not blank."""
    return [line.rstrip() for line in canvas.lines(look or Look()) if line.strip()]


def test_values_stand_under_each_other_beside_wide_letters_too() -> None:
    assert text(list_drawn(FORM, 2)) == [
        "     Start",
        "     이름      민준",
        "   ▸ Speed   ◂ fast ▸",
        "     Theme     dark",
    ]


def test_digits_stand_before_the_labels() -> None:
    assert text(list_drawn(MANY[:2], 0)) == ["   ▸ 1  row 1", "     2  row 2"]


def test_ascii_has_marks_of_its_own() -> None:
    lines = text(list_drawn(FORM, 2), Look(ascii=True))
    assert "   > Speed   < fast >" in lines
    assert [
        line[-1] for line in text(list_drawn(MANY, 4, Area(3, 1, 30, 3)), Look(ascii=True))
    ] == [*"^4v"]


def test_what_is_typed_stands_in_place_of_the_value() -> None:
    rows = (FORM[0], ListRow("이름", "민준", "typing", Draft("민", "준")), *FORM[2:])
    assert "   ▸ 이름      민▌준" in text(list_drawn(rows, 1))


@pytest.mark.parametrize("pointer", [0, 3, 8, 9, 99])
@pytest.mark.parametrize("rows", [1, 2, 4, 9])
def test_the_chosen_row_is_in_sight_and_arrows_tell_of_others(pointer: int, rows: int) -> None:
    lines = text(list_drawn(MANY, pointer, Area(3, 1, 30, rows)))
    assert len(lines) == rows
    labels = [line[8:13] for line in lines]
    (chosen,) = (line for line in lines if "▸" in line)
    assert chosen[8:13] == MANY[min(pointer, 8)].label
    assert ("↑" in lines[0]) == (labels[0] != "row 1")
    assert ("↓" in lines[-1]) == (labels[-1] != "row 9")
    assert "".join(lines).count("↑") + "".join(lines).count("↓") <= 2


def test_long_values_leave_labels_their_share() -> None:
    rows = (ListRow("a label of many words", "a value that is as long"),)
    for share, label in ((2, "a label of m…"), (3, "a label…")):
        canvas = Canvas(40, 12)
        draw_list(canvas, AREA, rows, 0, "", share)
        line = next(line for line in canvas.lines() if "▸" in line)
        assert line[5:].startswith(f"{label} a value")
        assert width(line.rstrip()) == AREA.x + AREA.columns


def test_below_stands_what_the_row_is_for_or_the_whole_of_a_row_that_is_cut_off() -> None:
    assert text(list_drawn(FORM, 0, about="it begins"))[-1] == "     it begins"
    long = (ListRow("a label of many words", "and a value"),)
    assert text(list_drawn(long, 0))[-2:] == ["     a label of many words  and a", "     value"]
    assert len(text(list_drawn(FORM, 0, Area(3, 1, 30, 5), "it begins"))) == len(FORM)
    assert len(text(list_drawn(FORM, 0, Area(3, 1, 30, 6), "it begins"))) == len(FORM) + 1


@pytest.mark.parametrize(
    ("row", "lines"),
    [
        (ListRow("a" * 10, "b" * 17), 1),
        (ListRow("a" * 10, "b" * 18), 3),
        (ListRow("a" * 10, "b" * 18, "typing"), 1),
        (ListRow("a" * 28), 1),
        (ListRow("a" * 29), 3),
    ],
)
def test_only_a_row_that_is_cut_off_and_not_typed_is_written_out(row: ListRow, lines: int) -> None:
    assert len(text(list_drawn((row,), 0))) == lines


def test_the_whole_of_a_row_comes_before_what_it_is_for() -> None:
    long = (ListRow("a label of many words", "and a value"), *FORM)
    for rows, below in ((9, 3), (8, 2)):
        lines = text(list_drawn(long, 0, Area(3, 1, 30, rows), "it begins"))
        assert (
            lines[len(long) :]
            == ["     a label of many words  and a", "     value", "     it begins"][:below]
        )


@pytest.mark.parametrize("pointer", [0, 4, 9])
def test_the_whole_of_a_row_has_room_below_a_long_list(pointer: int) -> None:
    rows = tuple(ListRow("a label of many words", f"and value {one}") for one in range(10))
    lines = text(list_drawn(rows, pointer, Area(3, 1, 30, 10)))
    assert lines[-2:] == ["     a label of many words  and", f"     value {pointer}"]


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (29, "2026-01-31   Ann: 14, Bob: 11"),
        (27, "2026-01-31 Ann: 14, Bob: 11"),
        (26, "01-31   Ann: 14, Bob: 11"),
        (22, "01-31 Ann: 14, Bob: 11"),
        (21, "01-31   Ann, Bob"),
    ],
)
def test_a_row_has_the_longest_wording_that_is_not_truncated(columns: int, row: str) -> None:
    scores = "Ann: 14, Bob: 11"
    long = ListRow("2026-01-31", scores, shorter=(("01-31", scores), ("01-31", "Ann, Bob")))
    lines = text(list_drawn((long,), 0, Area(3, 1, columns + 2, 8)))
    assert lines[0] == f"   ▸ {row}"
    words = " ".join(" ".join(lines).split())
    assert "2026-01-31" in words
    assert words.endswith(scores)


def test_a_text_field_takes_no_room_from_labels() -> None:
    typed = ListRow("Name", "", "typing", Draft("x" * 40))
    rows = (typed, ListRow("a label of 20 cells.", "on"))
    assert "a label of 20 cells.   on" in text(list_drawn(rows, 0))[1]


@pytest.mark.parametrize("pointer", [0, 4, 8])
def test_arrows_cover_no_value(pointer: int) -> None:
    rows = tuple(ListRow("label", "v" * 20 + str(one)) for one in range(9))
    lines = text(list_drawn(rows, pointer, Area(3, 1, 30, 4)))
    assert len(lines) == 4
    assert all("v" * 20 + str(one) in line for one, line in enumerate(lines, max(pointer - 3, 0)))


def test_rows_are_apart_if_there_is_more_than_room_for_it() -> None:
    for rows, step in ((9, 1), (10, 2)):
        canvas = Canvas(40, AIRY_ROWS)
        inner, _end = draw_list(canvas, Area(3, 1, 30, rows), FORM, 0, "it begins")
        assert inner.rows == step * len(FORM)


@pytest.mark.parametrize("high", [AIRY_ROWS - 1, AIRY_ROWS])
def test_a_click_anywhere_on_a_row_and_nowhere_else_is_that_row(high: int) -> None:
    canvas = Canvas(40, high)
    inner, _end = draw_list(canvas, Area(3, 1, 30, 20), FORM, 1, "")
    step = 2 if high == AIRY_ROWS else 1
    assert inner.rows == step * len(FORM)
    zones = {
        (x, inner.y + step * number): Target("row", number)
        for number in range(len(FORM))
        for x in range(3, 33)
    }
    assert {
        (x, y): target for x in range(40) for y in range(high) if (target := canvas.target_at(x, y))
    } == zones


def test_a_click_on_a_line_is_its_key() -> None:
    canvas = Canvas(10, 5)
    lines = [("", "one"), ("", "two"), ("", "three"), ("", "four")]
    shown = draw_lines(canvas, Area(2, 1, 6, 2), lines, 1, keys={0: "a", 1: "b", 3: "d"})
    assert shown == range(1, 3)
    assert text(canvas) == ["  two", "  three"]
    for y in range(5):
        for x in range(10):
            on_two = y == 1 and x in range(2, 8)
            assert canvas.target_at(x, y) == (Target("key", "b") if on_two else None)


@pytest.mark.parametrize(
    ("total", "rows", "scroll", "from_the_top", "shown"),
    [
        (5, 9, 0, True, range(5)),
        (5, 9, 3, False, range(5)),
        (9, 4, 2, True, range(2, 6)),
        (9, 4, 2, False, range(3, 7)),
        (9, 4, 99, True, range(5, 9)),
        (9, 4, 99, False, range(4)),
        (0, 4, 1, True, range(0)),
    ],
)
def test_a_window_ends_where_the_lines_do(
    total: int, rows: int, scroll: int, from_the_top: bool, shown: range
) -> None:
    assert window(total, rows, scroll, from_the_top) == shown


@pytest.mark.parametrize(("first", "arrows"), [(0, "  ↓"), (1, " ↓↑"), (2, "  ↑")])
def test_both_arrows_have_room_in_one_row(first: int, arrows: str) -> None:
    canvas = Canvas(3, 1)
    draw_marks(canvas, Area(0, 0, 3, 1), range(first, first + 1), 3)
    assert list(canvas.lines()) == [arrows]


def test_a_bar_always_takes_its_cells() -> None:
    for value, full in ((-3, 0), (0, 0), (1, 1), (5, 4), (10, 8), (99, 8)):
        assert bar(value, 10, 8) == ("▬" * full, "·" * (8 - full))


def test_high_bars_grow_from_below_and_none_is_empty() -> None:
    assert tall_bars((0, 50, 75, 100), 100, 2) == ["  ▃█", "▁███"]
    assert tall_bars((0, 100), 100, 1) == ["▁█"]
