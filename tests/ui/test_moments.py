"""Every moment of the screens in every language: it fills its terminal, and ASCII stays ASCII."""

import pytest
from prompt_toolkit.utils import get_cwidth

from coffeerush.ui.terminal.canvas import Look
from tests.golden.frames import LANGUAGES, SIZES, spoken
from tests.golden.moments import moments

SPANISH = "¡¿"
"""Non-letters that a language keeps; all other non-ASCII characters are drawn by us."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
def test_each_row_is_as_wide_as_the_terminal(
    size: tuple[int, int], language: str, ascii_only: bool
) -> None:
    columns, rows = size
    with spoken(language):
        for moment in moments():
            lines = [*moment.paint(columns, rows, ascii_only).lines(Look(ascii=ascii_only))]
            assert len(lines) == rows, moment.name
            for line in lines:
                assert line.isprintable(), (moment.name, line)
                assert sum(map(get_cwidth, line)) == columns, (moment.name, line)
                for character in line if ascii_only else "":
                    ours = character.isascii() or character.isalpha() or character in SPANISH
                    assert ours, (moment.name, line)
