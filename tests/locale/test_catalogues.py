"""The catalogues that are shipped: of these sources, complete and right."""

from functools import cache
from gettext import GNUTranslations
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog

from scripts.programs.translate.catalogues import CODES, kept, mo_bytes, po_file, texts
from scripts.programs.translate.faults import faults
from scripts.programs.translate.sources import DRINK, template

KEPT = [code for code in CODES if po_file(code).exists()]
FORMS = {
    "pt_BR": {0: 0, 1: 0, 2: 1, 5: 1, 21: 1},
    "it": {0: 1, 1: 0, 2: 1, 5: 1, 21: 1},
    "es": {0: 1, 1: 0, 2: 1, 5: 1, 21: 1},
    "ko": {0: 0, 1: 0, 2: 0, 5: 0, 21: 0},
    "ru": {0: 2, 1: 0, 2: 1, 5: 2, 11: 2, 21: 0, 22: 1, 111: 2},
}
"""Which plural form goes with a count."""

sources = cache(template)


def ids(catalog: Catalog) -> set[tuple[str | None, str]]:
    return {(message.context, str(message.id)) for message in texts(catalog)}


@pytest.mark.parametrize("code", KEPT)
def test_a_catalogue_has_the_texts_of_the_sources(code: str) -> None:
    assert ids(kept(code)) == ids(sources()), "bring it up to date: scripts/translate update"


@pytest.mark.parametrize("code", KEPT)
def test_a_catalogue_is_complete_and_right(code: str) -> None:
    assert [*faults(kept(code))] == []


@pytest.mark.parametrize("code", KEPT)
def test_plural_forms_go_with_their_counts(code: str) -> None:
    catalog = Catalog(locale=code)
    forms = tuple(f"{index}" for index in range(catalog.num_plurals))
    catalog.add(("one", "many"), forms)
    spoken = GNUTranslations(BytesIO(mo_bytes(catalog)))
    assert {count: int(spoken.ngettext("one", "many", count)) for count in FORMS[code]} == (
        FORMS[code]
    )
    assert kept(code).plural_forms == catalog.plural_forms


def test_english_tokens_and_drinks_keep_to_their_room() -> None:
    english = Catalog(locale="en")
    for message in texts(sources()):
        if message.context in ("token", DRINK):
            english.add(message.id, str(message.id), context=message.context)
    assert [*faults(english)] == []
