"""Decimals and percent signs, as each language writes them."""

import pytest

from coffeerush.ui.words.names import decimal, percent, short_decimal
from tests.golden.frames import LANGUAGES, spoken

SPACE = "\N{NO-BREAK SPACE}"
WRITTEN = {
    "en": ("-3.10", "4", "3.5", "26.5%", "0%"),
    "pt_BR": ("-3,10", "4", "3,5", "26,5%", "0%"),
    "it": ("-3,10", "4", "3,5", "26,5%", "0%"),
    "es": ("-3,10", "4", "3,5", f"26,5{SPACE}%", f"0{SPACE}%"),
    "ko": ("-3.10", "4", "3.5", "26.5%", "0%"),
    "ru": ("-3,10", "4", "3,5", f"26,5{SPACE}%", f"0{SPACE}%"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_as_the_language_does(language: str) -> None:
    with spoken(language):
        numbers = (
            *(decimal(-3.1, 2), short_decimal(4.0), short_decimal(3.5)),
            *(percent(0.265, 1), percent(-0.001)),
        )
    assert numbers == WRITTEN[language]
