"""Sanitizing of names and chat lines, which are ways into other people's terminals."""

import sys
import unicodedata

import pytest
from hypothesis import example, given, strategies as st
from wcwidth import wcswidth

from protocol import (
    CHAT_CHARACTERS,
    MARKS_PER_BASE,
    MAX_TEXT_BYTES,
    NAME_CELLS,
    clean_chat,
    clean_line,
    clean_name,
    clean_speaker,
    clip,
)
from protocol.unassigned import is_assigned

# With more dangerous characters than plain random text.
NASTY = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("\x1b\x9b\u200d\u202e\ufe0f\u0301\u0327\u0345\u034f \u3164\u2800"),
        st.characters(categories=("Mn", "Mc", "Me", "Cf", "Zs")),
        st.integers(0x1100, 0x11FF).map(chr),
    ),
    max_size=200,
)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("  Ann \t\n B ", "Ann B"),
        ("Jose\u0301", "José"),
        ("João Conceição", "João Conceição"),
        ("한글 이름", "한글 이름"),
        (unicodedata.normalize("NFD", "한글 이름"), "한글 이름"),
        ("Юлия Ёлкина", "Юлия Ёлкина"),
        ("ประเทศ", "ประเทศ"),
        ("हिन्दी", "हिन्दी"),
        ("Nguyễn Thị", "Nguyễn Thị"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("☕👍", "☕👍"),
    ],
)
def test_names_of_people_survive(typed: str, shown: str) -> None:
    assert clean_name(typed) == unicodedata.normalize("NFC", shown)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "[31mred[0m", id="escape"),
        pytest.param("\x9b31mred", "31mred", id="C1"),
        pytest.param("a\x00\x07\x08\x7fb", "ab", id="control"),
        pytest.param("a\r\nb\u2028c\x85d", "a b c d", id="lines"),
        pytest.param("\u202eevil\u202c\u2066x\u2069\u200f", "evilx", id="bidi"),
        pytest.param("A\u200bn\u2060n\ufeff", "Ann", id="zero width"),
        pytest.param("👩\u200d👧", "👩👧", id="joiner"),
        pytest.param("❤\ufe0f\U000e0100", "❤", id="variation selectors"),
        pytest.param("A\U000e0041\U000e007f", "A", id="tags"),
        pytest.param("A\u0378\ue000\U000f0000\uffff", "A", id="unassigned and private"),
        pytest.param("A\ud83d", "A", id="surrogate"),
        pytest.param("\u3164\u115f\u1160\uffa0", "", id="Hangul fillers"),
        pytest.param("\u2800\u2800", "", id="blank braille"),
        pytest.param("\u00a0\u3000\u2003", "", id="spaces"),
        pytest.param("a" + "\u0316" * 30 + "b", "a\u0316\u0316b", id="a pile of marks"),
        pytest.param("\u0301\u0301Ann", "Ann", id="marks on nothing"),
        pytest.param("A \u0301nn", "A nn", id="marks on a space"),
        pytest.param("e\u034f\u0301", "é", id="an invisible between letter and mark"),
        pytest.param("\u11a8\u11a8x", "x", id="loose jamo"),
    ],
)
def test_attacks_are_removed(typed: str, shown: str) -> None:
    assert clean_name(typed) == shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Bob> hi <Ann", "Bob hi <Ann"),
        ("Bob says: hi. Ann", "Bob says hi. Ann"),
        ("Bob\uff1a Ann\uff1e", "Bob Ann"),
        ("Ann <3", "Ann <3"),
        (":>", ""),
    ],
)
def test_a_speaker_cannot_contain_a_separator(typed: str, shown: str) -> None:
    assert clean_speaker(typed) == shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("x" * 30, "x" * 24),
        ("한" * 30, "한" * 12),
        ("x" + "한" * 12, "x" + "한" * 11),
        ("한" * 10 + "x\u0301" * 8, "한" * 10 + "x\u0301" * 4),
    ],
)
def test_names_are_cut_by_width(typed: str, shown: str) -> None:
    assert clean_name(typed) == shown


def test_a_truncated_name_does_not_end_in_a_space() -> None:
    assert clean_name("x" * 23 + " yz") == "x" * 23


def test_chat_is_cut_by_characters_and_by_bytes() -> None:
    assert clean_chat("x" * 100) == "x" * CHAT_CHARACTERS
    assert clean_chat("☕" * 100) == "☕" * CHAT_CHARACTERS
    assert clean_chat("👍" * 100) == "👍" * (MAX_TEXT_BYTES // 4)


def test_clip_keeps_characters_whole() -> None:
    assert clip("é" * 200, 200) == "é" * 128
    assert clip("a\ud800b", 10) == "ab"


@given(NASTY)
@example("e\u034f\u0301\u0327")
@example("\u1100\u1161\u11a8\u1161")
def test_cleaning_is_idempotent(typed: str) -> None:
    for clean in (clean_line, clean_name, clean_speaker, clean_chat):
        assert clean(clean(typed)) == clean(typed)


@given(NASTY)
def test_sanitized_text_is_harmless(typed: str) -> None:
    line = clean_line(typed)
    assert line == unicodedata.normalize("NFC", line)
    assert all(unicodedata.category(c)[0] != "C" for c in line)
    assert line == " ".join(line.split())
    marks = "".join("m" if unicodedata.category(c)[0] == "M" else "." for c in line)
    assert "m" * (MARKS_PER_BASE + 1) not in marks
    assert not marks.startswith("m")


@given(NASTY)
def test_names_fit(typed: str) -> None:
    name = clean_name(typed)
    assert len(name) <= NAME_CELLS
    assert 0 <= wcswidth(name) <= NAME_CELLS


@given(NASTY)
def test_chat_fits(typed: str) -> None:
    line = clean_chat(typed)
    assert len(line) <= CHAT_CHARACTERS
    assert len(line.encode()) <= MAX_TEXT_BYTES


@pytest.mark.slow
def test_every_character_by_itself() -> None:
    """Of the planes with ideographs alone, some; what is in no plane here has no character."""
    planes = (range(0x20000), range(0x20000, 0x40000, 61), range(0xE0000, 0xE0200))
    seen = [clean_name(chr(code)) for plane in planes for code in plane]
    for character in filter(None, seen):
        row = clean_name(character * 13)  # 26 cells, if each is wide
        assert clean_name(row) == row
        assert 0 < wcswidth(row) <= NAME_CELLS, hex(ord(character[0]))


def test_names_have_no_characters_unknown_to_the_oldest_python() -> None:
    assert clean_name("Latte\U0001fae8") == "Latte", "it is of Unicode 15"
    assert clean_name("Latte\U0001fae0") == "Latte\U0001fae0", "it is of Unicode 14"


@pytest.mark.slow
def test_assigned_characters_are_those_of_unicode_14() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        known = unicodedata.category(character) != "Cn"
        if unicodedata.unidata_version == "14.0.0":
            assert is_assigned(character) == known
        else:  # a newer one takes nothing away
            assert known or not is_assigned(character)
