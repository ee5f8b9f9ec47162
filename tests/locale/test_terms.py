"""Every catalogue uses the words that docs/terms.csv lists for the terms of the game."""

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import Pattern
from typing import Final

import pytest
from babel.messages.catalog import Catalog, Message

from scripts.programs.translate.catalogues import (
    codes,
    forms,
    is_translated,
    kept,
    originals,
    texts,
)
from scripts.programs.translate.sources import DRINK, template

TERMS: Final = Path(__file__).parents[2] / "docs" / "terms.csv"
LISTED: Final = ("pt_BR", "it", "es", "ko", "ru")
"""The languages that the game has an edition in."""
ANY_LANGUAGE: Final = "*"

Row = dict[str, str]

sources = cache(template)
catalogue = cache(kept)


@cache
def rows() -> tuple[Row, ...]:
    with TERMS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, strict=True))


@cache
def pattern(text: str) -> Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def exceptions(row: Row) -> Iterator[tuple[str, str, str]]:
    """Yield the language, msgid and reason of each exception to a row."""
    for line in row["exceptions"].splitlines():
        code, msgid, reason = line.split(" | ")
        yield code, msgid, reason


@cache
def said(text: str) -> str:
    """Return a text without its placeholders, whose names nobody reads."""
    return re.sub(r"\{[^}]*\}", "…", text)


def has(row: Row, message: Message) -> bool:
    return bool(row["text"]) and any(
        pattern(row["text"]).search(said(text)) for text in originals(message)
    )


def offences(row: Row, code: str, catalog: Catalog) -> Iterator[str]:
    """Yield the translations without the word of a row, or with one that it forbids."""
    use, avoid = row[f"{code} use"], row[f"{code} avoid"]
    excused = {msgid for one, msgid, _ in exceptions(row) if one in (code, ANY_LANGUAGE)}
    for message in texts(catalog):
        msgid = originals(message)[0]
        # a drink is called as on its card, whatever its ingredients are called elsewhere
        if message.context == DRINK or msgid in excused or not is_translated(message):
            continue
        for form in map(said, forms(message)):
            if use and has(row, message) and not pattern(use).search(form):
                yield f"{row['term']}: not “{row[code]}” in “{form}” ({msgid})"
            found = pattern(avoid).search(form) if avoid else None
            if found:
                yield f"{row['term']}: “{found[0]}” in “{form}” ({msgid})"


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for code in codes() if f"{code} use" in rows()[0]])
def test_a_catalogue_says_the_terms_as_listed(code: str) -> None:
    found = [fault for row in rows() for fault in offences(row, code, catalogue(code))]
    assert found == [], "fix the translation, or add an exception to docs/terms.csv"


@pytest.mark.parametrize(
    ("translation", "found"),
    [
        ("Abasto", []),
        ("Mesa", ["not “"]),
        ("Abasto de reserva", ["“reserva”"]),
        ("Reserva", ["not “", "“Reserva”"]),
    ],
)
def test_a_missing_and_a_forbidden_word_are_both_found(translation: str, found: list[str]) -> None:
    (supply,) = (row for row in rows() if row["term"] == "supply")
    spanish = Catalog(locale="es")
    spanish.add("Supply", translation)
    faults = [*offences(supply, "es", spanish)]
    assert len(faults) == len(found)
    assert all(part in fault for part, fault in zip(found, faults, strict=True))
    excused = supply | {"exceptions": "es | Supply | a reason"}
    assert [*offences(excused, "es", spanish)] == []


@pytest.mark.parametrize("code", LISTED)
def test_a_term_has_its_word_and_place_in_each_edition(code: str) -> None:
    for row in rows():
        assert row[code]
        assert row[f"{code} rulebook"]
        assert bool(row[f"{code} use"]) == bool(row["text"])
        # the word itself is one of those that the catalogue may use
        assert not row["text"] or pattern(row[f"{code} use"]).search(row[code])
        assert not (row[f"{code} avoid"] and pattern(row[f"{code} avoid"]).search(row[code]))


@pytest.mark.slow
def test_a_row_is_about_texts_of_the_game() -> None:
    messages = [*texts(sources())]
    msgids = {originals(message)[0] for message in messages}
    for row in rows():
        assert not row["text"] or any(has(row, message) for message in messages), row["term"]
        for _code, msgid, reason in exceptions(row):
            assert msgid in msgids, "there is no such text: remove or reword the exception"
            assert reason


def test_each_term_has_one_row() -> None:
    terms = [row["term"] for row in rows()]
    assert len(set(terms)) == len(terms)
