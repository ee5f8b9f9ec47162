"""A line with a cursor: nothing that was typed is lost, and the cursor is always seen."""

import pytest
from hypothesis import given, strategies as st

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import cell_width, width
from coffeerush.ui.terminal.keys import BACKSPACE, EDITING, ERASE, Draft, drawn, edited, pasted

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
