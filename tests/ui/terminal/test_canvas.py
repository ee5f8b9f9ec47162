"""Cells: widths, cuts that show, and nothing that leaves its line."""

import re

import pytest
from hypothesis import example, given, strategies as st
from prompt_toolkit.utils import get_cwidth

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Canvas,
    Look,
    Target,
    cut,
    fit,
    pad,
    shown,
    width,
    wrap,
)

FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
ITALY, KOREA = "🇮🇹", "🇰🇷"
TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


def lines_of(canvas: Canvas) -> list[str]:
    return [*canvas.lines()]


@pytest.mark.parametrize(
    ("text", "cells", "result"),
    [
        ("latte", 5, "latte"),
        ("latte", 4, "lat…"),
        ("latte", 1, "…"),
        ("latte", 0, ""),
        ("민준이", 6, "민준이"),
        ("민준이", 5, "민준…"),
        ("민준이", 4, "민…"),
    ],
)
def test_a_cut_shows(text: str, cells: int, result: str) -> None:
    assert cut(text, cells) == result


def test_the_longest_wording_that_fits_is_chosen() -> None:
    wordings = ("one flat white", "flat white", "flat")
    assert [fit(wordings, room, width) for room in (14, 13, 9, 0)] == [*wordings, "flat"]


def test_shorter_wordings_are_not_made_if_a_longer_one_fits() -> None:
    made = iter(["민준", "민"])
    assert fit(made, 4, width) == "민준"
    assert [*made] == ["민"]


def test_padding_counts_cells() -> None:
    assert pad("민준", 6) == "민준  "
    assert pad("9", 3, right=True) == "  9"


def test_wrapping_breaks_between_words_and_words_that_are_longer_than_a_line() -> None:
    assert wrap("one two three", 8) == ("one two", "  three")
    assert wrap("cappuccino", 6) == ("cappuc", "  cino")
    assert wrap("  one two", 7) == ("  one", "  two")
    assert wrap("a cappuccino or 2", 6) == ("a", "  capp", "  ucci", "  no", "  or 2")
    assert wrap("아메리카노 하나", 7) == ("아메리", "  카노", "  하나")
    assert wrap("e\u0301" * 4, 3, "") == ("e\u0301" * 3, "e\u0301")


@example("00\x1f", 2, "")
@example("0 ", 0, "")
@example("한 x", 1, "")
@given(TEXT, st.integers(0, 25), st.sampled_from(["", "  ", "     "]))
def test_wrapping_loses_nothing_and_fits(text: str, cells: int, indent: str) -> None:
    lines = wrap(text, cells, indent)
    assert all(width(line) <= cells for line in lines)
    if cells > 1:  # no wide character fits in less
        assert "".join("".join(lines).split()) == "".join(text.split())


@given(TEXT, st.integers(0, 25), st.integers(0, 3), st.integers(0, 12))
def test_no_text_leaves_its_line(text: str, x: int, y: int, cells: int) -> None:
    canvas = Canvas(20, 3)
    canvas.put(3, 1, "민준민준민준민준")
    canvas.put(x, y, text, "class:a", cells)
    canvas.puts(x, 2, [("class:a", text), ("class:b", text)])
    lines = lines_of(canvas)
    assert len(lines) == 3
    for line in lines:
        assert cells_of(line) == 20
        assert line.isprintable()


@given(TEXT)
def test_width_is_that_of_the_terminal(text: str) -> None:
    printable = "".join(one for one in text if one.isprintable())
    assert width(printable) == cells_of(printable)


def cells_of(text: str) -> int:
    """Return the cells that a text takes on a terminal: two for a flag, which is two letters."""
    return sum(map(get_cwidth, FLAG.sub("旗", text)))


