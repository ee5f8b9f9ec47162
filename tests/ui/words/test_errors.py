"""Errors and refusals in the user's language."""

import ast
import errno
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from coffeerush import errors
from coffeerush.errors import CoffeeRushError, DeckError, RecordError
from coffeerush.host.server.sockets import PortInUse
from coffeerush.joining.door import refused
from coffeerush.joining.enrolment import BrokenOff, Unreachable
from coffeerush.ui.words import i18n
from coffeerush.ui.words.errors import SYSTEM, error_line, refusal_line
from coffeerush.ui.words.i18n import pgettext, set_language
from coffeerush.ui.words.names import (
    bot_level,
    cell_name,
    counts_phrase,
    ingredient_name,
    item_list,
    upgrade_name,
)
from protocol import (
    REFUSAL_CODES,
    REFUSAL_TEXTS,
    REFUSAL_WORDS,
    SENTENCE_CHARACTERS,
    Counts,
    IllegalIntent,
    Ingredient,
    Refusal,
    Upgrade,
    WrongShape,
    clean_line,
    param_list,
)
from protocol.errors import fields
from scripts.programs.translate.sources import KEYWORDS
from tests.golden.frames import LANGUAGES, spoken
from tests.support.refusals import provoked
from tests.ui.words.test_i18n import write_catalogue

# Errors from any layer, in the user's language


PACKAGE = Path(errors.__file__).parent
FAMILY = {
    *(error.__name__ for error in CoffeeRushError.__subclasses__()),
    *(error.__name__ for error in (CoffeeRushError, Unreachable, BrokenOff, PortInUse)),
}


@pytest.fixture
def korean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    texts = {
        "line {line}: {reason}": "{line}번 줄: {reason}",
        "the name is empty": "이름이 없습니다",
        "{path}: {reason}": "{path} – {reason}",
        "No such file or directory": "그런 파일이 없습니다",
        "The table changed before your action arrived; have another look.": "다시 보세요.",
    }
    write_catalogue(tmp_path, "ko", texts)
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    set_language("ko")
    yield
    monkeypatch.undo()
    set_language("en")


def missing() -> OSError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "a.toml")


def test_an_error_is_english_where_nothing_translates(korean: None) -> None:
    error = DeckError("line {line}: {reason}", line=3, reason=DeckError("the name is empty"))
    assert str(error) == "line 3: the name is empty"
    error = DeckError("{path}: {reason}", path="a.toml", reason=missing())
    assert str(error) == "a.toml: No such file or directory"


def test_an_error_in_an_error_is_told_too(korean: None) -> None:
    error = DeckError("line {line}: {reason}", line=3, reason=DeckError("the name is empty"))
    assert error_line(error) == "3번 줄: 이름이 없습니다"
    outer = RecordError("{path}: {reason}", path="x", reason=IllegalIntent("stale"))
    assert error_line(outer) == "x – 다시 보세요."


def test_the_reason_of_the_system_is_told(korean: None) -> None:
    error = DeckError("{path}: {reason}", path="a.toml", reason=missing())
    assert error_line(error) == "a.toml – 그런 파일이 없습니다"
    assert error_line(OSError("odd")) == "odd"
    assert os.strerror(errno.ENOENT) in SYSTEM


def test_other_words_are_told_as_they_are(korean: None) -> None:
    assert error_line(WrongShape("no such field")) == "no such field"
    assert error_line(CoffeeRushError("{braces} of somebody else")) == "{braces} of somebody else"


def test_an_error_crosses_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(DeckError("line {line}: {reason}", line=3, reason="so")))
    assert str(error) == "line 3: so"


def test_translators_find_every_kind_of_error() -> None:
    assert set(KEYWORDS) >= FAMILY


