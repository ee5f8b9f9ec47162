"""What a guided game shows so far, and that nothing moves when more of it is shown."""

import pytest
from msgspec.structs import replace

from coffeerush.rules import State
from coffeerush.ui.advice.guide_lessons import Lesson, Progress, Told
from coffeerush.ui.advice.guide_signs import SIGNS, Sign, signs_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import kind_of
from protocol import EndTurn, Upgrade
from tests.support.positions import Has, play, position, ready
from tests.ui.advice.test_guide import model_of
from tests.ui.advice.test_guided_game import game, hinted


def shown(state: State, *lessons: Lesson) -> frozenset[Sign]:
    """Return the signs of seat 0 after these lessons."""
    view = model_of(state, 0).view
    assert view is not None
    return signs_of(Progress(told=tuple(Told(one, 0, "start") for one in lessons)), view, 0)


def in_round_1(me: Has, *others: Has, closed: bool = False) -> State:
    """Return a State at the start of the first turn of the game."""
    return position(me, *(others or (Has(), Has())), closed=closed, round=1)


FIRST = in_round_1(Has(("Lungo",)))


@pytest.mark.parametrize(
    ("state", "signs"),
    [
        (FIRST, set()),
        (in_round_1(Has(("Lungo",), completed=1)), {"served"}),
        (in_round_1(Has(("Lungo",), completed=3)), {"served"}),
        (
            in_round_1(Has(("Lungo",), upgrades=(Upgrade.DOUBLE_CORNERS,))),
            {"served", "upgrades"},
        ),
        (
            in_round_1(Has(("Lungo",), upgrades=(Upgrade.DOUBLE_SPECIALTIES,))),
            {"served", "upgrades", "cells"},
        ),
        (in_round_1(Has(("Lungo",), rush=1)), {"rush"}),
        (in_round_1(Has(("Lungo",), penalties=1)), {"penalties"}),
        (in_round_1(Has(("", "", "", "Lungo"))), {"penalties"}),
        (in_round_1(Has(("Lungo",)), closed=True), {"deck"}),
        (play(ready(FIRST)), {"slots"}),
        (play(ready(FIRST), EndTurn()), {"slots"}),
        (in_round_1(Has(("Lungo",)), Has(("", "", "", "Lungo")), Has(rush=2, completed=4)), set()),
    ],
)
def test_a_sign_is_shown_from_when_it_matters_to_the_player(state: State, signs: set[Sign]) -> None:
    assert shown(state) == signs


@pytest.mark.parametrize(("left", "is_shown"), [(4, False), (3, True), (0, True)])
def test_the_supply_is_shown_when_something_is_scarce(left: int, is_shown: bool) -> None:
    view = model_of(FIRST, 0).view
    assert view is not None
    _first, *rest = view.supply
    scarce = replace(view, supply=(left, *rest))
    assert ("supply" in signs_of(Progress(), scarce, 0)) is is_shown


def test_a_lesson_shows_what_it_explains() -> None:
    assert shown(FIRST, "slots") == {"slots"}
    assert shown(FIRST, "specialty") == {"specialty", "rush"}
    assert shown(FIRST, "end", "penalty") == {"penalties", "deck", "rush"}
    assert shown(FIRST, "upgrade") == {"upgrades"}


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (40, 12)])
def test_the_first_screens_have_no_sign_that_nothing_explains(size: tuple[int, int]) -> None:
    model, progress = next(
        (one.model, one.progress) for one in game(hinted) if one.model.my_turn and one.lines
    )
    rows = slice(0, 15)  # above what the guide says
    for guide in (False, True):
        lines = [*draw(model, Ui(size=size, guide=guide, progress=progress), *size).lines()][rows]
        signs = [sign for sign in "✓↯▫▢★" if sign in "".join(lines)]
        assert bool(signs) is not guide, signs
        assert ("1▸2▸3▸4▸✗" in "".join(lines)) is (kind_of(*size) == "normal" and not guide)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_nothing_moves_with_the_signs(size: tuple[int, int]) -> None:
    """Where one is not shown yet, there are blanks, or the frame behind it."""
    hidden = 0
    for one in game(hinted)[::2]:
        ui = Ui(size=size, guide=True, progress=one.progress)
        if Scene(one.model, ui).stage != "game":
            continue
        header, *_rest = draw(one.model, ui, *size).lines()
        whole, *_rest = draw(one.model, replace(ui, guide=False), *size).lines()
        assert len(header) == len(whole)
        assert all(had == has or had == " " for had, has in zip(header, whole, strict=True))
        hidden += header != whole
    assert hidden > 5


@pytest.mark.slow
def test_at_the_end_of_a_guided_game_all_that_matters_in_it_was_shown() -> None:
    met: set[Sign] = set()
    for one in game(hinted):
        if one.model.view and one.model.view.active is not None:
            met |= Scene(one.model, Ui(guide=True, progress=one.progress)).signs
    assert met >= SIGNS - {"supply", "cells"}
    assert Scene(game(hinted)[-1].model, Ui(guide=True)).signs == SIGNS
