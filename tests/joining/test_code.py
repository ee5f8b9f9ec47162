"""Join codes: the word list, and parsing of typed codes in all languages."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from coffeerush.errors import UsageError
from coffeerush.joining.code import CODE_WORDS, OPEN, draw_code, is_code, parse_code, spoken_code
from coffeerush.joining.code_words import COLUMNS, WORDS
from coffeerush.local.settings import LANGUAGES

CODE = "apple-tiger-moon"
LETTERS = dict.fromkeys(COLUMNS, r"[a-z]+") | {"ko": r"[가-힣]+", "ru": r"[а-я]+"}
"""The letters on the keyboards of each language, without accents."""


def bare(word: str) -> str:
    """Return a word without accents; a Korean syllable as its jamo."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def typos(word: str) -> Iterator[str]:
    """Yield a word with a wildcard in place of each letter, and at each position between two.

    Two words that differ by one typo (a letter inserted, deleted or replaced) share one of these,
    or one is among those of the other.
    """
    yield word
    for at in range(len(word) + 1):
        yield f"{word[:at]}*{word[at:]}"
    for at in range(len(word)):
        yield f"{word[:at]}*{word[at + 1 :]}"


def test_codes_are_distinguished_from_host_names() -> None:
    for code in (CODE, "apple tiger moon", "사과 호랑이 보름달", " Apple, tiger-MOON"):
        assert is_code(code)
    for name in ("open", "cafe", "tiger-moon", "coffee.taxi.pizza", "192.168.0.12", "a-b-c", ""):
        assert not is_code(name)


def test_each_row_has_one_word_per_language() -> None:
    assert len(WORDS) == 128
    assert all(len(row) == len(COLUMNS) for row in WORDS)
    assert {*COLUMNS} <= {*LANGUAGES}


@pytest.mark.parametrize("language", COLUMNS)
def test_words_are_short_and_can_be_typed(language: str) -> None:
    for row in WORDS:
        word = row[COLUMNS.index(language)]
        assert 2 <= len(word) <= 10, word
        plain = unicodedata.normalize("NFC", bare(word))
        assert re.fullmatch(LETTERS[language], plain), word
        assert word != OPEN


def test_no_typo_turns_one_word_into_another_in_any_languages() -> None:
    owners: dict[str, int] = {}
    for number, row in enumerate(WORDS):
        for word in row:
            for slip in typos(bare(word)):
                assert owners.setdefault(slip, number) == number, (word, WORDS[owners[slip]])


def test_typos_detect_words_one_letter_apart() -> None:
    for one, other in [("cat", "hat"), ("rain", "train"), ("bed", "bee"), ("bee", "bees")]:
        assert set(typos(one)) & set(typos(other))
    for one, other in combinations(["apple", "tiger", "moon", "wolf"], 2):
        assert not set(typos(one)) & set(typos(other))


def test_codes_are_drawn_by_chance_alone() -> None:
    assert draw_code(Random(1)) == draw_code(Random(1))
    codes = {draw_code(Random(seed)) for seed in range(50)}
    assert len(codes) == 50
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+){2}", code) for code in codes)


@pytest.mark.parametrize("language", COLUMNS)
def test_spoken_codes_round_trip(language: str) -> None:
    for row in range(len(WORDS) - CODE_WORDS):
        code = "-".join(words[0] for words in WORDS[row : row + CODE_WORDS])
        assert parse_code(spoken_code(code, language)) == code


def test_a_code_in_each_language() -> None:
    assert [spoken_code(CODE, language) for language in COLUMNS] == [
        "apple tiger moon",
        "maçã tigre lua",
        "mela tigre luna",
        "manzana tigre luna",
        "사과 호랑이 보름달",
        "яблоко тигр луна",
    ]
    assert spoken_code(CODE, "fr") == "apple tiger moon"


@pytest.mark.parametrize(
    "typed",
    [
        "apple-tiger-moon",
        " Apple  TIGER, moon. ",
        "apple_tiger_moon",
        "apple–tiger—moon",
        "MAÇÃ tigre luna",
        "maca tigre lua",
        unicodedata.normalize("NFD", "사과 호랑이 보름달"),
        "ａｐｐｌｅ　ｔｉｇｅｒ　ｍｏｏｎ",
        "Яблоко тигр luna",
        "appletigermoon",
        "사과호랑이 보름달",
    ],
)
def test_a_code_may_be_typed_in_many_ways(typed: str) -> None:
    assert parse_code(typed) == CODE


def test_a_russian_word_may_be_typed_without_its_dots() -> None:
    assert parse_code("Орел ежик ковер") == parse_code("орёл ёжик ковёр") == "eagle-hedgehog-carpet"


@pytest.mark.parametrize("typed", ["open", " OPEN "])
def test_open_is_typed_for_an_open_table(typed: str) -> None:
    assert parse_code(typed) == OPEN


@pytest.mark.parametrize("typed", ["", "apple tiger", "apple tiger moon moon", "open open", "…"])
def test_a_code_has_three_words(typed: str) -> None:
    with pytest.raises(UsageError, match="three words, such as apple tiger moon"):
        parse_code(typed)


def test_a_suggestion_has_its_accents() -> None:
    with pytest.raises(UsageError, match="“avoin” is not a code word; did you mean “avión”"):
        parse_code("apple tiger avoin")
    with pytest.raises(UsageError, match="check the host's screen"):
        parse_code("apple tiger xqzzy")


@pytest.mark.parametrize(("typed", "near"), [("쇼파", "소파"), ("꽂게", "꽃게")])
def test_typos_in_korean_are_compared_by_letter(typed: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean “{near}”"):
        parse_code(f"사과 호랑이 {typed}")


def test_a_long_word_is_truncated() -> None:
    with pytest.raises(UsageError) as caught:
        parse_code("apple tiger " + "x" * 4000)
    assert len(str(caught.value)) < 200
