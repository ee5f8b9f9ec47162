"""Mistakes that `scripts/translate` finds in a translation, and what it accepts."""

import pytest
from babel.messages.catalog import Catalog

from scripts.programs.translate.catalogues import forms, is_done, po_bytes, texts
from scripts.programs.translate.faults import COMMAND, TOKEN, faults, progress, take, unfinished
from scripts.programs.translate.merging import merged
from scripts.programs.translate.sources import DRINK

CARDS = ("{count} card", "{count} cards")
ONE_CARD = ("one card", "{count} cards")

Text = str | tuple[str, ...]


def catalogue(code: str, text: Text, translation: Text, context: str | None = None) -> Catalog:
    catalog = Catalog(locale=code)
    catalog.add(text, translation, context=context)
    return catalog


@pytest.mark.parametrize(
    ("code", "text", "translation"),
    [
        ("ru", "cup {n}", "чашка {n}"),
        ("ru", "{a} of {b}", "{b}: {a}"),
        ("ru", CARDS, ("{count} карта", "{count} карты", "{count} карт")),
        ("ko", CARDS, ("{count}장",)),
        ("it", CARDS, ("{count} carta", "{count} carte")),
        ("it", ONE_CARD, ("una carta", "{count} carte")),
        ("es", " back)", " atrás)"),
    ],
)
def test_what_is_right_has_no_faults(code: str, text: Text, translation: Text) -> None:
    assert [*faults(catalogue(code, text, translation))] == []


@pytest.mark.parametrize(
    ("code", "text", "translation", "fault"),
    [
        (
            "ru",
            CARDS,
            ("{count} карта", "{count} карт"),
            "has 2 plural forms, but this language has 3",
        ),
        ("ru", "cup {n}", "чашка", "“чашка” does not have exactly these placeholders: {n}"),
        ("ru", "cup {n}", "чашка {m}", "“чашка {m}” does not have exactly these placeholders: {n}"),
        ("ru", "{n:.2f}", "{n}", "“{n}” does not have exactly these placeholders: {n:.2f}"),
        (
            "ru",
            ONE_CARD,
            ("карта", "{count} карты", "{count} карт"),
            "“карта” does not have exactly",
        ),
        ("ko", ONE_CARD, ("카드",), "“카드” does not have exactly these placeholders: {count}"),
        ("ru", "cup {n}", "чашка {n", "“чашка {n” has a malformed placeholder: "),
        ("es", " back)", "atrás)", "“atrás)” does not begin and end with the same spaces"),
        ("es", "back", "atr\x1bas", r"'atr\x1bas' has a control character"),
        ("es", "back", "atra\u0301s", "is not in Unicode normalization form NFC"),
    ],
)
def test_what_is_wrong_is_named(code: str, text: Text, translation: Text, fault: str) -> None:
    assert any(fault in found for found in faults(catalogue(code, text, translation)))


def test_what_is_missing_or_fuzzy_is_unfinished_and_not_wrong() -> None:
    catalog = Catalog(locale="ru")
    catalog.add("cup {n}")
    catalog.add(CARDS, ("{count} карта", "", "{count} карт"))
    catalog.add("fork", "вилка", flags=("fuzzy",))
    catalog.add("spoon", "вилка", flags=("fuzzy",), previous_id=["a fork"])
    catalog.add("knife", "нож")
    assert [*unfinished(catalog)] == [
        "cup {n}: is not translated",
        "{count} card: is not translated",
        "fork: is marked as fuzzy: “вилка”",
        "spoon: is marked as fuzzy, of “a fork”: “вилка”",
    ]
    assert [*faults(catalog)] == []
    assert progress(catalog) == "20%, 1 of 5 translated; 2 fuzzy, 2 missing"


def test_tokens_are_two_cells_and_unlike() -> None:
    catalog = catalogue("ko", "Mi", "우유", TOKEN)
    catalog.add("Wa", "물", context=TOKEN)
    catalog.add("Ic", "물", context=TOKEN)
    assert [*faults(catalog)] == [
        "token: Mi: “우유” is not 2 cells wide",
        "token: Ic: “물” already means Wa",
    ]


def test_commands_are_one_word_and_unlike_each_other_and_english() -> None:
    catalog = catalogue("it", "end", "fine turno", COMMAND)
    for text, translation in {"say": "log", "log": "registro", "undo": "Registro"}.items():
        catalog.add(text, translation, context=COMMAND)
    assert [*faults(catalog)] == [
        "command: end: “fine turno” is not one word",
        "command: say: “log” already means log",
        "command: undo: “registro” already means log",
    ]


def test_a_drink_is_no_wider_than_a_name() -> None:
    (found,) = faults(catalogue("ko", "Latte", "커피" * 7, DRINK))
    assert found.endswith("is wider than 24 cells")


@pytest.fixture
def catalog() -> Catalog:
    """Return a catalogue of texts, of which one has a fuzzy translation."""
    template = Catalog()
    for text in ("cup {n}", "spoon", "fork", CARDS):
        template.add(text)
    return merged(template, catalogue("it", "the fork", "forchetta"))


def test_only_what_is_right_is_taken(catalog: Catalog) -> None:
    new = Catalog(locale="it")
    new.add("cup {n}", "tazza")
    new.add("spoon", "cucchiaino")
    new.add("fork", "forchetta", flags=("fuzzy",))
    new.add("saucer", "piattino")
    new.add(CARDS, ("", ""))
    assert take(catalog, new) == (
        1,
        [
            "cup {n}: “tazza” does not have exactly these placeholders: {n}",
            "fork: is still marked as fuzzy",
            "saucer: is not in the catalogue",
        ],
    )
    assert {str(message.id): forms(message) for message in texts(catalog) if is_done(message)} == {
        "spoon": ("cucchiaino",)
    }


def test_what_is_fuzzy_is_taken_where_somebody_says_that_it_is_right(catalog: Catalog) -> None:
    assert "fork: is marked as fuzzy, of “the fork”: “forchetta”" in unfinished(catalog)
    new = Catalog(locale="it")
    new.add("fork", "forchetta", flags=("fuzzy",))
    assert take(catalog, new, fuzzy_too=True) == (1, [])
    assert b"#|" not in po_bytes(catalog)
    assert is_done(catalog["fork"])
