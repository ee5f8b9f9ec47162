"""Join codes: the word list, and parsing of typed codes in all languages."""

import re
import shlex
import unicodedata
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from coffeerush.errors import UsageError
from coffeerush.joining.code import (
    CODE_WORDS,
    OPEN,
    draw_code,
    is_code,
    join_command,
    parse_code,
    parted,
    spoken_code,
)
from coffeerush.joining.code_words import COLUMNS, RETIRED, VARIANTS, WORDS
from coffeerush.local.settings import LANGUAGES

CODE = "apple-tiger-moon"
LETTERS = dict.fromkeys(COLUMNS, r"[a-z]+") | {"ko": r"[가-힣]+", "ru": r"[а-я]+"}
"""The letters on the keyboards of each language, without accents."""


def bare(word: str) -> str:
    """Return a word without accents; a Korean syllable as its jamo."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def known() -> Iterator[tuple[str, str]]:
    """Yield whatever is understood, each with its canonical form."""
    for row in WORDS:
        for language, shown in zip(COLUMNS, row, strict=True):
            for word in (shown, *VARIANTS[language].get(shown, "").split()):
                yield word, row[0]
    yield from RETIRED.items()


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


@pytest.mark.parametrize("language", COLUMNS)
def test_variants_are_of_shown_words_and_can_be_typed(language: str) -> None:
    shown = {row[COLUMNS.index(language)] for row in WORDS}
    assert VARIANTS[language].keys() <= shown
    words = {bare(word) for row in WORDS for word in row}
    for variant in " ".join(VARIANTS[language].values()).split():
        assert re.fullmatch(LETTERS[language], unicodedata.normalize("NFC", bare(variant))), variant
        assert bare(variant) not in {*words, OPEN}
    assert VARIANTS.keys() == {*COLUMNS}


def test_no_typo_turns_one_word_into_another_in_any_languages() -> None:
    owners: dict[str, tuple[str, str]] = {}
    for word, row in known():
        for slip in typos(bare(word)):
            assert owners.setdefault(slip, (row, word))[0] == row, (word, owners[slip])


@pytest.mark.slow
def test_a_code_without_separators_has_one_meaning() -> None:
    codes = {unicodedata.normalize("NFC", bare(word)): row for word, row in known()}
    # two ways to read the same letters: words that are ahead of other words by some letters
    ways: list[tuple[tuple[str, ...], tuple[str, ...], str]] = [
        ((word,), (word[:at],), word[at:])
        for word in codes
        for at in range(1, len(word))
        if word[:at] in codes
    ]
    assert ways
    while ways:
        ahead, behind, letters = ways.pop()
        for word in codes if len(behind) < CODE_WORDS else ():
            longer = (*behind, word)
            if word == letters:
                assert [codes[one] for one in ahead] == [codes[one] for one in longer]
            elif letters.startswith(word):
                ways.append((ahead, longer, letters.removeprefix(word)))
            elif word.startswith(letters):
                ways.append((longer, ahead, word.removeprefix(letters)))


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


@pytest.mark.parametrize("language", COLUMNS)
def test_a_command_with_words_of_any_language_can_be_typed_in_a_shell(language: str) -> None:
    for row in WORDS:
        command = join_command("192.168.0.12", "-".join([row[0]] * CODE_WORDS), language)
        *_program, address, code = shlex.split(command)
        assert (address, parse_code(code)) == ("192.168.0.12", "-".join([row[0]] * CODE_WORDS))
        assert re.fullmatch(r"\w+(-\w+){2}", code), "neither blanks nor quotes"


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


COMMANDS = [
    "coffeerush join {} apple-tiger-moon",
    "Others join with: coffeerush join {} apple-tiger-moon",
    "$ coffeerush  watch {} apple tiger moon\n",
    "`coffeerush join {} apple-tiger-moon`",
]


@pytest.mark.parametrize("line", [*COMMANDS, "{} apple tiger moon", " {}\napple-tiger-moon "])
@pytest.mark.parametrize("address", ["192.0.2.2:47870", "cafe.local", "[fe80::1%eth0]:47830"])
def test_address_and_code_come_in_one_line(line: str, address: str) -> None:
    found, code = parted(line.format(address))
    assert (found, parse_code(code)) == (address, CODE)
    assert parse_code(line.format(address)) == CODE


@pytest.mark.parametrize("line", COMMANDS)
def test_after_the_command_an_address_may_be_one_word(line: str) -> None:
    assert parted(line.format("cafe"))[0] == "cafe"
    assert parse_code(line.format("cafe")) == CODE


@pytest.mark.parametrize("text", ["", "cafe", "apple tiger moon", "cafe apple tiger moon", "a b"])
def test_what_may_be_something_else_is_no_address_before_a_code(text: str) -> None:
    assert parted(text) == ("", text)


@pytest.mark.parametrize(
    "after", ["apple-tiger-moon; reboot", "apple-tiger-moon --plain", "$(reboot)", ""]
)
def test_nothing_but_a_code_may_follow_an_address(after: str) -> None:
    with pytest.raises(UsageError):
        parse_code(f"coffeerush join 192.0.2.2 {after}")


@pytest.mark.parametrize("typed", ["open", " OPEN ", "coffeerush join 192.0.2.2 open"])
def test_open_is_typed_for_an_open_table(typed: str) -> None:
    assert parse_code(typed) == OPEN


@pytest.mark.parametrize("typed", ["", "apple tiger", "apple tiger moon moon", "open open", "…"])
def test_a_code_has_three_words(typed: str) -> None:
    with pytest.raises(UsageError, match="three words, such as apple tiger moon"):
        parse_code(typed)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("theatre aeroplane yoghurt", "theater-airplane-yogurt"),
        ("soccer couch fall", "football-sofa-autumn"),
        ("bolacha, porco-espinho, trem", "cookie-hedgehog-train"),
        ("calamita pescecane sasso", "magnet-shark-stone"),
        ("durazno banana palta", "peach-banana-avocado"),
        ("balde techo frutilla", "bucket-roof-strawberry"),
        ("달 게 카펫", "moon-crab-carpet"),
        ("요거트 계란 자갈", "yogurt-egg-stone"),
        ("туннель ёж томат", "tunnel-hedgehog-tomato"),
        ("еж море кит", "hedgehog-ocean-whale"),
        ("달계란해", "moon-egg-sun"),
    ],
)
def test_other_spellings_and_synonyms_are_understood(typed: str, code: str) -> None:
    assert parse_code(typed) == code


@pytest.mark.parametrize("word", RETIRED)
def test_a_retired_word_is_understood_as_older_hosts_prove_it(word: str) -> None:
    assert parse_code(f"apple tiger {word}") == "apple-tiger-monkey"


def test_a_retired_word_is_neither_drawn_nor_suggested() -> None:
    assert not {bare(word) for row in WORDS for word in row} & {bare(word) for word in RETIRED}
    for typed, language in [("monkei", "en"), ("macacoo", "pt_BR"), ("scimia", "it")]:
        with pytest.raises(UsageError, match="check the host's screen"):
            parse_code(f"{typed} {typed} {typed}", language)


@pytest.mark.parametrize(
    ("typed", "language", "near"),
    [
        ("appel tiger moon", "en", "apple"),
        ("manzana tigre avoin", "es", "avión"),  # with its accents
        ("maçã tigre cafee", "pt_BR", "café"),
        ("durasno tigre luna", "es", "durazno"),  # a variant of the person's own
        ("chocolat tiger moon", "it", "cioccolato"),  # the user's language comes first
        ("apple tigger moon", "ru", "tiger"),  # then the one of the other words
        ("사과 호랑이 접씨", "en", "접시"),
        ("appel tigger moom", "fr", "apple"),  # English stands in
    ],
)
def test_a_suggestion_is_in_the_own_language_or_that_of_the_code(
    typed: str, language: str, near: str
) -> None:
    with pytest.raises(UsageError, match=f"did you mean “{near}”"):
        parse_code(typed, language)


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("apple tiger xqzzy", "en"),
        ("apple tiger avoin", "en"),  # Spanish alone is similar
        ("apple tiger bat", "en"),  # not similar enough
        ("xqzzy avoin zzyzx", "en"),  # nothing tells the code's language
    ],
)
def test_without_a_similar_word_nothing_is_suggested(typed: str, language: str) -> None:
    with pytest.raises(UsageError, match="check the host's screen"):
        parse_code(typed, language)


@pytest.mark.parametrize(("typed", "near"), [("꼬양이", "고양이"), ("꽂게", "꽃게")])
def test_typos_in_korean_are_compared_by_letter(typed: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean “{near}”"):
        parse_code(f"사과 호랑이 {typed}", "ko")


def test_a_long_word_is_truncated() -> None:
    with pytest.raises(UsageError) as caught:
        parse_code("apple tiger " + "x" * 4000)
    assert len(str(caught.value)) < 200
