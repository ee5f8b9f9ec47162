"""Big screens: words instead of marks, a bigger board, and the recipes of rivals' orders."""

import re

import pytest

from coffeerush.ui.pages.chips import kinds_of
from coffeerush.ui.table.layout import layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.words.names import drink_title, ingredient_code
from tests.golden.frames import LANGUAGES, spoken
from tests.golden.moments import moments, played

PENALTIES = re.compile(rf"{glyphs.PENALTY}\d+/")


def lines_of(name: str, columns: int, rows: int) -> list[str]:
    moment = next(one for one in moments() if one.name == name)
    return [*moment.paint(columns, rows, False).lines()]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("columns", "rows"), [(100, 30), (120, 36), (200, 60)])
def test_penalties_are_in_words_where_there_is_room(language: str, columns: int, rows: int) -> None:
    with spoken(language):
        text = "\n".join(lines_of("moving", columns, rows))
        assert not PENALTIES.search(text)
        assert "\n".join(lines_of("moving", 80, 24)).count("/5 ") >= 4, "marks on a small screen"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_big_screen_has_the_recipes_of_all_open_orders(language: str) -> None:
    view = dict(played())["spectator"].view
    assert view is not None
    with spoken(language):
        text = "\n".join(lines_of("spectator", 160, 45))
        for player in view.players:
            for drink in [view.menu[one] for slot in player.orders for one in slot]:
                codes = " ".join(ingredient_code(kind) for kind in kinds_of(drink.recipe))
                assert f"{drink_title(drink)} {codes}" in text


def test_a_board_grows_with_the_screen() -> None:
    sizes = [layout_of(*size).board for size in ((120, 36), (160, 45), (200, 60), (240, 70))]
    cells = [area.columns * area.rows for area in sizes]
    assert cells == sorted(set(cells))
    assert layout_of(200, 60).board.columns > 200 * 0.45
