"""Notes for translators."""

import pytest
from babel.messages.catalog import Catalog, Message

from scripts.programs.translate.catalogues import texts
from scripts.programs.translate.notes import comments, placeholders
from scripts.programs.translate.samples import CONTEXTS, PLACES, SAMPLES
from scripts.programs.translate.sources import template


@pytest.fixture(scope="module")
def sources() -> Catalog:
    return template()


def test_a_text_says_where_it_stands_and_what_fills_it_in() -> None:
    message = Message("{bot}: {n} of {n:.2f}", locations=[("coffeerush/ui/words/table.py", 0)])
    assert [*comments(message)] == [
        "the log and the notes of all screens: sentences",
        "{bot}: a word that people type, as this catalogue translates it: “bot”",
        "{n}: a number: “1”, “2”, “5”, “21”",
    ]


@pytest.mark.slow
def test_every_placeholder_has_a_sample_and_every_sample_a_text(sources: Catalog) -> None:
    used = set[str]()
    for message in texts(sources):
        files = [file for file, _line in message.locations] or ["click"]
        for name in placeholders(message):
            used |= {name, *(f"{name} @ {file}" for file in files)}
    assert {name for name in used if "@" not in name} - SAMPLES.keys() == set()
    assert SAMPLES.keys() - used == set()


@pytest.mark.slow
def test_every_context_and_file_has_a_place(sources: Catalog) -> None:
    assert {message.context for message in texts(sources) if message.context} == CONTEXTS.keys()
    files = {file for message in texts(sources) for file, _line in message.locations}
    firsts = {next(start for start in PLACES if file.startswith(start)) for file in files}
    assert firsts == PLACES.keys()
