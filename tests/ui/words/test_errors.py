"""Errors from any layer, in the user's language."""

import ast
import errno
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from coffeerush import errors
from coffeerush.errors import CoffeeRushError, DeckError, RecordError
from coffeerush.host.server.sockets import PortInUse
from coffeerush.joining.enrolment import BrokenOff, Unreachable
from coffeerush.ui.words import i18n
from coffeerush.ui.words.errors import SYSTEM, error_line
from coffeerush.ui.words.i18n import set_language
from protocol import IllegalIntent, WrongShape
from scripts.programs.translate.sources import KEYWORDS
from tests.ui.words.test_i18n import write_catalogue

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


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_the_text_of_an_error_stands_where_it_is_raised(path: Path) -> None:
    composed = [
        f"line {call.lineno}"
        for call in raised(path)
        if isinstance(call.args[0], ast.JoinedStr | ast.Call)
    ]
    assert not composed
