"""Every moment of the screens: it fills its terminal, ASCII stays ASCII, and no language is cut."""

import re

import pytest
from prompt_toolkit.utils import get_cwidth

from coffeerush.joining.code import spoken_code
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.terminal.glyphs import CUT
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import drink_title
from tests.golden.frames import EXTREMES, LANGUAGES, SIZES, spoken
from tests.golden.moments import Moment, moments, played
from tests.support.local import INVITATION

SPANISH = "¡¿"
"""Non-letters that a language keeps; all other non-ASCII characters are drawn by us."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=[pytest.mark.slow] * (one != "en")) for one in EXTREMES]
)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "language"),
    [
        *((SIZES[0], language) for language in LANGUAGES),
        *((size, language) for size in (*SIZES[1:], (200, 60)) for language in EXTREMES),
    ],
)
def test_nothing_is_cut(size: tuple[int, int], language: str) -> None:
    with spoken(language):
        ours = _("settings: language, colours, mouse, speed …").split()[-1]
        for moment in moments():
            for line in moment.paint(*size, False).lines(Look()):
                rest = line if ours == CUT else line.replace(ours, "")
                assert not re.search(rf"\S{CUT}", rest), (moment.name, line)


def moment(name: str) -> Moment:
    """Return the moment of a name."""
    return next(one for one in moments() if one.name == name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_smallest_lobby_has_address_and_code(language: str) -> None:
    with spoken(language):
        drawn = "\n".join(moment("lobby").paint(40, 12, False).lines(Look()))
        assert INVITATION.addresses[0] in drawn
        assert spoken_code(INVITATION.code, language) in drawn


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
def test_a_spectator_sees_all_orders(language: str) -> None:
    """The side panel is at the right of the board: its words without line ends have each drink."""
    view = dict(played())["spectator"].view
    assert view is not None
    with spoken(language):
        lines = [*moment("spectator").paint(80, 24, False).lines(Look())]
        side = " ".join(re.split("[│┤┘]", line)[-1].strip() for line in lines[1:15])
        for player in view.players:
            for drinks in player.orders:
                named = ", ".join(drink_title(view.menu[drink]) for drink in drinks)
                assert named in side, (named, side)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_on_the_board_and_no_setting_is_cut(language: str) -> None:
    with spoken(language):
        for line in moment("moving").paint(120, 36, False).lines(Look()):
            assert CUT not in line[:53], line
        for line in moment("settings").paint(40, 12, False).lines(Look()):
            assert CUT not in line, line


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_of_an_order_is_cut_only_beside_marks(language: str) -> None:
    """The status has words only if all names are whole."""
    with spoken(language):
        for line in moment("moving").paint(80, 24, False).lines(Look()):
            recipe = line.rpartition("[")[2]
            assert CUT not in line or re.search(r"[\]3] +\+\d( !| \+.)? *│$", recipe), line


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "name", ["start menu", "host", "join", "code", "records", "league", "career"]
)
def test_no_line_of_the_start_menu_is_cut(name: str, language: str) -> None:
    with spoken(language):
        for line in moment(name).paint(40, 12, False).lines(Look()):
            assert CUT not in line, line
