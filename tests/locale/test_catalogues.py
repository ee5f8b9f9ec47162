"""The catalogues that are shipped: of these sources, complete and right."""

import re
from functools import cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from coffeerush.ui.words.msgfmt import compiled
from scripts.programs.translate.catalogues import (
    COMPLETE,
    TEMPLATE,
    codes,
    dated,
    kept,
    po_bytes,
    same_texts,
    texts,
)
from scripts.programs.translate.faults import faults, unfinished
from scripts.programs.translate.merging import key_of, merged
from scripts.programs.translate.sources import DRINK, template

FORMS = {
    "pt_BR": {0: 0, 1: 0, 2: 1, 5: 1, 21: 1},
    "it": {0: 1, 1: 0, 2: 1, 5: 1, 21: 1},
    "es": {0: 1, 1: 0, 2: 1, 5: 1, 21: 1},
    "ko": {0: 0, 1: 0, 2: 0, 5: 0, 21: 0},
    "ru": {0: 2, 1: 0, 2: 1, 5: 2, 11: 2, 21: 0, 22: 1, 111: 2},
}
"""Which plural form goes with a count."""

QUOTATION_MARKS = {"pt_BR": "“”", "it": "“”", "es": "«»", "ko": "‘’", "ru": "«»"}
"""What each language quotes with, words to type above all."""

UPDATE = "bring it up to date: scripts/translate update"

sources = cache(template)


@pytest.mark.slow
def test_the_template_is_that_of_the_sources() -> None:
    assert TEMPLATE.read_bytes() == po_bytes(dated(sources())), UPDATE


@pytest.mark.slow
@pytest.mark.parametrize("code", codes())
def test_what_is_translated_is_right(code: str) -> None:
    assert [*faults(kept(code))] == []


@pytest.mark.slow
@pytest.mark.parametrize("code", COMPLETE)
def test_a_language_that_people_can_choose_is_complete(code: str) -> None:
    assert {*map(key_of, texts(kept(code)))} == {*map(key_of, texts(sources()))}, UPDATE
    assert [*unfinished(kept(code))] == []


@pytest.mark.slow
@pytest.mark.parametrize("code", COMPLETE)
def test_updating_changes_nothing(code: str) -> None:
    assert same_texts(merged(dated(sources()), kept(code)), kept(code)), UPDATE


@pytest.mark.slow
@pytest.mark.parametrize("code", FORMS)
def test_plural_forms_go_with_their_counts(code: str, tmp_path: Path) -> None:
    catalog = Catalog(locale=code)
    forms = tuple(f"{index}" for index in range(catalog.num_plurals))
    catalog.add(("one", "many"), forms)
    path = tmp_path / "coffeerush.po"
    path.write_bytes(po_bytes(catalog))
    spoken = GNUTranslations(BytesIO(compiled(path)))
    assert {count: int(spoken.ngettext("one", "many", count)) for count in FORMS[code]} == (
        FORMS[code]
    )
    assert kept(code).plural_forms == catalog.plural_forms


@pytest.mark.parametrize("code", COMPLETE)
def test_a_language_quotes_in_one_way(code: str) -> None:
    others = {*"“”„«»‘"} - {*QUOTATION_MARKS[code]}
    assert [one.id for one in texts(kept(code)) if others & {*str(one.string)}] == []


@pytest.mark.slow
def test_english_tokens_and_drinks_keep_to_their_room() -> None:
    english = Catalog(locale="en")
    for message in texts(sources()):
        if message.context in ("token", DRINK):
            english.add(message.id, str(message.id), context=message.context)
    assert [*faults(english)] == []


@pytest.mark.slow
@pytest.mark.parametrize("code", COMPLETE)
def test_help_calls_an_argument_as_the_usage_does(code: str) -> None:
    catalog = kept(code)
    names = {str(one.id): str(one.string) for one in texts(catalog) if one.context == "argument"}
    for one in texts(catalog):
        if one.context or not any("/cli/" in place for place, _line in one.locations):
            continue
        for name in re.findall(rf"\b(?:{'|'.join(map(re.escape, names))})\b", str(one.id)):
            assert names[name] in str(one.string), one.id