def test_a_flag_takes_two_cells_and_is_never_halved() -> None:
    canvas = Canvas(12, 2)
    canvas.put(0, 0, f"{ITALY}{KOREA} KR|")
    assert lines_of(canvas)[0] == f"{ITALY}{KOREA} KR|    "
    assert (cut(f"{ITALY}{KOREA}!", 4), cut(f"{ITALY}{KOREA}!", 3)) == (f"{ITALY}…", f"{ITALY}…")
    assert wrap(ITALY + KOREA, 3, "") == (ITALY, KOREA)
    canvas.put(1, 0, "x")
    assert lines_of(canvas)[0].startswith(f" x{KOREA}")
    canvas.put(0, 1, f"{ITALY[0]} {ITALY[0]}")
    canvas.put(2, 1, KOREA[1])
    assert lines_of(canvas)[1] == "????".ljust(12), "halves would join to a flag"
    assert shown(ITALY, Look(encoding="latin-1")) == "??"


def test_half_a_wide_character_is_no_character() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "민준이")
    canvas.put(1, 0, "x")
    canvas.put(4, 0, "y")
    assert lines_of(canvas) == [" x준y "]


def test_a_mark_belongs_to_the_whole_of_a_wide_character() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "민\u0301")
    assert lines_of(canvas) == ["민\u0301  "]
    canvas.put(1, 0, "x")
    assert lines_of(canvas) == [" x  "]


def test_pieces_that_do_not_fit_are_cut_with_a_mark() -> None:
    canvas = Canvas(6, 1)
    canvas.puts(0, 0, [("", "abc"), ("", "def"), ("", "g")])
    assert lines_of(canvas) == ["abcde…"]


def test_ascii_replaces_every_drawn_character_cell_for_cell() -> None:
    drawn = "".join(value for value in vars(glyphs).values() if isinstance(value, str))
    drawn = "".join(one for one in drawn if not one.isascii() and not one.isspace())
    drawn = drawn.replace("—", "")
    translated = shown(drawn, Look(ascii=True))
    assert translated.isascii()
    assert len(translated) == width(drawn)


def test_marks_that_mean_different_things_differ_in_ascii() -> None:
    marks = [
        *(glyphs.SPECIALTY, glyphs.MINE, glyphs.MINE_OTHER, glyphs.RUSH, glyphs.PENALTY),
        *(glyphs.SERVED, glyphs.ACTIVE, glyphs.INACTIVE, glyphs.POINTER, glyphs.BACK, glyphs.CUT),
        *(glyphs.DOT, glyphs.CARET, glyphs.UP, glyphs.DOWN, glyphs.LINE, glyphs.WALL, glyphs.CROSS),
        # the path, steps, the gain of a step, orders about to expire
        *(glyphs.WAYS[0, 1], glyphs.WAYS[1, 0], "x", "!"),
    ]
    shown_marks = [shown(one, Look(ascii=True)) for one in marks]
    assert len(set(shown_marks)) == len(marks)


def test_ascii_has_the_quotes_and_dashes_of_sentences() -> None:
    text = "“Ice” – it’s «×2» —"
    assert shown(text, Look(ascii=True)) == '"Ice" - it\'s "x2" -'


def test_a_no_break_space_is_drawn_as_a_blank_and_keeps_words_together() -> None:
    canvas = Canvas(8, 1)
    canvas.put(0, 0, "5\N{NO-BREAK SPACE}% é")
    assert [*canvas.lines()] == ["5 % é   "]
    assert wrap("cost 12\N{NO-BREAK SPACE}%", 8, "") == ("cost", "12\N{NO-BREAK SPACE}%")


def test_what_an_encoding_lacks_keeps_its_cells() -> None:
    assert shown("é민★", Look(encoding="latin-1")) == "é???"
    assert shown("é민★", Look(ascii=True)) == "é민*"


def test_a_click_means_what_was_marked_last() -> None:
    canvas = Canvas(10, 4)
    canvas.zone(0, 0, 10, 4, Target("pane", "log"))
    canvas.zone(2, 1, 3, 2, Target("cell", 7))
    assert canvas.target_at(2, 1) == canvas.target_at(4, 2) == Target("cell", 7)
    assert canvas.target_at(5, 1) == canvas.target_at(4, 3) == Target("pane", "log")
    assert canvas.target_at(10, 0) is None


def test_the_width_of_a_text_is_that_of_its_characters() -> None:
    characters = [chr(code) for code in range(0x20, 0x1200) if chr(code).isprintable()]
    for character in characters:
        assert width(character) == max(get_cwidth(character), 0), hex(ord(character))
    assert width("".join(characters)) == sum(map(width, characters))
