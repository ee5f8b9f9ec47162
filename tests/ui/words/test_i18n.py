"""The module that translates, with small catalogues made for this."""

import gettext
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from coffeerush.ui.words import i18n
from coffeerush.ui.words.i18n import (
    N_,
    NC_,
    _,
    available,
    best_language,
    language,
    languages_asked,
    ngettext,
    pgettext,
    set_language,
)


def write_catalogue(folder: Path, code: str, texts: dict[str, str]) -> None:
    """Write a catalogue with these texts, a word with a context, and a plural."""
    catalog = Catalog(locale=code)
    for text, translation in texts.items():
        catalog.add(text, translation)
    catalog.add("open", "열린", context="seat")
    catalog.add(("{n} step", "{n} steps"), ("{n}칸",) * catalog.num_plurals)
    file = BytesIO()
    write_mo(file, catalog)
    path = folder / code / "LC_MESSAGES" / "coffeerush.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(file.getvalue())


@pytest.fixture(autouse=True)
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write_catalogue(tmp_path, "ko", {"cup": "컵"})
    write_catalogue(tmp_path, "pt_BR", {"cup": "xícara"})
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    yield
    monkeypatch.undo()
    set_language("en")


def test_language_changes_at_run_time() -> None:
    marked = N_("cup")
    set_language("ko")
    assert (_(marked), ngettext("{n} step", "{n} steps", 2), language()) == ("컵", "{n}칸", "ko")
    set_language("en")
    assert (_(marked), ngettext("{n} step", "{n} steps", 2)) == ("cup", "{n} steps")
    assert language() == "en"


def test_a_context_tells_meanings_of_a_word_apart() -> None:
    set_language("ko")
    assert pgettext(*NC_("seat", "open")) == "열린"
    assert pgettext("door", "open") == "open"


def test_what_is_not_translated_is_english() -> None:
    set_language("ko")
    assert _("saucer") == "saucer"
    set_language("eo")
    assert (_("cup"), language()) == ("cup", "en")


def test_empty_text_is_no_header() -> None:
    set_language("ko")
    assert _("") == ""


def test_available_are_english_and_what_has_a_catalogue() -> None:
    assert available() == ("en", "ko", "pt_BR")


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANGUAGE": "ko", "LANG": "en_US.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.eucKR@hangul"}, "ko"),
        ({"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANGUAGE": "eo:ko"}, "ko"),
        ({"LANGUAGE": "en_GB:ko"}, "en"),
        ({"LANG": "pt"}, "pt_BR"),
        ({"LANG": "pt_PT.UTF-8"}, "pt_BR"),
        ({"LANGUAGE": "pt-BR"}, "pt_BR"),
        ({"LANG": "eo"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_chooses(variables: dict[str, str], code: str) -> None:
    assert best_language(languages_asked(variables)) == code


def test_other_programs_and_parsers_are_told_the_language() -> None:
    set_language("pt_PT")
    assert os.environ["LANGUAGE"] == "pt_BR"
    assert gettext.gettext("cup") == "xícara"


def test_back_to_what_the_environment_asked_for() -> None:
    set_language("ko")
    set_language()
    assert language() == "en"  # as tests/conftest.py has it