def raised(path: Path) -> Iterator[ast.Call]:
    """Yield each place where a module raises one of our errors."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in FAMILY:
            yield node


@pytest.mark.slow
def test_the_text_of_an_error_stands_where_it_is_raised() -> None:
    composed = [
        f"{path}, line {call.lineno}"
        for path in PACKAGE.rglob("*.py")
        for call in raised(path)
        if isinstance(call.args[0], ast.JoinedStr | ast.Call)
    ]
    assert not composed


# Refusals in six languages: each names its data, and nothing in it is left in English


FOREIGN = tuple(language for language in LANGUAGES if language != "en")
FOR_PROGRAMS = {"phase", "reason"}
"""Data that no sentence names."""
KINDS = "casual, regular, expert"
"""As hosts say it; people have words for them."""
NAMED = {"Ann", "Bob", "BOB", "Bea", "Dee", "Pizza", "clairvoyant", "Mocha", "Lungo"}


def in_words(name: str, value: str | int) -> str:
    """Return how a datum reads in the language that is spoken."""
    match name, value:
        case "cell" | "here", int():
            return cell_name(value)
        case "ingredient", int():
            return ingredient_name(Ingredient(value))
        case "upgrade", int():
            return upgrade_name(Upgrade(value))
        case "hand" | "contents", str():
            return counts_phrase(msgspec.convert([*map(int, value.split(", "))], Counts))
        case "wanted", str():
            return item_list(pgettext("drink", drink) for drink in value.split(", "))
        case "allowed", str():
            words = REFUSAL_WORDS["what you can do"]
            return item_list(pgettext("what you can do", words[one]) for one in value.split(", "))
        case "stage" | "stages", str():
            return pgettext("stage", REFUSAL_WORDS["stage"][value])
        case "bots", str():
            return item_list(map(bot_level, value.split(", ")))
        case "seat", int():
            return str(value + 1)
    return str(value)


def test_every_text_of_every_code_is_provoked() -> None:
    assert provoked().keys() == REFUSAL_TEXTS.keys()
    assert {case.partition("/")[0] for case in REFUSAL_TEXTS} == set(REFUSAL_CODES)
    for case, refusal in provoked().items():
        code, _, reason = case.partition("/")
        assert (refusal.code, refusal.params.get("reason", "")) == (code, reason)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_of_a_later_host_is_told_in_its_own_words(language: str) -> None:
    refusal = Refusal("no_cats", "Cats are not allowed.\x1b[2J", {"paws": 4})
    with spoken(language):
        assert refusal_line(refusal) == "Cats are not allowed.[2J"
        assert error_line(refused(refusal)) == "Cats are not allowed.[2J"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_names_its_data(language: str) -> None:
    for case, refusal in provoked().items():
        said = fields(REFUSAL_TEXTS[case][0])
        if "/" not in case:
            assert said == refusal.params.keys() - FOR_PROGRAMS
        with spoken(language):
            line = refusal_line(refusal)
            for name in said:
                assert clean_line(in_words(name, refusal.params[name])) in line
        assert re.fullmatch(r"[^{}?]+\.", line)


def test_in_english_it_is_what_the_host_says() -> None:
    with spoken("en"):
        words = item_list(map(bot_level, KINDS.split(", ")))
        for refusal in provoked().values():
            assert refusal_line(refusal) == refusal.text.replace(KINDS, words)


@pytest.mark.parametrize("language", FOREIGN)
def test_no_english_is_left(language: str) -> None:
    both = [one for known in provoked().values() for one in (known, Refusal(known.code, ""))]
    with spoken("en"):
        english = [refusal_line(one) for one in both]
    with spoken(language):
        lines = [refusal_line(one) for one in both]
    for line, original in zip(lines, english, strict=True):
        words = set(re.findall(r"\w{4,}", original)) - NAMED
        same = words & set(re.findall(r"\w+", line))
        assert not same - {"meeple", "slot", "host", "bot", "computer"}, line


@pytest.mark.parametrize("language", LANGUAGES)
def test_less_data_or_nonsense_gets_a_shorter_sentence(language: str) -> None:
    for refusal in provoked().values():
        nonsense = {
            name: 99 if isinstance(value, str) else "" for name, value in refusal.params.items()
        }
        with spoken(language):
            bare = refusal_line(Refusal(refusal.code, "the host's own words"))
            assert refusal_line(Refusal(refusal.code, "", nonsense)) == bare
        assert re.fullmatch(r"[^{}?]+\.", bare)


HAND = "1, 2, 0, 0, 0, 0, 0, 0"


@pytest.mark.parametrize(
    ("code", "params"),
    [
        ("cell_taken", {"cell": 16}),
        ("cell_taken", {"cell": -1}),
        ("upgrade_is_active", {"upgrade": len(Upgrade)}),
        ("upgrade_is_active", {"upgrade": -1}),
        ("not_in_hand", {"ingredient": len(Ingredient), "hand": HAND}),
        ("not_in_hand", {"ingredient": -1, "hand": HAND}),
        ("hand_not_empty", {"hand": "1, 2"}),
        ("hand_not_empty", {"hand": "1, 2, 3, 4, 5, 6, 7, -8"}),
        ("hand_not_empty", {"hand": "milk"}),
        ("wrong_phase", {"allowed": "fly"}),
        ("wrong_stage", {"stage": "bar", "stages": "lobby"}),
        ("name_taken", {"name": "\u200b"}),
    ],
)
def test_impossible_data_is_left_out(code: str, params: dict[str, str | int]) -> None:
    refusal = Refusal(code, "", params)
    assert refusal_line(refusal) == REFUSAL_TEXTS[code][1]


def test_a_name_from_another_machine_moves_no_cursor() -> None:
    line = refusal_line(Refusal("name_taken", "", {"name": "Bob\x1b[2J\r\n"}))
    assert line == "Somebody at the table is already called Bob[2J; choose another name."


def test_lists_are_cut_between_their_items() -> None:
    """Nine drinks in a slot, sixteen names: as many whole ones as the wire takes."""
    assert param_list(["Mocha", "Lungo"]) == "Mocha, Lungo"
    assert param_list([]) == ""
    cut = param_list(["Iced caramel latte"] * 9)
    assert cut == ", ".join(["Iced caramel latte"] * 5) + ", …"
    wide = param_list(["한" * 24] * 9)
    assert wide == ", ".join(["한" * 24] * 3) + ", …"
    assert len(wide.encode()) <= 256


def test_texts_fit_the_wire() -> None:
    for refusal in provoked().values():
        assert len(refusal.text) < SENTENCE_CHARACTERS
