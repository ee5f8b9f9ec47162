"""Every text of the sources can be found by the extractor."""

import ast
from collections.abc import Iterator

import pytest

from scripts.programs.translate.sources import KEYWORDS, PACKAGE

SOURCES = sorted(PACKAGE.rglob("*.py"))


def marked_in_format_strings(source: str) -> Iterator[int]:
    """Yield the lines of marked texts in f-strings, which Python 3.11 reads as one token."""
    for outer in ast.walk(ast.parse(source)):
        for call in ast.walk(outer) if isinstance(outer, ast.JoinedStr) else ():
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in KEYWORDS:
                yield call.lineno


@pytest.mark.slow
def test_no_text_stands_in_a_format_string() -> None:
    for path in SOURCES:
        assert not [*marked_in_format_strings(path.read_text(encoding="utf-8"))], path


@pytest.mark.parametrize("call", ["_('text')", "ngettext('a', 'b', 2)", "pgettext('key', 'a')"])
def test_one_that_does_is_found(call: str) -> None:
    assert [*marked_in_format_strings(f'print(f"{{{call}}} and {{1}}")')] == [1]


@pytest.mark.slow
def test_texts_of_every_error_are_found() -> None:
    for path in SOURCES:
        for found in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(found, ast.ClassDef) and any(
                getattr(base, "id", "") in KEYWORDS for base in found.bases
            ):
                assert found.name in KEYWORDS, path
